/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_show.c - topomap profile show */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/text.h"
#include "profiles/catalogue/catalogue_beside.h"
#include "profiles/evaluation.h"
#include "profiles/history/history_evaluation.h"
#include "profiles/message_lines.h"
#include "profiles/profile.h"
#include "tools/table/csv.h"
#include "tools/table/evaluation_table.h"
#include "tools/table/spans_table.h"
#include "tools/table/told.h"
#include "json/json.h"

#include <inttypes.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

static int print_json(const struct catalogue_entry *entry,
                      const struct profile *profile,
                      struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "folder", entry->path);
    json_put_string(&writer, "catalogue", entry->root);
    json_put_string(&writer, "version", entry->version);
    if (profile->partial)
        json_put_string(&writer, "partial", profile->partial);
    profile_put(&writer, profile);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static void print_csv(const struct profile *profile)
{
    puts("type,calls,bytes,seconds,paired_bytes,max_task_seconds,max_task,"
         "min_task_seconds,min_task,graph,stages,partial");
    for (size_t i = 0; i < profile->ntypes; i++) {
        const struct profile_type *type = &profile->types[i];
        const struct profile_span *span = &type->task_seconds;

        csv_put_name(type->name);
        printf(",%" PRIu64 ",%" PRIu64, type->calls, type->bytes);
        csv_put_exact(true, type->seconds);
        printf(",%" PRIu64, type->paired_bytes);
        csv_put_exact(span->is_known, span->max);
        csv_put_exact(span->is_known, span->max_task);
        csv_put_exact(span->is_known, span->min);
        csv_put_exact(span->is_known, span->min_task);
        putchar(',');
        csv_put_name(type->graph ? type->graph : "");
        printf(",%" PRIu32 ",", type->stages);
        csv_put_name(profile->partial ? profile->partial : "");
        putchar('\n');
    }
}

static void print_fact(const char *what, const char *value)
{
    if (!value)
        return;
    printf("%-10s", what);
    tool_print_word(value);
    putchar('\n');
}

/* What the best placement could matter at most. */
static void print_share(const struct profile *profile)
{
    double share = profile_mpi_share(profile);

    if (share >= 0)
        printf("%-10s%.1f%% of this run's time: %.6g of %.6g s, a task on "
               "average\n",
               "in MPI", 100 * share, share * profile->seconds,
               profile->seconds);
    else
        printf("%-10snot known: this is no recording\n", "in MPI");
}

/* A recorder without USER in its environment knows a number; it asks nobody for
 * the name, which can hang in a program. */
static const char *name_user(const char *user)
{
    const struct passwd *entry = NULL;
    uint64_t number;

    if (user && text_parse_u64(user, &number) && number < (uid_t)-1)
        entry = getpwuid((uid_t)number);
    return entry ? entry->pw_name : user;
}

/* "p2p in 4 stages, rma in 1": which was sent first, and what then. */
static void print_order(const struct profile_type *types,
                        size_t ntypes,
                        const char *of)
{
    const char *separator = "";

    for (size_t i = 0; i < ntypes; i++) {
        if (types[i].stages == 0)
            continue;
        printf("%s", *separator ? separator : "order     ");
        tool_print_word(types[i].name);
        printf("%s in %" PRIu32 "%s stage%s", of, types[i].stages,
               types[i].stages == MESSAGE_ORDER_STAGES ? " or more" : "",
               text_plural(types[i].stages));
        separator = ", ";
    }
    if (*separator)
        putchar('\n');
}

static void print_orders(const struct profile *profile)
{
    char word[PROFILE_PHASE_WORD], of[PROFILE_PHASE_WORD + 1];
    bool is_known = false;

    for (size_t i = 0; i < profile->ntypes; i++)
        is_known = is_known || profile->types[i].stages > 0;
    print_order(profile->types, profile->ntypes, "");
    for (size_t i = 0; i < profile->nphases; i++) {
        const struct profile_phase *phase = &profile->phases[i];

        profile_phase_word(word, phase);
        snprintf(of, sizeof(of), "@%s", word);
        print_order(phase->types, phase->ntypes, of);
        for (size_t k = 0; k < phase->ntypes; k++)
            is_known = is_known || phase->types[k].stages > 0;
    }
    if (!is_known)
        print_fact("order", "of messages is not known");
}

