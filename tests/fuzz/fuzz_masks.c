/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_masks.c - CPU masks and cores as Slurm writes them, put in order and
 * divided on a machine of three levels */
#include "config.h"

#include "fuzz.h"

#include "plugin/task/binding.h"
#include "plugin/task/cpuset.h"

static void expect_masks(char **masks,
                         const struct cpuset_machine *machine,
                         uint32_t n)
{
    uint32_t order[8];

    EXPECT(cpuset_order(order, machine, (const char *const *)masks, n, NULL) ==
           0);
    for (uint32_t i = 0; i < n; i++) {
        EXPECT(order[i] < n && cpuset_equal(masks[i], masks[i]));
        free(masks[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), *masks[8];
    static struct cpuset_machine *machine;

    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
    if (!machine)
        EXPECT(cpuset_machine_open(&machine, "package:2 core:4 pu:2", NULL) ==
               0);
    for (uint32_t n = 1; n <= 8; n++) {
        if (binding_by_slot(masks, machine, text, n, NULL) == 0)
            expect_masks(masks, machine, n);
        if (cpuset_divide(masks, machine, text, n, NULL) == 0)
            expect_masks(masks, machine, n);
    }
    if (cpuset_of_cores(masks, machine, text, NULL) == 0)
        expect_masks(masks, machine, 1);
    free(text);
    return 0;
}
