#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# doctor.sh - what topomap doctor makes of the answers of a srun, which is a
# script here: all that can go wrong under a type of MPI. launch.sh has a real one.
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
topomap=$TOPOMAP
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
PATH=$work/bin:$PATH

# srun notes its words, and answers by the mode: the files off and grid.
cat >"$work/bin/srun" <<SCRIPT
#!/bin/sh
[ "\$1" != --mpi=list ] || { cat $work/list; exit; }
mode=\$(printf '%s\n' "\$@" | sed -n 's/^--topomap=\([a-z]*\).*/\1/p')
printf '%s ' "\$@" >>$work/words
echo >>$work/words
. $work/\$mode
SCRIPT
chmod +x "$work/bin/srun"

row() { echo "echo topomap-mpi-probe $*"; }
# rows "NODE FIRST" of ranks 0 to 3
rows()
{
    local rank=0 where
    for where in "$@"; do
        row $rank 4 $rank "${where% *}" "${where% *}" "${where#* }"
        rank=$((rank + 1))
    done
}
unmapped() { rows 'n0 0' 'n0 0' 'n1 2' 'n1 2'; }

printf 'MPI plugin types are...\n\tnone\n\todd\n' >"$work/list"

# check NAME STATUS PATTERN [WORD]...: what is printed, and how it ends.
: >"$work/my-probe" && chmod +x "$work/my-probe"
check()
{
    local name=$1 expected=$2 pattern=$3
    shift 3
    : >"$work/words"
    "$topomap" doctor --mpi odd --program "$work/my-probe" "$@" >"$work/out" 2>"$work/err" </dev/null
    equal "$name: ends with $expected" "$expected" "$?"
    contains "$name" "$(cat "$work/out" "$work/err")" "$pattern"
}

unmapped >"$work/off"
rows 'n0 0' 'n1 1' 'n0 0' 'n1 1' >"$work/grid"
check "all is well" 0 '^my-probe  *ok  0 2 on n0, 1 3 on n1, as planned; MPI, Slurm and the kernel agree$' -- -p debug
equal "srun is asked for four ranks on two nodes, with the words behind --" \
    "-N2 -n4 --ntasks-per-node=2 --distribution=block --quit-on-interrupt --time=2 --mpi=odd --topomap=off -p debug $work/my-probe 
-N2 -n4 --ntasks-per-node=2 --distribution=block --quit-on-interrupt --time=2 --mpi=odd --topomap=grid:2x2:weights=1000/1,strict,time=20,mpi=odd -p debug $work/my-probe " \
    "$(cat "$work/words")"

rows 'n0 0' 'n1 0' 'n0 2' 'n1 2' >"$work/grid"
check "MPI has not heard of the move" 1 '^  *MPI takes ranks 0 and 1 to share memory; Slurm runs them on n0 and n1$'
contains "it is marked" "$(cat "$work/out")" '^my-probe  *!!  0 2 on n0, 1 3 on n1$'

{ unmapped; echo 'echo "srun: topomap: unchanged: x" >&2'; } >"$work/grid"
check "ranks that stay" 1 '^my-probe  *!!  0 1 on n0, 2 3 on n1: they did not move, and had to be 0 2 and 1 3$'
contains "srun's word is shown" "$(cat "$work/out")" '^  *srun: topomap: unchanged: x$'

echo 'echo "srun: error: topomap: ranks are not moved" >&2; exit 1' >"$work/grid"
check "a step that fails with its ranks moved" 1 '^my-probe  *!!  it runs as Slurm lays it out, and not with its ranks moved: srun ends with status 1$'
contains "and srun's word is shown" "$(cat "$work/out")" 'topomap: ranks are not moved'

for _ in 0 1 2 3; do row 0 1 "$_" n0 n0 0; done >"$work/off"
check "four programs" 1 '^my-probe  *--  it starts as 4 programs of one rank each$'
contains "four programs: what to do" "$(cat "$work/err")" \
    '^topomap: this is no MPI program that starts under --mpi=odd: build one with the MPI of your programs, mpicc -o mpi-probe .*/mpi_probe.c, and name it by --program$'
