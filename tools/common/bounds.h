/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bounds.h - bounds on a command that reads what others wrote: its memory, and
 * the time that reading takes */
#ifndef TOOLS_BOUNDS_H
#define TOOLS_BOUNDS_H

#include <stdint.h>

/* Address space, in MiB, of a plan that a launch waits for, where the site says
 * nothing: twice what 2^20 tasks on 2^16 nodes take. */
#define BOUNDS_MEMORY_MB      4096
#define BOUNDS_MEMORY_MB_MOST (1 << 24)

/* Bounds this process's memory by `megabytes`, a quarter of the machine's, and
 * what it was given when it started; what is asked for beyond that fails as
 * "out of memory" does. Called again, it takes the new number. */
void bounds_set_memory(uint64_t megabytes);
/* Takes that bound back, for a program that this process becomes. */
void bounds_lift_memory(void);

/* Reading may last that many seconds from `start` on tool_now()'s clock, or
 * BOUNDS_READING_LEAST, which a loaded machine may need for small files. Then
 * the command ends with one line and status 1, wherever it is. 0: as long as it
 * takes. Called again, it takes the new time.
 * A signal of a timer does that: the readers are libmapcore's, which asks no
 * clock, and some are a library's (hwloc), which cannot be interrupted.
 * So nothing may have been written before bounds_end_reading(). */
#define BOUNDS_READING_LEAST 2.0
void bounds_begin_reading(double start, double seconds);
void bounds_end_reading(void);

#endif
