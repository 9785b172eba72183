/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expand.c - collectives read back, and turned into pairs of tasks */
#include "config.h"

#include "profiles/expand.h"

#include "profiles/catalogue/catalogue_names.h"
#include "profiles/collectives/algorithm.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A few bytes can speak of any number of tasks and pairs: these are the most
 * that memory is taken for, all pairs of 8,192 tasks, in half a GiB. */
enum { MOST_TASKS = 1 << 24, MOST_PAIRS = 1 << 25, MOST_FLOWS = 1 << 22 };

/* members[size], NULL: all tasks in order. */
struct communicator {
    uint32_t size;
    uint32_t *members;
};

/* What is wanted of the file. */
struct expand_wanted {
    const char *type; /* NULL: all types are read, and none is expanded */
    enum algorithm_library library;
    uint64_t least_members; /* of a communicator; smaller ones are ignored, */
    uint64_t most_members;  /* and larger ones */
    uint64_t most_pairs;    /* of a call; 0: any number */
    struct expanded *flows; /* wanted instead of edges; or NULL */
};

struct expanding {
    const struct expand_wanted *of;
    uint32_t ntasks;
    struct communicator *communicators;
    size_t ncommunicators, communicators_capacity;
    const struct communicator *comm; /* of the call that is expanded */
    struct mapcore_edge *edges;
    size_t nedges, edges_capacity;
    struct mapcore_error *err;
};

static int add_pair(void *arg, const struct algorithm_flow *flow)
{
    struct expanding *expanding = arg;
    const uint32_t *members = expanding->comm->members;

    if (expanding->of->flows)
        return expanded_add_flow(expanding->of->flows, members, flow);
    if (array_reserve(&expanding->edges, &expanding->edges_capacity,
                      expanding->nedges + 1, sizeof(*expanding->edges),
                      expanding->err) < 0)
        return MAPCORE_ENOMEM;
    expanding->edges[expanding->nedges++] = (struct mapcore_edge){
        .a = members ? members[flow->a] : (uint32_t)flow->a,
        .b = members ? members[flow->b] : (uint32_t)flow->b,
        .bytes = flow->bytes,
    };
    return 0;
}

static int expand_one(struct expanding *expanding,
                      const struct algorithm_call *call)
{
    struct expanded *flows = expanding->of->flows;
    int error = algorithm_expand(call, add_pair, expanding);

    if (error == 0 && flows) {
        const struct expanded_call done = {.size = expanding->comm->size,
                                           .members = expanding->comm->members,
                                           .root = (uint32_t)call->root,
                                           .library = call->library,
                                           .calls = call->calls,
                                           .bytes = call->bytes,
                                           .end = flows->nflows};

        error = expanded_add_call(flows, &done);
    }
    if (error == MAPCORE_ERANGE)
        error_set(expanding->err, error, "more bytes than can be counted");
    return error;
}

/* The size tasks that follow at cursor, and no more. */
static int read_members(struct communicator *comm,
                        const struct text *text,
                        char *cursor,
                        uint32_t ntasks)
{
    size_t capacity = 0;
    uint32_t task;

    for (uint32_t i = 0; i < comm->size; i++) {
        if (!text_take_u32(&cursor, &task, NULL) || task >= ntasks)
            return text_error(text, MAPCORE_EPARSE,
                              "%u tasks below %u should follow", comm->size,
                              ntasks);
        if (array_reserve(&comm->members, &capacity, (size_t)i + 1,
                          sizeof(*comm->members), text_err(text)) < 0)
            return MAPCORE_ENOMEM;
        comm->members[i] = task;
    }
    return text_take_word(&cursor)
               ? text_error(text, MAPCORE_EPARSE, "more than %u tasks follow",
                            comm->size)
               : 0;
}

/* "communicator NUMBER SIZE RANK..." or "... all", of which the first word is
 * read. */
static int read_communicator(struct expanding *expanding,
                             struct text *text,
                             char *cursor)
{
    struct mapcore_error *err = expanding->err;
    struct communicator comm = {0};
    uint64_t number;
    int error = 0;

    if (!text_take_u64(&cursor, &number, NULL) ||
        number != expanding->ncommunicators ||
        !text_take_u32(&cursor, &comm.size, NULL) || comm.size == 0 ||
        comm.size > expanding->ntasks)
        return text_error(text, MAPCORE_EPARSE,
                          "not the next communicator of 1 to %u tasks",
                          expanding->ntasks);
    cursor += strspn(cursor, " ");
    if (strcmp(cursor, "all") != 0)
        error = read_members(&comm, text, cursor, expanding->ntasks);
    else if (comm.size != expanding->ntasks)
        error = text_error(text, MAPCORE_EPARSE, "all tasks are %u, not %u",
                           expanding->ntasks, comm.size);
    if (error == 0)
        error = array_reserve(&expanding->communicators,
                              &expanding->communicators_capacity,
                              expanding->ncommunicators + 1,
                              sizeof(*expanding->communicators), err);
    if (error == 0)
        expanding->communicators[expanding->ncommunicators++] = comm;
    else
        free(comm.members);
    return error;
}

