/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* requests.h - which type a request belongs to, what a persistent one counts
 * each time it is started, and calls that wait for several */
#ifndef COMMPROF_REQUESTS_H
#define COMMPROF_REQUESTS_H

#include "commprof/count/first_use.h"
#include "commprof/count/record.h"

#include <mpi.h>
#include <stdbool.h>

/* Only requests that are persistent or not point-to-point are kept: a program
 * that has none of these pays nothing for the table. While it is not empty, a
 * new point-to-point request must be noted, since its handle may be that of an
 * old one that was completed unseen.
 *
 * MPI may give one handle to several requests that are complete at once, so a
 * handle is counted. */
extern unsigned requests_known;

/* capture: of a persistent one, owned by the table from now on. */
void requests_add(MPI_Request request,
                  struct call_stats *stats,
                  bool persistent,
                  struct capture *capture);
/* The request of this handle is no more. */
void requests_forget(MPI_Request request);
void requests_clear(void);

/* One call that waits for requests, tests or starts them. Its time goes to the
 * types of the requests that it completes (or starts); when it completes none,
 * to those of the requests that it was given; each has the same share. Requests
 * of other kinds (of files, generalised ones, MPI_Comm_idup) have one, too,
 * which is not counted. A call without any request is point-to-point. */
struct waiting {
    int count;
    const MPI_Request *now;    /* the caller's array */
    bool plain;                /* all of them are point-to-point */
    bool any;                  /* there may be one */
    MPI_Request *before;       /* before[count]: now, as it was */
    struct call_stats **stats; /* stats[count], NULL: has no share */
    void *allocated;           /* what must be freed, or NULL */
    MPI_Request few_before[16];
    struct call_stats *few_stats[16];
};

/* Before the call: MPI will overwrite what it completes. */
void waiting_begin(struct waiting *waiting,
                   int count,
                   const MPI_Request *requests);
/* Whether any is a request at all. */
bool waiting_has_any(int count, const MPI_Request *requests);
static inline void waiting_prepare(struct waiting *waiting,
                                   int count,
                                   const MPI_Request *requests)
{
    waiting->any = __atomic_load_n(&first_use.fresh, __ATOMIC_RELAXED) &&
                   waiting_has_any(count, requests);
    waiting->plain = requests_known == 0;
    if (!waiting->plain)
        waiting_begin(waiting, count, requests);
}

/* What the functions below do where not all are point-to-point. */
void waiting_end(struct waiting *waiting, int n, const int *indices);
void waiting_start(struct waiting *waiting);
void waiting_share(struct waiting *waiting, uint64_t ns);

/* The call's time, to the types of its requests; also ends waiting. */
static inline void waiting_credit(struct waiting *waiting, uint64_t ns)
{
    if (waiting->plain)
        record_time(record_stats(TYPE_P2P), ns);
    else
        waiting_share(waiting, ns);
}

/* After it: they are started, which also counts what they send; or n are
 * complete, NULL: the first n. */
static inline void waiting_started(struct waiting *waiting)
{
    if (!waiting->plain)
        waiting_start(waiting);
}

static inline void waiting_completed(struct waiting *waiting,
                                     int n,
                                     const int *indices)
{
    if (n > 0 && waiting->any)
        first_use_waited();
    if (!waiting->plain)
        waiting_end(waiting, n, indices);
}

#endif
