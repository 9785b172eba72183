/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared.c - the lock of all counters; and what is done to one row, counter or
 * collective, as a list to be done again */
#include "config.h"

#include "commprof/count/shared.h"

#include "base/array.h"

#include <stdlib.h>

bool shared_locking;
pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool lost;

void shared_lose(void)
{
    lost = true;
}

bool shared_is_lost(void)
{
    return lost;
}

__thread struct capture *capture_now __attribute__((tls_model("initial-exec")));

void capture_begin(void)
{
    capture_now = calloc(1, sizeof(*capture_now));
    if (!capture_now)
        shared_lose();
}

struct capture *capture_end(void)
{
    struct capture *capture = capture_now;

    capture_now = NULL;
    if (capture && capture->lost)
        shared_lose();
    return capture;
}

void capture_keep(struct captured item)
{
    struct capture *capture = capture_now;

    if (array_reserve(&capture->item, &capture->capacity, capture->n + 1,
                      sizeof(item), NULL) < 0)
        capture->lost = true;
    else
        capture->item[capture->n++] = item;
}

void capture_drop(struct capture *capture)
{
    if (capture) {
        free(capture->item);
        free(capture);
    }
}
