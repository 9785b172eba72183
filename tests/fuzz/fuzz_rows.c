/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_rows.c - the memory that a task of a recorded program leaves behind, as
 * topomap profile merge and collect read it */
#include "config.h"

#include "fuzz.h"

#include "tools/profile/recorded/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mapcore_error err = {""};
    struct recorded recorded = {.err = &err};

    if (recorded_take_kept(&recorded, "f", (const char *)data, size) == 0 &&
        recorded_check(&recorded, "f") == 0) {
        for (size_t i = 0; i < recorded.all.messages.n; i++)
            EXPECT(recorded.all.messages.message[i].to <
                   recorded.subject.ntasks);
    }
    recorded_clear(&recorded);
    return 0;
}
