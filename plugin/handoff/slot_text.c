/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slot_text.c - the slots of all tasks as one short line, and one host's share
 * of it read back inside that host's tasks */
#include "config.h"

#include "plugin/handoff/handoff_file.h"

#include "base/array.h"
#include "base/bucket.h"
#include "base/buffer.h"
#include "base/fnv.h"
#include "base/name_set.h"
#include "launch/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of the format, its first word. */
static const char version[] = "2 ";
#define NVERSION        (sizeof(version) - 1)
#define CHECKSUM_DIGITS 16

/* which[nhosts]: the number of each host's pattern, the slots of its tasks in
 * ascending rank order. */
static int find_patterns(struct name_set *patterns,
                         uint32_t *which,
                         const struct mapcore_plan *plan,
                         struct mapcore_error *err)
{
    uint32_t *slots = array_alloc(plan->ntasks, sizeof(*slots), err);
    uint32_t *first =
        array_alloc((size_t)plan->nhosts + 1, sizeof(*first), err);
    int error = slots && first ? 0 : MAPCORE_ENOMEM;

    if (error == 0) {
        bucket_items(first, slots, plan->host, plan->ntasks, plan->nhosts);
        for (uint32_t i = 0; i < plan->ntasks; i++)
            slots[i] = plan->slot[slots[i]];
    }
    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++) {
        char *pattern = NULL;

        error = runs_format(&pattern, slots + first[h], first[h + 1] - first[h],
                            err);
        if (error == 0)
            error = name_set_add(&which[h], patterns, pattern, err);
        free(pattern);
    }
    free(slots);
    free(first);
    return error;
}

int slot_text_format(char **out,
                     const struct mapcore_plan *plan,
                     struct mapcore_error *err)
{
    struct name_set patterns = {0};
    struct buffer buffer = {.err = err};
    uint32_t *which = array_alloc(plan->nhosts, sizeof(*which), err);
    char *hosts = NULL;
    int error = which ? 0 : MAPCORE_ENOMEM;

    if (error < 0 || (error = find_patterns(&patterns, which, plan, err)) < 0 ||
        (error = runs_format(&hosts, which, plan->nhosts, err)) < 0)
        goto out;
    for (size_t i = 0; i < patterns.n; i++)
        buffer_printf(&buffer, "%s%s", i > 0 ? "/" : version, patterns.name[i]);
    if (buffer_printf(&buffer, " %s ", hosts) == 0)
        buffer_printf(&buffer, "%016" PRIx64, fnv1a(buffer.bytes, buffer.n));
out:
    name_set_clear(&patterns);
    free(which);
    free(hosts);
    return buffer_finish(out, &buffer, error);
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
                              "slots: no permutation of %u tasks", n);
        else
            taken[slot[i]] = true;
    }
    free(taken);
    return error;
}

int slot_text_parse(uint32_t *slot,
                    uint32_t nlocal,
                    const char *text,
                    size_t n,
                    uint32_t nhosts,
                    uint32_t host,
                    struct mapcore_error *err)
{
    uint32_t *which = array_alloc(nhosts, sizeof(*which), err);
    uint32_t *mine = array_alloc(nlocal, sizeof(*mine), err);
    char *copy = array_alloc(n + 1, 1, err), *hosts, *pattern;
    int error = MAPCORE_ENOMEM;

    if (!which || !mine || !copy)
        goto out;
    memcpy(copy, text, n);
    error = MAPCORE_EPARSE;
    if (!checksum_holds(copy, n))
        error_set(err, error, "slots: the text and its checksum disagree");
    else if (strncmp(copy, version, NVERSION) != 0)
        error = error_set(err, MAPCORE_EVERSION,
                          "slots of format %.*s, and this reads %s",
                          (int)strcspn(copy, " "), copy, version);
    else if (!(hosts = strchr(copy + NVERSION, ' ')) || host >= nhosts)
        error_set(err, error, "slots: no list of nodes");
    else {
        *hosts++ = '\0';
        if ((error = runs_parse(which, nhosts, hosts, err)) == 0 &&
            !(pattern = nth_pattern(copy + NVERSION, which[host])))
            error = error_set(err, MAPCORE_EPARSE, "slots: no such pattern");
        if (error == 0 &&
            (error = runs_parse(mine, nlocal, pattern, err)) == 0 &&
            (error = check_permutation(mine, nlocal, err)) == 0)
            memcpy(slot, mine, nlocal * sizeof(*mine));
    }
out:
    free(which);
    free(mine);
    free(copy);
    return error;
}
