/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mpi_abi.c - names of MPI libraries */
#include "config.h"

#include "unit.h"

#include "profiles/program/elffile.h"

static void knows_the_names(void **state)
{
    static const struct {
        const char *name;
        enum mpi_abi abi;
    } known[] = {
        {"libmpich.so.12", MPI_ABI_MPICH}, /* Debian's MPICH */
        {"libmpi.so.12", MPI_ABI_MPICH},   /* MPICH, Intel MPI, MVAPICH */
        {"libmpi_cray.so", MPI_ABI_MPICH}, /* Cray MPICH */
        {"libmpi_gnu_112.so.12", MPI_ABI_MPICH},
        {"libmpi_intel.so.12", MPI_ABI_MPICH},
        {"libmpi.so.40", MPI_ABI_OPENMPI}, /* 3, 4 and 5 */
        {"/opt/mpi/lib/libmpi.so.12", MPI_ABI_MPICH},
        {"./libmpi.so.40", MPI_ABI_OPENMPI},
        {"libmpi.so.20", MPI_ABI_NONE}, /* Open MPI 2 */
        {"libmpich.so.10", MPI_ABI_NONE},
        {"libmpi.so", MPI_ABI_NONE},
        {"libmpi_cxx.so.40", MPI_ABI_NONE}, /* not MPI itself */
        {"libmpi_mpifh.so.40", MPI_ABI_NONE},
        {"libmpichfort.so.12", MPI_ABI_NONE},
        {"libmpi_abi.so.0", MPI_ABI_NONE}, /* MPI-5's own */
        {"libmpi_.so.12", MPI_ABI_NONE},
        {"/opt/libmpi.so.12/libm.so.6", MPI_ABI_NONE},
        {"", MPI_ABI_NONE},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (mpi_abi_of_library(known[i].name) != known[i].abi)
            fail_msg("%s is of ABI %d", known[i].name,
                     (int)mpi_abi_of_library(known[i].name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(knows_the_names)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
