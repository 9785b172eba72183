/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_masks.c - CPU masks and cores as Slurm writes them, put in order and
 * divided on a machine of three levels */
#include "config.h"

#include "fuzz.h"

#include "tests/unit/fakecpus.h"

#include "plugin/task/hardware.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t slot[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    char *text = fuzz_string(data, size);

    fake_machine("package:2 core:4 pu:2", NULL, 16);
    for (uint32_t n = 1; n <= 8; n++)
        for (int is_list = 0; is_list < 2; is_list++) {
            const struct binding binding = {
                .nlocal = n,
                .slot = slot,
                .list = is_list ? text : NULL,
                .cores = is_list ? NULL : text,
            };
            char *list = NULL, *said = NULL;

            if (topomap_hardware.make(&list, NULL, &binding, NULL) < 0 || !list)
                continue;
            EXPECT(topomap_hardware.describe(&said, list, slot, n, 1000,
                                             NULL) == 0);
            free(list);
            free(said);
        }
    free(text);
    return 0;
}
