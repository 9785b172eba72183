C SPDX-License-Identifier: LGPL-2.1-or-later
C halo_f77.f - an MPI program in fixed-form Fortran, mpif.h, whose bytes
C per pair are known
C
C The same calls, bytes and checksum as halo_f.f90.
      PROGRAM HALO
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER HEAVY, LIGHT
      PARAMETER (HEAVY = 1000, LIGHT = 10)
      DOUBLE PRECISION OUT(HEAVY), IN(HEAVY), RING(LIGHT), PART, TOTAL
      INTEGER REQ(2), RANK, N, HALF, PEER, PARITY, IERR, I

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, N, IERR)
      HALF = N / 2
      PEER = MPI_PROC_NULL
      IF (RANK .LT. HALF) THEN
        PEER = RANK + HALF
      ELSE IF (RANK .LT. 2 * HALF) THEN
        PEER = RANK - HALF
      END IF

      DO I = 1, HEAVY
        OUT(I) = RANK + 1
        IN(I) = 0
      END DO
      CALL MPI_SENDRECV(OUT, HEAVY, MPI_DOUBLE_PRECISION, PEER, 1,
     &                  IN, HEAVY, MPI_DOUBLE_PRECISION, PEER, 1,
     &                  MPI_COMM_WORLD, MPI_STATUS_IGNORE, IERR)
      CALL MPI_IRECV(RING, LIGHT, MPI_DOUBLE_PRECISION,
     &               MOD(RANK + N - 1, N), 2, MPI_COMM_WORLD,
     &               REQ(1), IERR)
      CALL MPI_ISEND(OUT, LIGHT, MPI_DOUBLE_PRECISION,
     &               MOD(RANK + 1, N), 2, MPI_COMM_WORLD,
     &               REQ(2), IERR)
      CALL MPI_WAITALL(2, REQ, MPI_STATUSES_IGNORE, IERR)

      CALL MPI_COMM_SPLIT(MPI_COMM_WORLD, MOD(RANK, 2), -RANK, PARITY,
     &                    IERR)
      PART = 0
      DO I = 1, HEAVY
        PART = PART + IN(I) * (RANK + 1)
      END DO
      DO I = 1, LIGHT
        PART = PART + RING(I)
      END DO
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, PART, 1, MPI_DOUBLE_PRECISION,
     &                   MPI_SUM, PARITY, IERR)
      CALL MPI_COMM_FREE(PARITY, IERR)
      CALL MPI_REDUCE(PART, TOTAL, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0,
     &                MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) THEN
        PRINT '(A,I0,A,I0)', 'halo_f77: ', N, ' ranks, checksum ',
     &        INT(TOTAL, KIND=8)
      END IF
      CALL MPI_FINALIZE(IERR)
      END
