/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_profile.c - profile.json and evaluation.json; what is read is used as
 * topomap plan does, and written reads back */
#include "config.h"

#include "fuzz.h"

#include "profiles/evaluation.h"
#include "profiles/profile.h"
#include "profiles/taskgraphs.h"

static void expect_profile(const struct profile *profile)
{
    struct taskgraphs graphs;
    struct profile *again = NULL;
    struct json_writer writer;
    char *text = NULL;
    size_t n = 0;
    FILE *file;

    if (taskgraphs_select(&graphs, profile, MAPCORE_CRITICAL_SHARE, NULL) ==
        0) {
        EXPECT(graphs.ncritical <= profile->ntypes);
        taskgraphs_clear(&graphs);
    }
    file = open_memstream(&text, &n);
    EXPECT(file != NULL);
    json_writer_start(&writer, file);
    json_begin_object(&writer, NULL);
    profile_put(&writer, profile);
    json_end_object(&writer);
    EXPECT(json_writer_end(&writer, NULL) == 0);
    fclose(file);
    EXPECT(profile_parse(&again, "w", text, n, NULL) == 0);
    EXPECT(again->ntasks == profile->ntasks &&
           again->ntypes == profile->ntypes);
    profile_destroy(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile *profile = NULL;
    struct evaluation *evaluation = NULL;
    const char *bytes = (const char *)data;

    if (profile_parse(&profile, "f", bytes, size, NULL) == 0)
        expect_profile(profile);
    profile_destroy(profile);
    if (evaluation_parse(&evaluation, "f", bytes, size, NULL) == 0)
        EXPECT(evaluation->decides >= evaluation->is_sure &&
               (evaluation->best || !evaluation->decides));
    evaluation_destroy(evaluation);
    return 0;
}
