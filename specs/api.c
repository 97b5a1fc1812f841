/* The handlers of api.yaml: a collection of named items in memory.
 *
 * Handlers run on several threads at a time, so that what they share is behind a lock. It is held for a copy of a few
 * bytes only: a handler on an IO thread must not wait.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "api.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ITEMS_MAX 64
#define NAME_SIZE_MAX 200                           /* limits.body_size of POST /items */
#define ITEM_JSON_SIZE (40 + NAME_SIZE_MAX * 6 + 1) /* {"id":4294967295,"name":"..."}, each byte as \u00XX */

struct item {
    uint32_t id; /* 0: free */
    size_t name_size;
    char name[NAME_SIZE_MAX];
};

static pthread_mutex_t items_lock = PTHREAD_MUTEX_INITIALIZER;
static struct item items[ITEMS_MAX];
static uint32_t last_id;

/* The item with this id, or with 0 a free place; NULL when there is none. The caller holds the lock. */
static struct item *item_find(uint32_t id)
{
    for (size_t i = 0; i < ITEMS_MAX; i++)
        if (items[i].id == id)
            return &items[i];
    return NULL;
}

/* Writes the item as JSON into `json` and returns the size; the name's bytes below U+0020 and the two that JSON
 * reserves are escaped. */
static size_t item_format(const struct item *item, char json[ITEM_JSON_SIZE])
{
    size_t size = (size_t)snprintf(json, ITEM_JSON_SIZE, "{\"id\":%lu,\"name\":\"", (unsigned long)item->id);
    for (size_t i = 0; i < item->name_size; i++) {
        unsigned char c = (unsigned char)item->name[i];
        if (c < 0x20 || c == '"' || c == '\\')
            size += (size_t)snprintf(json + size, ITEM_JSON_SIZE - size, "\\u%04x", c);
        else
            json[size++] = (char)c;
    }
    json[size++] = '"';
    json[size++] = '}';
    json[size] = '\0';
    return size;
}

static void error_send(struct hw_response *response, unsigned status, const char *json)
{
    hw_status_set(response, status);
    hw_json_send(response, json);
}

void list_items(const struct hw_request *request, struct hw_response *response)
{
    struct item copy[ITEMS_MAX];
    char json[ITEM_JSON_SIZE];
    (void)request;
    pthread_mutex_lock(&items_lock);
    memcpy(copy, items, sizeof copy);
    pthread_mutex_unlock(&items_lock);

    /* A list of unknown length goes out in pieces; on a worker each waits until the client has room for it. A piece that
     * cannot be sent ends the list: the client sees that it is incomplete, since the last chunk is missing. */
    if (hw_media_type_set(response, "application/json") != 0 || hw_chunk_send(response, "[", 1) != 0)
        return;
    const char *separator = "";
    for (size_t i = 0; i < ITEMS_MAX; i++) {
        if (copy[i].id == 0)
            continue;
        size_t size = item_format(&copy[i], json);
        if (hw_chunk_send(response, separator, strlen(separator)) != 0 || hw_chunk_send(response, json, size) != 0)
            return;
        separator = ",";
    }
    if (hw_chunk_send(response, "]", 1) == 0)
        hw_stream_end(response);
}

void create_item(const struct hw_request *request, struct hw_response *response)
{
    struct hw_text name = hw_body_get(request);
    char json[ITEM_JSON_SIZE];
    char location[32];
    if (name.size == 0 || name.size > NAME_SIZE_MAX) {
        error_send(response, 400, "{\"error\":\"the body must be a name of 1 to 200 bytes\"}");
        return;
    }
    struct item made = {.name_size = name.size};
    memcpy(made.name, name.bytes, name.size);

    pthread_mutex_lock(&items_lock);
    struct item *place = item_find(0);
    if (place != NULL) {
        made.id = ++last_id;
        *place = made;
    }
    pthread_mutex_unlock(&items_lock);

    if (place == NULL) {
        error_send(response, 507, "{\"error\":\"the collection is full\"}");
        return;
    }
    snprintf(location, sizeof location, "/items/%lu", (unsigned long)made.id);
    item_format(&made, json);
    hw_status_set(response, 201);
    hw_field_add(response, "Location", location);
    hw_json_send(response, json);
}

void read_item(const struct hw_request *request, struct hw_response *response,
               const struct api_read_item_params *params)
{
    struct item copy = {0};
    char json[ITEM_JSON_SIZE];
    (void)request;
    pthread_mutex_lock(&items_lock);
    const struct item *item = item_find(params->id);
    if (item != NULL)
        copy = *item;
    pthread_mutex_unlock(&items_lock);

    if (copy.id == 0) {
        error_send(response, 404, "{\"error\":\"no such item\"}");
        return;
    }
    item_format(&copy, json);
    hw_json_send(response, json);
}

void delete_item(const struct hw_request *request, struct hw_response *response,
                 const struct api_delete_item_params *params)
{
    (void)request;
    pthread_mutex_lock(&items_lock);
    struct item *item = item_find(params->id);
    if (item != NULL)
        item->id = 0;
    pthread_mutex_unlock(&items_lock);

    if (item == NULL)
        error_send(response, 404, "{\"error\":\"no such item\"}");
    else
        hw_empty_send(response);
}

/* Stands for a handler that waits for something, a database for instance: 5 ms on a worker, where blocking is allowed. */
void slow(const struct hw_request *request, struct hw_response *response)
{
    const struct timespec wait = {.tv_nsec = 5 * 1000 * 1000};
    (void)request;
    nanosleep(&wait, NULL);
    hw_text_send(response, "slow\n");
}
