/* See names.h. Every list is in the order of strcmp, so that it can be searched by halves. */
#include "spec/names.h"

#include "spec/spec.h"

/* clang-format off */
/* C from C89 to C23, and what <std...> headers and compilers make keywords. */
static const char *const keywords[] = {
    "alignas", "alignof", "asm",       "auto",          "bool",          "break",    "case",     "char",
    "complex", "const",   "constexpr", "continue",      "default",       "do",       "double",   "else",
    "enum",    "extern",  "false",     "float",         "for",           "goto",     "if",       "imaginary",
    "inline",  "int",     "long",      "noreturn",      "nullptr",       "register", "restrict", "return",
    "short",   "signed",  "sizeof",    "static",        "static_assert", "struct",   "switch",   "thread_local",
    "true",    "typedef", "typeof",    "typeof_unqual", "union",         "unsigned", "void",     "volatile",
    "while",
};

/* Functions, types and macros of the ISO C library. A handler is a function with external linkage: one of these names
 * is a second definition of the library's function, which the linker takes without a word. */
static const char *const library[] = {
    "BUFSIZ",
    "EOF",
    "FILE",
    "NULL",
    "abort",
    "abs",
    "acos",
    "acosf",
    "acosh",
    "acoshf",
    "acoshl",
    "acosl",
    "aligned_alloc",
    "and",
    "and_eq",
    "asctime",
    "asin",
    "asinf",
    "asinh",
    "asinhf",
    "asinhl",
    "asinl",
    "assert",
    "at_quick_exit",
    "atan",
    "atan2",
    "atan2f",
    "atan2l",
    "atanf",
    "atanh",
    "atanhf",
    "atanhl",
    "atanl",
    "atexit",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "atomic_exchange",
    "atomic_flag",
    "atomic_init",
    "atomic_load",
    "atomic_signal_fence",
    "atomic_store",
    "atomic_thread_fence",
    "bitand",
    "bitor",
    "bsearch",
    "btowc",
    "c16rtomb",
    "c32rtomb",
    "cacos",
    "cacosh",
    "call_once",
    "calloc",
    "carg",
    "casin",
    "casinh",
    "catan",
    "catanh",
    "cbrt",
    "cbrtf",
    "cbrtl",
    "ccos",
    "ccosh",
    "ceil",
    "ceilf",
    "ceill",
    "cexp",
    "char16_t",
    "char32_t",
    "char8_t",
    "cimag",
    "clearerr",
    "clock",
    "clock_t",
    "clog",
    "cnd_broadcast",
    "cnd_destroy",
    "cnd_init",
    "cnd_signal",
    "cnd_timedwait",
    "cnd_wait",
    "compl",
    "conj",
    "copysign",
    "copysignf",
    "copysignl",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "coshl",
    "cosl",
    "cpow",
    "cproj",
    "creal",
    "csin",
    "csinh",
    "csqrt",
    "ctan",
    "ctanh",
    "ctime",
    "difftime",
    "div",
    "div_t",
    "erf",
    "erfc",
    "erfcf",
    "erfcl",
    "erff",
    "erfl",
    "errno",
    "exit",
    "exp",
    "exp2",
    "exp2f",
    "exp2l",
    "expf",
    "expl",
    "expm1",
    "expm1f",
    "expm1l",
    "fabs",
    "fabsf",
    "fabsl",
    "fclose",
    "fdim",
    "fdimf",
    "fdiml",
    "feclearexcept",
    "fegetenv",
    "fegetexceptflag",
    "fegetround",
    "feholdexcept",
    "fenv_t",
    "feof",
    "feraiseexcept",
    "ferror",
    "fesetenv",
    "fesetexceptflag",
    "fesetround",
    "fetestexcept",
    "feupdateenv",
    "fexcept_t",
    "fflush",
    "fgetc",
    "fgetpos",
    "fgets",
    "fgetwc",
    "fgetws",
    "floor",
    "floorf",
    "floorl",
    "fma",
    "fmaf",
    "fmal",
    "fmax",
    "fmaxf",
    "fmaxl",
    "fmin",
    "fminf",
    "fminl",
    "fmod",
    "fmodf",
    "fmodl",
    "fopen",
    "fpclassify",
    "fpos_t",
    "fprintf",
    "fputc",
    "fputs",
    "fputwc",
    "fputws",
    "fread",
    "free",
    "free_aligned_sized",
    "free_sized",
    "freopen",
    "frexp",
    "frexpf",
    "frexpl",
    "fscanf",
    "fseek",
    "fsetpos",
    "ftell",
    "fwide",
    "fwprintf",
    "fwrite",
    "fwscanf",
    "getc",
    "getchar",
    "getenv",
    "gets",
    "getwc",
    "getwchar",
    "gmtime",
    "gmtime_r",
    "hypot",
    "hypotf",
    "hypotl",
    "ilogb",
    "ilogbf",
    "ilogbl",
    "imaxabs",
    "imaxdiv",
    "imaxdiv_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "intmax_t",
    "intptr_t",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isfinite",
    "isgraph",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "islower",
    "isnan",
    "isnormal",
    "isprint",
    "ispunct",
    "isspace",
    "isunordered",
    "isupper",
    "iswalnum",
    "iswalpha",
    "iswblank",
    "iswcntrl",
    "iswctype",
    "iswdigit",
    "iswgraph",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "iswxdigit",
    "isxdigit",
    "jmp_buf",
    "labs",
    "lconv",
    "ldexp",
    "ldexpf",
    "ldexpl",
    "ldiv",
    "ldiv_t",
    "lgamma",
    "lgammaf",
    "lgammal",
    "llabs",
    "lldiv",
    "lldiv_t",
    "llrint",
    "llrintf",
    "llrintl",
    "llround",
    "llroundf",
    "llroundl",
    "localeconv",
    "localtime",
    "localtime_r",
    "log",
    "log10",
    "log10f",
    "log10l",
    "log1p",
    "log1pf",
    "log1pl",
    "log2",
    "log2f",
    "log2l",
    "logb",
    "logbf",
    "logbl",
    "logf",
    "logl",
    "longjmp",
    "lrint",
    "lrintf",
    "lrintl",
    "lround",
    "lroundf",
    "lroundl",
    "malloc",
    "max_align_t",
    "mblen",
    "mbrlen",
    "mbrtoc16",
    "mbrtoc32",
    "mbrtowc",
    "mbsinit",
    "mbsrtowcs",
    "mbstate_t",
    "mbstowcs",
    "mbtowc",
    "memccpy",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "memset_explicit",
    "mktime",
    "modf",
    "modff",
    "modfl",
    "mtx_destroy",
    "mtx_init",
    "mtx_lock",
    "mtx_timedlock",
    "mtx_trylock",
    "mtx_unlock",
    "nan",
    "nanf",
    "nanl",
    "nearbyint",
    "nearbyintf",
    "nearbyintl",
    "nextafter",
    "nextafterf",
    "nextafterl",
    "nexttoward",
    "nexttowardf",
    "nexttowardl",
    "not",
    "not_eq",
    "nullptr_t",
    "offsetof",
    "or",
    "or_eq",
    "perror",
    "pow",
    "powf",
    "powl",
    "printf",
    "ptrdiff_t",
    "putc",
    "putchar",
    "puts",
    "putwc",
    "putwchar",
    "qsort",
    "quick_exit",
    "raise",
    "rand",
    "realloc",
    "remainder",
    "remainderf",
    "remainderl",
    "remove",
    "remquo",
    "remquof",
    "remquol",
    "rename",
    "rewind",
    "rint",
    "rintf",
    "rintl",
    "round",
    "roundf",
    "roundl",
    "scalbln",
    "scalblnf",
    "scalblnl",
    "scalbn",
    "scalbnf",
    "scalbnl",
    "scanf",
    "setbuf",
    "setjmp",
    "setlocale",
    "setvbuf",
    "sig_atomic_t",
    "signal",
    "signbit",
    "sin",
    "sinf",
    "sinh",
    "sinhf",
    "sinhl",
    "sinl",
    "size_t",
    "snprintf",
    "sprintf",
    "sqrt",
    "sqrtf",
    "sqrtl",
    "srand",
    "sscanf",
    "stderr",
    "stdin",
    "stdout",
    "strcat",
    "strchr",
    "strcmp",
    "strcoll",
    "strcpy",
    "strcspn",
    "strdup",
    "strerror",
    "strftime",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strndup",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "strtod",
    "strtof",
    "strtoimax",
    "strtok",
    "strtol",
    "strtold",
    "strtoll",
    "strtoul",
    "strtoull",
    "strtoumax",
    "strxfrm",
    "swprintf",
    "swscanf",
    "system",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
    "tanhl",
    "tanl",
    "tgamma",
    "tgammaf",
    "tgammal",
    "thrd_create",
    "thrd_current",
    "thrd_detach",
    "thrd_equal",
    "thrd_exit",
    "thrd_join",
    "thrd_sleep",
    "thrd_yield",
    "time",
    "time_t",
    "timegm",
    "timespec",
    "timespec_get",
    "timespec_getres",
    "tm",
    "tmpfile",
    "tmpnam",
    "tolower",
    "toupper",
    "towctrans",
    "towlower",
    "towupper",
    "trunc",
    "truncf",
    "truncl",
    "tss_create",
    "tss_delete",
    "tss_get",
    "tss_set",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "uintmax_t",
    "uintptr_t",
    "ungetc",
    "ungetwc",
    "va_arg",
    "va_copy",
    "va_end",
    "va_list",
    "va_start",
    "vfprintf",
    "vfscanf",
    "vfwprintf",
    "vfwscanf",
    "vprintf",
    "vscanf",
    "vsnprintf",
    "vsprintf",
    "vsscanf",
    "vswprintf",
    "vswscanf",
    "vwprintf",
    "vwscanf",
    "wchar_t",
    "wcrtomb",
    "wcscat",
    "wcschr",
    "wcscmp",
    "wcscoll",
    "wcscpy",
    "wcscspn",
    "wcsftime",
    "wcslen",
    "wcsncat",
    "wcsncmp",
    "wcsncpy",
    "wcspbrk",
    "wcsrchr",
    "wcsrtombs",
    "wcsspn",
    "wcsstr",
    "wcstod",
    "wcstof",
    "wcstoimax",
    "wcstok",
    "wcstol",
    "wcstold",
    "wcstoll",
    "wcstombs",
    "wcstoul",
    "wcstoull",
    "wcstoumax",
    "wcsxfrm",
    "wctob",
    "wctomb",
    "wctrans",
    "wctrans_t",
    "wctype",
    "wctype_t",
    "wint_t",
    "wmemchr",
    "wmemcmp",
    "wmemcpy",
    "wmemmove",
    "wmemset",
    "wprintf",
    "wscanf",
    "xor",
    "xor_eq",
};

