/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* first_use.c - counts the stages of each phase and type; rows hold what comes
 * of it */
#include "config.h"

#include "commprof/count/first_use.h"

#include "commprof/count/shared.h"

#include <pthread.h>
#include <string.h>

#define BIT(type) (UINT32_C(1) << TYPE_##type)
static const uint32_t ORDERED =
    BIT(P2P) | BIT(RMA) | BIT(ALLGATHERV) | BIT(ALLTOALLV) | BIT(ALLTOALLW) |
    BIT(GATHERV) | BIT(SCATTERV) | BIT(NEIGHBOR_ALLGATHER) |
    BIT(NEIGHBOR_ALLGATHERV) | BIT(NEIGHBOR_ALLTOALL) |
    BIT(NEIGHBOR_ALLTOALLV) | BIT(NEIGHBOR_ALLTOALLW);
/* Those that know MPI_PROC_NULL. */
static const uint32_t WITH_NOBODY = BIT(P2P) | BIT(RMA);
_Static_assert(NTYPES <= 32, "a bit for each type");

/* A blocking send of as much waits for its receiver in every MPI, as it comes:
 * MPICH's and Open MPI's defaults let at most 64 KiB go before. */
enum { WAITS_FROM = 64 << 10 };

/* Messages to MPI_PROC_NULL, one by one, that count: the sides of a grid of
 * four dimensions. A task that always sends there stays near the others. */
enum { MOST_NOBODY = 8 };

struct first_use first_use;
static struct {
    uint8_t stage[NTYPES];  /* of the group that is open */
    uint8_t nobody[NTYPES]; /* sent to MPI_PROC_NULL since the last new pair */
    uint32_t repeated;      /* a bit for each type */
} of_phase[PHASES_MOST];
static uint32_t now; /* the phase */

/* Where several threads send or wait, groups say nothing. */
static bool has_threads, has_sender, is_lost;
static pthread_t sender;
static void (*forget)(void);

static void show_again(uint32_t type)
{
    const uint8_t stage = of_phase[now].stage[type];
    const bool counts = (WITH_NOBODY & ~of_phase[now].repeated) >> type & 1 &&
                        of_phase[now].nobody[type] < MOST_NOBODY &&
                        stage + 1 < FIRST_USE_MOST;

    first_use.again[type] = counts ? stage + 1 : 0;
}

static void show_all_again(void)
{
    for (uint32_t type = 0; type < NTYPES; type++)
        show_again(type);
}

static void set_fresh(uint32_t fresh, bool large)
{
    __atomic_store_n(&first_use.fresh, fresh, __ATOMIC_RELAXED);
    __atomic_store_n(&first_use.large, large, __ATOMIC_RELAXED);
}

void first_use_begin(bool threads, void (*forget_order)(void))
{
    forget = forget_order;
    memset(of_phase, 0, sizeof(of_phase));
    has_threads = threads;
    has_sender = is_lost = false;
    now = 0;
    set_fresh(0, false);
    show_all_again();
}

/* With the lock. */
static void end_group(void)
{
    for (uint32_t type = 0; type < NTYPES; type++) {
        uint8_t *stage = &of_phase[now].stage[type];

        if (first_use.fresh >> type & 1 && *stage + 1 < FIRST_USE_MOST)
            ++*stage;
    }
    set_fresh(0, false);
    show_all_again();
}

void first_use_enter(uint32_t phase)
{
    end_group();
    now = phase;
    show_all_again();
}

/* With the lock: false where nothing is known any more. */
static bool is_alone(void)
{
    if (!has_threads || is_lost)
        return !is_lost;
    if (!has_sender) {
        sender = pthread_self();
        has_sender = true;
    }
    if (pthread_equal(sender, pthread_self()))
        return true;
    is_lost = true;
    set_fresh(0, false);
    memset(first_use.again, 0, sizeof(first_use.again));
    forget();
    return false;
}

static void begin_pair(uint32_t type, uint64_t bytes)
{
    set_fresh(first_use.fresh | UINT32_C(1) << type, bytes >= WAITS_FROM);
}

bool first_use_asks(uint32_t type, uint32_t phase)
{
    const uint8_t stage = type < NTYPES ? of_phase[phase].stage[type] : 0;

    return stage > 0 && stage + 1 < FIRST_USE_MOST && !is_lost;
}

uint8_t first_use_add(uint32_t type,
                      uint32_t phase,
                      uint8_t known,
                      uint64_t bytes)
{
    uint8_t stage;

    if (type >= NTYPES || !(ORDERED >> type & 1) || !is_alone())
        return FIRST_USE_UNKNOWN;
    stage = of_phase[phase].stage[type] + 1;
    if (known != FIRST_USE_UNKNOWN) {
        if (known < stage && phase == now)
            first_use_repeat(type);
        return known;
    }
    of_phase[phase].nobody[type] = 0;
    /* A persistent request may be of the phase in which it was made. */
    if (phase == now) {
        begin_pair(type, bytes);
        show_again(type);
    }
    return stage;
}

void first_use_repeat(uint32_t type)
{
    of_phase[now].repeated |= UINT32_C(1) << type;
    first_use.again[type] = 0;
}

void first_use_end_group(void)
{
    shared_lock();
    if (is_alone())
        end_group();
    shared_unlock();
}

void first_use_nobody(uint32_t type, uint64_t bytes)
{
    shared_lock();
    if (first_use.again[type] && is_alone()) {
        of_phase[now].nobody[type]++;
        begin_pair(type, bytes);
        show_again(type);
    }
    shared_unlock();
}
