/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* yaml.c - Slurm's topology.yaml (25.05 and later): read by libyaml, written
 * down again as lines of topology.conf, line by line where they stood, so that
 * one reader checks and tells of both */
#include "config.h"

#include "base/buffer.h"
#include "topo/file/readers.h"

#if HAVE_YAML

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

/* libyaml looks through all open brackets at each word, so that a few hundred
 * thousand of them take minutes; Slurm's file has seven levels. The bytes are
 * some hundred for each of half a million nodes. */
enum {
    BYTES_MOST = 64 << 20,
    DEPTH_MOST = 64,
    ALIASES_MOST = 64,
};

struct yaml_reader {
    struct text *text;
    struct mapcore_error *err;
    yaml_document_t document;
    struct buffer out;
    size_t line; /* of out */
};

static int fail(const struct yaml_reader *r,
                const yaml_node_t *node,
                int error,
                const char *what)
{
    return error_set(r->err, error, "%s:%zu: %s", text_name(r->text),
                     node ? node->start_mark.line + 1 : (size_t)1, what);
}

static yaml_node_t *node_at(struct yaml_reader *r, int index)
{
    return yaml_document_get_node(&r->document, index);
}

/* The value of a key of a mapping, or NULL. */
static yaml_node_t *value_of(struct yaml_reader *r,
                             const yaml_node_t *node,
                             const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = node_at(r, pair->key);

        if (name && name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0)
            return node_at(r, pair->value);
    }
    return NULL;
}

/* A word of text, or NULL: blanks in it would break a line of topology.conf. */
static const char *word_of(const yaml_node_t *node)
{
    const char *word;

    if (!node || node->type != YAML_SCALAR_NODE)
        return NULL;
    word = (const char *)node->data.scalar.value;
    return *word != '\0' && strlen(word) == node->data.scalar.length &&
                   word[strcspn(word, " \t\r\n\v\f#\\")] == '\0'
               ? word
               : NULL;
}

/* Begins a line where a node stands. */
static int begin_line(struct yaml_reader *r, const yaml_node_t *node)
{
    int error = 0;

    do {
        error = buffer_append(&r->out, r->err, "\n", 1);
        r->line++;
    } while (error == 0 && r->line < node->start_mark.line + 1);
    return error;
}

/* " Key=value", when the node has that key. A list of words is joined. */
static int put(struct yaml_reader *r,
               const yaml_node_t *node,
               const char *key,
               const char *as)
{
    const yaml_node_t *value = value_of(r, node, key);
    const char *word = word_of(value);

    if (!value)
        return 0;
    if (word)
        return buffer_printf(&r->out, r->err, " %s=%s", as, word);
    if (value->type != YAML_SEQUENCE_NODE)
        return fail(r, value, MAPCORE_EPARSE, "a list of names is expected");
    int error = buffer_printf(&r->out, r->err, " %s=", as);
    for (yaml_node_item_t *item = value->data.sequence.items.start;
         error == 0 && item < value->data.sequence.items.top; item++) {
        word = word_of(node_at(r, *item));
        if (!word)
            return fail(r, value, MAPCORE_EPARSE, "a word is expected");
        error = buffer_printf(
            &r->out, r->err, "%s%s",
            item > value->data.sequence.items.start ? "," : "", word);
    }
    return error;
}

/* " Dims=4x4x2" out of {x: 4, y: 4, z: 2}. */
static int put_place(struct yaml_reader *r,
                     const yaml_node_t *node,
                     const char *key,
                     const char *as)
{
    const yaml_node_t *value = value_of(r, node, key);
    const char *x = word_of(value_of(r, value, "x"));
    const char *y = word_of(value_of(r, value, "y"));
    const char *z = word_of(value_of(r, value, "z"));

    if (!value)
        return 0;
    if (!x || !y || !z)
        return fail(r, value, MAPCORE_EPARSE, "x, y and z are expected");
    return buffer_printf(&r->out, r->err, " %s=%sx%sx%s", as, x, y, z);
}

