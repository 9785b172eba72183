/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* next_mpi.h - the MPI library below the recorder, found when it is there */
#ifndef COMMPROF_NEXT_MPI_H
#define COMMPROF_NEXT_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The recorder is linked to no MPI library, since LD_PRELOAD also puts it into
 * programs that have none: what it calls itself stands here, found by name. */
#define NEXT_MPI_FUNCTIONS(X)                                                  \
    X(Cart_shift)                                                              \
    X(Cartdim_get)                                                             \
    X(Comm_create)                                                             \
    X(Comm_create_keyval)                                                      \
    X(Comm_free)                                                               \
    X(Comm_get_attr)                                                           \
    X(Comm_get_errhandler)                                                     \
    X(Comm_get_parent)                                                         \
    X(Comm_group)                                                              \
    X(Comm_rank)                                                               \
    X(Comm_remote_group)                                                       \
    X(Comm_remote_size)                                                        \
    X(Comm_set_attr)                                                           \
    X(Comm_set_errhandler)                                                     \
    X(Comm_size)                                                               \
    X(Comm_split_type)                                                         \
    X(Comm_test_inter)                                                         \
    X(Dist_graph_neighbors)                                                    \
    X(Dist_graph_neighbors_count)                                              \
    X(Errhandler_free)                                                         \
    X(Get_library_version)                                                     \
    X(Graph_neighbors)                                                         \
    X(Graph_neighbors_count)                                                   \
    X(Group_free)                                                              \
    X(Group_size)                                                              \
    X(Group_translate_ranks)                                                   \
    X(Ibarrier)                                                                \
    X(Query_thread)                                                            \
    X(Recv)                                                                    \
    X(Send)                                                                    \
    X(Test)                                                                    \
    X(Topo_test)                                                               \
    X(Type_get_envelope)                                                       \
    X(Win_create_keyval)                                                       \
    X(Win_get_attr)                                                            \
    X(Win_get_group)                                                           \
    X(Win_set_attr)                                                            \
    X(Type_size_x)

#define NEXT_MPI_MEMBER(name) __typeof__(&PMPI_##name) name;
struct next_mpi {
    NEXT_MPI_FUNCTIONS(NEXT_MPI_MEMBER)
    /* Predefined handles: constants in MPICH, addresses of data in Open MPI. */
    MPI_Comm world, self, comm_null;
    MPI_Datatype byte;
    MPI_Errhandler errors_return;
    MPI_Info info_null;
    MPI_Op no_op;
    MPI_Request request_null;
};
extern struct next_mpi next_mpi;

/* The next definition of an MPI function after ours, in the order of loading;
 * NULL when nothing that is loaded has it. */
void *next_mpi_symbol(const char *name);

/* That of a function's PMPI_ name: what is linked into a program knows it from
 * there (linked.h). */
#ifdef COMMPROF_LINKED
#define NEXT_MPI_PMPI(NAME) ((void *)(uintptr_t)NAME)
#else
#define NEXT_MPI_PMPI(NAME) next_mpi_symbol(#NAME)
#endif

/* Fills `next_mpi`; false when something is missing there. */
bool next_mpi_load(void);

/* Whether a return address lies inside the MPI library itself: its parts call
 * each other by public names (MPICH's files do), and that is no call of the
 * program's. */
extern uintptr_t next_mpi_begin, next_mpi_end;
static inline bool next_mpi_calls(const void *return_address)
{
    const uintptr_t address = (uintptr_t)return_address;
    return address >= next_mpi_begin && address < next_mpi_end;
}

#endif
