/* Where the server's memory goes: one list, summed by `hardwire explain` from the spec's numbers and by the server from
 * the constants of NAME_config.h, so that both print the same.
 *
 * The names in the expressions are the constants of NAME_config.h; the generator declares variables of the same names.
 * All sizes are bytes and 64 bits wide. The runtime asserts at compile time that its structs fit the sizes given here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HARDWIRE_MEMORY_H
#define HARDWIRE_MEMORY_H

#define HW_PAGE_SIZE 4096ull
#define HW_ROUND_UP(size, unit) (((size) + (unit) - 1) / (unit) * (unit))
#define HW_SHARE(count, threads) (((count) + (threads) - 1) / (threads)) /* one IO thread's part of a count */

/* A connection between requests: its slab entry, with room for a short unfinished head. */
#define HW_CONNECTION_SIZE 512ull

/* A request in progress: its parts, one entry a field and a parameter, the decoded path and query, a buffer to read
 * and one to write. A head of header_size leaves HW_READ_SLACK_SIZE to read the body through; a response of buffers.size
 * fits behind HW_COALESCE_SIZE of earlier answers that leave in the same write. */
#define HW_EXCHANGE_FIXED_SIZE 2048ull
#define HW_READ_SLACK_SIZE 1024ull
#define HW_COALESCE_SIZE 8192ull
#define HW_FIELD_SIZE 16ull
#define HW_PARAMETER_SIZE 16ull
#define HW_EXCHANGE_SIZE                                                                                               \
    HW_ROUND_UP(HW_EXCHANGE_FIXED_SIZE + HW_LIMITS_HEADERS * HW_FIELD_SIZE +                                           \
                    HW_LIMITS_PARAMETERS * HW_PARAMETER_SIZE + 2 * HW_ROUND_UP(HW_LIMITS_TARGET_SIZE + 64, 64) +       \
                    2 * HW_BUFFERS_SIZE + HW_READ_SLACK_SIZE + HW_COALESCE_SIZE,                                       \
                HW_PAGE_SIZE)

/* One whole body in memory, and the NUL behind it; nothing when no route reads bodies whole. */
#define HW_BODY_SLOT_SIZE (HW_BODY_MEMORY_SIZE == 0 ? 0 : HW_ROUND_UP(HW_BODY_MEMORY_SIZE + 1, HW_PAGE_SIZE))

/* An HTTP/2 connection besides its slab entry: its streams, and the memory of its HPACK decoder: the dynamic table, and a
 * field of header_size being decoded (nghttp2 takes twice the size of a Huffman-coded text, and less than 128 bytes for an
 * entry that counts 32). Frames to be sent are collected in a block that it has only while there are some. */
#define HW_H2_FIXED_SIZE 1024ull
#define HW_H2_STREAM_SIZE 128ull
#define HW_H2_HPACK_SIZE HW_ROUND_UP(4096 + 4 * HW_HTTP2_TABLE_SIZE + 3 * HW_LIMITS_HEADER_SIZE, 64)
#define HW_H2_SESSION_SIZE                                                                                             \
    (HW_HTTP2 * HW_ROUND_UP(HW_H2_FIXED_SIZE + HW_HTTP2_STREAMS * HW_H2_STREAM_SIZE + HW_H2_HPACK_SIZE, HW_PAGE_SIZE))
#define HW_H2_OUT_SIZE (HW_HTTP2 * HW_ROUND_UP(HW_BUFFERS_SIZE + 32 * 1024ull, HW_PAGE_SIZE))

/* What an IO thread has besides: stack, the buffer that unread bodies pass through, events, timer wheel, counters. */
#define HW_IO_STACK_SIZE (256 * 1024ull)
#define HW_SCRATCH_SIZE (64 * 1024ull)
#define HW_IO_FIXED_SIZE (32 * 1024ull)

/* What the process has besides: code and data of the program and of libc, the main thread's stack. */
#define HW_PROCESS_SIZE (1024 * 1024ull)

/* X(id, text, bytes): the lines of the budget. */
/* clang-format off */
#define HW_MEMORY_LINES(X)                                                                                             \
    X(connections, "connections: one slab a thread, each for all of limits.connections",                               \
      HW_THREADS_IO * HW_ROUND_UP(HW_LIMITS_CONNECTIONS * HW_CONNECTION_SIZE, HW_PAGE_SIZE))                           \
    X(exchanges, "requests in progress: buffers.count, each with a buffer to read and one to write",                   \
      HW_THREADS_IO * HW_SHARE(HW_BUFFERS_COUNT, HW_THREADS_IO) * HW_EXCHANGE_SIZE)                                    \
    X(bodies, "whole bodies: buffers.bodies, each of the largest body that a route reads whole",                       \
      HW_THREADS_IO * HW_SHARE(HW_BUFFERS_BODIES, HW_THREADS_IO) * HW_BODY_SLOT_SIZE)                                  \
    X(sessions, "HTTP/2: streams and header tables, for all of limits.connections a thread",                           \
      HW_THREADS_IO * HW_LIMITS_CONNECTIONS * HW_H2_SESSION_SIZE)                                                      \
    X(outs, "HTTP/2: frames to be sent, for buffers.count connections",                                                \
      HW_THREADS_IO * HW_SHARE(HW_BUFFERS_COUNT, HW_THREADS_IO) * HW_H2_OUT_SIZE)                                      \
    X(tls, "TLS: tls.memory_size", HW_TLS * HW_TLS_MEMORY_SIZE)                                                        \
    X(io_threads, "IO threads: stack, scratch, events and timers",                                                     \
      HW_THREADS_IO * (HW_IO_STACK_SIZE + HW_SCRATCH_SIZE + HW_IO_FIXED_SIZE))                                         \
    X(workers, "workers: stacks", HW_THREADS_WORKERS * HW_ROUND_UP(HW_THREADS_STACK_SIZE, HW_PAGE_SIZE))               \
    X(process, "the program itself", HW_PROCESS_SIZE)
/* clang-format on */

#endif