static void print_head(const struct catalogue_entry *entry,
                       const struct profile *profile)
{
    print_share(profile);
    print_fact("program", profile->program);
    print_fact("path", profile->path);
    print_fact("identity", profile->identity);
    printf("%-10s%" PRIu32, "tasks", profile->ntasks);
    if (profile->hosts > 0)
        printf(" on %" PRIu32 " %s", profile->hosts,
               profile->hosts == 1 ? "node" : "nodes");
    putchar('\n');
    print_fact("node", profile->node);
    print_fact("recorded", profile->recorded);
    if (profile->tasks_recorded > 0)
        printf("%-10sof %" PRIu32 " of %" PRIu32 " tasks\n", "counts",
               profile->tasks_recorded, profile->ntasks);
    print_fact("until", profile->until);
    print_fact("partial", profile->partial);
    print_fact("job", profile->job);
    print_fact("user", name_user(profile->user));
    print_fact("MPI", profile->mpi);
    printf("%-10s%.6g from MPI_Init to %s\n", "seconds", profile->seconds,
           profile->until ? "the last call" : "MPI_Finalize");
    print_orders(profile);
    print_fact("folder", entry->path);
}

static void print_types(const struct profile *profile)
{
    double total = 0;

    for (size_t i = 0; i < profile->ntypes; i++)
        total += profile->types[i].seconds;
    if (profile->ntypes == 0)
        puts("\nno MPI call that is counted");
    else
        printf("\n%-22s%14s%18s%14s%8s%18s  %s\n", "TYPE", "CALLS", "BYTES",
               "SECONDS", "SHARE", "PAIRED BYTES", "GRAPH");
    for (size_t i = 0; i < profile->ntypes; i++) {
        const struct profile_type *type = &profile->types[i];
        char share[16] = "-";

        if (total > 0)
            snprintf(share, sizeof(share), "%.1f%%",
                     100 * type->seconds / total);
        printf("%-22s%14" PRIu64 "%18" PRIu64 "%14.6g%8s%18" PRIu64 "  ",
               type->name, type->calls, type->bytes, type->seconds, share,
               type->paired_bytes);
        if (!type->graph && type->why)
            fputs("none: ", stdout);
        tool_print_word(type->graph ? type->graph
                        : type->why ? type->why
                                    : "none");
        putchar('\n');
    }
}

static void print_phases(const struct profile *profile)
{
    if (profile->nphases > 0)
        printf("\n%-16s%-22s%14s%18s%14s%18s  %s\n", "PHASE", "TYPE", "CALLS",
               "BYTES", "SECONDS", "PAIRED BYTES", "GRAPH");
    for (size_t i = 0; i < profile->nphases; i++) {
        const struct profile_phase *phase = &profile->phases[i];
        char word[PROFILE_PHASE_WORD];

        profile_phase_word(word, phase);
        for (size_t k = 0; k < phase->ntypes; k++) {
            const struct profile_type *type = &phase->types[k];

            printf("%-15s %-22s%14" PRIu64 "%18" PRIu64 "%14.6g%18" PRIu64 "  ",
                   word, type->name, type->calls, type->bytes, type->seconds,
                   type->paired_bytes);
            if (type->graph)
                printf("%s@%s\n", type->name, word);
            else
                puts("none");
        }
    }
}

/* What topomap tune measured of it, if it did. */
static int print_evaluation(const struct catalogue_entry *entry,
                            struct mapcore_error *err)
{
    struct evaluation *evaluation = NULL;
    int error = evaluation_read(&evaluation, entry->path, err);

    if (error == MAPCORE_ENOENT)
        return 0;
    if (error < 0) {
        tool_note("%s", err->text);
        return 0;
    }
    fputs("\nmeasured by topomap tune, ", stdout);
    tool_print("%s%s%s:\n",
               evaluation->evaluated ? evaluation->evaluated : "some time ago",
               evaluation->nodes ? " on " : "",
               evaluation->nodes ? evaluation->nodes : "");
    evaluation_table_print(evaluation);
    evaluation_destroy(evaluation);
    return 0;
}

