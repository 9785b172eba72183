/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_subject.c - the stage of a plan that finds the program that it is
 * about, and what is said when nothing was recorded of it */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/array.h"
#include "launch/plan_words.h"
#include "profiles/catalogue/remembered.h"

#include <stdlib.h>
#include <string.h>

static int find_subject(struct planner *planner)
{
    const struct mapcore_facts *facts = planner->facts;
    const char *alone[] = {planner->request.program ? planner->request.program
                                                    : facts->program,
                           NULL};
    struct mapcore_error why;
    int error;

    /* Words that were written down elsewhere may lead nowhere here. */
    if (!planner->request.program && facts->nwords > 0 &&
        subject_find(&planner->sources.subject, facts->nwords,
                     (const char *const *)facts->words, getenv("PATH"),
                     NULL) == 0)
        return 0;
    error =
        subject_find(&planner->sources.subject, 1, alone, getenv("PATH"), &why);
    if (error < 0)
        return error_set(planner->err,
                         error == MAPCORE_ENOENT ? MAPCORE_EIO : error,
                         "cannot read %s", why.text);
    return 0;
}

/* What the recorder saw run under the same command. True: it is the subject. */
static bool recall(struct planner *planner)
{
    const struct mapcore_facts *facts = planner->facts;
    struct subject_found *subject = &planner->sources.subject;
    const char *alone[] = {facts->program, NULL};
    bool has_words = facts->nwords > 0;
    char keys[REMEMBERED_KEYS][REMEMBERED_KEY], *root = NULL;
    struct remembered found = {.program = NULL};
    /* Other arguments may mean another program, which the words may show. */
    bool any_words = subject->is_unknown;
    bool recalled;

    if (!remembered_make_keys(keys, has_words ? facts->nwords : 1,
                              has_words ? (const char *const *)facts->words
                                        : alone,
                              getenv("PATH")) ||
        catalogue_user_root(&root, NULL) < 0)
        return false;
    recalled =
        remembered_read(&found, root, keys[REMEMBERED_EXACT], NULL) == 0 ||
        (any_words &&
         remembered_read(&found, root, keys[REMEMBERED_LOOSE], NULL) == 0);
    free(root);
    if (!recalled)
        return false;
    /* Built anew it has another identity by now; in a container the file of
     * that name here is none of ours. */
    if (subject->is_container ||
        identity_of_file(planner->sources.identity, found.program, NULL) < 0)
        snprintf(planner->sources.identity, sizeof(planner->sources.identity),
                 "%s", found.identity);
    planner->sources.executable = found.program;
    free(found.identity);
    subject->kind = PROGRAM_SCRIPT; /* in any case, it has used MPI */
    return true;
}

/* The line begins with a program for MPI, or names a module: nothing else can
 * run. What a wrapper or script starts is remembered, and asked first. */
static bool is_named(const struct subject_found *subject)
{
    return subject->name || (subject_is_mpi(subject) && !*subject->behind);
}

int planner_identify(struct planner *planner)
{
    struct subject_found *subject = &planner->sources.subject;
    int error;

    if (planner->sources.name || planner_graph_is_file(&planner->request))
        return 0;
    if ((error = find_subject(planner)) < 0)
        return error;
    if (!is_named(subject) && recall(planner))
        return 0;
    if (subject->is_unknown)
        return planner_stop(planner, MESSAGE_ENDS_UNKNOWN, subject->behind,
                            planner->request.by_place
                                ? "--program FILE or --name NAME"
                                : "exe=PATH or name=NAME");
    if (subject->name) {
        planner->sources.name = subject->name;
        return 0;
    }
    planner->sources.executable = array_copy(
        subject->program, strlen(subject->program) + 1, 1, planner->err);
    return planner->sources.executable
               ? identity_of_file(planner->sources.identity, subject->program,
                                  planner->err)
               : MAPCORE_ENOMEM;
}

/* Recording it again will not help; a program that uses no MPI, and was never
 * recorded, needs no message. */
int planner_stop_unrecorded(struct planner *planner, const char *why)
{
    bool found =
        planner->sources.executable && planner->sources.subject.program;
    const struct catalogue_query query = planner_query(planner);
    uint32_t *sizes = NULL;
    size_t nsizes = 0;

    if (found && planner->sources.subject.kind == PROGRAM_STATIC)
        return planner_stop(planner, MESSAGE_STATIC, why);
    if (!found || subject_may_use_mpi(&planner->sources.subject) ||
        catalogue_sizes(&sizes, &nsizes, &query, planner->err) < 0 ||
        nsizes > 0) {
        free(sizes);
        return planner_stop(planner, MESSAGE_NO_PROFILE, why,
                            planner->sources.subject.program &&
                                    planner->sources.subject.kind ==
                                        PROGRAM_SCRIPT
                                ? " (NCCL programs: " GRAPH_WORD_LLM ")"
                                : "");
    }
    free(sizes);
    return planner_stop(planner, MESSAGE_NO_MPI, planner_subject(planner));
}
