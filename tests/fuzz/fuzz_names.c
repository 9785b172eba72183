/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_names.c - names in a catalogue: programs as folders and back, versions,
 * numbers of tasks */
#include "config.h"

#include "fuzz.h"

#include "profiles/catalogue/catalogue_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), *decoded = NULL;
    char folder[NAME_MAX + 1];
    uint32_t ntasks;

    if (catalogue_encode(folder, text, NULL) == 0) {
        const char *slash = strrchr(text, '/');

        EXPECT(catalogue_is_encoded(folder));
        EXPECT(!strchr(folder, '/') && folder[0] != '.');
        EXPECT(catalogue_decode(&decoded, folder, NULL) == 0);
        EXPECT(strcmp(decoded, slash ? slash + 1 : text) == 0);
        free(decoded);
        decoded = NULL;
    }
    if (catalogue_decode(&decoded, text, NULL) == 0)
        EXPECT(strlen(decoded) <= strlen(text));
    free(decoded);
    if (catalogue_parse_ntasks(text, &ntasks))
        EXPECT(ntasks > 0 && text[0] != '0' && catalogue_is_ntasks(text));
    if (catalogue_is_version(text))
        EXPECT(text[0] == 'r' && !strchr(text, '/'));
    catalogue_check_name(text, NULL);
    free(text);
    return 0;
}
