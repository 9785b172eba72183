/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commprof.h - names for the parts of an MPI program, for topomap's recorder:
 *
 *     commprof_region_begin("solve");
 *     ...
 *     commprof_region_end("solve");
 *
 * This header is all of it: nothing is linked, and nothing changes, not even
 * its cost, for who runs the program without the recorder: two questions and a
 * call to MPI that does nothing. commprof(1) says what becomes of regions. */
#ifndef COMMPROF_H
#define COMMPROF_H

#include <mpi.h>
#include <stddef.h>

/* Levels of MPI_Pcontrol, MPI's own door to tools, that no other tool has: what
 * is behind them is a name, while after other levels there may be anything or
 * nothing. A function of the recorder's would have to be found first, which a
 * weak symbol does not do in programs that are linked at fixed addresses. */
#define COMMPROF_REGION_BEGIN 0x63707242
#define COMMPROF_REGION_END   0x63707245

/* Before MPI_Init and after MPI_Finalize there are no regions. */
static inline void commprof_say(int what, const char *name)
{
    int is_begun = 0, is_over = 1;

    if (MPI_Initialized(&is_begun) == MPI_SUCCESS && is_begun &&
        MPI_Finalized(&is_over) == MPI_SUCCESS && !is_over)
        MPI_Pcontrol(what, name);
}

/* A region begins. One inside another counts for itself, not for the outer one.
 * Threads share it: begin and end it where only one of them is. */
static inline void commprof_region_begin(const char *name)
{
    commprof_say(COMMPROF_REGION_BEGIN, name);
}

/* The last region of that name that has begun ends, with all in it; NULL: the
 * last one. */
static inline void commprof_region_end(const char *name)
{
    commprof_say(COMMPROF_REGION_END, name);
}

/* For Fortran: one file of C that defines COMMPROF_FORTRAN before it includes
 * this header has
 *
 *     call commprof_region_begin('solve')
 *     call commprof_region_end('solve')
 */
#ifdef COMMPROF_FORTRAN
#ifdef __cplusplus
extern "C" {
#endif
static inline void commprof_say_fortran(int what,
                                        const char *name,
                                        size_t length)
{
    char text[64];
    size_t n = length < sizeof(text) ? length : sizeof(text) - 1, i;

    while (n > 0 && name[n - 1] == ' ')
        n--;
    for (i = 0; i < n; i++)
        text[i] = name[i];
    text[n] = '\0';
    commprof_say(what, text);
}
void commprof_region_begin_(const char *name, size_t length);
void commprof_region_begin_(const char *name, size_t length)
{
    commprof_say_fortran(COMMPROF_REGION_BEGIN, name, length);
}
void commprof_region_end_(const char *name, size_t length);
void commprof_region_end_(const char *name, size_t length)
{
    commprof_say_fortran(COMMPROF_REGION_END, name, length);
}
#ifdef __cplusplus
}
#endif
#endif

#endif
