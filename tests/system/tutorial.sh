#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tutorial.sh - every command of topomap-tutorial(7) on a private Slurm, and what it prints
# there. Without LAMMPS (or with TUTORIAL_STANDIN=yes) chain.c stands in.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
command -v mandoc >/dev/null || skip_all "no mandoc"
cluster_start --nodes 8 --scatter
launches openmpi pmix || skip_all "$why_not"
unset TOPOMAP_CATALOGUE
HOME=$work/home/anna PATH=$(dirname "$topomap"):$PATH
export HOME
mkdir -p "$HOME/bin" && cd "$HOME" || exit 99

sed 's/^run .*/run 20/' "$srcdir/../profiles/examples/inputs/lammps.in" >in.melt
# Not every machine has modules.
module() { :; }
export -f module
if [ -n "${TUTORIAL_STANDIN-}" ] || ! command -v lmp >/dev/null; then
    compile home/anna/bin/lmp openmpi chain.c || skip_all "neither LAMMPS nor Open MPI's compiler"
    PATH=$HOME/bin:$PATH
fi
while IFS=$'\t' read -r command outcome; do
    if [ "$outcome" = ok ]; then ok "$command"; else not_ok "$command" "${outcome//; the page: /$'\n'the page: }"; fi
done < <(python3 "$srcdir/system/tutorial.py" "$srcdir/../tools/topomap-tutorial.7" 2>&1)
[ "$tap_count" -ge 18 ] || not_ok "all commands of the page" "$tap_count were found"
contains "the report has a page" "$(head -c 200 lmp.html 2>&1)" '^<!DOCTYPE html>'
no_job_left "nothing is left"
finish