/* "Key=name" at the begin of a line. */
static int put_name(struct yaml_reader *r,
                    const yaml_node_t *node,
                    const char *key,
                    const char *as)
{
    const char *name = word_of(value_of(r, node, key));
    int error;

    if (!name)
        return fail(r, node, MAPCORE_EPARSE, "an entry without a name");
    error = begin_line(r, node);
    return error < 0 ? error
                     : buffer_printf(&r->out, r->err, "%s=%s", as, name);
}

static int put_regions(struct yaml_reader *r,
                       const yaml_node_t *torus,
                       const char *name)
{
    const yaml_node_t *list = value_of(r, torus, "regions");
    int error = 0;

    if (!list)
        return 0;
    if (list->type != YAML_SEQUENCE_NODE)
        return fail(r, list, MAPCORE_EPARSE, "a list of regions is expected");
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         error == 0 && item < list->data.sequence.items.top; item++) {
        const yaml_node_t *region = node_at(r, *item);

        if ((error = begin_line(r, region)) < 0 ||
            (error = buffer_printf(&r->out, r->err, "TorusRegion=%s", name)) <
                0 ||
            (error = put_place(r, region, "anchor", "Anchor")) < 0 ||
            (error = put_place(r, region, "dims", "Dims")) < 0)
            break;
        error = put(r, region, "nodes", "Nodes");
    }
    return error;
}

/* One entry of the list that a kind of topology is. */
static int put_entry(struct yaml_reader *r,
                     const yaml_node_t *node,
                     const char *kind)
{
    int error;

    if (strcmp(kind, "tree") == 0) {
        if ((error = put_name(r, node, "switch", "SwitchName")) < 0 ||
            (error = put(r, node, "children", "Switches")) < 0)
            return error;
    } else if (strcmp(kind, "block") == 0) {
        if ((error = put_name(r, node, "block", "BlockName")) < 0)
            return error;
    } else if (strcmp(kind, "ring") == 0) {
        if ((error = put_name(r, node, "ring", "RingName")) < 0)
            return error;
    } else {
        if ((error = put_name(r, node, "name", "TorusName")) < 0 ||
            (error = put_place(r, node, "dims", "Dims")) < 0)
            return error;
    }
    error = put(r, node, "nodes", "Nodes");
    if (error == 0 && strcmp(kind, "torus3d") == 0)
        error = put_regions(r, node, word_of(value_of(r, node, "name")));
    return error;
}

/* The topology that Slurm takes where nothing else is said: the first that
 * says so, else the first. */
static yaml_node_t *choose(struct yaml_reader *r)
{
    yaml_node_t *root = yaml_document_get_root_node(&r->document);
    yaml_node_t *chosen = NULL;

    if (!root || root->type != YAML_SEQUENCE_NODE)
        return NULL;
    for (yaml_node_item_t *item = root->data.sequence.items.start;
         item < root->data.sequence.items.top; item++) {
        yaml_node_t *node = node_at(r, *item);
        const char *is = word_of(value_of(r, node, "cluster_default"));

        if (is && strcasecmp(is, "true") == 0)
            return node;
        if (!chosen)
            chosen = node;
    }
    return chosen;
}

static int write_lines(struct yaml_reader *r)
{
    static const struct {
        const char *kind, *list;
    } kinds[] = {{"tree", "switches"},
                 {"block", "blocks"},
                 {"ring", "rings"},
                 {"torus3d", "toruses"}};
    const yaml_node_t *topology = choose(r), *list = NULL, *sizes;
    size_t k = 0;
    int error = 0;

    r->line = 1;
    if (!topology)
        return fail(r, NULL, MAPCORE_EPARSE, "no list of topologies");
    while (k < 4 && !value_of(r, topology, kinds[k].kind))
        k++;
    if (k == 4)
        return fail(r, topology, MAPCORE_ENOTSUP,
                    "neither tree, block, ring nor torus3d: the nodes of a "
                    "flat network are not listed");
    list = value_of(r, value_of(r, topology, kinds[k].kind), kinds[k].list);
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return fail(r, topology, MAPCORE_EPARSE,
                    "a list of switches, blocks, rings or toruses is expected");
    sizes = value_of(r, value_of(r, topology, kinds[k].kind), "block_sizes");
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         error == 0 && item < list->data.sequence.items.top; item++)
        error = put_entry(r, node_at(r, *item), kinds[k].kind);
    if (error == 0 && sizes) {
        error = begin_line(r, sizes);
        if (error == 0)
            error = put(r, value_of(r, topology, kinds[k].kind), "block_sizes",
                        "BlockSizes");
    }
    return error;
}

