/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert.c - mappings from one form into another, with what is known of the
 * hosts */
#include "config.h"

#include "tools/convert.h"

#include "base/array.h"
#include "launch/plan.h"
#include "tools/common/tool.h"
#include "tools/inputs/foreign.h"
#include "tools/rank_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_HOSTS = 1 << 20, /* where only a file says so */
};

void conversion_clear(struct conversion *c)
{
    mapcore_mapping_destroy(c->mapping);
    mapcore_alloc_destroy(c->alloc);
    mapcore_topo_destroy(c->topo);
    free(c->slots);
    mapping_lines_clear(&c->lines);
    hosts_clear(&c->nodes);
}

static bool is_single(const char *slots)
{
    return slots[strspn(slots, "0123456789")] == '\0';
}

/* What --nodelist and --tasks-per-node say. */
static int read_hosts(struct conversion *c,
                      const struct conversion_source *source,
                      struct mapcore_error *err)
{
    int error = 0;

    if (source->nodelist) {
        error = hosts_expand_distinct(&c->nodes, source->nodelist, err);
        if (error < 0)
            return error;
        c->nhosts = (uint32_t)c->nodes.n;
        c->names = (const char *const *)c->nodes.name;
    } else if (source->slots) {
        /* 16(x3),8 alone is four hosts without names. */
        error = mapcore_slots_count(&c->nhosts, source->slots, err);
    }
    if (error < 0 || !source->slots)
        return error;
    if (!source->nodelist && is_single(source->slots)) {
        c->nhosts = 0;
        return mapcore_slots_parse(&c->slots_each, 1, source->slots, err);
    }
    c->slots = array_alloc(c->nhosts, sizeof(*c->slots), err);
    if (!c->slots)
        return MAPCORE_ENOMEM;
    return mapcore_slots_parse(c->slots, c->nhosts, source->slots, err);
}

/* Where nobody has said it: the hosts that the file speaks of, each with as
 * many slots as it uses. */
static int count_hosts(struct conversion *c, struct mapcore_error *err)
{
    const struct mapping_lines *lines = &c->lines;

    if (!c->names)
        c->names = (const char *const *)lines->name;
    if (c->nhosts == 0) {
        c->nhosts = lines->nnames;
        for (uint32_t t = 0; lines->nnames == 0 && t < lines->n; t++)
            if (lines->host[t] >= c->nhosts)
                c->nhosts = lines->host[t] + 1;
        if (c->nhosts > MAX_HOSTS)
            return error_set(err, MAPCORE_ERANGE,
                             "nodes up to number %" PRIu32
                             ": --nodelist must say that there are so many",
                             c->nhosts - 1);
    }
    if (c->slots)
        return 0;
    c->slots = array_alloc(c->nhosts, sizeof(*c->slots), err);
    if (!c->slots)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < c->nhosts; h++)
        c->slots[h] = c->slots_each;
    for (uint32_t t = 0; c->slots_each == 0 && t < lines->n; t++) {
        uint32_t *slots = &c->slots[lines->host[t]];

        if (lines->slot[t] == MAPCORE_NONE)
            ++*slots;
        else if (lines->slot[t] >= *slots)
            *slots = lines->slot[t] + 1;
    }
    return 0;
}

int conversion_read(struct conversion *c,
                    const struct conversion_source *source,
                    struct mapcore_error *err)
{
    struct foreign_hosts hosts;
    int error = read_hosts(c, source, err);

    if (error < 0)
        return error;
    hosts = (struct foreign_hosts){c->nhosts, c->names, c->slots, true};
    if ((error = foreign_mapping_read(&c->lines, source->path, source->form,
                                      &hosts, err)) < 0 ||
        (error = count_hosts(c, err)) < 0 ||
        (error = mapcore_topo_create_tree(&c->topo, 1, &c->nhosts, NULL, err)) <
            0 ||
        (error = mapcore_alloc_create(&c->alloc, c->topo, c->nhosts, NULL,
                                      c->slots, err)) < 0)
        return error;
    return mapping_lines_place(&c->mapping, &c->lines, c->alloc, source->path,
                               err);
}

