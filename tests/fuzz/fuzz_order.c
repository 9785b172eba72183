/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_order.c - the file of a custom order of tasks */
#include "config.h"

#include "fuzz.h"

#include "graph/csr.h"
#include "map/greedy/order.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { NTASKS = 6 };
    const struct mapcore_graph graph = {.ntasks = NTASKS};
    const struct map_problem problem = {.graph = &graph};
    uint32_t list[NTASKS];
    struct fuzz_file file;
    bool timed_out;

    fuzz_file_open(&file, data, size);
    if (order_make(list, &timed_out, &problem,
                   &(struct order_key){ORDER_CUSTOM, file.path, 1, 0},
                   NULL) == 0) {
        unsigned seen = 0;

        for (int i = 0; i < NTASKS; i++) {
            EXPECT(list[i] < NTASKS);
            seen |= 1u << list[i];
        }
        EXPECT(seen == 63);
    }
    fuzz_file_close(&file);
    return 0;
}
