/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_options.c - what users and sites type: --topomap, plugstack.conf, counts
 * per host, host lists */
#include "config.h"

#include "fuzz.h"

#include "alloc/alloc.h"
#include "base/hosts.h"
#include "plugin/options.h"

/* Words divided by blanks, as plugstack.conf has them. */
static void take_site(char *text)
{
    struct options options;
    struct plugstack site;
    char *argv[64], *save = NULL;
    int argc = 0;

    for (char *word = strtok_r(text, " \n", &save); word && argc < 64;
         word = strtok_r(NULL, " \n", &save))
        argv[argc++] = word;
    plugstack_parse(&site, argc, argv, NULL);
    EXPECT(site.ncatalogues <= PLUGSTACK_CATALOGUES);
    if (options_default(&options, &site, argc > 0 ? argv[0] : NULL, NULL) ==
        0) {
        const char *words[OPTIONS_WORDS];

        options_words(words, &options, &site, "2");
    }
}

static void take_slots(const char *text)
{
    uint32_t slots[10];

    for (uint32_t n = 1; n <= 10; n++)
        (void)mapcore_slots_parse(slots, n, text, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    struct options options;
    struct hosts hosts;

    if (options_parse(&options, text, NULL) < 0)
        EXPECT(options.mode == OPTIONS_OFF);
    take_slots(text);
    if (hosts_expand(&hosts, text, NULL) == 0) {
        for (size_t i = 0; i < hosts.n; i++)
            EXPECT(hosts.name[i][0] != '\0');
        hosts_clear(&hosts);
    }
    take_site(text);
    free(text);
    return 0;
}
