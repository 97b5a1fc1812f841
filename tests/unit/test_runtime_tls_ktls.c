/* The same tests with tls.ktls: OpenSSL's own socket instead of ours. Socket pairs never get TLS from the kernel. */
#define HW_TEST_KTLS 1
#include "test_runtime_tls.c"
