/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* persistent.c - a hash table of persistent requests by handle */
#include "config.h"

#include "commprof/persistent.h"

#include "commprof/record.h"

#include <stdlib.h>
#include <string.h>

/* Chained: programs make and free few of these, and removing is simple. */
struct entry {
    struct entry *next;
    MPI_Request request;
    uint32_t peer;
    uint64_t bytes;
};
enum { NCHAINS = 1024 };
static struct entry *chains[NCHAINS];

/* The pointer to the request's entry, or to the chain's end. */
static struct entry **find(MPI_Request request)
{
    uintptr_t bits = 0;
    memcpy(&bits, &request, sizeof request);
    struct entry **link = &chains[(bits ^ bits >> 4 ^ bits >> 12) % NCHAINS];
    while (*link && (*link)->request != request)
        link = &(*link)->next;
    return link;
}

bool persistent_add(MPI_Request request, uint32_t peer, uint64_t bytes)
{
    struct entry *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    record_lock();
    struct entry **link = find(request);
    if (*link)
        free(made);
    else
        *link = made;
    (*link)->request = request;
    (*link)->peer = peer;
    (*link)->bytes = bytes;
    record_unlock();
    return true;
}

bool persistent_find(MPI_Request request, uint32_t *peer, uint64_t *bytes)
{
    record_lock();
    const struct entry *entry = *find(request);
    if (entry) {
        *peer = entry->peer;
        *bytes = entry->bytes;
    }
    record_unlock();
    return entry != NULL;
}

void persistent_remove(MPI_Request request)
{
    record_lock();
    struct entry **link = find(request);
    struct entry *entry = *link;
    if (entry)
        *link = entry->next;
    record_unlock();
    free(entry);
}

void persistent_clear(void)
{
    for (size_t i = 0; i < NCHAINS; i++)
        while (chains[i]) {
            struct entry *next = chains[i]->next;
            free(chains[i]);
            chains[i] = next;
        }
}
