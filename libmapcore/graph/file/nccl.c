/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nccl.c - what NCCL Inspector (the plugin of NVIDIA's ext-profiler/inspector)
 * leaves: a file a process, a JSON object a line for each collective */
#include "config.h"

#include "graph/file/run.h"

#include "base/array.h"
#include "base/name_set.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* What a process did as one rank of a communicator. */
struct nccl_member {
    uint32_t comm, process, rank;
    uint64_t ring;  /* bytes sent to the next rank, the first behind the last */
    uint64_t chain; /* the same, but for the last */
};

/* What a rank of a communicator says that it has sent to another. */
struct nccl_send {
    uint32_t comm, rank, peer;
    uint64_t bytes;
};

struct nccl {
    struct run run;
    struct name_set comms; /* by their ids */
    uint32_t *nranks;      /* [comms.n] */
    size_t nranks_capacity;
    struct nccl_member *member;
    size_t n, capacity, first; /* first: of the process being read */
    bool has_pairs;            /* sends and receives were left out */
    struct nccl_send *send;
    size_t nsends, sends_capacity;
    /* Since format 4.3 one object begins a dump, and says whose are those
     * behind it. */
    bool has_dump;
    uint32_t dump_comm, dump_rank;
};

/* The bytes that a rank sends to the next by one collective of n ranks, as
 * rings do it (NCCL's documentation; the sizes are those of NCCL's own
 * bandwidths). */
static unsigned __int128 ring_bytes(const char *coll, uint64_t size, uint32_t n)
{
    if (strcmp(coll, "AllReduce") == 0)
        return (unsigned __int128)size * 2 * (n - 1) / n;
    if (strcmp(coll, "AllGather") == 0 || strcmp(coll, "ReduceScatter") == 0)
        return (unsigned __int128)size * (n - 1);
    return 0;
}

static struct nccl_member *find_member(struct nccl *nccl,
                                       uint32_t comm,
                                       uint32_t rank)
{
    for (size_t i = nccl->first; i < nccl->n; i++)
        if (nccl->member[i].comm == comm && nccl->member[i].rank == rank)
            return &nccl->member[i];
    return NULL;
}

static int take_member(struct nccl *nccl,
                       struct nccl_member **out,
                       const struct json_node *header,
                       struct mapcore_error *err)
{
    size_t known = nccl->comms.n;
    uint32_t comm, rank, nranks;
    const char *id;
    int error;

    if ((error = json_get_string(&id, header, "id", err)) < 0 ||
        (error = json_get_u32(&rank, header, "rank", err)) < 0 ||
        (error = json_get_u32(&nranks, header, "n_ranks", err)) < 0)
        return error;
    if (nranks >= MAPCORE_NONE - 1 || rank >= nranks)
        return error_set(err, MAPCORE_EPARSE, "rank %u of %u", rank, nranks);
    if ((error = name_set_add(&comm, &nccl->comms, id, err)) < 0 ||
        (error = array_reserve(&nccl->nranks, &nccl->nranks_capacity,
                               nccl->comms.n, sizeof(*nccl->nranks), err)) < 0)
        return error;
    if (nccl->comms.n > known)
        nccl->nranks[comm] = nranks;
    if (nccl->nranks[comm] != nranks)
        return error_set(err, MAPCORE_EPARSE,
                         "communicator %.40s of %u ranks, and before of %u", id,
                         nranks, nccl->nranks[comm]);
    if ((*out = find_member(nccl, comm, rank)))
        return 0;
    if ((error = array_reserve(&nccl->member, &nccl->capacity, nccl->n + 1,
                               sizeof(*nccl->member), err)) < 0)
        return error;
    *out = &nccl->member[nccl->n++];
    **out = (struct nccl_member){comm, nccl->run.nfiles, rank, 0, 0};
    return 0;
}

/* The header of this object, or of the dump that it is in. */
static int take_header(struct nccl *nccl,
                       struct nccl_member **out,
                       const struct json_node *root,
                       struct mapcore_error *err)
{
    struct json_node header;
    int error;

    if (!json_has(root, "header") && nccl->has_dump) {
        *out = find_member(nccl, nccl->dump_comm, nccl->dump_rank);
        return 0;
    }
    if ((error = json_get_object(&header, root, "header", err)) < 0 ||
        (error = take_member(nccl, out, &header, err)) < 0)
        return error;
    if (json_has(root, "dump_stats")) {
        nccl->has_dump = true;
        nccl->dump_comm = (*out)->comm;
        nccl->dump_rank = (*out)->rank;
    }
    return 0;
}

/* A send or receive; the sender's word is enough. Before format 4.2 nobody
 * said to whom. */
static int read_pair(struct nccl *nccl,
                     const struct nccl_member *member,
                     const struct json_node *perf,
                     struct mapcore_error *err)
{
    const uint32_t nranks = nccl->nranks[member->comm];
    struct nccl_send *send;
    const char *what;
    double peer;
    uint64_t size;
    int error;

    if (!json_has(perf, "p2p_peer")) {
        nccl->has_pairs = true;
        return 0;
    }
    if ((error = json_get_string(&what, perf, "p2p", err)) < 0 ||
        (error = json_get_double(&peer, perf, "p2p_peer", err)) < 0 ||
        (error = json_get_u64(&size, perf, "p2p_msg_size_bytes", err)) < 0)
        return error;
    if (peer < 0) {
        nccl->has_pairs = true;
        return 0;
    }
    if (peer >= nranks)
        return error_set(err, MAPCORE_EPARSE, "peer %.0f of %u ranks", peer,
                         nranks);
    if (strcmp(what, "Send") != 0 || size == 0)
        return 0;
    send = nccl->nsends > 0 ? &nccl->send[nccl->nsends - 1] : NULL;
    if (!send || send->comm != member->comm || send->rank != member->rank ||
        send->peer != (uint32_t)peer) {
        if ((error = array_reserve(&nccl->send, &nccl->sends_capacity,
                                   nccl->nsends + 1, sizeof(*send), err)) < 0)
            return error;
        send = &nccl->send[nccl->nsends++];
        *send =
            (struct nccl_send){member->comm, member->rank, (uint32_t)peer, 0};
    }
    if (size > INT64_MAX - send->bytes)
        return error_set(err, MAPCORE_ERANGE,
                         "with this line the bytes of all edges exceed 2^63");
    send->bytes += size;
    return 0;
}

static int read_object(struct nccl *nccl,
                       const struct json *json,
                       struct mapcore_error *err)
{
    struct json_node root, perf;
    struct nccl_member *member = NULL;
    unsigned __int128 ring;
    const char *coll;
    uint64_t size;
    int error;

    if ((error = json_root(&root, json, err)) < 0 ||
        (error = take_header(nccl, &member, &root, err)) < 0)
        return error;
    if (json_has(&root, "p2p_perf"))
        return (error = json_get_object(&perf, &root, "p2p_perf", err)) < 0
                   ? error
                   : read_pair(nccl, member, &perf, err);
    /* The rest are parts of these, or counts. */
    if (!json_has(&root, "coll_perf"))
        return 0;
    if ((error = json_get_object(&perf, &root, "coll_perf", err)) < 0 ||
        (error = json_get_string(&coll, &perf, "coll", err)) < 0 ||
        (error = json_get_u64(&size, &perf, "coll_msg_size_bytes", err)) < 0)
        return error;
    nccl->has_pairs =
        nccl->has_pairs || strstr(coll, "Send") || strstr(coll, "Recv");
    ring = ring_bytes(coll, size, nccl->nranks[member->comm]) + member->ring;
    if (strcmp(coll, "Broadcast") != 0 && strcmp(coll, "Reduce") != 0)
        size = 0;
    if (ring > INT64_MAX || member->chain + size > INT64_MAX)
        return error_set(err, MAPCORE_ERANGE,
                         "with this line the bytes of all edges exceed 2^63");
    member->ring = (uint64_t)ring;
    member->chain += size;
    return 0;
}

static int add(void *state, struct text *text, struct mapcore_error *err)
{
    struct nccl *nccl = state;
    struct mapcore_error what;
    char *line;
    int error;

    nccl->first = nccl->n;
    nccl->has_dump = false;
    while ((error = text_line(text, &line, err)) == 0 && line) {
        struct json *json = NULL;

        if (text_at_end(line))
            continue;
        error = json_open_memory(&json, "", line, strlen(line), &what);
        if (error == 0)
            error = read_object(nccl, json, &what);
        json_close(json);
        if (error < 0)
            /* ":1: ", for each line is a document. */
            return text_error(text, err, error, "%s",
                              what.text + strspn(what.text, ":1 "));
    }
    return error;
}

static int compare_members(const void *a, const void *b)
{
    const struct nccl_member *x = a, *y = b;

    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sorted members: all ranks of a communicator must be there, once. */
static int check_members(const struct nccl *nccl, struct mapcore_error *err)
{
    for (size_t i = 0, end; i < nccl->n; i = end) {
        uint32_t comm = nccl->member[i].comm;

        for (end = i; end < nccl->n && nccl->member[end].comm == comm; end++)
            if (nccl->member[end].rank != end - i)
                break;
        if (end - i == nccl->nranks[comm])
            continue;
        return error_set(err, MAPCORE_EPARSE,
                         "%s: rank %zu of the %u of communicator %.40s is "
                         "missing or there twice: name the folder with the "
                         "files of all processes of one run",
                         nccl->run.name, end - i, nccl->nranks[comm],
                         nccl->comms.name[comm]);
    }
    return 0;
}

/* The task of each process: its rank in the largest communicator. */
static int find_tasks(const struct nccl *nccl,
                      uint32_t world,
                      uint32_t *task,
                      struct mapcore_error *err)
{
    bool shares = false;

    for (uint32_t p = 0; p <= nccl->run.nfiles; p++)
        task[p] = MAPCORE_NONE;
    for (size_t i = 0; i < nccl->n; i++) {
        const struct nccl_member *m = &nccl->member[i];

        if (m->comm == world) {
            shares = shares || task[m->process] != MAPCORE_NONE;
            task[m->process] = m->rank;
        }
    }
    for (size_t i = 0; i < nccl->n; i++) {
        const struct nccl_member *m = &nccl->member[i];

        if (shares && m->comm != world)
            return error_set(err, MAPCORE_EPARSE,
                             "%s: a process is several ranks, and which of "
                             "them it is in communicator %.40s is not said",
                             nccl->run.name, nccl->comms.name[m->comm]);
        if (task[m->process] == MAPCORE_NONE)
            return error_set(err, MAPCORE_EPARSE,
                             "%s: a process of communicator %.40s is not in "
                             "the largest, which says its rank",
                             nccl->run.name, nccl->comms.name[m->comm]);
    }
    return 0;
}

static int add_edges(struct nccl *nccl,
                     uint32_t world,
                     const uint32_t *task,
                     struct mapcore_error *err)
{
    const struct edge_place place = {nccl->run.name, 0};
    int error = 0;

    for (size_t i = 0; error == 0 && i < nccl->n; i++) {
        const struct nccl_member *m = &nccl->member[i], *next;
        uint32_t n = nccl->nranks[m->comm];
        bool is_last = m->rank + 1 == n;

        next = is_last ? m - (n - 1) : m + 1;
        error = edges_put(&nccl->run.edges,
                          m->comm == world ? m->rank : task[m->process],
                          m->comm == world ? next->rank : task[next->process],
                          m->ring + (is_last ? 0 : m->chain), &place, err);
    }
    return error;
}

/* The process behind each rank of a communicator, for all ranks are there. */
static int add_sends(struct nccl *nccl,
                     uint32_t world,
                     const uint32_t *task,
                     struct mapcore_error *err)
{
    const struct edge_place place = {nccl->run.name, 0};
    size_t *first = array_alloc(nccl->comms.n, sizeof(*first), err);
    int error = first ? 0 : MAPCORE_ENOMEM;

    for (size_t i = nccl->n; error == 0 && i-- > 0;)
        first[nccl->member[i].comm] = i;
    for (size_t i = 0; error == 0 && i < nccl->nsends; i++) {
        const struct nccl_send *send = &nccl->send[i];
        const struct nccl_member *m = &nccl->member[first[send->comm]];

        error = edges_put(
            &nccl->run.edges,
            send->comm == world ? send->rank : task[m[send->rank].process],
            send->comm == world ? send->peer : task[m[send->peer].process],
            send->bytes, &place, err);
    }
    free(first);
    return error;
}

static int finish(void *state, struct mapcore_error *err)
{
    struct nccl *nccl = state;
    uint32_t world = 0, *task;
    int error;

    if (nccl->n == 0)
        return error_set(err, MAPCORE_EPARSE, "%s: no collective in it",
                         nccl->run.name);
    for (uint32_t c = 1; c < nccl->comms.n; c++)
        if (nccl->nranks[c] > nccl->nranks[world])
            world = c;
    qsort(nccl->member, nccl->n, sizeof(*nccl->member), compare_members);
    if ((error = check_members(nccl, err)) < 0)
        return error;
    task = array_alloc((size_t)nccl->run.nfiles + 1, sizeof(*task), err);
    error = task ? find_tasks(nccl, world, task, err) : MAPCORE_ENOMEM;
    if (error == 0)
        error = add_edges(nccl, world, task, err);
    if (error == 0)
        error = add_sends(nccl, world, task, err);
    free(task);
    if (error == 0 && nccl->run.edges.n == 0 && nccl->has_pairs)
        error = error_set(err, MAPCORE_EPARSE,
                          "%s: only sends and receives, of which this "
                          "NCCL Inspector does not say to whom",
                          nccl->run.name);
    nccl->run.ntasks = nccl->nranks[world];
    return error;
}

static void clear(void *state)
{
    struct nccl *nccl = state;

    name_set_clear(&nccl->comms);
    free(nccl->nranks);
    free(nccl->member);
    free(nccl->send);
}

const struct run_format run_nccl = {
    .about = "files *.log of NCCL Inspector",
    .prefix = "",
    .suffix = ".log",
    .size = sizeof(struct nccl),
    .add = add,
    .finish = finish,
    .clear = clear,
};
