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

/* Predefined handles: constants in MPICH, addresses of data in Open MPI. */
#define NEXT_MPI_HANDLES(X)                                                    \
    X(world, MPI_COMM_WORLD, ompi_mpi_comm_world)                              \
    X(self, MPI_COMM_SELF, ompi_mpi_comm_self)                                 \
    X(comm_null, MPI_COMM_NULL, ompi_mpi_comm_null)                            \
    X(byte, MPI_BYTE, ompi_mpi_byte)                                           \
    X(errors_return, MPI_ERRORS_RETURN, ompi_mpi_errors_return)                \
    X(info_null, MPI_INFO_NULL, ompi_mpi_info_null)                            \
    X(no_op, MPI_NO_OP, ompi_mpi_op_no_op)                                     \
    X(request_null, MPI_REQUEST_NULL, ompi_request_null)

#define NEXT_MPI_MEMBER(name) __typeof__(&PMPI_##name) name;
struct next_mpi {
    NEXT_MPI_FUNCTIONS(NEXT_MPI_MEMBER)
#define NEXT_MPI_HANDLE(member, constant, symbol) __typeof__(constant) member;
    NEXT_MPI_HANDLES(NEXT_MPI_HANDLE)
};
extern struct next_mpi next_mpi;

/* How the recorder came into this program: preloaded.c (LD_PRELOAD), or
 * linked.c (libcommprof-*.a, whose wrappers have the program's MPI_ names). */

/* Whether it is to record this run. */
bool next_mpi_is_asked(void);
/* The function that a wrapper of that name, MPI_X or PMPI_X, calls: the next
 * definition in the order of loading, or, linked in, PMPI_X. NULL: there is
 * none. */
void *next_mpi_symbol(const char *name);
/* Fills the predefined handles of out, when its functions are there; false when
 * one is missing, or the MPI is another than the recorder was made for. */
bool next_mpi_take_handles(struct next_mpi *out);
/* A handle that is a constant, or an address that the linker knows. */
#define NEXT_MPI_CONSTANT(member, constant, symbol) out->member = constant;

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
