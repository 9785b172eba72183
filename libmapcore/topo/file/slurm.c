/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm.c - a tree from Slurm's SwitchName= lines, as written in topology.conf
 * and as printed by `scontrol show topology` */
#include "config.h"

#include "base/array.h"
#include "base/bucket.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "base/name_set.h"
#include "topo/create.h"
#include "topo/file/readers.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One SwitchName= line. */
struct slurm_entry {
    size_t line;
    struct hosts nodes, switches;
    uint32_t parent; /* entry, or MAPCORE_NONE */
    uint32_t number; /* in the tree, parents first; MAPCORE_NONE: not placed */
};

struct slurm_reader {
    struct text *text;
    struct mapcore_error *err;
    struct name_set names; /* of the switches; numbers are those of entries */
    struct slurm_entry *entry;
    size_t capacity;
    size_t nnames; /* in all lists */

    uint32_t nswitches; /* of the tree: entries, and the joining root */
    uint32_t *order;    /* [nswitches], entry of each; MAPCORE_NONE: the root */
    uint32_t *parent;   /* [nswitches], in tree numbers */
    const char **name;  /* [nswitches], borrowed from names */

    struct name_set hosts;
    uint32_t *switch_of; /* [hosts.n], tree number */
    size_t nswitch_of;   /* capacity */
    struct arena arena;  /* of what has a length that is known */
};

static void reader_clear(struct slurm_reader *r)
{
    for (size_t i = 0; i < r->names.n; i++) {
        hosts_clear(&r->entry[i].nodes);
        hosts_clear(&r->entry[i].switches);
    }
    free(r->entry);
    arena_clear(&r->arena);
    name_set_clear(&r->names);
    name_set_clear(&r->hosts);
    free(r->switch_of);
}

/* A host list, which Slurm prints as (null) when it is empty. */
static int read_list(struct slurm_reader *r,
                     struct hosts *out,
                     const char *list,
                     const char *what)
{
    if (out->n > 0)
        return text_error(r->text, MAPCORE_EPARSE,
                          "%s= stands twice in one line", what);
    if (*list == '\0' || strcmp(list, "(null)") == 0)
        return 0;
    return text_error_in(r->text,
                         hosts_expand_counted(out, &r->nnames, list, r->err));
}

static int add_entry(struct slurm_reader *r, const char *name)
{
    size_t before = r->names.n;
    uint32_t number;
    int error;

    if (*name == '\0')
        return text_error(r->text, MAPCORE_EPARSE, "a switch without a name");
    /* The entry first, so that there is one for every name. */
    if ((error = array_reserve(&r->entry, &r->capacity, before + 1,
                               sizeof(*r->entry), r->err)) < 0)
        return error;
    r->entry[before] = (struct slurm_entry){.line = text_line_number(r->text),
                                            .parent = MAPCORE_NONE,
                                            .number = MAPCORE_NONE};
    error = name_set_add(&number, &r->names, name, r->err);
    if (error == 0 && r->names.n == before)
        error = text_error(r->text, MAPCORE_EPARSE,
                           "switch %.100s is described in line %zu already",
                           name, r->entry[number].line);
    return error;
}

/* What follows "key=" in a word, in upper or lower case; or NULL. */
static const char *value_of(const char *word, const char *key)
{
    size_t n = strlen(key);

    return strncasecmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1
                                                            : NULL;
}

/* One line without its comment. Keys that are not known say nothing about the
 * shape of the network (Level=, LinkSpeed=), now or in a later Slurm. */
