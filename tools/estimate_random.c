/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_random.c - draws mappings and takes their times */
#include "config.h"

#include "tools/estimate_random.h"

#include "base/array.h"
#include "base/rng.h"
#include "tools/common/rounds.h"
#include "tools/common/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_MAPPINGS = 0x7e57 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* All slots in a random order, of which the tasks take the first. */
static void draw(uint32_t *slots,
                 uint32_t nslots,
                 uint32_t ntasks,
                 uint64_t seed,
                 uint32_t number)
{
    struct rng rng;

    rng_init(&rng, seed, RANDOM_MAPPINGS, number);
    for (uint32_t t = 0; t < ntasks; t++) {
        uint32_t other = t + rng_below(&rng, nslots - t), host = slots[t];

        slots[t] = slots[other];
        slots[other] = host;
    }
}

int estimate_random(double **out,
                    uint32_t *nout,
                    uint32_t most,
                    const struct mapcore_alloc *alloc,
                    uint32_t ntasks,
                    uint64_t seed,
                    estimate_random_time *time_of,
                    const void *arg,
                    struct mapcore_error *err)
{
    uint32_t nslots = mapcore_alloc_nslots(alloc), n = 0;
    uint32_t *slots = array_alloc(nslots, sizeof(*slots), err);
    int error = 0, signal;
    struct rounds rounds;

    *nout = 0;
    *out = array_alloc(most, sizeof(**out), err);
    if (!*out || !slots)
        error = MAPCORE_ENOMEM;
    for (uint32_t h = 0; error == 0 && h < mapcore_alloc_nhosts(alloc); h++)
        for (uint32_t s = 0; s < mapcore_alloc_slots(alloc, h); s++)
            slots[n++] = h;
    rounds_begin(&rounds, most, "random mappings");
    while (error == 0 && rounds_go_on(&rounds, *nout)) {
        draw(slots, nslots, ntasks, seed, *nout);
        error = time_of(&(*out)[*nout], arg, slots, err);
        *nout += error == 0;
    }
    signal = rounds_end(&rounds);
    if (error == 0 && signal != 0)
        tool_note("%s: after %" PRIu32 " of %" PRIu32 " random mappings",
                  strsignal(signal), *nout, most);
    if (error == 0)
        qsort(*out, *nout, sizeof(**out), ascending);
    free(slots);
    return error;
}
