/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_mapper.c - what --mapper takes: a mapper's name and its parameters,
 * which print as what reads back the same */
#include "config.h"

#include "fuzz.h"

#include "map/mapper.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    const struct mapper *mapper = mapper_find(text);
    static struct mapper_setting setting, again;
    struct mapcore_error err = {""};
    char printed[2 * MAPPER_PATH];

    if (mapper && mapper_parse(&setting, mapper, text, &err) == 0) {
        int n = mapper_print(mapper, &setting, printed, sizeof(printed));

        EXPECT(n > 0 && (size_t)n < sizeof(printed));
        EXPECT(mapper_find(printed) == mapper);
        EXPECT(mapper_parse(&again, mapper, printed, &err) == 0);
        EXPECT(memcmp(again.value, setting.value, sizeof(again.value)) == 0);
    } else {
        EXPECT(!mapper || err.text[0] != '\0');
    }
    free(text);
    return 0;
}
