/* Mail from any thread to one IO thread: a lock-free stack that the reader takes whole, and an eventfd that wakes it. */
#ifndef HW_CORE_MAILBOX_H
#define HW_CORE_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>

/* Stands in the struct that is mailed. Belongs to the sender until hw_mailbox_post returns, to the reader from then on;
 * the same mail must not be posted again before it was taken. */
struct hw_mail {
    struct hw_mail *next;
    void (*arrived)(struct hw_mail *mail); /* called on the reader's thread */
};

struct hw_mailbox {
    _Atomic(struct hw_mail *) newest;
    int fd;                   /* eventfd, readable when mail may be there; owned by the reader */
    _Atomic unsigned posting; /* calls of hw_mailbox_post in progress */
};

/* Returns false when the system has no descriptor left (errno is set). */
static bool hw_mailbox_init(struct hw_mailbox *mailbox);

/* Waits for calls of hw_mailbox_post that are nearly done: their mail may have been read already. */
static void hw_mailbox_end(struct hw_mailbox *mailbox);

/* Any thread. */
static void hw_mailbox_post(struct hw_mailbox *mailbox, struct hw_mail *mail);

/* The reader's thread: calls `arrived` of everything that is there, in the order of posting. */
static void hw_mailbox_read(struct hw_mailbox *mailbox);

#endif
