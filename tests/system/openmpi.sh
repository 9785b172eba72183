# SPDX-License-Identifier: LGPL-2.1-or-later
# openmpi.sh - sourced: how mpirun of Open MPI is made to stay on this machine,
# which 5 (PRRTE) does without words, and has none for
# shellcheck shell=sh disable=SC2034

# openmpi_settings MPIRUN: sets openmpi_alone, its words for that, and
# openmpi_osc, its one-sided component; both empty from 5 on.
openmpi_settings() {
    openmpi_alone='' openmpi_osc=''
    case $("$1" --version 2>/dev/null) in
    *'(Open'*') '[1-4].*) openmpi_alone='--mca plm isolated' openmpi_osc=pt2pt ;;
    esac
}
