/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_merge.c - topomap profile merge: what tasks left behind in a folder
 * of the user's when they ended without MPI_Finalize (COMMPROF_DUMP), one
 * profile */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "tools/profile/recorded/collect.h"

#include <stdlib.h>

int profile_merge_run(const struct profile_options *options)
{
    struct recorded merge = {.err = options->err};
    struct own_folder *folder = NULL;
    char *root = NULL, *filed = NULL;
    time_t last;
    int error = own_folder_open(&folder, options->operand, OWN_FOLDER_OWN,
                                options->err);

    if (error == 0)
        error = collect_nodes(&merge, folder, &last);
    own_folder_close(folder);
    if (error == 0)
        error = recorded_check(&merge, options->operand);
    if (error == 0)
        error =
            profile_root_to_write(&root, &options->catalogues, options->err);
    if (error == 0)
        error = recorded_file(&merge, root, &filed);
    if (error == 0)
        error = profile_say_filed(options, filed);
    if (error == 0 && merge.nfound < merge.subject.ntasks)
        tool_note("only %u of %u tasks left their rows: what the others sent "
                  "is missing",
                  merge.nfound, merge.subject.ntasks);
    recorded_clear(&merge);
    free(filed);
    free(root);
    return error;
}
