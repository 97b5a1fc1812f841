#include "http2/frame.h"

static uint32_t hw_h2_u32_read(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static char *hw_h2_u32_put(char *at, uint32_t value)
{
    at[0] = (char)(value >> 24);
    at[1] = (char)(value >> 16);
    at[2] = (char)(value >> 8);
    at[3] = (char)value;
    return at + 4;
}

static void hw_h2_frame_read(struct hw_h2_frame *frame, const uint8_t *at)
{
    frame->size = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
    frame->type = at[3];
    frame->flags = at[4];
    frame->id = hw_h2_u32_read(at + 5) & HW_H2_ID_MAX;
}

static char *hw_h2_frame_put(char *at, size_t size, uint8_t type, uint8_t flags, uint32_t id)
{
    at[0] = (char)(size >> 16);
    at[1] = (char)(size >> 8);
    at[2] = (char)size;
    at[3] = (char)type;
    at[4] = (char)flags;
    return hw_h2_u32_put(at + 5, id);
}

static char *hw_h2_setting_put(char *at, enum hw_h2_setting setting, uint32_t value)
{
    at[0] = 0;
    at[1] = (char)setting;
    return hw_h2_u32_put(at + 2, value);
}
