/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_read.c - the wire form of a plan, read in srun by a reader that believes
 * nothing */
#include "config.h"

#include "launch/plan.h"

#include "base/array.h"
#include "base/fnv.h"
#include "base/printable.h"
#include "base/text.h"
#include "launch/runs.h"
#include "launch/step_files.h"
#include "launch/wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An `end` line at line; *sum is what it says. */
static bool read_end(const char *line, uint64_t *sum)
{
    uint64_t value = 0;

    if (memcmp(line, PLAN_END_WORD, strlen(PLAN_END_WORD)) != 0 ||
        line[PLAN_END_LENGTH - 1] != '\n')
        return false;
    for (size_t i = strlen(PLAN_END_WORD); i < PLAN_END_LENGTH - 1; i++) {
        char c = line[i];

        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            return false;
    }
    *sum = value;
    return true;
}

size_t mapcore_plan_complete(const char *text, size_t n)
{
    const char *line = text;
    uint64_t sum;

    while (line && (size_t)(text + n - line) >= PLAN_END_LENGTH) {
        if (read_end(line, &sum))
            return (size_t)(line - text) + PLAN_END_LENGTH;
        line = memchr(line, '\n', (size_t)(text + n - line));
        if (line)
            line++;
    }
    return 0;
}

/* Of no outcome's number. */
#define OLDER_KEEP ((enum mapcore_plan_outcome) - 1)

