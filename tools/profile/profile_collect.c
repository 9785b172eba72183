/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_collect.c - topomap profile collect and merge: what recordings that
 * were cut short have left, filed */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/text.h"
#include "launch/spool_folder.h"
#include "profiles/history/history_line.h"
#include "tools/profile/recorded/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Lines of a document; file NULL: for people. */
static void put_lines(FILE *file, const char *word, struct buffer *lines)
{
    char *rest = NULL;

    for (char *line = lines->n > 0 ? strtok_r(lines->bytes, "\n", &rest) : NULL;
         line; line = strtok_r(NULL, "\n", &rest))
        if (file)
            fprintf(file, "%s %s\n", word, line);
        else
            tool_print("%s\n", line);
}

static int print_members(struct collected *collected,
                         const struct answer_form *form,
                         struct mapcore_error *err)
{
    struct answer answer;

    answer_open(&answer, stdout, &(struct answer_form){.csv = form->csv},
                "collected", NULL);
    if (answer.memory) {
        put_lines(answer.memory, "filed", &collected->filed);
        put_lines(answer.memory, "note", &collected->lines);
    }
    return answer_end(&answer, 0, err);
}

/* What the catalogue calls the program of a version's folder; *out owned. */
static int name_program(char **out,
                        const char *folder,
                        struct mapcore_error *err)
{
    char *path, *slash;
    int error = text_copy(&path, folder, err);

    slash = path;
    for (int i = 0; slash && i < 3; i++)
        if ((slash = strrchr(path, '/')))
            *slash = '\0';
    if (error == 0)
        error =
            catalogue_decode(out, slash ? text_last_part(path) : folder, err);
    free(path);
    return error;
}

/* For srun, which has it noted. */
static void print_outcome(const struct collected *collected)
{
    static const char *const words[] = {
        [COLLECTED_FILED] = HISTORY_RECORDED,
        [COLLECTED_NOTHING] = HISTORY_NO_PROFILE,
        [COLLECTED_NO_MPI] = HISTORY_NO_MPI,
    };
    char *program = NULL;

    if (collected->outcome == COLLECTED_UNKNOWN)
        return;
    printf("outcome %s\n", words[collected->outcome]);
    if (collected->version[0] == '/' &&
        name_program(&program, collected->version, NULL) == 0)
        tool_print("program %s\n", program);
    free(program);
}

/* Of a spool that neither srun nor slurmstepd knows of: its launcher has ended
 * as `end` says, "STATUS:SECONDS". */
static int collect_own(const char *spool,
                       const char *end,
                       struct mapcore_error *err)
{
    enum { CANNOT_RUN = 126, NOT_FOUND = 127 }; /* as of a shell */
    struct collected collected = {.lines = {0}};
    struct collected_run run;
    int error;

    if (sscanf(end, "%d:%lf", &run.status, &run.seconds) != 2)
        return error_set(err, MAPCORE_EINVAL, "--run: '%.40s'", end);
    run.program = NULL;
    if (WIFEXITED(run.status) && WEXITSTATUS(run.status) >= CANNOT_RUN &&
        WEXITSTATUS(run.status) <= NOT_FOUND && spool_folder_remove(spool))
        return 0;
    if ((error = collect_spool(&collected, spool, &run, err)) == 0)
        collected_say(&collected);
    collected_clear(&collected);
    return error;
}

int profile_collect_run(const struct profile_options *options)
{
    const struct collected_run run = {.program = options->name, .seconds = -1};
    struct collected collected = {.lines = {0}};
    char *root = NULL;
    int error;

    if (options->operand && options->run)
        return collect_own(options->operand, options->run, options->err);
    if (options->operand)
        error = collect_spool(&collected, options->operand, &run, options->err);
    else if ((error = profile_root_to_write(&root, &options->catalogues,
                                            options->err)) == 0)
        error = collect_left(&collected, root, OWN_FOLDER_NAMED, SIZE_MAX,
                             options->err);
    if (options->name)
        print_outcome(&collected);
    if (answer_word(&options->form) && error == 0)
        error = print_members(&collected, &options->form, options->err);
    else
        put_lines(NULL, NULL, &collected.lines);
    collected_clear(&collected);
    free(root);
    return error;
}

/* What tasks left behind in a folder of the user's when they ended without
 * MPI_Finalize (COMMPROF_DUMP), one profile. */
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
