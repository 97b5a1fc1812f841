/* Code generated from hello.yaml by hardwire; DO NOT EDIT.
 * This file may be used under any terms.
 *
 * Every number of the spec as a constant: sizes in bytes, durations in milliseconds, `off` as 0.
 */
#ifndef HELLO_CONFIG_H
#define HELLO_CONFIG_H

#define HW_PREFIX hello

#include <hardwire/memory.h>

/* threads */
#define HW_THREADS_IO 2ull /* threads.io */
#define HW_THREADS_WORKERS 0ull /* threads.workers */
#define HW_THREADS_QUEUE 256ull /* threads.queue */
#define HW_THREADS_STACK_SIZE 262144ull /* threads.stack_size: 256KiB */

/* buffers */
#define HW_BUFFERS_SIZE 16384ull /* buffers.size: 16KiB */
#define HW_BUFFERS_COUNT 256ull /* buffers.count */
#define HW_BUFFERS_BODIES 16ull /* buffers.bodies */

/* limits */
#define HW_LIMITS_CONNECTIONS 1000ull /* limits.connections */
#define HW_LIMITS_REQUESTS 0ull /* limits.requests: off */
#define HW_LIMITS_HEADERS 100ull /* limits.headers */
#define HW_LIMITS_COOKIES 50ull /* limits.cookies */
#define HW_LIMITS_PARAMETERS 200ull /* limits.parameters */
#define HW_LIMITS_TARGET_SIZE 4096ull /* limits.target_size: 4KiB */
#define HW_LIMITS_HEADER_SIZE 8192ull /* limits.header_size: 8KiB */
#define HW_LIMITS_BODY_SIZE 65536ull /* limits.body_size: 64KiB */
#define HW_LIMITS_MEMORY_SIZE 268435456ull /* limits.memory_size: 256MiB */

/* timeouts */
#define HW_TIMEOUTS_HEADER 10000ull /* timeouts.header: 10s */
#define HW_TIMEOUTS_BODY 30000ull /* timeouts.body: 30s */
#define HW_TIMEOUTS_WRITE 30000ull /* timeouts.write: 30s */
#define HW_TIMEOUTS_IDLE 60000ull /* timeouts.idle: 60s */
#define HW_TIMEOUTS_HANDLER 30000ull /* timeouts.handler: 30s */
#define HW_TIMEOUTS_DRAIN 20000ull /* timeouts.drain: 20s */
#define HW_TIMEOUTS_LINGER 2000ull /* timeouts.linger: 2s */
#define HW_TIMEOUTS_HANDSHAKE 10000ull /* timeouts.handshake: 10s */

/* socket */
#define HW_SOCKET_BACKLOG 1024ull /* socket.backlog */
#define HW_SOCKET_NODELAY 1ull /* socket.nodelay: true */

/* tls */
#define HW_TLS_MEMORY_SIZE 67108864ull /* tls.memory_size: 64MiB */
#define HW_TLS_HANDSHAKES 256ull /* tls.handshakes */
#define HW_TLS_MIN_VERSION 0x0303 /* tls.min_version: 1.2 */
#define HW_TLS_CIPHERS \
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:" \
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305" /* tls.ciphers */
#define HW_TLS_SUITES "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256" /* tls.suites */
#define HW_TLS_GROUPS "X25519:P-256:P-384" /* tls.groups */
#define HW_TLS_SESSIONS 256ull /* tls.sessions */
#define HW_TLS_SESSION 3600000ull /* tls.session: 1h */
#define HW_TLS_KTLS 0ull /* tls.ktls: false */

/* http2 */
#define HW_HTTP2_STREAMS 100ull /* http2.streams */
#define HW_HTTP2_WINDOW_SIZE 1048576ull /* http2.window_size: 1MiB */
#define HW_HTTP2_CONNECTION_WINDOW_SIZE 16777216ull /* http2.connection_window_size: 16MiB */
#define HW_HTTP2_FRAME_SIZE 16384ull /* http2.frame_size: 16KiB */
#define HW_HTTP2_TABLE_SIZE 4096ull /* http2.table_size: 4KiB */
#define HW_HTTP2_PERIOD 10000ull /* http2.period: 10s */
#define HW_HTTP2_RESETS 200ull /* http2.resets */
#define HW_HTTP2_CONTROLS 1000ull /* http2.controls */
#define HW_HTTP2_EMPTIES 100ull /* http2.empties */
#define HW_HTTP2_UPDATES 10000ull /* http2.updates */

/* log */
#define HW_LOG_LEVEL 2ull /* log.level: info */
#define HW_LOG_RATE 100ull /* log.rate */

/* features and derived numbers */
#define HW_LISTENERS 1 /* entries of listen */
#define HW_LISTEN_TCP 1 /* some listener is TCP */
#define HW_LISTEN_UNIX_ANY 0 /* some listener is a unix socket */
#define HW_TLS 0 /* some listener has TLS */
#define HW_HTTP2 0 /* some listener has HTTP/2 */
#define HW_BODY_MEMORY_SIZE 0ull /* no route reads a body whole */
#define HW_BODY_STREAM_ANY 0 /* some route has body mode stream */
#define HW_HANDLERS 0 /* some route has a handler */

/* what the server reserves in all */
#define HW_MEMORY_ADD(id, text, bytes) +(bytes)
#define HW_MEMORY_SIZE (0ull HW_MEMORY_LINES(HW_MEMORY_ADD))

_Static_assert(HW_MEMORY_SIZE <= HW_LIMITS_MEMORY_SIZE, "the server needs more memory than limits.memory_size");
_Static_assert(HW_LIMITS_HEADER_SIZE <= HW_BUFFERS_SIZE, "limits.header_size is above buffers.size");
_Static_assert(HW_LIMITS_TARGET_SIZE <= HW_LIMITS_HEADER_SIZE, "limits.target_size is above limits.header_size");

#endif