/* What follows word in a line that begins with it, or NULL. */
static char *after_word(char *line, const char *word)
{
    size_t n = strlen(word);

    return strncmp(line, word, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

/* The next line, which must begin with word; *rest is what follows it. */
static int expect(struct text *text,
                  const char *word,
                  char **rest,
                  struct mapcore_error *err)
{
    char *line = NULL;
    int error = text_line(text, &line, err);

    if (error < 0)
        return error;
    if (!line || !(line = after_word(line, word)))
        return text_error(text, err, MAPCORE_EPARSE, "\"%s\" expected", word);
    *rest = line;
    return 0;
}

/* The n numbers that stand in rest behind word, and nothing else. */
static int take_doubles(struct text *text,
                        const char *word,
                        char *rest,
                        double *values,
                        size_t n,
                        struct mapcore_error *err)
{
    for (size_t i = 0; i < n; i++) {
        char *number = text_take_word(&rest);

        if (!number || !text_parse_double(number, &values[i]) || values[i] < 0)
            return text_error(text, err, MAPCORE_EPARSE,
                              "%s: %zu numbers expected", word, n);
    }
    if (text_take_word(&rest))
        return text_error(text, err, MAPCORE_EPARSE, "%s: more than %zu", word,
                          n);
    return 0;
}

static int expect_doubles(struct text *text,
                          const char *word,
                          double *values,
                          size_t n,
                          struct mapcore_error *err)
{
    char *rest = NULL;
    int error = expect(text, word, &rest, err);

    return error < 0 ? error : take_doubles(text, word, rest, values, n, err);
}

static int expect_counts(struct text *text,
                         const char *word,
                         uint64_t *values,
                         size_t n,
                         struct mapcore_error *err)
{
    char *rest = NULL;
    int error = expect(text, word, &rest, err);

    if (error < 0)
        return error;
    for (size_t i = 0; i < n; i++) {
        char *number = text_take_word(&rest);

        if (!number || !text_parse_u64(number, &values[i]))
            return text_error(text, err, MAPCORE_EPARSE,
                              "%s: %zu numbers expected", word, n);
    }
    if (text_take_word(&rest))
        return text_error(text, err, MAPCORE_EPARSE, "%s: more than %zu", word,
                          n);
    return 0;
}

/* A head line `word N` that must say what the caller knows; or_none: or 0, of
 * a plan that places nothing, since the launch could not be read: its reason is
 * to be told. */
static int expect_equal(struct text *text,
                        const char *word,
                        uint32_t known,
                        bool or_none,
                        struct mapcore_error *err)
{
    uint64_t value;
    int error = expect_counts(text, word, &value, 1, err);

    if (error == 0 && value != known && !(or_none && value == 0))
        error = text_error(text, err, MAPCORE_ERANGE,
                           "%s %" PRIu64 ", but it is %" PRIu32, word, value,
                           known);
    return error;
}

static int parse_decision(struct text *text,
                          struct mapcore_plan *plan,
                          struct mapcore_error *err)
{
    char *rest = NULL, *word;
    int error = expect(text, "decided-by", &rest, err);

    if (error < 0)
        return error;
    word = text_take_word(&rest);
    for (int i = 0; word; i++) {
        const enum mapcore_plan_decision decision =
            (enum mapcore_plan_decision)i;
        const char *name = mapcore_plan_decision_name(decision);

        if (!name)
            break;
        if (strcmp(word, name) == 0) {
            plan->decided_by = decision;
            return take_doubles(text, "decided-by", rest, plan->decided, 2,
                                err);
        }
    }
    return text_error(text, err, MAPCORE_EPARSE,
                      "decided-by: no such number is known");
}

static bool take_outcome(enum mapcore_plan_outcome *out, const char *word)
{
    /* Of older plans, in which `keep` was unchanged or failed. */
    static const struct {
        const char *word;
        enum mapcore_plan_outcome outcome;
    } older[] = {{"map", MAPCORE_PLAN_PLACED},
                 {"keep", OLDER_KEEP},
                 {"none", MAPCORE_PLAN_UNCONCERNED}};
    const char *name;

    for (int i = 0; (name = mapcore_plan_outcome_name(i)); i++)
        if (strcmp(word, name) == 0) {
            *out = (enum mapcore_plan_outcome)i;
            return true;
        }
    for (size_t i = 0; i < sizeof(older) / sizeof(older[0]); i++)
        if (strcmp(word, older[i].word) == 0) {
            *out = older[i].outcome;
            return true;
        }
    return false;
}

static int parse_head(struct text *text,
                      uint64_t *version_out,
                      struct mapcore_plan *plan,
                      struct mapcore_error *err)
{
    uint64_t version;
    char *rest = NULL, *record, *cursor;
    int error = expect_counts(text, "topomap-plan", &version, 1, err);

    if (error < 0)
        return error;
    *version_out = version;
    if (version < PLAN_FIRST_VERSION || version > PLAN_VERSION)
        return text_error(text, err, MAPCORE_EVERSION,
                          "a plan of format %" PRIu64
                          ", and this program reads %d",
                          version, PLAN_VERSION);
    if ((error = expect(text, "outcome", &rest, err)) < 0)
        return error;
    if ((record = strstr(rest, " record "))) {
        cursor = record + strlen(" record ");
        if (!text_take_u32(&cursor, &plan->record_s, NULL) ||
            !text_at_end(cursor) || plan->record_s == 0)
            return text_error(text, err, MAPCORE_EPARSE,
                              "outcome: record wants seconds");
        *record = '\0';
    }
    if ((record = strstr(rest, " time")) && record[strlen(" time")] == '\0') {
        plan->times_mpi = true;
        *record = '\0';
    }
    if (!take_outcome(&plan->outcome, rest))
        return text_error(text, err, MAPCORE_EPARSE,
                          "outcome: no such word is known");
    if ((error = expect(text, "reason", &rest, err)) < 0)
        return error;
    if (!(plan->reason = strdup(rest)))
        return error_set(err, MAPCORE_ENOMEM, "no memory for a plan");
    printable_clean(plan->reason);
    return 0;
}

/* A line that may stand there; kept as it is to be shown or handed on. */
static int take_line(char **out,
                     struct text *text,
                     const char *value,
                     size_t most,
                     struct mapcore_error *err)
{
    if (*out || strlen(value) >= most)
        return text_error(text, err, MAPCORE_ERANGE,
                          *out ? "a line that stands there twice" : "too long");
    if (!(*out = strdup(value)))
        return error_set(err, MAPCORE_ENOMEM, "no memory for a plan");
    printable_clean(*out);
    return 0;
}

/* What may stand before the numbers. A newer `topomap` has further lines, and
 * nothing that cannot be left out. */
static int parse_optional(struct text *text,
                          struct mapcore_plan *plan,
                          struct mapcore_error *err)
{
    char *line = NULL, *value;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        if (after_word(line, "ntasks")) {
            text_unread(text);
            return 0;
        }
        if ((value = after_word(line, "tree")))
            error = take_line(&plan->tree, text, value, NODE_FILE_MOST, err);
        else if ((value = after_word(line, "found")))
            error = take_line(&plan->found, text, value, PLAN_FOUND_MOST, err);
        else if ((value = after_word(line, "network")))
            error =
                take_line(&plan->network, text, value, PLAN_NETWORK_MOST, err);
        if (error < 0)
            return error;
    }
    return error;
}

static int parse_numbers(struct text *text,
                         uint64_t version,
                         struct mapcore_plan *plan,
                         struct mapcore_error *err)
{
    int error;

    if ((error = expect_equal(text, "ntasks", plan->ntasks,
                              plan->outcome != MAPCORE_PLAN_PLACED, err)) < 0 ||
        (error = expect_equal(text, "nhosts", plan->nhosts,
                              plan->outcome != MAPCORE_PLAN_PLACED, err)) < 0 ||
        (error = expect_doubles(text, "hops-per-byte", plan->hops_per_byte, 2,
                                err)) < 0 ||
        (error = expect_counts(text, "off-node-bytes", plan->off_node_bytes, 2,
                               err)) < 0 ||
        (error = expect_doubles(text, "max-link-bytes", plan->max_link_bytes, 2,
                                err)) < 0 ||
        (version >= 2 && (error = parse_decision(text, plan, err)) < 0) ||
        (error = expect_doubles(text, "milliseconds", plan->milliseconds, 3,
                                err)) < 0)
        return error;
    if (plan->outcome == OLDER_KEEP)
        plan->outcome = plan->hops_per_byte[0] > 0 || plan->milliseconds[2] > 0
                            ? MAPCORE_PLAN_UNCHANGED
                            : MAPCORE_PLAN_FAILED;
    return 0;
}

static int parse_runs(struct text *text,
                      const char *word,
                      uint32_t *values,
                      uint32_t n,
                      struct mapcore_error *err)
{
    struct mapcore_error why;
    char *rest = NULL;
    int error = expect(text, word, &rest, err);

    if (error < 0)
        return error;
    if ((error = runs_parse(values, n, rest, &why)) < 0)
        return text_error(text, err, error, "%s: %s", word, why.text);
    return 0;
}

/* Every slot of every host is taken by exactly one rank. */
static int check_placement(const struct mapcore_plan *plan,
                           const uint32_t *counts,
                           struct mapcore_error *err)
{
    uint32_t *first =
        array_alloc((size_t)plan->nhosts + 1, sizeof(*first), err);
    bool *taken = array_alloc(plan->ntasks, sizeof(*taken), err);
    int error = first && taken ? 0 : MAPCORE_ENOMEM;
    uint64_t total = 0;

    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++) {
        total += counts[h];
        if (total > plan->ntasks)
            break;
        first[h + 1] = (uint32_t)total;
    }
    if (error == 0 && total != plan->ntasks)
        error = error_set(err, MAPCORE_ERANGE,
                          "the nodes hold other than %" PRIu32 " tasks",
                          plan->ntasks);
    for (uint32_t r = 0; error == 0 && r < plan->ntasks; r++) {
        uint32_t host = plan->host[r], slot = plan->slot[r];

        if (host >= plan->nhosts || slot >= counts[host])
            error = error_set(err, MAPCORE_ERANGE,
                              "plan: rank %" PRIu32 " has no such place", r);
        else if (taken[first[host] + slot])
            error = error_set(
                err, MAPCORE_EPARSE,
                "plan: rank %" PRIu32 " is on a place that is taken", r);
        else
            taken[first[host] + slot] = true;
    }
    free(first);
    free(taken);
    return error;
}

