/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ipm.c - IPM's XML report, one file of all tasks: of each task the messages
 * that it sent, by call, size and other rank (IPM 2, doc/ipm_xml.dtd) */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/file/edges.h"
#include "graph/file/xml.h"

#include <string.h>

struct ipm_reader {
    const char *name;
    struct edges edges;
    bool is_ipm, in_task;
    uint32_t rank, ntasks, seen; /* seen: <task> elements */
    bool has_messages;
};

static int take_number(uint64_t *out,
                       const struct xml_element *element,
                       const char *attribute,
                       struct mapcore_error *err)
{
    const char *word = xml_attribute(element, attribute);

    if (word && text_parse_u64(word, out))
        return 0;
    return edge_place_error(&element->place, err, MAPCORE_EPARSE,
                            word ? "%s of <%s> is '%.40s', no whole number"
                                 : "%s of <%s> is missing%s",
                            attribute, element->name, word ? word : "");
}

static int begin_task(struct ipm_reader *r,
                      const struct xml_element *element,
                      struct mapcore_error *err)
{
    uint64_t rank, n;
    int error;

    if ((error = take_number(&rank, element, "mpi_rank", err)) < 0 ||
        (error = take_number(&n, element, "mpi_size", err)) < 0)
        return error;
    if (n == 0 || n >= MAPCORE_NONE - 1 || rank >= n ||
        (r->ntasks > 0 && n != r->ntasks))
        return edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                "a task of mpi_rank %llu and mpi_size %llu",
                                (unsigned long long)rank,
                                (unsigned long long)n);
    r->rank = (uint32_t)rank;
    r->ntasks = (uint32_t)n;
    r->seen++;
    r->in_task = true;
    return 0;
}

/* Receives, waits and collectives are left out. */
static bool is_send(const char *call)
{
    static const char *const calls[] = {
        "MPI_Send",     "MPI_Ssend",
        "MPI_Rsend",    "MPI_Bsend",
        "MPI_Isend",    "MPI_Issend",
        "MPI_Irsend",   "MPI_Ibsend",
        "MPI_Sendrecv", "MPI_Sendrecv_replace",
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        if (strcmp(call, calls[i]) == 0)
            return true;
    return false;
}

/* orank="3", or, where the report was shrunk, "+1" and "-1": next to the own.
 */
static int take_other(uint32_t *out,
                      const struct ipm_reader *r,
                      const struct xml_element *element,
                      struct mapcore_error *err)
{
    const char *word = xml_attribute(element, "orank");
    uint64_t value = 0;
    bool is_good =
        word && text_parse_u64(word + (*word == '+' || *word == '-'), &value);

    if (is_good && *word == '+')
        value = value < r->ntasks ? r->rank + value : value;
    else if (is_good && *word == '-')
        is_good = value <= r->rank && (value = r->rank - value, true);
    if (!is_good || value >= r->ntasks)
        return edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                "orank '%.40s' of %u tasks", word ? word : "",
                                r->ntasks);
    *out = (uint32_t)value;
    return 0;
}

/* <hent call="MPI_Isend" bytes="4096" orank="1" count="10" ...> */
static int begin_entry(struct ipm_reader *r,
                       const struct xml_element *element,
                       struct mapcore_error *err)
{
    const char *call = xml_attribute(element, "call");
    uint64_t bytes, count;
    uint32_t other = 0;
    int error;

    if (!call || !is_send(call))
        return 0;
    if ((error = take_other(&other, r, element, err)) < 0 ||
        (error = take_number(&bytes, element, "bytes", err)) < 0 ||
        (error = take_number(&count, element, "count", err)) < 0)
        return error;
    if (__builtin_mul_overflow(bytes, count, &bytes))
        bytes = UINT64_MAX; /* which edges_put refuses */
    r->has_messages = true;
    return edges_put(&r->edges, r->rank, other, bytes, &element->place, err);
}

static int begin(void *arg,
                 const struct xml_element *element,
                 struct mapcore_error *err)
{
    struct ipm_reader *r = arg;

    if (!r->is_ipm) {
        r->is_ipm = strncmp(element->name, "ipm", 3) == 0;
        return r->is_ipm
                   ? 0
                   : edge_place_error(&element->place, err, MAPCORE_EPARSE,
                                      "XML of <%.40s>, not IPM's",
                                      element->name);
    }
    if (strcmp(element->name, "task") == 0)
        return begin_task(r, element, err);
    if (strcmp(element->name, "hent") == 0 && r->in_task)
        return begin_entry(r, element, err);
    return 0;
}

static int end(void *arg,
               const char *name,
               const char *text,
               const struct edge_place *place,
               struct mapcore_error *err)
{
    struct ipm_reader *r = arg;

    (void)text, (void)place, (void)err;
    if (strcmp(name, "task") == 0)
        r->in_task = false;
    return 0;
}

int graph_read_ipm(struct mapcore_graph **out,
                   struct stream *stream,
                   struct mapcore_error *err)
{
    static const struct xml_handler handler = {begin, end};
    struct ipm_reader r = {.name = stream->name};
    int error = xml_read(stream, &handler, &r, err);

    if (error == 0 && r.ntasks == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no task in it", r.name);
    else if (error == 0 && r.seen != r.ntasks)
        error = error_set(err, MAPCORE_EPARSE, "%s: %u of %u tasks in it",
                          r.name, r.seen, r.ntasks);
    else if (error == 0 && !r.has_messages)
        error = error_set(err, MAPCORE_EPARSE,
                          "%s: no message from task to task in it (is it a "
                          "report with IPM_LOG=full? collectives alone say "
                          "no pairs)",
                          r.name);
    if (error == 0)
        error = edges_to_graph(out, &r.edges, r.ntasks, false, r.name, err);
    edges_clear(&r.edges);
    return error;
}
