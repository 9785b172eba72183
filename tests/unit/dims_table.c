/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims_table.c - MPI_Dims_create as grid_rules.c has it, in the form of
 * tests/programs/dims_table.c
 * usage: dims_table mpich|openmpi N */
#include "config.h"

#include "grid/predict/grid_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    uint32_t dims[MAPCORE_GRID_MAX_DIMS], most;

    if (argc != 3)
        return 2;
    most = (uint32_t)strtoul(argv[2], NULL, 10);
    for (uint32_t ndims = 2; ndims <= 5; ndims++)
        for (uint32_t n = 1; n <= most; n++) {
            grid_dims_create(dims, ndims, n,
                             strcmp(argv[1], "openmpi") == 0
                                 ? MAPCORE_SCALE_OPENMPI
                                 : MAPCORE_SCALE_MPICH);
            printf("%u", n);
            for (uint32_t i = 0; i < ndims; i++)
                printf(" %u", dims[i]);
            putchar('\n');
        }
    return 0;
}
