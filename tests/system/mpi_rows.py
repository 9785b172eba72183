# SPDX-License-Identifier: LGPL-2.1-or-later
"""mpi_rows.py DOCTOR: rows of mpi_probe.c: what is one world, and on what MPI, Slurm
and the kernel may disagree."""
import os
import sys

sys.path.insert(0, os.path.dirname(sys.argv[1]))
import doctor

# Rows, and the sentence: why they are no world, or what they disagree on.
for rows, sentences in (
        # As it should be, ranks in any order, other lines between.
        (["2 4 2 n0 h0 0", None, "0 4 0 n0 h0 0", "1 4 1 n1 h1 1", "3 4 3 n1 h1 1"], []),
        ([], ["no rank answers"]),
        (["0 4 0 n0 h0 0", "2 4 2 n0 h0 0"], ["a rank 2 of 4 answers where 4 were started"]),
        (["0 4 0 n0 h0 0", "1 4 1 n0 h0 0"], ["2 of 4 ranks answer"]),
        (["0 1 0 n0 h0 0", "0 1 1 n0 h0 0", "0 1 2 n1 h1 0", "0 1 3 n1 h1 0"],
         ["it starts as 4 programs of one rank each"]),
        (["0 4 0 n0"], ["the program says '0 4 0 n0', which is no row of mpi_probe.c's"]),
        (["0 4 0 n0 h0 0 x"], ["the program says '0 4 0 n0 h0 0 x', which is no row of mpi_probe.c's"]),
        ([f"{i} 5 {i} n h 0" for i in range(5)], ["more than 4 ranks answer"]),
        # MPI has not heard of the move: 0 and 1 side by side.
        (["0 4 0 n0 h0 0", "1 4 1 n1 h1 0", "2 4 2 n0 h0 2", "3 4 3 n1 h1 2"],
         ["MPI takes ranks 0 and 1 to share memory; Slurm runs them on n0 and n1",
          "MPI takes ranks 0 and 2 to share no memory; Slurm runs both on n0",
          "MPI takes ranks 1 and 3 to share no memory; Slurm runs both on n1",
          "MPI takes ranks 2 and 3 to share memory; Slurm runs them on n0 and n1"]),
        # MPI counts otherwise than Slurm.
        (["0 4 0 n0 h0 0", "1 4 2 n1 h1 1", "2 4 1 n0 h0 0", "3 4 - n1 h1 1"],
         ["rank 1 of MPI is rank 2 of Slurm", "rank 2 of MPI is rank 1 of Slurm",
          "rank 3 has no SLURM_PROCID"]),
        (["0 4 0 n0 h0 0", "1 4 1 n1 h1 1", "2 4 2 n0 h1 0", "3 4 3 n1 h1 1"],
         ["ranks 0 and 2 are both on n0 for Slurm, and on h0 and h1 for the kernel"])):
    lines = ["hello" if row is None else doctor.ROW + row for row in rows]
    try:
        found = doctor.disagreements(doctor.read_rows(lines))
    except doctor.Error as error:
        found = [str(error)]
    assert found == sentences, (rows, found)

world = doctor.read_rows([doctor.ROW + row for row in
                          ("0 4 0 n0 h0 0", "1 4 1 n1 h1 1", "2 4 2 n0 h0 0", "3 4 3 n1 h1 1")])
assert doctor.are_pair(world, 0, 2) and doctor.are_pair(world, 1, 3) and not doctor.are_pair(world, 0, 1)
assert doctor.describe(world) == "0 2 on n0, 1 3 on n1"
world[1].node = "n0"  # all four on one node are no pair
assert not doctor.are_pair(world, 0, 2)
