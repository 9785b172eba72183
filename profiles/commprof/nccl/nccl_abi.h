/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nccl_abi.h - NCCL's interface for profilers, versions 3 to 5 (NCCL 2.26 to
 * 2.28, RCCL alike): what a plugin has to know of it, in our own words, from
 * its description in plugins/profiler/README.md of github.com/NVIDIA/nccl */
#ifndef COMMPROF_NCCL_ABI_H
#define COMMPROF_NCCL_ABI_H

#include <stddef.h>
#include <stdint.h>

/* All functions return it: NCCL is not to mind what a profiler does. */
enum { NCCL_SUCCESS = 0 };

/* Of the mask that init() fills, and of events. */
enum { NCCL_COLLECTIVE = 1 << 1, NCCL_P2P = 1 << 2 };

/* What NCCL has chosen for a collective: operation "AllReduce", datatype
 * "ncclFloat32", algorithm "RING", each a string that NCCL never frees. */
struct nccl_collective {
    uint64_t sequence;
    const char *operation;
    const void *from;
    void *to;
    size_t count; /* elements, as the program gave them */
    int root;
    const char *datatype;
    uint8_t channels, warps;
    const char *algorithm, *protocol;
};

/* "Send" or "Recv". */
struct nccl_p2p {
    const char *operation;
    void *buffer;
    const char *datatype;
    size_t count;
    int peer;
};

/* What version 3 has in front of both: its init() does not say it. */
struct nccl_whose {
    const char *name;
    uint64_t id;
};

/* The type is a byte before version 5, and what follows it undefined. */
struct nccl_event {
    union {
        uint8_t narrow;
        uint64_t wide;
    } type;
    void *parent;
    int rank; /* of the communicator */
    union {
        struct nccl_collective collective;
        struct nccl_p2p p2p;
        struct {
            struct nccl_whose whose;
            union {
                struct nccl_collective collective;
                struct nccl_p2p p2p;
            };
        } of_3;
    };
};

/* A table each; init() is called for each communicator of the process. */
#define NCCL_PROFILER(version, ...)                                            \
    struct nccl_profiler_##version {                                           \
        const char *name;                                                      \
        int (*init)(__VA_ARGS__);                                              \
        int (*start)(void *context, void **handle, struct nccl_event *event);  \
        int (*stop)(void *handle);                                             \
        int (*record)(void *handle, int state, void *arguments);               \
        int (*finalize)(void *context);                                        \
    }
#define NCCL_COMM int nodes, int size, int rank, nccl_logger *logger
typedef void nccl_logger(int,
                         unsigned long,
                         const char *,
                         int,
                         const char *,
                         ...);
NCCL_PROFILER(3, void **context, int *mask);
NCCL_PROFILER(4,
              void **context,
              int *mask,
              const char *name,
              uint64_t id,
              NCCL_COMM);
NCCL_PROFILER(5,
              void **context,
              uint64_t id,
              int *mask,
              const char *name,
              NCCL_COMM);

#endif
