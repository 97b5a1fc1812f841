/* config.h for a server with TLS. A test may define HW_TLS_* before it includes this file. */
#ifndef HW_TEST_CONFIG_TLS_H
#define HW_TEST_CONFIG_TLS_H

#define HW_LISTENERS 4

#include "config.h"

#undef HW_TLS
#undef HW_TLS_MEMORY_SIZE
#undef HW_TLS_HANDSHAKES
#undef HW_TLS_MIN_VERSION
#undef HW_TLS_CIPHERS
#undef HW_TLS_SUITES
#undef HW_TLS_GROUPS
#undef HW_TLS_SESSIONS
#undef HW_TLS_SESSION
#undef HW_TLS_KTLS
#define HW_TLS 1
#define HW_TLS_MEMORY_SIZE 4194304ull
#define HW_TLS_HANDSHAKES 8ull
#define HW_TLS_MIN_VERSION 0x0303
#define HW_TLS_CIPHERS                                                                                                 \
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"                         \
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
#define HW_TLS_SUITES "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
#define HW_TLS_GROUPS "X25519:P-256:P-384"
#define HW_TLS_SESSIONS 64ull
#define HW_TLS_SESSION 3600000ull
#ifndef HW_TEST_KTLS
#define HW_TEST_KTLS 0
#endif
#define HW_TLS_KTLS HW_TEST_KTLS

#endif
