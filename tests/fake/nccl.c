/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nccl.c - a program without GPU that calls a profiler as NCCL does: `nccl
 * VERSION WORD...`, of the words in run(). Ranks are RANK of WORLD_SIZE, or
 * Slurm's. What NCCL passes is declared here once more, so that a mistake there
 * is seen. With -DWITH_MPI it is a program of MPI, too. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum {
    GROUP = 1,
    COLL = 2,
    P2P = 4,
    PROXY = 8,
    GROUP_API = 256,
    COLL_API = 512
};

struct coll {
    uint64_t seqNumber;
    const char *func;
    const void *sendBuff;
    void *recvBuff;
    size_t count;
    int root;
    const char *datatype;
    uint8_t nChannels;
    uint8_t nWarps;
    const char *algo;
    const char *proto;
    void *parentGroup;
};
struct p2p {
    const char *func;
    void *buff;
    const char *datatype;
    size_t count;
    int peer;
    uint8_t nChannels;
    void *parentGroup;
};
struct event_5 {
    uint64_t type;
    void *parentObj;
    int rank;
    union {
        struct coll coll;
        struct p2p p2p;
        struct {
            bool graphCaptured;
            int groupDepth;
        } groupApi;
    };
};
struct event_4 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        struct coll coll;
        struct p2p p2p;
    };
};
struct event_3 {
    uint8_t type;
    void *parentObj;
    int rank;
    struct {
        const char *name;
        uint64_t commHash;
        union {
            struct coll coll;
            struct p2p p2p;
        };
    };
};
typedef int init_3(void **, int *);
typedef int init_4(void **,
                   int *,
                   const char *,
                   uint64_t,
                   int,
                   int,
                   int,
                   void *);
typedef int init_5(void **,
                   uint64_t,
                   int *,
                   const char *,
                   int,
                   int,
                   int,
                   void *);
struct table {
    const char *name;
    void *init;
    int (*start)(void *, void **, void *);
    int (*stop)(void *);
    int (*record)(void *, int, void *);
    int (*finalize)(void *);
};

static int version, rank, size, mask;
static struct table *table;
static struct comm {
    void *context;
    uint64_t id;
    int rank;
} comms[4096];
static int ncomms;

static struct comm *make(uint64_t id, int n, int of)
{
    struct comm *comm = &comms[ncomms++];

    *comm = (struct comm){NULL, id, of};
    if (!table)
        return comm;
    if (version == 5)
        ((init_5 *)table->init)(&comm->context, id, &mask, NULL, 2, n, of,
                                NULL);
    else if (version == 4)
        ((init_4 *)table->init)(&comm->context, &mask, "named", id, 2, n, of,
                                NULL);
    else
        ((init_3 *)table->init)(&comm->context, &mask);
    return comm;
}

/* As ncclProfilerStartTaskEvents: the type is filled in a struct of garbage. */
static void tell(const struct comm *comm,
                 uint64_t type,
                 const struct coll *coll,
                 const struct p2p *p2p)
{
    struct event_5 five;
    struct event_4 four;
    struct event_3 three;
    void *handle = NULL, *event = &five;

    if (!table || !(mask & (COLL | P2P)))
        return;
    memset(&five, 0, sizeof(five));
    memset(&four, 0xA5, sizeof(four));
    memset(&three, 0xA5, sizeof(three));
    five.type = type, four.type = three.type = (uint8_t)type;
    five.rank = four.rank = three.rank = comm->rank;
    three.commHash = comm->id;
    if (coll)
        five.coll = four.coll = three.coll = *coll;
    if (p2p)
        five.p2p = four.p2p = three.p2p = *p2p;
    event = version == 5   ? (void *)&five
            : version == 4 ? (void *)&four
                           : (void *)&three;
    if (version < 5 && type > 255)
        return;
    table->start(comm->context, &handle, event);
    if (handle) {
        table->record(handle, 19, NULL);
        table->stop(handle);
    }
}

static void collective(const struct comm *comm,
                       const char *func,
                       size_t count,
                       const char *type,
                       const char *algo,
                       int root,
                       int times)
{
    const struct coll coll = {.func = func,
                              .count = count,
                              .datatype = type,
                              .algo = algo,
                              .proto = "SIMPLE",
                              .root = root,
                              .nChannels = 4};

    tell(comm, GROUP_API, NULL, NULL);
    for (int i = 0; i < times; i++) {
        tell(comm, GROUP, NULL, NULL);
        tell(comm, COLL_API, NULL, NULL);
        tell(comm, COLL, &coll, NULL);
        tell(comm, PROXY, NULL, NULL);
    }
}

