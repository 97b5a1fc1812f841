/* hardwire run SPEC [-o DIR] */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "emit/files.h"

/* Whether a command can be found as a shell finds it. */
static bool program_exists(struct arena *arena, struct text name)
{
    if (memchr(name.bytes, '/', name.size) != NULL)
        return access(arena_copy(arena, name).bytes, X_OK) == 0;
    const char *path = getenv("PATH");
    for (const char *start = path; start != NULL && *start != '\0';) {
        size_t size = strcspn(start, ":");
        struct text folder = size == 0 ? TEXT(".") : (struct text){start, size};
        if (access(path_join(arena, folder, name).bytes, X_OK) == 0)
            return true;
        start += size;
        start += *start == ':';
    }
    return false;
}

/* The compiler that make will call: the first word of CC. */
static struct text compiler_name(void)
{
    const char *cc = getenv("CC");
    if (cc == NULL || cc[strspn(cc, " ")] == '\0')
        return TEXT("cc");
    cc += strspn(cc, " ");
    return (struct text){cc, strcspn(cc, " ")};
}

static int tools_check(struct arena *arena)
{
    struct text compiler = compiler_name();
    if (!program_exists(arena, TEXT("make")))
        return cli_problem(TEXT("make is not in PATH; install it to build what generate writes"));
    if (!program_exists(arena, compiler))
        return cli_problem(arena_format(arena, "the C compiler %.*s is not in PATH; install gcc or clang, or set CC",
                                        TEXT_ARGS(compiler)));
    return CLI_FINE;
}

/* Lets pkg-config find the hardwire.pc that belongs to this program: beside it in a build folder, or where both were
 * installed. */
static void pkg_config_path_set(struct arena *arena)
{
    static const char *const places[] = {".", "../lib/pkgconfig", "../share/pkgconfig"};
    char program[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program);
    if (size <= 0 || (size_t)size == sizeof program)
        return;
    struct text folder = path_folder(arena, (struct text){program, (size_t)size});
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct text place = path_join(arena, folder, text_of(places[i]));
        if (access(path_join(arena, place, TEXT("hardwire.pc")).bytes, R_OK) != 0)
            continue;
        const char *before = getenv("PKG_CONFIG_PATH");
        struct text path = before == NULL ? place : arena_format(arena, "%.*s:%s", TEXT_ARGS(place), before);
        setenv("PKG_CONFIG_PATH", path.bytes, 1);
        return;
    }
}

/* Runs make in the folder and waits for it. */
static int make_run(struct arena *arena, struct text folder)
{
    char *const command[] = {"make", "-s", "-C", (char *)arena_copy(arena, folder).bytes, NULL};
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    int result = 0;
    while (child > 0 && waitpid(child, &result, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        return cli_problem(arena_format(arena, "cannot start make: %s", strerror(errno)));
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
        return CLI_FINE;
    return cli_problem(arena_format(arena, "the server in %.*s does not build", TEXT_ARGS(folder)));
}

/* Becomes the server: so its signals, its working directory and its exit status are those of this command. */
static int server_become(struct cli_spec *spec)
{
    struct arena *arena = &spec->arena;
    struct text program =
        arena_format(arena, "%.*s/%.*s", TEXT_ARGS(spec->request.folder), TEXT_ARGS(spec->plan->name));
    char *const command[] = {(char *)program.bytes, NULL};
    execv(command[0], command);
    return cli_problem(problem_make(arena, "start", program, errno));
}

int cli_run(const struct cli_arguments *arguments)
{
    struct cli_spec spec = {0};
    int status = cli_spec_read(&spec, arguments);
    if (status == CLI_FINE && !spec.plan->has_main)
        status = cli_problem(TEXT("a server with `main: false` is part of another program and cannot be run alone"));
    if (status == CLI_FINE) {
        spec.request.vendor = emit_vendor_recorded(&spec.arena, spec.request.folder);
        status = tools_check(&spec.arena);
    }
    if (status == CLI_FINE)
        status = cli_output_write(&spec, false, true);
    if (status == CLI_FINE) {
        signal(SIGXFSZ, SIG_DFL); /* what main ignores is not for make and the server to inherit */
        pkg_config_path_set(&spec.arena);
        status = make_run(&spec.arena, spec.request.folder);
    }
    if (status == CLI_FINE)
        status = server_become(&spec);
    cli_spec_free(&spec);
    return status;
}
