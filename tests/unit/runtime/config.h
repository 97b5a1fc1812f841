/* What NAME_config.h is to a generated server: the constants of the runtime under test, small, so that tests reach
 * every limit. A test that needs another number defines it before it includes this file. */
#ifndef HW_TEST_CONFIG_H
#define HW_TEST_CONFIG_H

/* Each test includes the files of the runtime that it is about, and calls some of their functions. */
#pragma GCC diagnostic ignored "-Wunused-function"

#define HW_PREFIX probe

#include <hardwire/memory.h>

#ifndef HW_THREADS_IO
#define HW_THREADS_IO 1ull
#endif
#define HW_THREADS_WORKERS 2ull
#define HW_THREADS_QUEUE 3ull
#define HW_THREADS_STACK_SIZE 262144ull
#define HW_BUFFERS_SIZE 2048ull
#ifndef HW_BUFFERS_COUNT
#define HW_BUFFERS_COUNT 2ull
#endif
#ifndef HW_BUFFERS_BODIES
#define HW_BUFFERS_BODIES 1ull
#endif
#ifndef HW_LIMITS_CONNECTIONS
#define HW_LIMITS_CONNECTIONS 4ull
#endif
#ifndef HW_LIMITS_REQUESTS
#define HW_LIMITS_REQUESTS 0ull
#endif
#define HW_LIMITS_HEADERS 8ull
#define HW_LIMITS_COOKIES 4ull
#define HW_LIMITS_PARAMETERS 4ull
#define HW_LIMITS_TARGET_SIZE 256ull
#define HW_LIMITS_HEADER_SIZE 1024ull
#define HW_LIMITS_BODY_SIZE 20000ull
#define HW_LIMITS_MEMORY_SIZE 268435456ull
#define HW_TIMEOUTS_HEADER 2000ull
#define HW_TIMEOUTS_BODY 3000ull
#define HW_TIMEOUTS_WRITE 3000ull
#define HW_TIMEOUTS_IDLE 5000ull
#define HW_TIMEOUTS_HANDLER 2500ull
#ifndef HW_TIMEOUTS_DRAIN
#define HW_TIMEOUTS_DRAIN 4000ull
#endif
#define HW_TIMEOUTS_LINGER 1000ull
#define HW_SOCKET_BACKLOG 16ull
#define HW_SOCKET_NODELAY 1ull
#ifndef HW_LOG_LEVEL
#define HW_LOG_LEVEL 0ull
#endif
#define HW_LOG_RATE 3ull
#ifndef HW_LISTENERS
#define HW_LISTENERS 1
#endif
#ifndef HW_TLS
#define HW_TLS 0
#endif
#define HW_TLS_MEMORY_SIZE 1048576ull
#define HW_TIMEOUTS_HANDSHAKE 2000ull
#ifndef HW_HTTP2
#define HW_HTTP2 0
#endif
#define HW_HTTP2_STREAMS 4ull
#ifndef HW_HTTP2_TABLE_SIZE
#define HW_HTTP2_TABLE_SIZE 4096ull
#endif
#ifndef HW_HTTP2_WINDOW_SIZE
#define HW_HTTP2_WINDOW_SIZE 100000ull
#endif
#ifndef HW_HTTP2_CONNECTION_WINDOW_SIZE
#define HW_HTTP2_CONNECTION_WINDOW_SIZE 70000ull
#endif
#define HW_HTTP2_FRAME_SIZE 16384ull
#define HW_HTTP2_PERIOD 10000ull
#define HW_HTTP2_RESETS 10ull
#define HW_HTTP2_CONTROLS 20ull
#define HW_HTTP2_EMPTIES 5ull
#define HW_HTTP2_UPDATES 30ull
#define HW_LISTEN_TCP 1
#define HW_LISTEN_UNIX_ANY 0
#define HW_BODY_MEMORY_SIZE 6000ull
#define HW_BODY_STREAM_ANY 1
#define HW_HANDLERS 1

#define HW_MEMORY_ADD(id, text, bytes) +(bytes)
#define HW_MEMORY_SIZE (0ull HW_MEMORY_LINES(HW_MEMORY_ADD))

#endif
