# SPDX-License-Identifier: LGPL-2.1-or-later
# mpi.sh - sourced: what makes MPI programs start quickly and wait without spinning
# shellcheck shell=bash

# Half of what a rank computes here is its start: it looks for devices that no
# test has, and in MPICH those of one node spin until the last of them is there.
export HWLOC_COMPONENTS=-pci,-linuxio,-opencl OMPI_MCA_pml=ob1 MPIR_CVAR_NOLOCAL=1

# polite MPI: what is linked into its programs, so that ranks which wait leave the
# cores to those that they wait for.
polite() { [ "$1" != mpich ] || echo "${srcdir:?}/programs/yield.c"; }