/* "TYPE COMMUNICATOR ROOT CALLS BYTES [ALGORITHM]", of which the first word is
 * read. Where NCCL has reported the algorithm, the recorder's graph has the
 * pairs of that, however large the communicator is. */
static int read_collective(struct expanding *expanding,
                           struct text *text,
                           char *cursor)
{
    const struct expand_wanted *of = expanding->of;
    struct algorithm_call call = {.type = of->type,
                                  .library = of->library,
                                  .in_stages = of->flows != NULL};
    const struct communicator *comm;
    const char *word = NULL;
    uint64_t number, pairs;
    uint32_t root;

    if (!text_take_u64(&cursor, &number, NULL) ||
        !text_take_u32(&cursor, &root, NULL) ||
        !text_take_u64(&cursor, &call.calls, NULL) ||
        !text_take_u64(&cursor, &call.bytes, NULL) ||
        ((word = text_take_word(&cursor)) && text_take_word(&cursor)))
        return text_error(text, MAPCORE_EPARSE,
                          "expected communicator, root, calls and bytes");
    if (word &&
        (call.library = algorithm_reported(word)) == ALGORITHM_LIBRARIES)
        return text_error(text, MAPCORE_EPARSE,
                          "'%.32s' is no algorithm of NCCL's", word);
    if (number >= expanding->ncommunicators)
        return text_error(text, MAPCORE_EPARSE,
                          "there is no such communicator above");
    expanding->comm = comm = &expanding->communicators[number];
    if (root >= comm->size)
        return text_error(text, MAPCORE_EPARSE,
                          "the root is not in its communicator");
    if (!of->type || comm->size < of->least_members ||
        (!word && comm->size > of->most_members) ||
        (word && of->least_members > 0))
        return 0;
    call.n = comm->size;
    call.root = root;
    pairs = algorithm_most_pairs(&call);
    if (of->most_pairs > 0 && pairs > of->most_pairs)
        return error_set(expanding->err, MAPCORE_ENOENT,
                         "%s over %u tasks is the same anywhere", of->type,
                         comm->size);
    if (of->flows && pairs > (MOST_FLOWS - of->flows->nflows) / 2)
        return error_set(expanding->err, MAPCORE_ERANGE,
                         "more than %d messages", MOST_FLOWS);
    if (pairs > MOST_PAIRS - expanding->nedges)
        return text_error(text, MAPCORE_ERANGE,
                          "%s over %u tasks comes to more than %d pairs",
                          of->type, comm->size, MOST_PAIRS);
    return expand_one(expanding, &call);
}

/* "# collectives 1: ..." is how it begins; other such lines say nothing. */
static int check_format(const struct text *text, const char *line)
{
    const char *format = text_after(line, "# collectives ");

    if (text_line_number(text) != 1 || !format)
        return 0;
    const size_t n = strcspn(format, ": ");
    if (n == 1 && *format == '1')
        return 0;
    return text_error(text, MAPCORE_EVERSION,
                      "format %.*s is not the one that this topomap knows (1)",
                      (int)n, format);
}

static int read_collectives(struct expanding *expanding, struct text *text)
{
    const char *type = expanding->of->type;
    char *line;
    int error;

    while ((error = text_line(text, &line)) == 0 && line) {
        const char *word;

        if (line[0] == '#') {
            if ((error = check_format(text, line)) < 0)
                return error;
            continue;
        }
        word = text_take_word(&line);
        if (!word)
            continue;
        if (strcmp(word, "communicator") == 0)
            error = read_communicator(expanding, text, line);
        else if (!type || strcmp(word, type) == 0)
            error = read_collective(expanding, text, line);
        if (error < 0)
            return error;
    }
    return error;
}

/* The calls' members live as long as the flows. */
static int keep_members(struct expanding *expanding)
{
    struct expanded *flows = expanding->of->flows;

    flows->members = array_alloc(expanding->ncommunicators,
                                 sizeof(*flows->members), expanding->err);
    if (!flows->members)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < expanding->ncommunicators; i++) {
        flows->members[i] = expanding->communicators[i].members;
        expanding->communicators[i].members = NULL;
    }
    flows->ncommunicators = expanding->ncommunicators;
    return 0;
}

