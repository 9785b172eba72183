/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* requests.c - a hash table of requests by handle */
#include "config.h"

#include "commprof/count/requests.h"

#include <stdlib.h>
#include <string.h>

/* Chained: removing is simple, and what was removed is used again. */
struct request_entry {
    struct request_entry *next;
    MPI_Request request;
    unsigned count;
    bool persistent;
    struct call_stats *stats;
    struct capture *capture;
};
enum { NCHAINS = 1024 };
static struct request_entry *chains[NCHAINS], *unused;
unsigned requests_known;

/* The pointer to the request's entry, or to the chain's end. */
static struct request_entry **find(MPI_Request request)
{
    uintptr_t bits = 0;
    memcpy(&bits, &request, sizeof(request));
    struct request_entry **link =
        &chains[(bits ^ bits >> 4 ^ bits >> 12) % NCHAINS];
    while (*link && (*link)->request != request)
        link = &(*link)->next;
    return link;
}

static void unlink_entry(struct request_entry **link)
{
    struct request_entry *entry = *link;

    *link = entry->next;
    capture_drop(entry->capture);
    entry->capture = NULL;
    entry->next = unused;
    unused = entry;
    requests_known--;
}

static struct request_entry *make_entry(MPI_Request request)
{
    struct request_entry **link = find(request), *entry = *link;

    if (entry)
        return entry;
    entry = unused;
    if (entry)
        unused = entry->next;
    else if (!(entry = calloc(1, sizeof(*entry))))
        return NULL;
    *entry = (struct request_entry){.request = request};
    *link = entry;
    requests_known++;
    return entry;
}

static void add(MPI_Request request,
                struct call_stats *stats,
                bool persistent,
                struct capture *capture)
{
    shared_lock();
    struct request_entry *entry = make_entry(request);
    if (entry) {
        entry->count++;
        entry->stats = stats;
        entry->persistent = persistent;
        capture_drop(entry->capture);
        entry->capture = capture;
    } else {
        capture_drop(capture);
        shared_lose();
    }
    shared_unlock();
}

void requests_add(MPI_Request request, struct call_stats *stats)
{
    add(request, stats, false, NULL);
}

void requests_add_persistent(MPI_Request request,
                             struct call_stats *stats,
                             struct capture *capture)
{
    add(request, stats, true, capture);
}

struct call_stats *requests_stats(MPI_Request request)
{
    shared_lock();
    const struct request_entry *entry = *find(request);
    struct call_stats *stats = entry ? entry->stats : record_stats(TYPE_P2P);
    shared_unlock();
    return stats;
}

const struct capture *requests_capture(MPI_Request request)
{
    shared_lock();
    const struct request_entry *entry = *find(request);
    const struct capture *capture = entry ? entry->capture : NULL;
    shared_unlock();
    return capture;
}

void requests_complete(MPI_Request request)
{
    shared_lock();
    struct request_entry **link = find(request);
    if (*link && !(*link)->persistent && --(*link)->count == 0)
        unlink_entry(link);
    shared_unlock();
}

void requests_forget(MPI_Request request)
{
    shared_lock();
    struct request_entry **link = find(request);
    if (*link)
        unlink_entry(link);
    shared_unlock();
}

void requests_clear(void)
{
    for (size_t i = 0; i < NCHAINS; i++)
        while (chains[i])
            unlink_entry(&chains[i]);
    while (unused) {
        struct request_entry *next = unused->next;
        free(unused);
        unused = next;
    }
}