static int read_entry(struct slurm_reader *r, char *line)
{
    struct slurm_entry *entry;
    char *cursor = line, *word = text_take_word(&cursor);
    const char *value;
    int error;

    if (!word)
        return 0;
    value = value_of(word, "SwitchName");
    if (!value) {
        char *equals = strchr(word, '=');

        if (!equals)
            return text_error(r->text, MAPCORE_EPARSE,
                              "'%.40s' is not SwitchName=...", word);
        *equals = '\0';
        return text_error(r->text, MAPCORE_ENOTSUP,
                          "%.40s= does not describe a switch: `topomap "
                          "topology links' writes other networks as links",
                          word);
    }
    error = add_entry(r, value);
    entry = error == 0 ? &r->entry[r->names.n - 1] : NULL;
    while (error == 0 && (word = text_take_word(&cursor))) {
        if ((value = value_of(word, "Nodes")))
            error = read_list(r, &entry->nodes, value, "Nodes");
        else if ((value = value_of(word, "Switches")))
            error = read_list(r, &entry->switches, value, "Switches");
        else if (!strchr(word, '='))
            error = text_error(r->text, MAPCORE_EPARSE,
                               "'%.40s' is not KEY=VALUE", word);
    }
    return error;
}

/* A line that ends in a backslash goes on in the next. */
static int read_entries(struct slurm_reader *r, char *line)
{
    struct buffer whole = {.err = r->err};
    int error = 0;

    while (error == 0 && line) {
        size_t n = strcspn(line, "#");
        bool goes_on = n > 0 && line[n] == '\0' && line[n - 1] == '\\';

        error = buffer_append(&whole, line, goes_on ? n - 1 : n);
        if (error == 0 && !goes_on) {
            error = read_entry(r, whole.bytes);
            whole.n = 0;
        }
        if (error == 0)
            error = text_line(r->text, &line);
    }
    if (error == 0 && whole.n > 0)
        error = read_entry(r, whole.bytes);
    buffer_clear(&whole);
    return error;
}

/* Who stands above whom. */
static int find_parents(struct slurm_reader *r)
{
    for (uint32_t i = 0; i < r->names.n; i++) {
        const struct hosts *switches = &r->entry[i].switches;

        for (size_t k = 0; k < switches->n; k++) {
            const char *name = switches->name[k];
            uint32_t child = name_set_find(&r->names, name);

            if (child == MAPCORE_NONE)
                return text_error_line(r->text, r->entry[i].line,
                                       MAPCORE_EPARSE,
                                       "switch %.100s has below it %.100s, "
                                       "which is not described",
                                       r->names.name[i], name);
            if (r->entry[child].parent != MAPCORE_NONE &&
                r->entry[child].parent != i)
                return text_error_line(
                    r->text, r->entry[i].line, MAPCORE_EPARSE,
                    "switch %.100s is below two switches, "
                    "%.100s and %.100s",
                    name, r->names.name[r->entry[child].parent],
                    r->names.name[i]);
            r->entry[child].parent = i;
        }
    }
    return 0;
}

/* Numbers the switches depth first, in the order of the lines and lists, so
 * that hosts with near numbers are near. */