/* Of the file's text; a graph, unless flows are wanted. */
static int expand(struct mapcore_graph **out,
                  const struct profile *profile,
                  struct text *text,
                  const struct expand_wanted *of)
{
    struct mapcore_error *err = text_err(text);
    struct expanding expanding = {
        .of = of, .ntasks = profile->ntasks, .err = err};
    int error = 0;

    if (profile->ntasks > MOST_TASKS)
        error =
            text_error_line(text, 0, MAPCORE_ERANGE,
                            "%u tasks are more than the %d that are expanded",
                            profile->ntasks, MOST_TASKS);
    if (error == 0)
        error = read_collectives(&expanding, text);
    if (error == 0 && of->type &&
        (of->flows ? of->flows->ncalls : expanding.nedges) == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "the profile of %.100s has no collectives of equal "
                          "blocks of type %.64s",
                          profile->program, of->type);
    if (error == 0 && of->type && !of->flows)
        error = mapcore_graph_create(out, profile->ntasks, expanding.edges,
                                     expanding.nedges, err);
    if (error == 0 && of->flows)
        error = keep_members(&expanding);
    for (size_t i = 0; i < expanding.ncommunicators; i++)
        free(expanding.communicators[i].members);
    free(expanding.communicators);
    free(expanding.edges);
    return error;
}

int expand_text(struct mapcore_graph **out,
                const struct profile *profile,
                struct text *text,
                const char *type,
                enum algorithm_library library)
{
    const struct expand_wanted of = {
        .type = type, .library = library, .most_members = UINT64_MAX};

    return expand(out, profile, text, &of);
}

#define FILE_NAME "collectives"

static int expand_file(struct mapcore_graph **out,
                       const struct profile *profile,
                       const char *folder,
                       const char *file,
                       const struct expand_wanted *of,
                       struct mapcore_error *err)
{
    struct text *text = NULL;
    int error = catalogue_open_text(&text, folder, file, err);

    if (error == 0)
        error = expand(out, profile, text, of);
    text_close(text);
    return error;
}

int expand_check(const struct profile *profile,
                 const char *folder,
                 const char *file,
                 struct mapcore_error *err)
{
    const struct expand_wanted nothing = {.type = NULL};

    return expand_file(NULL, profile, folder, file, &nothing, err);
}

int expand_as_run(struct mapcore_graph **out,
                  struct expanded *flows,
                  const struct profile *profile,
                  const struct expand_subject *subject,
                  struct mapcore_error *err)
{
    const double share = profile->large_share > 0 ? profile->large_share : 0.5;
    /* Larger communicators are not in the recorder's graph, which counts so. */
    const uint64_t most =
        (uint64_t)(share * 1e6 + 0.5) * profile->ntasks / 1000000;
    struct expand_wanted of = {.type = subject->type,
                               .library = ALGORITHM_DIRECT,
                               .most_members = most};
    struct mapcore_graph *direct = NULL;
    char file[64] = FILE_NAME;
    int error = 0;

    if (subject->phase)
        snprintf(file, sizeof(file), FILE_NAME ".phase%u",
                 subject->phase->phase);
    if (subject->is_large) {
        of.least_members = most + 1;
        of.most_members = UINT64_MAX;
        of.most_pairs = (uint64_t)EXPAND_LARGE * profile->ntasks;
        if (of.most_pairs > EXPAND_LARGE_MOST)
            of.most_pairs = EXPAND_LARGE_MOST;
    }
    if (subject->recorded)
        error = expand_file(&direct, profile, subject->folder, file, &of, err);
    if (error < 0)
        return error;
    if (direct &&
        mapcore_graph_bytes(direct) != mapcore_graph_bytes(subject->recorded))
        error = error_set(err, MAPCORE_ENOENT,
                          "%.64s has calls of other than equal blocks",
                          subject->type);
    mapcore_graph_destroy(direct);
    of.library = algorithm_library_of(profile->mpi);
    of.flows = flows;
    return error < 0
               ? error
               : expand_file(out, profile, subject->folder, file, &of, err);
}

int expand_named(struct mapcore_graph **out,
                 const struct profile *profile,
                 const char *folder,
                 const char *name,
                 struct mapcore_error *err)
{
    const struct {
        const char *word;
        enum algorithm_library library;
    } words[] = {{":direct", ALGORITHM_DIRECT},
                 {":tree", ALGORITHM_TREE},
                 {":library", algorithm_library_of(profile->mpi)}};
    const char *colon = strchr(name, ':');
    const size_t n = colon ? (size_t)(colon - name) : 0;
    char type[64];

    for (size_t i = 0; colon && n < sizeof(type) && i < 3; i++)
        if (strcmp(colon, words[i].word) == 0) {
            const struct expand_wanted of = {.type = type,
                                             .library = words[i].library,
                                             .most_members = UINT64_MAX};

            memcpy(type, name, n);
            type[n] = '\0';
            return expand_file(out, profile, folder, FILE_NAME, &of, err);
        }
    return error_set(err, MAPCORE_ENOENT,
                     "'%.64s' is no expansion: there are TYPE:library, "
                     "TYPE:tree and TYPE:direct",
                     name);
}