contains "four programs: another type" "$(cat "$work/out")" '^  *-> its MPI does not start under odd: it needs another type, '
printf 'MPI plugin types are...\n\tnone\n\todd\n\tpmix\n\tpmi2\n' >"$work/list"
check "four programs, and types" 1 '^  *-> its MPI does not start under odd: try --mpi pmix or pmi2$'
echo 'echo "but OMPI was not built with SLURM'"'"'s PMI support" >&2; echo "srun: error: n0: Exited with exit code 1" >&2; exit 1' >"$work/off"
check "Open MPI without that type" 1 '^  *-> Open MPI here does not start under odd: try --mpi pmix$'
echo 'echo "srun: error: n0: Exited with exit code 1" >&2; exit 1' >"$work/off"
check "a program that ends by itself" 1 '^my-probe  *--  srun ends with status 1$'
equal "a program that ends by itself: no advice" "" "$(grep -e '->' "$work/out")"
for _ in 0 1 2 3; do row 0 1 "$_" n0 n0 0; done >"$work/off"
check "four programs, again" 1 '^my-probe  *--  it starts as 4 programs of one rank each$'
source=$(sed 's/.*mpi-probe \(.*\), and.*/\1/' "$work/err")
contains "its source is there" "$(head -3 "$source" 2>&1)" 'mpi_probe.c'

echo 'echo "srun: error: Invalid MPI type odd" >&2; exit 1' >"$work/off"
check "a type that Slurm does not start" 1 '^  *srun: error: Invalid MPI type'
printf 'MPI plugin types are...\n\tnone\n\tpmix\nspecific pmix plugin versions available: pmix_v4,pmix_v5\n' >"$work/list"
check "a type that Slurm does not know" 1 "^topomap: this Slurm has no MPI type 'odd': srun --mpi=list names those that it has$"
equal "nothing is started, nor advised" " 1" "$(cat "$work/words") $(cat "$work/out" "$work/err" | wc -l)"
"$topomap" doctor --mpi pmix_v5 --program "$work/my-probe" >"$work/out" 2>"$work/err"
contains "a version of pmix is one" "$(cat "$work/err")" 'starts under --mpi=pmix_v5'
echo 'srun: error: no such thing' >"$work/list"
check "a list that says nothing" 1 '^  *srun: error: Invalid MPI type'
printf 'srun: MPI types are...\nsrun: none\nsrun: odd\n' >"$work/list"
{ row 0 4 1 n0 n0 0; row 1 4 0 n0 n0 0; row 2 4 2 n1 n1 2; row 3 4 3 n1 n1 2; } >"$work/off"
check "MPI and Slurm disagree by themselves" 1 '^  *rank 0 of MPI is rank 1 of Slurm$'
echo "printf 'topomap-mpi-probe 0 4 0 \033[2J\n'" >"$work/off"
contains "a program that is not there" \
    "$("$topomap" doctor --mpi odd --program "$work/none" 2>&1)" "^topomap: .*/none: No such file"
check "a program that talks to the terminal" 1 "says '0 4 0 "
equal "the terminal hears nothing of it" 0 "$(grep -c "$(printf '\033')" "$work/out")"

"$topomap" doctor --mpi pmi2,seed=2 2>"$work/err"
equal "a type with a comma is refused" 2 "$?"
rm "$work/bin/srun"
if ! command -v srun >/dev/null; then
    check "no srun" 1 'cannot run srun: '
fi
equal "rows of ranks: one world, and what disagrees" "0 " \
    "$(python3 -B "$srcdir/system/mpi_rows.py" "$STAGE_LIBEXECDIR/topomap/doctor.py" 2>&1; echo $?) "
equal "plugstack.conf is read as Slurm reads it" "0 " \
    "$(python3 -B "$srcdir/system/plugstack_lines.py" "$STAGE_LIBEXECDIR/topomap/doctor.py" 2>&1; echo $?) "
finish
