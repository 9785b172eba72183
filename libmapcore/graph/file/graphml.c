/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graphml.c - GraphML (Brandes, Eiglsperger, Lerner, Pich, GraphML Primer), as
 * networkx, igraph, Gephi and yEd write it */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/file/columns.h"
#include "graph/file/edges.h"
#include "graph/file/xml.h"

#include "base/array.h"
#include "base/name_set.h"

#include <stdlib.h>
#include <string.h>

struct graphml_reader {
    const char *name;
    struct name_set nodes; /* by their ids, in the file's order */
    uint32_t declared;     /* <node> elements */
    bool *is_declared;     /* [capacity]: by number in nodes */
    size_t capacity;
    char key[64];      /* of the data of edges that are bytes, or "" */
    unsigned key_rank; /* see columns_find */
    struct edges edges;
    /* The edge being read. */
    bool in_edge, is_bytes;
    uint32_t end[2];
    uint64_t bytes;
    bool is_graphml;
};

static int take_node(struct graphml_reader *r,
                     uint32_t *out,
                     const struct xml_element *element,
                     const char *attribute,
                     struct mapcore_error *err)
{
    const char *id = xml_attribute(element, attribute);
    size_t before = r->capacity;
    int error;

    if (!id)
        return edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                "a <%s> without %s", element->name, attribute);
    if ((error = name_set_add(out, &r->nodes, id, err)) < 0 ||
        (error = array_reserve(&r->is_declared, &r->capacity, (size_t)*out + 1,
                               sizeof(*r->is_declared), err)) < 0)
        return error;
    if (r->capacity > before)
        memset(r->is_declared + before, 0, r->capacity - before);
    return 0;
}

static int begin_node(struct graphml_reader *r,
                      const struct xml_element *element,
                      struct mapcore_error *err)
{
    uint32_t node;
    int error = take_node(r, &node, element, "id", err);

    if (error < 0)
        return error;
    if (r->is_declared[node])
        return edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                "node '%.40s' is there twice",
                                r->nodes.name[node]);
    r->is_declared[node] = true;
    r->declared++;
    return 0;
}

/* <key id="d0" for="edge" attr.name="weight" attr.type="double"/> */
static int begin_key(struct graphml_reader *r,
                     const struct xml_element *element,
                     struct mapcore_error *err)
{
    const char *id = xml_attribute(element, "id");
    const char *of = xml_attribute(element, "for");
    const char *name = xml_attribute(element, "attr.name");
    unsigned rank;

    if (!id || !name ||
        (of && strcmp(of, "edge") != 0 && strcmp(of, "all") != 0) ||
        columns_find(name, &rank) != COLUMN_BYTES ||
        (r->key[0] != '\0' && rank >= r->key_rank))
        return 0;
    if (strlen(id) >= sizeof(r->key))
        return edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                "a key's id longer than %zu",
                                sizeof(r->key) - 1);
    memcpy(r->key, id, strlen(id) + 1);
    r->key_rank = rank;
    return 0;
}

static int begin(void *arg,
                 const struct xml_element *element,
                 struct mapcore_error *err)
{
    struct graphml_reader *r = arg;
    const char *key;
    int error = 0;

    if (!r->is_graphml) {
        r->is_graphml = strcmp(element->name, "graphml") == 0;
        return r->is_graphml
                   ? 0
                   : edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                      "XML of <%.40s>, not GraphML",
                                      element->name);
    }
    if (strcmp(element->name, "key") == 0)
        return begin_key(r, element, err);
    if (strcmp(element->name, "node") == 0)
        return begin_node(r, element, err);
    if (strcmp(element->name, "edge") == 0) {
        r->in_edge = true;
        r->bytes = 1;
        if ((error = take_node(r, &r->end[0], element, "source", err)) == 0)
            error = take_node(r, &r->end[1], element, "target", err);
    } else if (strcmp(element->name, "hyperedge") == 0) {
        error = edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                 "hyperedges are no pairs of tasks");
    } else if (strcmp(element->name, "data") == 0) {
        key = xml_attribute(element, "key");
        r->is_bytes =
            r->in_edge && key && r->key[0] != '\0' && strcmp(key, r->key) == 0;
    }
    return error;
}