/* "-6.1% (12 pairs, -7.9 to -4.4%)" */
static void print_gain(const struct history_evaluation *evaluation)
{
    if (isnan(evaluation->gain))
        printf("too few runs to say (%" PRIu32 " pairs)", evaluation->pairs);
    else
        printf("%+.1f%% (%" PRIu32 " pairs, %+.1f to %+.1f%%)",
               100 * evaluation->gain, evaluation->pairs, 100 * evaluation->low,
               100 * evaluation->high);
}

/* What production runs have shown of it, if --topomap=learn looked. */
static int print_learnt(const struct catalogue_entry *entry,
                        const struct profile_roots *roots,
                        struct mapcore_error *err)
{
    struct history_evaluation *learnt = NULL;
    struct own_folder *folder = NULL;
    size_t n = 0;
    bool headed = false;
    int error = 0;

    if (roots->own &&
        catalogue_beside(&folder, roots->own, HISTORY_FOLDER, err) == 0)
        error = history_evaluations_read(&learnt, &n, folder, err);
    for (size_t i = 0; error == 0 && i < n; i++) {
        const struct history_line *of = &learnt[i].of;

        if (of->ntasks != entry->ntasks ||
            strcmp(of->program, entry->program) != 0 || !of->identity ||
            strcmp(of->identity, entry->identity) != 0)
            continue;
        if (!headed)
            puts("\nlearnt from production runs, placed ones beside others:");
        headed = true;
        tool_print("%" PRIu32 " nodes of %s, arguments %s: %s, ", of->nnodes,
                   of->node_type ? of->node_type : "any kind",
                   of->arguments ? of->arguments : "none", learnt[i].verdict);
        print_gain(&learnt[i]);
        if (learnt[i].graph)
            tool_print(", by graph %s", learnt[i].graph);
        tool_print("; %s\n", of->time ? of->time : "");
    }
    history_evaluations_clear(learnt, n);
    own_folder_close(folder);
    return error;
}

/* For tune.py. */
static int print_measured(const struct catalogue_entry *entry,
                          const struct profile_options *options,
                          struct mapcore_error *err)
{
    struct evaluation *evaluation = NULL;
    struct told_answer told;
    int error = evaluation_read(&evaluation, entry->path, err);

    if (error < 0)
        return error;
    if (options->json)
        error = evaluation_print(evaluation, stdout, err);
    else if (options->csv)
        error =
            !told_begin(&told, stdout, "graphs", err)
                ? MAPCORE_ENOMEM
                : told_end(&told,
                           evaluation_print(evaluation, told.writer.file, err),
                           err);
    else
        evaluation_table_print(evaluation);
    evaluation_destroy(evaluation);
    return error;
}

int profile_show_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    struct profile *profile = NULL;
    struct profile_roots roots;
    struct mapcore_error err;
    int error =
        profile_roots_open(&roots, &options->catalogues, options->config, &err);

    if (error == 0)
        error = profile_select(&entry, roots.list.item, roots.list.n,
                               roots.own != NULL, options->operand, &err);
    if (error == 0)
        error = profile_read(&profile, entry.path, &err);
    if (error == 0 && entry.other_build)
        tool_note("this profile is of another build of %s", entry.program);
    if (error == 0 && options->measured) {
        error = print_measured(&entry, options, &err);
    } else if (error == 0 && options->json) {
        error = print_json(&entry, profile, &err);
    } else if (error == 0 && options->csv) {
        print_csv(profile);
    } else if (error == 0) {
        print_head(&entry, profile);
        print_types(profile);
        spans_table_print(profile);
        print_phases(profile);
        error = print_evaluation(&entry, &err);
        if (error == 0)
            error = print_learnt(&entry, &roots, &err);
    }
    profile_destroy(profile);
    catalogue_entry_clear(&entry);
    profile_roots_close(&roots);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