/* Functions of the system that the runtime, or the C library below it, calls: the same trap. */
static const char *const system_calls[] = {
    "accept", "accept4", "access", "alarm", "bcmp", "bind", "brk", "chdir", "chmod", "chown", "clock_gettime",
    "clock_nanosleep", "clone", "close", "closedir", "connect", "creat", "dprintf", "dup", "dup2", "dup3",
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "eventfd", "execve", "execvp", "fchmod", "fcntl",
    "fdopen", "fileno", "fork", "freeaddrinfo", "fstat", "fsync", "ftruncate", "getaddrinfo", "getpeername", "getpid",
    "getrlimit", "getsockname", "getsockopt", "gettid", "htonl", "htons", "inet_ntop", "inet_pton", "ioctl",
    "kill", "link", "listen",
    "lseek", "lstat", "madvise", "memmem", "memrchr", "mkdir", "mmap", "mprotect", "munmap", "nanosleep", "ntohl",
    "ntohs", "open",
    "openat", "opendir", "pause", "pipe", "pipe2", "poll", "popen", "ppoll", "prctl", "pread", "pwrite", "read",
    "readdir", "readlink", "readv", "recv", "recvfrom", "recvmsg", "rmdir", "sbrk", "sched_getaffinity",
    "sched_yield", "select", "send", "sendfile", "sendmsg", "sendto", "setrlimit", "setsockopt", "shutdown",
    "sigaction", "sigaddset", "sigdelset", "sigemptyset", "sigfillset", "signalfd", "sigprocmask", "sigtimedwait",
    "sigwait", "sigwaitinfo", "sleep", "socket", "socketpair", "splice", "stat", "stpcpy", "strcasecmp",
    "strerror_r", "strncasecmp", "strnlen",
    "symlink", "sync", "syscall", "sysconf", "tee", "timerfd_create", "truncate", "umask", "uname", "unlink",
    "unlinkat", "usleep", "vdprintf", "vfork", "wait", "waitpid", "write", "writev",
};

