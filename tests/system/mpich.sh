# SPDX-License-Identifier: LGPL-2.1-or-later
# mpich.sh - sourced: what makes programs of MPICH wait without spinning
# shellcheck shell=bash

# polite MPI: what is linked into its programs, so that ranks which wait leave the
# cores to those that they wait for.
polite() { [ "$1" != mpich ] || echo "${srcdir:?}/programs/yield.c"; }
