/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slot_text.c - the slots of all tasks as one short line, and one host's share
 * of it read back inside that host's tasks */
#include "config.h"

#include "plugin/slot_text.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/fnv.h"
#include "launch/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION  1
#define CHECKSUM_DIGITS 16

/* The patterns found so far, with an open-addressed table over their texts. */
struct dictionary {
    char **pattern; /* [n], owned */
    uint32_t n;
    uint32_t *table; /* [size], number of a pattern, or MAPCORE_NONE */
    uint32_t size;   /* a power of two above 2 x hosts: never full */
};

static int dictionary_init(struct dictionary *dictionary,
                           uint32_t nhosts,
                           struct mapcore_error *err)
{
    uint32_t size = 4;

    while (size / 2 <= nhosts && size < UINT32_C(1) << 31)
        size *= 2;
    dictionary->size = size;
    dictionary->pattern = array_alloc(nhosts, sizeof(char *), err);
    dictionary->table = array_alloc(size, sizeof(uint32_t), err);
    if (!dictionary->pattern || !dictionary->table)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < size; i++)
        dictionary->table[i] = MAPCORE_NONE;
    return 0;
}

static void dictionary_clear(struct dictionary *dictionary)
{
    for (uint32_t i = 0; i < dictionary->n; i++)
        free(dictionary->pattern[i]);
    free(dictionary->pattern);
    free(dictionary->table);
}

/* The number of pattern, which becomes the dictionary's. */
static uint32_t dictionary_take(struct dictionary *dictionary, char *pattern)
{
    uint32_t mask = dictionary->size - 1;
    uint32_t i = (uint32_t)fnv1a(pattern, strlen(pattern)) & mask;

    for (; dictionary->table[i] != MAPCORE_NONE; i = (i + 1) & mask) {
        uint32_t known = dictionary->table[i];

        if (strcmp(dictionary->pattern[known], pattern) == 0) {
            free(pattern);
            return known;
        }
    }
    dictionary->table[i] = dictionary->n;
    dictionary->pattern[dictionary->n] = pattern;
    return dictionary->n++;
}

/* slots[ntasks]: host by host, the slots of its tasks in ascending rank order;
 * first[nhosts + 1]: where each host's begin. */
static void group_by_host(uint32_t *slots,
                          uint32_t *first,
                          const struct mapcore_plan *plan,
                          const uint32_t *counts)
{
    for (uint32_t h = 0; h < plan->nhosts; h++)
        first[h + 1] = first[h] + counts[h];
    for (uint32_t r = 0; r < plan->ntasks; r++)
        slots[first[plan->host[r]]++] = plan->slot[r];
    for (uint32_t h = plan->nhosts; h > 0; h--)
        first[h] = first[h - 1];
    first[0] = 0;
}

static int find_patterns(struct dictionary *dictionary,
                         uint32_t *which,
                         const struct mapcore_plan *plan,
                         const uint32_t *counts,
                         struct mapcore_error *err)
{
    uint32_t *slots = array_alloc(plan->ntasks, sizeof(*slots), err);
    uint32_t *first =
        array_alloc((size_t)plan->nhosts + 1, sizeof(*first), err);
    int error = slots && first ? 0 : MAPCORE_ENOMEM;

    if (error == 0)
        group_by_host(slots, first, plan, counts);
    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++) {
        char *pattern = NULL;

        error = runs_format(&pattern, slots + first[h], counts[h], err);
        if (error == 0)
            which[h] = dictionary_take(dictionary, pattern);
    }
    free(slots);
    free(first);
    return error;
}

int slot_text_format(char **out,
                     const struct mapcore_plan *plan,
                     const uint32_t *counts,
                     uint32_t job,
                     uint32_t step,
                     struct mapcore_error *err)
{
    struct dictionary dictionary = {0};
    struct buffer buffer = {0};
    uint32_t *which = array_alloc(plan->nhosts, sizeof(*which), err);
    char *hosts = NULL;
    int error = which ? 0 : MAPCORE_ENOMEM;

    if (error < 0 ||
        (error = dictionary_init(&dictionary, plan->nhosts, err)) < 0 ||
        (error = find_patterns(&dictionary, which, plan, counts, err)) < 0 ||
        (error = runs_format(&hosts, which, plan->nhosts, err)) < 0)
        goto out;
    error = buffer_printf(
        &buffer, err, "%d %" PRIu32 ".%" PRIu32 " %" PRIu32 " %" PRIu32,
        FORMAT_VERSION, job, step, plan->nhosts, plan->ntasks);
    for (uint32_t i = 0; error == 0 && i < dictionary.n; i++)
        error = buffer_printf(&buffer, err, "%c%s", i > 0 ? '/' : ' ',
                              dictionary.pattern[i]);
    if (error < 0 || (error = buffer_printf(&buffer, err, " %s ", hosts)) < 0 ||
        (error = buffer_printf(&buffer, err, "%016" PRIx64,
                               fnv1a(buffer.bytes, buffer.n))) < 0)
        goto out;
    *out = buffer_steal(&buffer);
out:
    buffer_clear(&buffer);
    dictionary_clear(&dictionary);
    free(which);
    free(hosts);
    return error;
}

