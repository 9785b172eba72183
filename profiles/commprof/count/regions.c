/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regions.c - a stack of regions, and their names in memory that is kept */
#include "config.h"

#include "commprof/count/regions.h"

#include "commprof/count/keep.h"
#include "commprof/count/record.h"

#include "launch/plain_name.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(REGION_NAME <= PLAIN_NAME_MOST, "a word of a command line");

void region_names_clean(char out[REGION_NAME], const char *text)
{
    const bool is_number = text[strspn(text, "0123456789")] == '\0';
    size_t n = 0;

    if (is_number)
        out[n++] = '_';
    for (; *text && n + 1 < REGION_NAME; text++, n++)
        out[n] = plain_name_has(*text) && (n > 0 || *text != '.') ? *text : '_';
    out[n] = '\0';
}

uint32_t region_names_find(const struct region_names *names, const char *name)
{
    for (uint32_t i = 0; i < REGIONS_MOST && names->name[i][0]; i++)
        if (strcmp(names->name[i], name) == 0)
            return PHASES_LEVELS + i;
    return PHASES_ALL;
}

uint32_t region_names_phase(struct region_names *names, const char *name)
{
    const uint32_t found = region_names_find(names, name);
    const size_t n = strlen(name);
    uint32_t i = 0;

    if (found != PHASES_ALL)
        return found;
    while (i < REGIONS_MOST && names->name[i][0])
        i++;
    if (i == REGIONS_MOST || n >= REGION_NAME) {
        names->refused = 1;
        return PHASES_ALL;
    }
    /* A reader after the death of this task sees all of it or none.
     */
    memcpy(names->name[i] + 1, name + 1, n);
    __atomic_store_n(&names->name[i][0], name[0], __ATOMIC_RELEASE);
    return PHASES_LEVELS + i;
}

const char *region_names_get(const struct region_names *names, uint32_t phase)
{
    if (phase < PHASES_LEVELS || phase >= PHASES_MOST)
        return NULL;
    return names->name[phase - PHASES_LEVELS][0]
               ? names->name[phase - PHASES_LEVELS]
               : NULL;
}

bool region_names_add(struct region_names *names,
                      uint32_t phase[PHASES_MOST],
                      const struct region_names *more)
{
    bool differs = false;

    for (uint32_t p = 0; p < PHASES_MOST; p++) {
        const char *name = region_names_get(more, p);
        const uint32_t here = name ? region_names_phase(names, name) : p;

        phase[p] =
            here == PHASES_ALL || (p >= PHASES_LEVELS && !name) ? 0 : here;
        differs = differs || (name && phase[p] != p);
    }
    names->refused |= more->refused;
    return differs;
}

enum { DEEPEST = 64, WORD = 8, PAGE = 4096 };

static struct region_names *names; /* keep.h's; NULL: none was named */
static struct {
    uint32_t region; /* its phase; PHASES_ALL: one name too many */
    uint32_t before; /* the phase in which it began */
} frame[DEEPEST];
static uint64_t depth; /* those beyond DEEPEST are only counted */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* What stands for the name may be no pointer at all: a Fortran program, or one
 * that meant another tool, gave MPI_Pcontrol no second argument. The kernel
 * looks at a mask before it finds that there is nothing to be done with it. */
static bool is_readable(uintptr_t at)
{
    enum { NOTHING_KNOWN = -1 };
    const int saved = errno;
    bool is;

    if (at < PAGE)
        return false;
    is = syscall(SYS_rt_sigprocmask, NOTHING_KNOWN, (void *)(at / WORD * WORD),
                 NULL, (size_t)WORD) == 0 ||
         errno != EFAULT;
    errno = saved;
    return is;
}

/* A copy, as long as there is something to be read. */
static bool take_name(char out[REGION_NAME], const char *name)
{
    char text[2 * REGION_NAME];
    const uintptr_t at = (uintptr_t)name;
    size_t n = 0;

    if (!is_readable(at))
        return false;
    while (n + 1 < sizeof(text) &&
           (n == 0 || (at + n) % PAGE != 0 || is_readable(at + n)) && name[n]) {
        text[n] = name[n];
        n++;
    }
    text[n] = '\0';
    region_names_clean(out, text);
    return true;
}

static uint32_t phase_of(const char *name)
{
    if (!names)
        names = keep_alloc(KEPT_REGIONS, sizeof(*names));
    return names ? region_names_phase(names, name) : PHASES_ALL;
}

bool regions_begin(const char *name)
{
    char clean[REGION_NAME];

    if (!take_name(clean, name))
        return false;
    pthread_mutex_lock(&mutex);
    if (depth < DEEPEST) {
        frame[depth].region = phase_of(clean);
        frame[depth].before = record_phase;
        if (frame[depth].region != PHASES_ALL)
            record_enter(frame[depth].region);
    }
    depth++;
    pthread_mutex_unlock(&mutex);
    return true;
}

bool regions_end(const char *name)
{
    char clean[REGION_NAME];
    const bool any = !name || !take_name(clean, name) || !*name;
    uint32_t region;

    pthread_mutex_lock(&mutex);
    region = any || !names ? PHASES_ALL : region_names_find(names, clean);
    if (depth > DEEPEST) {
        depth--;
    } else {
        uint64_t at = depth;

        while (at > 0 && !any && frame[at - 1].region != region)
            at--;
        if (at > 0) {
            depth = at - 1;
            record_enter(frame[depth].before);
        }
    }
    pthread_mutex_unlock(&mutex);
    return true;
}

const struct region_names *regions_names(void)
{
    return names;
}

void regions_clear(void)
{
    names = NULL;
    depth = 0;
}