static void message(const struct comm *comm,
                    const char *func,
                    size_t count,
                    const char *type,
                    int peer)
{
    const struct p2p p2p = {
        .func = func, .count = count, .datatype = type, .peer = peer};

    tell(comm, P2P, NULL, &p2p);
}

static void *hammer(void *comm)
{
    for (int i = 0; i < 5000; i++)
        collective(comm, "AllReduce", 8, "ncclInt8", "RING", 0, 1);
    return NULL;
}

static void run(const char *word)
{
    const char *value = strchr(word, '=') ? strchr(word, '=') + 1 : NULL;
    const int number = value ? atoi(value) : 0;
    pthread_t thread[4];
    struct comm *comm;

    if (strcmp(word, "dp") == 0) {
        comm = make(77, size, rank);
        collective(comm, "AllReduce", 1000, "ncclFloat32", "RING", 0, 10);
        collective(comm, "AllReduce", 1000, "ncclFloat32", "TREE", 0, 5);
    } else if (strncmp(word, "dp=", 3) == 0) {
        collective(make(78, size, rank), "AllReduce", 1000, "ncclFloat32",
                   value, 0, 10);
    } else if (strncmp(word, "tp=", 3) == 0) {
        comm = make(1000 + (uint64_t)(rank / number), number, rank % number);
        collective(comm, "AllGather", 100, "ncclBfloat16", "RING", 0, 3);
        collective(comm, "ReduceScatter", 100, "ncclBfloat16", "NVLS", 0, 2);
    } else if (strncmp(word, "gpus=", 5) == 0) {
        for (int i = 0; i < number; i++)
            collective(make(79, size * number, rank * number + i), "AllReduce",
                       1000, "ncclFloat32", "RING", 0, 10);
    } else if (strcmp(word, "pp") == 0) {
        comm = make(80, size, rank);
        for (int i = 0; i < 4; i++) {
            if (rank + 1 < size)
                message(comm, "Send", 256, "ncclInt8", rank + 1);
            if (rank > 0)
                message(comm, "Recv", 256, "ncclInt8", rank - 1);
        }
    } else if (strncmp(word, "root=", 5) == 0) {
        comm = make(81, size, rank);
        collective(comm, "Broadcast", 64, "ncclFloat64", "RING", number, 1);
        collective(comm, "Reduce", 64, "ncclFloat64", "RING", number, 1);
        collective(comm, "NeverHeardOf", 64, "ncclFloat64", "RING", number, 1);
    } else if (strcmp(word, "threads") == 0) {
        comm = make(82, size, rank);
        for (int i = 0; i < 4; i++)
            pthread_create(&thread[i], NULL, hammer,
                           i % 2 ? make(83, size, rank) : comm);
        for (int i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
    } else if (strncmp(word, "many=", 5) == 0) {
        for (int i = 0; i < number; i++) {
            comm = make((uint64_t)(rank * number + i) + 5000, 1, 0);
            collective(comm, "AllReduce", 1, "ncclInt8", "RING", 0, 1);
            if (table && comm->context)
                table->finalize(comm->context);
            ncomms--;
        }
    } else if (strcmp(word, "kill") == 0) {
        raise(SIGKILL);
    } else if (strcmp(word, "exit") == 0) {
        _exit(0);
    }
#ifdef WITH_MPI
    if (strcmp(word, "bcast") == 0) {
        char bytes[100] = "";

        MPI_Bcast(bytes, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
#endif
}

static int number_of(const char *name, const char *other)
{
    const char *value = getenv(name) ? getenv(name) : getenv(other);

    return value ? atoi(value) : 0;
}

int main(int argc, char **argv)
{
    const char *plugin = getenv("NCCL_PROFILER_PLUGIN");
    char name[] = "ncclProfiler_v0";
    void *library = NULL;

#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    version = atoi(argv[1]);
    name[sizeof(name) - 2] = argv[1][0];
    rank = number_of("RANK", "SLURM_PROCID");
    size = number_of("WORLD_SIZE", "SLURM_NTASKS");
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "half") == 0 && rank % 2)
            plugin = NULL;
    if (plugin && (library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL)))
        table = dlsym(library, name);
    if (plugin && !table)
        fprintf(stderr, "no table %s: %s\n", name, dlerror());
    for (int i = 2; i < argc; i++)
        run(argv[i]);
    for (int i = 0; i < ncomms; i++)
        if (table && comms[i].context)
            table->finalize(comms[i].context);
    if (library)
        dlclose(library);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    puts("done");
    return 0;
}
