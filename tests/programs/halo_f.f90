! SPDX-License-Identifier: LGPL-2.1-or-later
! halo_f.f90 - an MPI program in Fortran, `use mpi`, whose bytes per pair are known
!
! Rank r < n/2 exchanges 1,000 doubles with rank r + n/2 (MPI_Sendrecv), and every rank sends 10 doubles to
! rank r + 1 mod n (MPI_Irecv, MPI_Isend, MPI_Waitall); one MPI_Allreduce of 1 double among the ranks of one
! parity, with MPI_IN_PLACE; one MPI_Reduce of 1 double on all.
program halo_f
    use mpi
    implicit none
    integer, parameter :: heavy = 1000, light = 10
    double precision :: out(heavy), in(heavy), ring(light), part, total
    integer :: requests(2), rank, n, half, partner, parity, ierr

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
    half = n / 2
    partner = MPI_PROC_NULL
    if (rank < half) then
        partner = rank + half
    else if (rank < 2 * half) then
        partner = rank - half
    end if

    out = rank + 1
    in = 0
    ring = 0
    call MPI_Sendrecv(out, heavy, MPI_DOUBLE_PRECISION, partner, 1, in, heavy, MPI_DOUBLE_PRECISION, partner, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(ring, light, MPI_DOUBLE_PRECISION, mod(rank + n - 1, n), 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(out, light, MPI_DOUBLE_PRECISION, mod(rank + 1, n), 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)

    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, parity, ierr)
    part = sum(in) * (rank + 1) + sum(ring)
    call MPI_Allreduce(MPI_IN_PLACE, part, 1, MPI_DOUBLE_PRECISION, MPI_SUM, parity, ierr)
    call MPI_Comm_free(parity, ierr)
    call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a,i0,a,i0)', 'halo_f: ', n, ' ranks, checksum ', int(total, kind=8)
    call MPI_Finalize(ierr)
end program halo_f
