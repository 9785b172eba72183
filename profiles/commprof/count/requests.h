/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* requests.h - which type a request belongs to, and what a persistent one
 * counts each time it is started */
#ifndef COMMPROF_REQUESTS_H
#define COMMPROF_REQUESTS_H

#include "commprof/count/record.h"

#include <mpi.h>
#include <stdbool.h>

/* Only requests that are persistent or not point-to-point are kept: a program
 * that has none of these pays nothing for the table. While it is not empty, a
 * new point-to-point request must be told, since its handle may be that of an
 * old one that was completed unseen.
 *
 * MPI may give one handle to several requests that are complete at once, so a
 * handle is counted. */
extern unsigned requests_known;

void requests_add(MPI_Request request, struct call_stats *stats);
/* capture: owned by the table from now on. */
void requests_add_persistent(MPI_Request request,
                             struct call_stats *stats,
                             struct capture *capture);
/* The counters of a request: point-to-point when it is not there. */
struct call_stats *requests_stats(MPI_Request request);
const struct capture *requests_capture(MPI_Request request);
/* One request of this handle is complete; persistent ones stay. */
void requests_complete(MPI_Request request);
/* Whatever has this handle is no more. */
void requests_forget(MPI_Request request);
void requests_clear(void);

#endif
