/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_ustar.c - headers of a packed profile, as topomap profile unpack reads
 * them: each block of the input is taken for one */
#include "config.h"

#include "fuzz.h"

#include "tools/profile/pack/ustar.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (; size >= USTAR_BLOCK; data += USTAR_BLOCK, size -= USTAR_BLOCK) {
        unsigned char block[USTAR_BLOCK];
        struct mapcore_error err = {""};
        struct ustar_header header, again;

        if (ustar_parse(&header, data, "x", &err) < 0) {
            EXPECT(err.text[0] != '\0');
            continue;
        }
        EXPECT(strlen(header.path) < USTAR_PATH);
        EXPECT(header.size < (uint64_t)1 << 36);
        EXPECT((header.size + ustar_padding(header.size)) % USTAR_BLOCK == 0);
        /* What is short enough comes back as it was written. */
        if (header.kind == USTAR_FILE && strlen(header.path) <= 100 &&
            header.size <= USTAR_SIZE_MOST) {
            EXPECT(ustar_format(block, "", header.path, header.size, 0, &err) ==
                   0);
            EXPECT(ustar_parse(&again, block, "x", &err) == 0);
            EXPECT(strcmp(again.path, header.path) == 0 &&
                   again.size == header.size);
        }
    }
    return 0;
}
