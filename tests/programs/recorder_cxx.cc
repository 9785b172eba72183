// SPDX-License-Identifier: LGPL-2.1-or-later
// recorder_cxx.cc - messages and an alltoall from C++, with -DBINDINGS by the
// classes that MPI once had; expectations as in recorder_p2p.c. Four tasks.
#include <iostream>
#include <mpi.h>
#include <vector>

static const int N = 4;

static void communicate(int rank)
{
    std::vector<int> out(N, rank), in(N);
    const int right = (rank + 1) % N, left = (rank + N - 1) % N;
#ifdef BINDINGS
    MPI::COMM_WORLD.Sendrecv(&out[0], 2, MPI::INT, right, 0, &in[0], 2,
                             MPI::INT, left, 0);
    MPI::Intracomm half = MPI::COMM_WORLD.Split(rank / 2, -rank);
    half.Alltoall(&out[0], 1, MPI::INT, &in[0], 1, MPI::INT);
    half.Free();
#else
    MPI_Comm half;
    MPI_Sendrecv(out.data(), 2, MPI_INT, right, 0, in.data(), 2, MPI_INT, left,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, half);
    MPI_Comm_free(&half);
#endif
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    communicate(rank);
    if (rank == 0)
        std::cout << "edge p2p 0 1 8\nedge p2p 1 2 8\nedge p2p 2 3 8\n"
                     "edge p2p 0 3 8\ncalls p2p 4\nbytes p2p 32\n"
                     "edge alltoall 0 1 8\nedge alltoall 2 3 8\n"
                     "calls alltoall 4\nbytes alltoall 16\n";
    MPI_Finalize();
    return 0;
}