static int end(void *arg,
               const char *name,
               const char *text,
               const struct edge_place *place,
               struct mapcore_error *err)
{
    struct graphml_reader *r = arg;

    if (r->is_bytes && strcmp(name, "data") == 0) {
        char word[64] = "";

        text += strspn(text, " \t\r\n");
        strncat(word, text, sizeof(word) - 1);
        word[strcspn(word, " \t\r\n")] = '\0';
        r->is_bytes = false;
        if (!edges_take_bytes(&r->bytes, word))
            return edge_place_error(place, err, MAPCORE_EPARSE,
                                    "'%.40s' is no number of bytes", word);
    }
    if (!r->in_edge || strcmp(name, "edge") != 0)
        return 0;
    r->in_edge = false;
    return edges_put(&r->edges, r->end[0], r->end[1], r->bytes, place, err);
}

/* The number in an id, 7 of "n7" and "7", and how long the word before it is;
 * MAPCORE_NONE: none. */
static uint32_t number_of(const char *id, size_t *nword)
{
    uint64_t value;

    *nword = strcspn(id, "0123456789");
    return text_parse_u64(id + *nword, &value) && value < MAPCORE_NONE
               ? (uint32_t)value
               : MAPCORE_NONE;
}

/* Ids that are all the numbers from 0 on, or these behind one word, say the
 * ranks; others count in the file's order. *rank stays NULL then. */
static int find_ranks(struct graphml_reader *r,
                      uint32_t **rank,
                      struct mapcore_error *err)
{
    const size_t n = r->nodes.n;
    bool *is_taken = array_alloc(n, sizeof(*is_taken), err);
    uint32_t *found = array_alloc(n, sizeof(*found), err);
    size_t i = 0, nword, first = 0;

    for (; is_taken && found && i < n; i++) {
        found[i] = number_of(r->nodes.name[i], &nword);
        if (i == 0)
            first = nword;
        if (found[i] >= n || is_taken[found[i]] || nword != first ||
            strncmp(r->nodes.name[i], r->nodes.name[0], nword) != 0)
            break;
        is_taken[found[i]] = true;
    }
    if (!is_taken || !found || i < n) {
        int error = is_taken && found ? 0 : MAPCORE_ENOMEM;

        free(is_taken);
        free(found);
        return error;
    }
    free(is_taken);
    *rank = found;
    return 0;
}

static int finish(struct graphml_reader *r,
                  struct mapcore_graph **out,
                  struct mapcore_error *err)
{
    uint32_t *rank = NULL;
    int error;

    if (r->nodes.n == 0)
        return error_set(err, MAPCORE_EPARSE, "%s: a graph without nodes",
                         r->name);
    for (size_t i = 0; i < r->nodes.n; i++)
        if (!r->is_declared[i])
            return error_set(err, MAPCORE_EPARSE,
                             "%s: an edge names the node '%.40s', which is not "
                             "there",
                             r->name, r->nodes.name[i]);
    if ((error = find_ranks(r, &rank, err)) < 0)
        return error;
    for (size_t i = 0; rank && i < r->edges.n; i++) {
        r->edges.edge[i].a = rank[r->edges.edge[i].a];
        r->edges.edge[i].b = rank[r->edges.edge[i].b];
    }
    free(rank);
    return edges_to_graph(out, &r->edges, (uint32_t)r->nodes.n, true, r->name,
                          err);
}

int graph_read_graphml(struct mapcore_graph **out,
                       struct stream *stream,
                       struct mapcore_error *err)
{
    static const struct xml_handler handler = {begin, end};
    struct graphml_reader r = {.name = stream->name};
    int error = xml_read(stream, &handler, &r, err);

    if (error == 0)
        error = finish(&r, out, err);
    edges_clear(&r.edges);
    name_set_clear(&r.nodes);
    free(r.is_declared);
    return error;
}
