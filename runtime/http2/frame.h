/* HTTP/2 frames as bytes (RFC 9113 section 4): their heads, types, flags, settings and error codes. */
#ifndef HW_HTTP2_FRAME_H
#define HW_HTTP2_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define HW_H2_HEAD_SIZE 9u

/* The frame size that every peer takes (RFC 9113 section 4.2); larger ones are never sent. */
#define HW_H2_FRAME_SIZE 16384u

#define HW_H2_WINDOW_MAX 0x7fffffff
#define HW_H2_WINDOW_DEFAULT 65535
#define HW_H2_ID_MAX 0x7fffffffu

/* RFC 9113 section 6; PRIORITY_UPDATE: RFC 9218 section 7.1. */
enum hw_h2_type {
    HW_H2_DATA = 0,
    HW_H2_HEADERS = 1,
    HW_H2_PRIORITY = 2,
    HW_H2_RST_STREAM = 3,
    HW_H2_SETTINGS = 4,
    HW_H2_PUSH_PROMISE = 5,
    HW_H2_PING = 6,
    HW_H2_GOAWAY = 7,
    HW_H2_WINDOW_UPDATE = 8,
    HW_H2_CONTINUATION = 9,
    HW_H2_PRIORITY_UPDATE = 16
};

enum hw_h2_flag {
    HW_H2_END_STREAM = 0x1,
    HW_H2_ACK = 0x1,
    HW_H2_END_HEADERS = 0x4,
    HW_H2_PADDED = 0x8,
    HW_H2_HAS_PRIORITY = 0x20
};

/* RFC 9113 section 6.5.2; RFC 9218 section 2.1. */
enum hw_h2_setting {
    HW_H2_SETTING_TABLE_SIZE = 1,
    HW_H2_SETTING_PUSH = 2,
    HW_H2_SETTING_STREAMS = 3,
    HW_H2_SETTING_WINDOW_SIZE = 4,
    HW_H2_SETTING_FRAME_SIZE = 5,
    HW_H2_SETTING_HEADER_SIZE = 6,
    HW_H2_SETTING_NO_OLD_PRIORITIES = 9
};

/* RFC 9113 section 7. */
enum hw_h2_error {
    HW_H2_NO_ERROR = 0,
    HW_H2_PROTOCOL_ERROR = 1,
    HW_H2_INTERNAL_ERROR = 2,
    HW_H2_FLOW_CONTROL_ERROR = 3,
    HW_H2_STREAM_CLOSED = 5,
    HW_H2_FRAME_SIZE_ERROR = 6,
    HW_H2_REFUSED_STREAM = 7,
    HW_H2_CANCEL = 8,
    HW_H2_COMPRESSION_ERROR = 9,
    HW_H2_ENHANCE_YOUR_CALM = 11
};

struct hw_h2_frame {
    uint32_t size; /* of the payload */
    uint8_t type;
    uint8_t flags;
    uint32_t id; /* the stream; 0: the connection */
};

/* Reads the HW_H2_HEAD_SIZE bytes at `at`. The reserved bit is ignored. */
static void hw_h2_frame_read(struct hw_h2_frame *frame, const uint8_t *at);

/* Writes a head of HW_H2_HEAD_SIZE bytes; returns the place behind it. */
static char *hw_h2_frame_put(char *at, size_t size, uint8_t type, uint8_t flags, uint32_t id);

/* Numbers in network order; the put functions return the place behind. */
static uint32_t hw_h2_u32_read(const uint8_t *at);
static char *hw_h2_u32_put(char *at, uint32_t value);
static char *hw_h2_setting_put(char *at, enum hw_h2_setting setting, uint32_t value);

#endif
