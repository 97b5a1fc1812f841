#include "core/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "core/clock.h"

#define HW_LOG_LINE_SIZE 1024

static struct hw_log_budget hw_log_budget;

static bool hw_log_budget_take(struct hw_log_budget *budget, int64_t second, uint32_t *left_out)
{
    *left_out = 0;
    int64_t then = atomic_load_explicit(&budget->second, memory_order_relaxed);
    if (then != second && atomic_compare_exchange_strong(&budget->second, &then, second)) {
        uint32_t used = atomic_exchange(&budget->used, 0);
        if (used > HW_LOG_RATE)
            *left_out = used - (uint32_t)HW_LOG_RATE;
    }
    return atomic_fetch_add(&budget->used, 1) < HW_LOG_RATE;
}

/* Control bytes would let a client forge lines or drive the terminal. */
static void hw_log_clean(char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
}

static void hw_log_line(enum hw_log_level level, const char *format, va_list arguments)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    char line[HW_LOG_LINE_SIZE];
    int head = snprintf(line, sizeof line, "%s: ", names[level]);
    int text = vsnprintf(line + head, sizeof line - (size_t)head - 1, format, arguments);
    if (text < 0)
        return;
    size_t size = (size_t)head + (size_t)text;
    if (size > sizeof line - 2)
        size = sizeof line - 2;
    hw_log_clean(line, size);
    line[size++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, size);
    (void)written; /* there is nowhere to say that the log cannot be written */
}

static void hw_log_plain(enum hw_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hw_log_line(level, format, arguments);
    va_end(arguments);
}

void hw_log(enum hw_log_level level, const char *format, ...)
{
    if ((uint64_t)level > HW_LOG_LEVEL)
        return;
    uint32_t left_out;
    bool may_write = hw_log_budget_take(&hw_log_budget, hw_clock_seconds(), &left_out);
    if (left_out != 0)
        hw_log_plain(HW_LOG_WARNING, "%lu lines were left out: more than log.rate a second", (unsigned long)left_out);
    if (!may_write)
        return;
    va_list arguments;
    va_start(arguments, format);
    hw_log_line(level, format, arguments);
    va_end(arguments);
}