/* Cuts the last word off and compares it with the sum of what is before it. */
static bool checksum_holds(char *text, size_t n)
{
    char sum[CHECKSUM_DIGITS + 1];
    size_t before;

    if (n <= CHECKSUM_DIGITS || strlen(text) != n)
        return false;
    before = n - CHECKSUM_DIGITS;
    snprintf(sum, sizeof(sum), "%016" PRIx64, fnv1a(text, before));
    if (text[before - 1] != ' ' || strcmp(text + before, sum) != 0)
        return false;
    text[before - 1] = '\0';
    return true;
}

/* The head: "1 JOB.STEP NHOSTS NTASKS"; *rest is what follows it. */
static int read_head(char *text,
                     char **rest,
                     uint32_t job,
                     uint32_t step,
                     uint32_t nhosts,
                     struct mapcore_error *err)
{
    uint32_t version, its_job, its_step, its_nhosts, its_ntasks;
    int used = 0;

    if (sscanf(text, "%" SCNu32 " ", &version) != 1)
        return error_set(err, MAPCORE_EPARSE, "slots: no version");
    if (version != FORMAT_VERSION)
        return error_set(err, MAPCORE_EVERSION,
                         "slots of format %" PRIu32 ", and this reads %d",
                         version, FORMAT_VERSION);
    if (sscanf(text, "%*u %" SCNu32 ".%" SCNu32 " %" SCNu32 " %" SCNu32 " %n",
               &its_job, &its_step, &its_nhosts, &its_ntasks, &used) != 4 ||
        used == 0)
        return error_set(err, MAPCORE_EPARSE, "slots: damaged head");
    if (its_job != job || its_step != step)
        return error_set(err, MAPCORE_ENOENT,
                         "slots of step %" PRIu32 ".%" PRIu32, its_job,
                         its_step);
    if (its_nhosts != nhosts)
        return error_set(err, MAPCORE_ERANGE,
                         "slots of %" PRIu32 " hosts, and there are %" PRIu32,
                         its_nhosts, nhosts);
    *rest = text + used;
    return 0;
}

/* The pattern of that number among patterns divided by '/', cut out. */
static char *nth_pattern(char *patterns, uint32_t number)
{
    char *pattern = patterns;

    for (; pattern && number > 0; number--) {
        pattern = strchr(pattern, '/');
        if (pattern)
            pattern++;
    }
    if (pattern)
        pattern[strcspn(pattern, "/")] = '\0';
    return pattern;
}

static int check_permutation(const uint32_t *slot,
                             uint32_t n,
                             struct mapcore_error *err)
{
    bool *taken = array_alloc(n, sizeof(*taken), err);
    int error = taken ? 0 : MAPCORE_ENOMEM;

    for (uint32_t i = 0; error == 0 && i < n; i++) {
        if (slot[i] >= n || taken[slot[i]])
            error = error_set(err, MAPCORE_EPARSE,
                              "slots: no permutation of %" PRIu32 " tasks", n);
        else
            taken[slot[i]] = true;
    }
    free(taken);
    return error;
}

static int read_share(uint32_t *slot,
                      uint32_t nlocal,
                      char *patterns,
                      uint32_t nhosts,
                      uint32_t host,
                      struct mapcore_error *err)
{
    uint32_t *which = NULL;
    uint32_t *mine = NULL;
    char *hosts = strchr(patterns, ' ');
    char *pattern;
    int error;

    if (!hosts || host >= nhosts)
        return error_set(err, MAPCORE_EPARSE, "slots: no list of hosts");
    *hosts++ = '\0';
    which = array_alloc(nhosts, sizeof(*which), err);
    mine = array_alloc(nlocal, sizeof(*mine), err);
    error = MAPCORE_ENOMEM;
    if (!which || !mine || (error = runs_parse(which, nhosts, hosts, err)) < 0)
        goto out;
    if (!(pattern = nth_pattern(patterns, which[host]))) {
        error = error_set(err, MAPCORE_EPARSE, "slots: no such pattern");
        goto out;
    }
    if ((error = runs_parse(mine, nlocal, pattern, err)) < 0 ||
        (error = check_permutation(mine, nlocal, err)) < 0)
        goto out;
    memcpy(slot, mine, nlocal * sizeof(*mine));
out:
    free(which);
    free(mine);
    return error;
}

int slot_text_parse(uint32_t *slot,
                    uint32_t nlocal,
                    const char *text,
                    size_t n,
                    uint32_t job,
                    uint32_t step,
                    uint32_t nhosts,
                    uint32_t host,
                    struct mapcore_error *err)
{
    char *copy = array_alloc(n + 1, 1, err);
    char *rest = NULL;
    int error = copy ? 0 : MAPCORE_ENOMEM;

    if (error < 0)
        return error;
    memcpy(copy, text, n);
    if (!checksum_holds(copy, n))
        error = error_set(err, MAPCORE_EPARSE,
                          "slots: the text and its checksum disagree");
    else if ((error = read_head(copy, &rest, job, step, nhosts, err)) == 0)
        error = read_share(slot, nlocal, rest, nhosts, host, err);
    free(copy);
    return error;
}
