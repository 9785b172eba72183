! SPDX-License-Identifier: LGPL-2.1-or-later
! cart_f.f90 - MPIX_Cart_weighted_create from Fortran
program cart_f
  use mpi
  implicit none
  include 'topomap_cart.inc'
  integer :: ierror, rank, cart, dims(2), coordinates(2), back, size
  logical :: periods(2), wraps(2)
  double precision :: weights(2)

  call mpi_init(ierror)
  dims = 0
  periods = (/ .false., .true. /)
  call mpix_cart_weighted_create(MPI_COMM_WORLD, 2, mpix_weights_equal, &
       periods, MPI_INFO_NULL, dims, cart, ierror)
  if (ierror /= MPI_SUCCESS) call mpi_abort(MPI_COMM_WORLD, 1, ierror)
  call mpi_comm_rank(cart, rank, ierror)
  call mpi_comm_size(cart, size, ierror)
  call mpi_cart_get(cart, 2, dims, wraps, coordinates, ierror)
  call mpi_cart_rank(cart, coordinates, back, ierror)
  if (back /= rank .or. wraps(1) .or. .not. wraps(2)) &
       call mpi_abort(MPI_COMM_WORLD, 1, ierror)
  if (rank == 0) print '(a,i0,a,i0)', 'dims ', dims(1), 'x', dims(2)
  dims = 0
  weights = (/ 4.0d0, 1.0d0 /)
  call mpix_dims_weighted_create(size, 2, weights, dims, ierror)
  if (rank == 0) print '(a,i0,a,i0)', 'weighted ', dims(1), 'x', dims(2)
  call mpi_finalize(ierror)
end program
