#include "core/mailbox.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool hw_mailbox_init(struct hw_mailbox *mailbox)
{
    atomic_init(&mailbox->newest, NULL);
    atomic_init(&mailbox->posting, 0);
    mailbox->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return mailbox->fd >= 0;
}

static void hw_mailbox_end(struct hw_mailbox *mailbox)
{
    while (atomic_load(&mailbox->posting) != 0)
        sched_yield();
    if (mailbox->fd >= 0)
        close(mailbox->fd);
    mailbox->fd = -1;
}

static void hw_mailbox_post(struct hw_mailbox *mailbox, struct hw_mail *mail)
{
    atomic_fetch_add(&mailbox->posting, 1);
    struct hw_mail *newest = atomic_load_explicit(&mailbox->newest, memory_order_relaxed);
    do
        mail->next = newest;
    while (!atomic_compare_exchange_weak_explicit(&mailbox->newest, &newest, mail, memory_order_release,
                                                  memory_order_relaxed));
    if (newest == NULL) { /* else whoever posted first wakes the reader */
        uint64_t one = 1;
        ssize_t written = write(mailbox->fd, &one, sizeof one);
        (void)written; /* fails only when the counter is full, and then the reader is awake */
    }
    atomic_fetch_sub(&mailbox->posting, 1);
}

static void hw_mailbox_read(struct hw_mailbox *mailbox)
{
    uint64_t count;
    ssize_t size = read(mailbox->fd, &count, sizeof count);
    (void)size; /* nothing to read is fine: mail is looked for below anyway */
    struct hw_mail *mail = atomic_exchange_explicit(&mailbox->newest, NULL, memory_order_acquire);
    struct hw_mail *oldest = NULL;
    while (mail != NULL) {
        struct hw_mail *next = mail->next;
        mail->next = oldest;
        oldest = mail;
        mail = next;
    }
    while (oldest != NULL) {
        struct hw_mail *next = oldest->next;
        oldest->arrived(oldest);
        oldest = next;
    }
}
