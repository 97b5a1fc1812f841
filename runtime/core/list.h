/* A doubly linked list through nodes that stand in the listed structs. */
#ifndef HW_CORE_LIST_H
#define HW_CORE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* A node, and the list's own head: a list is empty when its head points to itself. A node that is in no list has NULL
 * pointers. */
struct hw_list {
    struct hw_list *next;
    struct hw_list *previous;
};

/* The struct that holds this node. */
#define HW_CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

static inline void hw_list_init(struct hw_list *list)
{
    list->next = list;
    list->previous = list;
}

static inline bool hw_list_is_empty(const struct hw_list *list)
{
    return list->next == list;
}

static inline bool hw_list_is_in(const struct hw_list *node)
{
    return node->next != NULL;
}

static inline void hw_list_append(struct hw_list *list, struct hw_list *node)
{
    node->next = list;
    node->previous = list->previous;
    list->previous->next = node;
    list->previous = node;
}

/* Does nothing for a node that is in no list. */
static inline void hw_list_remove(struct hw_list *node)
{
    if (node->next == NULL)
        return;
    node->next->previous = node->previous;
    node->previous->next = node->next;
    node->next = NULL;
    node->previous = NULL;
}

/* Puts the node behind all others of this list, from whatever list it was in. */
static inline void hw_list_move(struct hw_list *list, struct hw_list *node)
{
    hw_list_remove(node);
    hw_list_append(list, node);
}

/* Moves all nodes to `to`, which need not be initialised. */
static inline void hw_list_move_all(struct hw_list *to, struct hw_list *from)
{
    hw_list_init(to);
    if (hw_list_is_empty(from))
        return;
    *to = *from;
    to->next->previous = to;
    to->previous->next = to;
    hw_list_init(from);
}

#endif