/* An order of ranks is of a block layout: host after host is full, but for the
 * last that has any. */
static int check_block(const struct conversion *c, struct mapcore_error *err)
{
    uint32_t *count = array_alloc(c->nhosts, sizeof(*count), err);
    uint32_t left = c->mapping->ntasks;
    int error = count ? 0 : MAPCORE_ENOMEM;

    for (uint32_t t = 0; error == 0 && t < c->mapping->ntasks; t++)
        count[c->mapping->host[t]]++;
    for (uint32_t h = 0; error == 0 && h < c->nhosts; h++) {
        uint32_t expected = c->slots[h] < left ? c->slots[h] : left;

        if (count[h] != expected)
            error = error_set(err, MAPCORE_EINVAL,
                              "a rank order can only permute a block layout, "
                              "which puts %" PRIu32 " ranks on node %" PRIu32
                              ", and the mapping %" PRIu32,
                              expected, h, count[h]);
        left -= expected;
    }
    free(count);
    return error;
}

static int compare_slots(const void *a, const void *b, void *arg)
{
    const struct mapcore_mapping *mapping = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (mapping->host[x] != mapping->host[y])
        return mapping->host[x] < mapping->host[y] ? -1 : 1;
    return mapping->slot[x] < mapping->slot[y] ? -1 : 1;
}

/* Slots without gaps, as a plan has them: 0, 1, ... on every host. */
static int close_gaps(uint32_t **out,
                      const struct conversion *c,
                      struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = c->mapping;
    uint32_t *order = array_alloc(mapping->ntasks, sizeof(*order), err);
    uint32_t *slot = array_alloc(mapping->ntasks, sizeof(*slot), err);

    if (!order || !slot) {
        free(order);
        free(slot);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t t = 0; t < mapping->ntasks; t++)
        order[t] = t;
    qsort_r(order, mapping->ntasks, sizeof(*order), compare_slots, mapping);
    for (uint32_t i = 0, first = 0; i < mapping->ntasks; i++) {
        if (mapping->host[order[i]] != mapping->host[order[first]])
            first = i;
        slot[order[i]] = i - first;
    }
    free(order);
    *out = slot;
    return 0;
}

/* A hostfile says no slots; Slurm fills them in ascending order of ranks. */
static void note_slots(const struct conversion *c)
{
    uint32_t *next = calloc(c->nhosts, sizeof(*next));
    bool lost = false;

    for (uint32_t t = 0; next && !lost && t < c->mapping->ntasks; t++)
        lost = c->mapping->slot[t] != next[c->mapping->host[t]]++;
    if (lost)
        tool_note("a hostfile says nothing of slots: those of the mapping are "
                  "lost");
    free(next);
}

int conversion_write(const struct conversion *c,
                     enum mapcore_mapping_form form,
                     FILE *file,
                     struct mapcore_error *err)
{
    struct mapcore_plan plan = {
        .ntasks = c->mapping->ntasks,
        .nhosts = c->nhosts,
        .outcome = MAPCORE_PLAN_PLACED,
        .host = c->mapping->host,
        .slot = c->mapping->slot,
    };
    uint32_t *dense = NULL;
    int error = 0;

    if (form == MAPCORE_MAPPING_HOSTFILE)
        note_slots(c);
    else if (form == MAPCORE_MAPPING_PLAIN) /* known by it from a task graph */
        fputs("# topomap convert: nodes and slots\n", file);
    else if (form == MAPCORE_MAPPING_MPICH &&
             (error = check_block(c, err)) == 0 &&
             (error = close_gaps(&dense, c, err)) == 0)
        plan.slot = dense;
    if (error == 0)
        error = rank_order_write_plan(&plan, c->names, form, file, err);
    free(dense);
    return error;
}
