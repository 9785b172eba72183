/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inputs.c - changed inputs for readers.py: each number on stdin is answered by
 * the number of a command and the bytes that seed, purpose and number come to.
 *   inputs SEED PURPOSE COMMANDS FILE... */
#include "config.h"

#include "attack/mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    /* Reachable at the end, as a sanitizer wants it. */
    static struct specimen input, *seeds;
    uint32_t number, ncommands, nseeds = 0;

    input = specimen_new();
    if (argc < 5 || !(seeds = calloc((size_t)argc, sizeof(*seeds))))
        return 99;
    ncommands = (uint32_t)strtoul(argv[3], NULL, 10);
    for (int i = 4; i < argc; i++, nseeds++) {
        if (!specimen_read(&input, argv[i]) ||
            !(seeds[nseeds].bytes = calloc(1, input.n + 1)))
            return 99;
        specimen_set(&seeds[nseeds], input.bytes, input.n);
    }
    while (scanf("%" SCNu32, &number) == 1) {
        const struct specimen *seed;
        uint32_t command;
        struct rng rng;

        rng_init(&rng, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
                 number);
        command = ncommands > 0 ? rng_below(&rng, ncommands) : 0;
        seed = &seeds[rng_below(&rng, nseeds)];
        specimen_set(&input, seed->bytes, seed->n);
        mutate(&input, &rng, seeds, nseeds);
        printf("%" PRIu32 " %zu\n", command, input.n);
        fwrite(input.bytes, 1, input.n, stdout);
        fflush(stdout);
    }
    return 0;
}