/* Macros without arguments of the headers that a server's sources are likely to include, and those of compilers: a
 * member of this name does not compile. */
static const char *const macros[] = {
    "BUFSIZ",     "EOF",          "HUGE_VAL", "I",        "INFINITY", "NAN",       "NULL",       "and",
    "and_eq",     "assert",       "bitand",   "bitor",    "compl",    "errno",     "fpclassify", "i386",
    "isfinite",   "isinf",        "isnan",    "isnormal", "linux",    "major",     "makedev",    "math_errhandling",
    "minor",      "not",          "not_eq",   "offsetof", "or",       "or_eq",     "s6_addr",    "s_addr",
    "sa_handler", "sa_sigaction", "setjmp",   "si_addr",  "si_pid",   "si_status", "si_uid",     "si_value",
    "signbit",    "st_atime",     "st_ctime", "st_mtime", "stderr",   "stdin",     "stdout",     "unix",
    "va_arg",     "va_copy",      "va_end",   "va_start", "xor",      "xor_eq",
};

/* System headers. NAME.h stands in a folder that is searched first. */
static const char *const headers[] = {
    "aio",       "alloca",    "arpa",      "assert",   "byteswap", "complex", "cpio",     "crypt",       "ctype",
    "dirent",    "dlfcn",     "elf",       "endian",   "err",      "errno",   "error",    "fcntl",       "features",
    "fenv",      "float",     "fmtmsg",    "fnmatch",  "ftw",      "getopt",  "glob",     "grp",         "hardwire",
    "iconv",     "ifaddrs",   "inttypes",  "iso646",   "langinfo", "libgen",  "libintl",  "limits",      "link",
    "llhttp",    "locale",    "malloc",    "math",     "memory",   "mqueue",  "net",      "netdb",       "netinet",
    "netpacket", "nl_types",  "poll",      "printf",   "pthread",  "pwd",     "regex",    "resolv",      "sched",
    "search",    "semaphore", "setjmp",    "shadow",   "signal",   "spawn",   "stdalign", "stdarg",      "stdatomic",
    "stdbit",    "stdbool",   "stdckdint", "stddef",   "stdint",   "stdio",   "stdlib",   "stdnoreturn", "string",
    "strings",   "sys",       "syscall",   "sysexits", "syslog",   "tar",     "termios",  "tgmath",      "threads",
    "time",      "uchar",     "ucontext",  "ulimit",   "unistd",   "utime",   "utmp",     "utmpx",       "values",
    "wait",      "wchar",     "wctype",    "wordexp",
};
/* clang-format on */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_listed(const char *const *list, size_t count, struct text name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_compare(text_of(list[middle]), name);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Letters, digits and '_' of ASCII alone, whatever the locale: what every C compiler and linker takes. */
bool name_is_identifier(struct text name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.bytes[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.size != 0;
}

static bool begins_with(struct text name, struct text prefix)
{
    return name.size >= prefix.size && memcmp(name.bytes, prefix.bytes, prefix.size) == 0;
}

/* What holds for every name. */
static const char *name_problem(struct text name)
{
    if (name.size == 0)
        return "is empty";
    if (!name_is_identifier(name))
        return "is not a C identifier";
    if (name.size > NAME_SIZE_MAX)
        return "is longer than 63 characters, the most that every C compiler tells apart";
    if (is_listed(keywords, COUNT_OF(keywords), name))
        return "is a C keyword";
    if (name.bytes[0] == '_')
        return "begins with an underscore, which C reserves";
    return NULL;
}

/* Names of OpenSSL and nghttp2, which a server with TLS or HTTP/2 calls. */
static bool is_of_library(struct text name)
{
    static const char *const prefixes[] = {"ASN1_", "BIO_",    "CRYPTO_", "ERR_",  "EVP_",    "GENERAL_", "OCSP_",
                                           "OSSL_", "PEM_",    "PKCS12_", "RAND_", "SSL_",    "OPENSSL_", "TLS_",
                                           "X509_", "X509V3_", "i2d_",    "d2i_",  "nghttp2_"};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (begins_with(name, text_of(prefixes[i])))
            return true;
    return false;
}

const char *spec_function_name_problem(struct text name)
{
    const char *problem = name_problem(name);
    if (problem != NULL)
        return problem;
    if (text_is(name, "main"))
        return "is the program's own function";
    if (is_listed(library, COUNT_OF(library), name))
        return "is a name of the C library";
    if (is_listed(system_calls, COUNT_OF(system_calls), name) || begins_with(name, TEXT("pthread_")))
        return "is a function of the system, which the server calls itself";
    if (is_of_library(name))
        return "begins as OpenSSL's and nghttp2's functions do, which the server may call";
    if (is_listed(macros, COUNT_OF(macros), name))
        return "is a macro of the system's headers";
    return NULL;
}

/* True for NAME_start and the other external names of generated code. */
static bool is_generated(struct text name, struct text product)
{
    static const char *const generated[] = {"baked", "port", "reload", "route_find", "route_methods", "start", "stop"};
    if (product.size == 0 || !begins_with(name, product) || name.size <= product.size ||
        name.bytes[product.size] != '_')
        return false;
    struct text rest = {name.bytes + product.size + 1, name.size - product.size - 1};
    return begins_with(rest, TEXT("hw_")) || is_listed(generated, COUNT_OF(generated), rest);
}

const char *name_handler_problem(struct text name, struct text product)
{
    const char *problem = spec_function_name_problem(name);
    if (problem != NULL)
        return problem;
    if (begins_with(name, TEXT("hw_")) || begins_with(name, TEXT("HW_")))
        return "begins with hw_, as the runtime's names do";
    if (is_generated(name, product))
        return "is a name of the generated code";
    return NULL;
}

const char *name_parameter_problem(struct text name)
{
    const char *problem = name_problem(name);
    if (problem != NULL)
        return problem;
    if (is_listed(macros, COUNT_OF(macros), name))
        return "is a macro of the C library";
    return NULL;
}

const char *name_product_problem(struct text name)
{
    const char *problem = name_problem(name);
    if (problem != NULL)
        return problem;
    if (is_listed(macros, COUNT_OF(macros), name) || is_listed(library, COUNT_OF(library), name))
        return "is a name of the C library";
    if (is_listed(headers, COUNT_OF(headers), name))
        return "is the name of a system header, which NAME.h would hide";
    bool is_runtime = (name.bytes[0] | 0x20) == 'h' && name.size >= 2 && (name.bytes[1] | 0x20) == 'w' &&
                      (name.size == 2 || name.bytes[2] == '_');
    return is_runtime ? "begins with hw, as the runtime's names do" : NULL;
}

bool name_is_variable(struct text name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.bytes[i];
        if (!((c >= 'A' && c <= 'Z') || c == '_') && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.size != 0 && name.size <= NAME_SIZE_MAX;
}

/* A C identifier that is near to what was written: other bytes become '_'. */
struct text name_repair(struct arena *arena, struct text name)
{
    struct text repaired =
        arena_copy(arena, name.size > NAME_SIZE_MAX ? (struct text){name.bytes, NAME_SIZE_MAX} : name);
    char *bytes = arena_take(arena, repaired.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < repaired.size; i++) {
        bool is_fine = name_is_identifier((struct text){repaired.bytes + i, 1}) ||
                       (size != 0 && repaired.bytes[i] >= '0' && repaired.bytes[i] <= '9');
        if (is_fine && (size != 0 || repaired.bytes[i] != '_'))
            bytes[size++] = repaired.bytes[i];
        else if (size != 0 && bytes[size - 1] != '_')
            bytes[size++] = '_';
    }
    while (size != 0 && bytes[size - 1] == '_')
        size--;
    struct text result = {bytes, size};
    return spec_function_name_problem(result) == NULL ? result : TEXT("");
}
