/* Any bytes are a spec or get a message: spec_read under its caps, and what it makes of them. */
#include <stdlib.h>

#include "base/buffer.h"
#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {.arena = &arena};
    /* A copy without a NUL behind it, so that a read beyond the end is seen. */
    char *bytes = memory_take(size);
    if (size != 0)
        memcpy(bytes, data, size);
    struct spec_model *model = spec_read(&arena, TEXT("fuzz.yaml"), (struct text){bytes, size}, &diagnostics);
    struct buffer messages = {0};
    diagnostics_render(&diagnostics, &messages);
    if ((model == NULL) != (messages.size != 0))
        abort();
    for (size_t i = 0; i < messages.size; i++)
        if ((unsigned char)messages.bytes[i] < ' ' && messages.bytes[i] != '\n' && messages.bytes[i] != '\t')
            abort();
    buffer_free(&messages);
    arena_free(&arena);
    free(bytes);
    return 0;
}
