/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_rows.c - the rows that a task of a recorded program leaves behind, as
 * topomap profile merge reads them: the same file as two tasks'; and as the
 * memory of one, as topomap profile collect reads it */
#include "config.h"

#include "fuzz.h"

#include "tools/profile/recorded/recorded.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mapcore_error err = {""};
    struct recorded recorded = {.err = &err};
    struct fuzz_file file;

    fuzz_file_open(&file, data, size);
    if (recorded_take_file(&recorded, file.path) == 0 &&
        recorded_take_file(&recorded, file.path) == 0) {
        messages_sort(&recorded.all.messages);
        for (size_t i = 0; i < recorded.all.messages.n; i++)
            EXPECT(recorded.all.messages.message[i].from < recorded.ntasks &&
                   recorded.all.messages.message[i].to < recorded.ntasks);
    }
    recorded_clear(&recorded);
    memset(&recorded, 0, sizeof(recorded));
    recorded.err = &err;
    if (recorded_take_kept(&recorded, file.path, (const char *)data, size) ==
        0) {
        messages_sort(&recorded.all.messages);
        for (size_t i = 0; i < recorded.all.messages.n; i++)
            EXPECT(recorded.all.messages.message[i].to < recorded.ntasks);
    }
    recorded_clear(&recorded);
    fuzz_file_close(&file);
    return 0;
}