static int number_switches(struct slurm_reader *r)
{
    uint32_t n = (uint32_t)r->names.n, nroots = 0, top = 0, next = 0;

    for (uint32_t i = 0; i < n; i++)
        nroots += r->entry[i].parent == MAPCORE_NONE;

    const uint32_t root = nroots > 1 ? 0 : MAPCORE_NONE;
    uint32_t *stack = arena_alloc(&r->arena, n, sizeof(*stack));
    r->nswitches = n + (nroots > 1);
    r->order = arena_alloc(&r->arena, r->nswitches, sizeof(*r->order));
    r->parent = arena_alloc(&r->arena, r->nswitches, sizeof(*r->parent));
    r->name = arena_alloc(&r->arena, r->nswitches, sizeof(*r->name));
    if (r->arena.error < 0)
        return MAPCORE_ENOMEM;
    if (nroots > 1)
        r->order[next++] = r->parent[0] = MAPCORE_NONE;
    for (uint32_t i = n; i-- > 0;)
        if (r->entry[i].parent == MAPCORE_NONE)
            stack[top++] = i;
    while (top > 0) {
        uint32_t at = stack[--top];
        struct slurm_entry *entry = &r->entry[at];

        entry->number = next;
        r->order[next] = at;
        r->name[next] = r->names.name[at];
        r->parent[next++] = entry->parent == MAPCORE_NONE
                                ? root
                                : r->entry[entry->parent].number;
        for (size_t k = entry->switches.n; k-- > 0;) {
            uint32_t child = name_set_find(&r->names, entry->switches.name[k]);

            /* A child that its list names twice is on the stack already. */
            if (r->entry[child].number == MAPCORE_NONE) {
                r->entry[child].number = n;
                stack[top++] = child;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (r->entry[i].number == MAPCORE_NONE)
            return text_error_line(r->text, r->entry[i].line, MAPCORE_EPARSE,
                                   "switch %.100s is below itself",
                                   r->names.name[i]);
    return 0;
}

/* Puts one node on switch s of the tree. Switches come parents first, so when
 * the node has a place already, only a switch below that one may take it. */
static int place_node(struct slurm_reader *r,
                      const struct slurm_entry *entry,
                      uint32_t s,
                      const char *name)
{
    size_t before = r->hosts.n;
    uint32_t host, below = s;
    int error;

    if ((error = array_reserve(&r->switch_of, &r->nswitch_of, before + 1,
                               sizeof(*r->switch_of), r->err)) < 0 ||
        (error = name_set_add(&host, &r->hosts, name, r->err)) < 0)
        return error;
    /* Is the switch below the other? Parents have lower numbers. */
    while (host < before && below > r->switch_of[host])
        below = r->parent[below];
    if (host < before && below != r->switch_of[host])
        return text_error_line(r->text, entry->line, MAPCORE_EPARSE,
                               "node %.100s is on two switches, %.100s and "
                               "%.100s",
                               name, r->name[r->switch_of[host]], r->name[s]);
    r->switch_of[host] = s;
    return 0;
}

/* Every node goes to the deepest switch that names it. */
static int place_nodes(struct slurm_reader *r)
{
    int error = 0;

    for (uint32_t s = 0; error == 0 && s < r->nswitches; s++) {
        const struct slurm_entry *entry;

        if (r->order[s] == MAPCORE_NONE)
            continue;
        entry = &r->entry[r->order[s]];
        for (size_t k = 0; error == 0 && k < entry->nodes.n; k++)
            error = place_node(r, entry, s, entry->nodes.name[k]);
    }
    if (error == 0 && r->hosts.n == 0)
        error = text_error_line(r->text, 0, MAPCORE_EPARSE,
                                "switches without nodes");
    return error;
}

/* The hosts of each switch in a row, switch by switch, as a tree numbers
 * them. */
static int create(struct mapcore_topo **out, struct slurm_reader *r)
{
    struct arena *arena = &r->arena;
    const uint32_t n = (uint32_t)r->hosts.n;
    uint32_t *first =
        arena_alloc(arena, (size_t)r->nswitches + 1, sizeof(*first));
    uint32_t *host = arena_alloc(arena, n, sizeof(*host));
    uint32_t *leaf = arena_alloc(arena, n, sizeof(*leaf));
    const char **name = arena_alloc(arena, n, sizeof(*name));

    if (arena->error < 0)
        return MAPCORE_ENOMEM;
    bucket_items(first, host, r->switch_of, n, r->nswitches);
    for (uint32_t i = 0; i < n; i++) {
        leaf[i] = r->switch_of[host[i]];
        name[i] = r->hosts.name[host[i]];
    }
    return topo_create_tree_of(out,
                               &(struct topo_tree){.nswitches = r->nswitches,
                                                   .parent = r->parent,
                                                   .switch_names = r->name,
                                                   .nhosts = n,
                                                   .leaf = leaf,
                                                   .host_names = name},
                               r->err);
}

int topo_read_slurm(struct mapcore_topo **out,
                    struct text *text,
                    char *first_line)
{
    struct slurm_reader r = {
        .text = text, .err = text_err(text), .arena = {.err = text_err(text)}};
    int error;

    if ((error = read_entries(&r, first_line)) == 0 &&
        (error = find_parents(&r)) == 0 && (error = number_switches(&r)) == 0 &&
        (error = place_nodes(&r)) == 0)
        error = create(out, &r);
    reader_clear(&r);
    return error;
}
