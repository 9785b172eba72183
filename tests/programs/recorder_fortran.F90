! SPDX-License-Identifier: LGPL-2.1-or-later
! recorder_fortran.F90 - the same calls through mpif.h (-DBINDING_MPIF), the mpi
! module (-DBINDING_MPI) or mpi_f08 (-DBINDING_F08); rank 0 prints what a
! recorder must find, as recorder_p2p.c does. Six tasks.
program recorder_fortran
#if defined(BINDING_F08)
    use mpi_f08
    implicit none
    type(MPI_Comm) :: comm
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: state, states(2)
#else
#if defined(BINDING_MPI)
    use mpi
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif
    integer :: comm, requests(2)
    integer :: state(MPI_STATUS_SIZE), states(MPI_STATUS_SIZE, 2)
#endif
    integer, parameter :: n = 6, tag = 7
    integer :: rank, ntasks, error, right, left, i, a, b, parts, part
    integer :: out(32), in(32)
    integer :: p2p(0:n - 1, 0:n - 1), reduced(0:n - 1, 0:n - 1)
    integer :: exchanged(0:n - 1, 0:n - 1), spread(0:n - 1, 0:n - 1)

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ntasks, error)
    if (ntasks /= n) call MPI_Abort(MPI_COMM_WORLD, 2, error)
    out = rank
    in = 0
    right = mod(rank + 1, n)
    left = mod(rank + n - 1, n)

    ! 10 integers to the right, three ways: 2 + 2 + 1 calls a task
    call MPI_Irecv(in, 10, MPI_INTEGER, left, tag, MPI_COMM_WORLD, requests(1), &
                   error)
    call MPI_Send(out, 10, MPI_INTEGER, right, tag, MPI_COMM_WORLD, error)
    call MPI_Wait(requests(1), state, error)
    call MPI_Irecv(in, 10, MPI_INTEGER, left, tag, MPI_COMM_WORLD, requests(1), &
                   error)
    call MPI_Isend(out, 10, MPI_INTEGER, right, tag, MPI_COMM_WORLD, &
                   requests(2), error)
    call MPI_Waitall(2, requests, states, error)
    call MPI_Sendrecv(out, 10, MPI_INTEGER, right, tag, in, 10, MPI_INTEGER, &
                      left, tag, MPI_COMM_WORLD, state, error)
    call MPI_Send(out, 10, MPI_INTEGER, MPI_PROC_NULL, tag, MPI_COMM_WORLD, &
                  error)

    ! even and odd ranks apart, reversed: world ranks 4 2 0 and 5 3 1
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, comm, error)
    call MPI_Comm_size(comm, parts, error)
    call MPI_Comm_rank(comm, part, error)
    call MPI_Allreduce(out, in, 4, MPI_INTEGER, MPI_SUM, comm, error)
    call MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INTEGER, MPI_SUM, comm, error)
    call MPI_Alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, comm, error)
    call MPI_Alltoall(MPI_IN_PLACE, 3, MPI_INTEGER, in, 3, MPI_INTEGER, comm, &
                      error)
    call MPI_Bcast(out, 5, MPI_INTEGER, 0, comm, error)
    call MPI_Barrier(comm, error)
    call MPI_Comm_free(comm, error)
    call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)

    p2p = 0
    reduced = 0
    exchanged = 0
    spread = 0
    do i = 0, n - 1
        p2p(i, mod(i + 1, n)) = 3*40
        do a = 0, n - 1
            ! of three tasks each has the two others as partners
            if (a /= i .and. mod(a - i, 2) == 0) then
                reduced(i, a) = 2*16
                exchanged(i, a) = 2*12
                if (i >= 4) spread(i, a) = 20
            end if
        end do
    end do

    if (rank == 0) then
        call print_edges('p2p', p2p)
        call print_edges('allreduce', reduced)
        call print_edges('alltoall', exchanged)
        call print_edges('bcast', spread)
        print '(a,i0)', 'calls p2p ', 6*n
        print '(a,i0)', 'bytes p2p ', sum(p2p)
        print '(a,i0)', 'calls allreduce ', 3*n
        ! over all six, too large for edges: distances 1, 2 and 4
        print '(a,i0)', 'bytes allreduce ', sum(reduced) + n*3*4
        print '(a,i0)', 'calls alltoall ', 2*n
        print '(a,i0)', 'bytes alltoall ', sum(exchanged)
        print '(a,i0)', 'calls bcast ', n
        print '(a,i0)', 'bytes bcast ', sum(spread)
        print '(a,i0)', 'calls barrier ', n
        print '(a,i0)', 'bytes barrier ', 0
    end if
    call MPI_Finalize(error)

contains

    subroutine print_edges(kind, sent)
        character(len=*), intent(in) :: kind
        integer, intent(in) :: sent(0:n - 1, 0:n - 1)
        do a = 0, n - 1
            do b = a + 1, n - 1
                if (sent(a, b) + sent(b, a) > 0) &
                    print '(a,a,3(1x,i0))', 'edge ', kind, a, b, &
                        sent(a, b) + sent(b, a)
            end do
        end do
    end subroutine print_edges

end program recorder_fortran