static int parse_body(struct text *text,
                      struct mapcore_plan *plan,
                      const uint32_t *counts,
                      struct mapcore_error *err)
{
    char *line = NULL;
    uint64_t version;
    int error;

    if ((error = parse_head(text, &version, plan, err)) < 0 ||
        (error = parse_optional(text, plan, err)) < 0 ||
        (error = parse_numbers(text, version, plan, err)) < 0)
        return error;
    if (plan->outcome == MAPCORE_PLAN_PLACED) {
        plan->host = array_alloc(plan->ntasks, sizeof(*plan->host), err);
        plan->slot = array_alloc(plan->ntasks, sizeof(*plan->slot), err);
        if (!plan->host || !plan->slot)
            return MAPCORE_ENOMEM;
        if ((error = parse_runs(text, "hosts", plan->host, plan->ntasks, err)) <
                0 ||
            (error = parse_runs(text, "slots", plan->slot, plan->ntasks, err)) <
                0 ||
            (error = check_placement(plan, counts, err)) < 0)
            return error;
    }
    if ((error = text_line(text, &line, err)) < 0)
        return error;
    if (line)
        return text_error(text, err, MAPCORE_EPARSE,
                          "nothing expected before \"end\"");
    return 0;
}

int mapcore_plan_parse(struct mapcore_plan **out,
                       const char *bytes,
                       size_t n,
                       uint32_t ntasks,
                       uint32_t nhosts,
                       const uint32_t *counts,
                       struct mapcore_error *err)
{
    struct mapcore_plan *plan = NULL;
    struct text *text = NULL;
    uint64_t sum = 0;
    size_t whole = mapcore_plan_complete(bytes, n);
    int error;

    if (whole == 0)
        return error_set(err, MAPCORE_EPARSE,
                         "the plan ends before its \"end\" line");
    whole -= PLAN_END_LENGTH;
    if (!read_end(bytes + whole, &sum) || sum != fnv1a(bytes, whole))
        return error_set(err, MAPCORE_EPARSE,
                         "the plan and its checksum disagree");
    if ((error = text_open_memory(&text, "plan", bytes, whole, err)) < 0)
        return error;
    plan = array_alloc(1, sizeof(*plan), err);
    error = MAPCORE_ENOMEM;
    if (!plan)
        goto out;
    plan->ntasks = ntasks;
    plan->nhosts = nhosts;
    if ((error = parse_body(text, plan, counts, err)) < 0)
        goto out;
    *out = plan;
    plan = NULL;
out:
    mapcore_plan_destroy(plan);
    text_close(text);
    return error;
}
