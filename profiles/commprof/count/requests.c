/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* requests.c - a hash table of requests by handle; and the time of a call
 * shared among the types of its requests */
#include "config.h"

#include "commprof/count/requests.h"

#include "commprof/next_mpi.h"

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

void requests_add(MPI_Request request,
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

/* The counters of a request: point-to-point when it is not there. */
static struct call_stats *find_stats(MPI_Request request)
{
    shared_lock();
    const struct request_entry *entry = *find(request);
    struct call_stats *stats = entry ? entry->stats : record_stats(TYPE_P2P);
    shared_unlock();
    return stats;
}

static const struct capture *find_capture(MPI_Request request)
{
    shared_lock();
    const struct request_entry *entry = *find(request);
    const struct capture *capture = entry ? entry->capture : NULL;
    shared_unlock();
    return capture;
}

/* One request of this handle is complete; persistent ones stay. */
static void complete(MPI_Request request)
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

enum { FEW = sizeof(((struct waiting *)0)->few_stats) / sizeof(void *) };

bool waiting_has_any(int count, const MPI_Request *requests)
{
    for (int i = 0; requests && i < count; i++)
        if (requests[i] != next_mpi.request_null)
            return true;
    return false;
}

void waiting_begin(struct waiting *waiting,
                   int count,
                   const MPI_Request *requests)
{
    waiting->count = count > 0 && requests ? count : 0;
    waiting->now = requests;
    waiting->before = waiting->few_before;
    waiting->stats = waiting->few_stats;
    waiting->allocated = NULL;
    const size_t n = (size_t)waiting->count;
    if (n > FEW) {
        waiting->allocated =
            malloc(n * (sizeof(*waiting->stats) + sizeof(*waiting->before)));
        if (!waiting->allocated) {
            shared_lose();
            waiting->plain = true;
            return;
        }
        waiting->stats = waiting->allocated;
        waiting->before = (MPI_Request *)(void *)(waiting->stats + n);
    }
    for (size_t i = 0; i < n; i++) {
        waiting->before[i] = requests[i];
        waiting->stats[i] = requests[i] == next_mpi.request_null
                                ? NULL
                                : find_stats(requests[i]);
    }
}

void waiting_end(struct waiting *waiting, int n, const int *indices)
{
    for (int k = 0; k < n; k++) {
        const int i = indices ? indices[k] : k;

        if (i < 0 || i >= waiting->count || !waiting->stats[i])
            continue;
        /* MPI has replaced it by MPI_REQUEST_NULL, but for a persistent one. */
        if (waiting->now[i] == next_mpi.request_null)
            complete(waiting->before[i]);
        waiting->before[i] = next_mpi.request_null;
    }
    for (int i = 0; n > 0 && i < waiting->count; i++)
        if (waiting->before[i] != next_mpi.request_null)
            waiting->stats[i] = NULL;
}

void waiting_start(struct waiting *waiting)
{
    for (int i = 0; i < waiting->count; i++)
        record_replay(find_capture(waiting->before[i]));
}

void waiting_share(struct waiting *waiting, uint64_t ns)
{
    uint64_t left = 0;

    for (int i = 0; i < waiting->count; i++)
        left += waiting->stats[i] != NULL;
    if (left == 0)
        record_time(record_stats(TYPE_P2P), ns);
    for (int i = 0; i < waiting->count; i++)
        if (waiting->stats[i]) {
            const uint64_t share = ns / left--;

            record_time(record_now(waiting->stats[i]), share);
            ns -= share;
        }
    free(waiting->allocated);
}