/* Goes through the events of a file that libyaml would take too long for, or
 * whose aliases mean far more than is written, without building a document. */
static int check_size(const struct buffer *whole,
                      const struct text *text,
                      struct mapcore_error *err)
{
    unsigned depth = 0, naliases = 0;
    bool ended = false;
    yaml_parser_t parser;
    int error = 0;

    if (whole->n > BYTES_MOST)
        return error_set(err, MAPCORE_ERANGE, "%s: longer than %d MiB",
                         text_name(text), BYTES_MOST >> 20);
    if (!yaml_parser_initialize(&parser))
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)whole->bytes,
                                 whole->n);
    while (error == 0 && !ended) {
        yaml_event_t event;

        /* Told by yaml_parser_load in its own words. */
        if (!yaml_parser_parse(&parser, &event))
            break;
        depth += event.type == YAML_SEQUENCE_START_EVENT ||
                 event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT ||
                 event.type == YAML_MAPPING_END_EVENT;
        naliases += event.type == YAML_ALIAS_EVENT;
        ended = event.type == YAML_STREAM_END_EVENT;
        if (depth > DEPTH_MOST || naliases > ALIASES_MOST)
            error = error_set(err, MAPCORE_ERANGE, "%s:%zu: more than %d %s",
                              text_name(text), event.start_mark.line + 1,
                              depth > DEPTH_MOST ? DEPTH_MOST : ALIASES_MOST,
                              depth > DEPTH_MOST ? "levels" : "aliases");
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return error;
}

int topo_read_yaml(struct mapcore_topo **out,
                   struct text *text,
                   const char *first_line,
                   struct mapcore_error *err)
{
    struct yaml_reader r = {.text = text, .err = err};
    struct buffer whole = {0};
    struct text *lines = NULL;
    yaml_parser_t parser;
    char *line;
    int error = 0;

    /* Lines keep their numbers. */
    for (size_t i = 1; error == 0 && i < text_line_number(text); i++)
        error = buffer_append(&whole, err, "\n", 1);
    if (error == 0)
        error = buffer_printf(&whole, err, "%s\n", first_line);
    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line)
        error = buffer_printf(&whole, err, "%s\n", line);
    if (error == 0)
        error = check_size(&whole, text, err);
    if (error < 0) {
        buffer_clear(&whole);
        return error;
    }
    if (!yaml_parser_initialize(&parser)) {
        buffer_clear(&whole);
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)whole.bytes,
                                 whole.n);
    if (!yaml_parser_load(&parser, &r.document)) {
        error = error_set(err, MAPCORE_EPARSE, "%s:%zu: %s", text_name(text),
                          parser.problem_mark.line + 1,
                          parser.problem ? parser.problem : "this is no YAML");
    } else {
        error = write_lines(&r);
        yaml_document_delete(&r.document);
    }
    if (error == 0)
        error = text_open_memory(&lines, text_name(text),
                                 r.out.bytes ? r.out.bytes : "", r.out.n, err);
    if (error == 0)
        error = topo_read_slurm(out, lines, NULL, err);
    text_close(lines);
    buffer_clear(&r.out);
    buffer_clear(&whole);
    yaml_parser_delete(&parser);
    return error;
}

#else

int topo_read_yaml(struct mapcore_topo **out,
                   struct text *text,
                   const char *first_line,
                   struct mapcore_error *err)
{
    (void)out;
    (void)first_line;
    return text_error(text, err, MAPCORE_ENOTSUP,
                      "topology.yaml is read by libyaml, which this build has "
                      "not: `scontrol show topology' prints the same");
}

#endif
