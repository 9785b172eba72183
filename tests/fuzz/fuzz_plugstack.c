/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_plugstack.c - plugstack.conf(5), as the doctor reads it */
#include "config.h"

#include "fuzz.h"

#include "tools/doctor/plugstack_conf.h"

#include <glob.h>

/* Instead of the C library's: what is included is not of these bytes, and may
 * be any file of the machine. */
int glob(const char *restrict pattern,
         int flags,
         int (*error)(const char *path, int number),
         glob_t *restrict found)
{
    (void)pattern;
    (void)flags;
    (void)error;
    (void)found;
    return GLOB_NOMATCH;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plugstack_conf conf = {0};
    struct fuzz_file file;

    fuzz_file_open(&file, data, size);
    if (plugstack_conf_read(&conf, file.path, NULL) == 0)
        for (size_t i = 0; i < conf.n; i++) {
            const struct plugstack_entry *entry = &conf.entry[i];

            EXPECT(strcmp(entry->file, file.path) == 0 && entry->line > 0);
            EXPECT(entry->plugin[0] != '\0');
            EXPECT(plugstack_conf_find(&conf, entry->plugin) != entry ||
                   !strchr(entry->plugin, '/'));
            for (int k = 0; k < entry->narguments; k++)
                EXPECT(entry->argument[k][0] != '\0' &&
                       !strpbrk(entry->argument[k], " \t#"));
        }
    EXPECT(conf.n > 0 || !conf.entry);
    plugstack_conf_clear(&conf);
    fuzz_file_close(&file);
    return 0;
}
