#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tune.sh - topomap tune on a private Slurm: a program of two patterns is run
# with each of its graphs, and --topomap=auto does what was found.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

cluster_start --nodes 4
compile two mpich twopattern.c || skip_all "no mpicc.mpich"
compile halo mpich halo.c || skip_all "no mpicc.mpich"
app=$work/two
job=(srun -N4 -n8 --mpi=pmi2)
left() { find "$catalogue" -name '.tune-*' | wc -l; }

# What cannot be tuned.
run salloc -Q -N4 -n8 "$topomap" tune --repeat 1 -- srun --mpi=pmi2 /bin/true
equal "a program without MPI: status 1" 1 "$status"
contains "a program without MPI: said why" "$err" 'the run was not recorded: .*called no MPI_Init'
run salloc -Q -N4 -n8 "$topomap" tune --repeat 1 -- srun --mpi=pmi2 "$app" --what
equal "a program that fails: status 1" 1 "$status"
contains "a program that fails: its own words" "$err" '^    usage: twopattern'
contains "a program that fails: its status" "$err" 'the run with graph unmapped ended with status 2'
equal "nothing of it is left" "0" "$(left)"

# All of it, from nothing.
run salloc -Q -N4 -n8 "$topomap" tune --repeat 1 --log "$work/runs" -- srun --mpi=pmi2 "$app"
equal "tune ends with 0" 0 "$status"
equal "without a terminal no progress is shown" "" "$(printf '%s\n' "$err" | grep -a -e 'run [0-9]' -e left)"
equal "the table has a row for each graph" "unmapped p2p alltoall sum weighted-sum" \
    "$(printf '%s\n' "$out" | sed -n '/^GRAPH/,/^$/p' | sed '1d;$d' | awk '{printf "%s%s", s, $1; s = " "}')"
contains "p2p maps the halo without a hop" "$out" '^p2p  *[0-9.]* -> 0  *1 '
equal "--log has all runs" 5 "$(grep -c checksum "$work/runs")"
equal "every run has the same result" 1 "$(grep checksum "$work/runs" | sort -u | wc -l)"
equal "nothing but the profile is left" "0" "$(left)"
contains "the table by task: p2p crosses no link, and some task is the longest" "$out" \
    '^p2p  *0  *0  *[0-9.e-]*  *[0-9.e-]*  *[0-9.e-]*  *[0-9.e-]*$'
folder=$(dirname "$(find "$catalogue" -name evaluation.json)")
contains "the evaluation is beside the profile" "$(ls "$folder")" '^profile.json$'
contains "the evaluation is complete" "$(cat "$folder/evaluation.json")" '"complete": true'
contains "the evaluation knows the nodes" "$(cat "$folder/evaluation.json")" '"nodes": "n\[0-3\]"'
equal "one profile is in the catalogue" 1 "$("$topomap" profile list | grep -c '^two ')"
run "$topomap" profile graphs "$app"
contains "profile graphs: p2p is critical" "$out" '^p2p .* yes$'
contains "profile graphs: reduce is not" "$out" '^reduce .* no: over more than half'

run "${job[@]}" --topomap=auto "$app"
contains "one run of each decides nothing" "$status $(said)" "^0 .*placed: .*by the profile of .* hops per byte"
run "$topomap" profile show "$app"
contains "profile show: the table, and that it decides nothing" "$out" 'fewer than 3 runs decide nothing'
contains "profile show: MPI's share comes first" "$(printf '%s\n' "$out" | head -1)" "^in MPI .*% of this run's time"

# auto obeys. The file says what is best, so that the test need not measure; and
# that each was run three times as it was once.
cp "$folder/evaluation.json" "$work/one"
awk '/\]/ { inside = 0 }
    inside { sub(/,$/, ""); print $0 ","; print $0 "," }
    { print }
    /"run_.*\[$/ { inside = 1 }' "$work/one" >"$folder/evaluation.json"
said_of() # EDIT [MODE]: of auto with evaluation.json so edited
{
    cp "$folder/evaluation.json" "$work/evaluation.json"
    sed -i "$1" "$folder/evaluation.json"
    run "${job[@]}" --topomap="${2:-auto}" "$app"
    cp "$work/evaluation.json" "$folder/evaluation.json"
}
not_best='s/"unmapped_is_best": [a-z]*/"unmapped_is_best": false/'
sure='s/"noise_seconds": [^,]*/"noise_seconds": 0/'
said_of "s/\"best\": \"[^\"]*\"/\"best\": \"alltoall\"/; $not_best; $sure"
contains "auto uses the best graph" "$status $(said)" '^0 .*graph alltoall, the fastest measured, of .*hops per byte'
said_of 's/"unmapped_is_best": [a-z]*/"unmapped_is_best": true/' auto,strict
contains "auto leaves it alone when unmapped was faster, strict or not" "$status $(said)" \
    '^0 .*no graph makes it faster'
contains "and it runs" "$out" checksum
said_of "s/\"best\": \"[^\"]*\"/\"best\": \"sum\"/; $not_best" auto,record
contains "record: maps" "$(said)" 'by graph sum[ ,(]'
contains "record: records, too" "$(said)" 'recording: .*two by'
equal "record: another version" 2 "$("$topomap" profile list --all | grep -c '^two ')"
run "$topomap" profile show "$folder"
contains "profile show: the evaluation's table" "$out" '^p2p  *[0-9.]* -> 0  *3 '
run "$topomap" tune --forget "$folder"
equal "tune --forget" "0 what was measured of $folder is forgotten: --topomap=auto uses weighted-sum again" "$status $out"
run "$topomap" profile prune --keep 1 --dry-run
equal "prune --dry-run names the older version" "0:$folder" "$status:$out"
run "$topomap" profile prune --keep 1
equal "prune removes it" "0:$folder:1" "$status:$out:$("$topomap" profile list --all | grep -c '^two ')"

# Ctrl-C keeps what was measured, and tune goes on later. The halo program has
# one critical type, hence one graph.
tuned=("$topomap" tune --repeat 2 -- srun --mpi=pmi2 "$work/halo" --iterations 8)
cat >"$work/interrupted" <<SCRIPT
#!/bin/sh
echo \$\$ >$work/tune-pid
exec ${tuned[*]}
SCRIPT
chmod +x "$work/interrupted"
salloc -Q -N4 -n8 "$work/interrupted" >"$work/out" 2>"$work/err" </dev/null &
salloc=$!
for _ in $(seq 300); do
    found=$(find "$catalogue/halo" -name evaluation.json 2>/dev/null)
    [ -z "$found" ] || break
    sleep 0.1
done
kill -INT "$(cat "$work/tune-pid")"
wait "$salloc"
status=$? err=$(cat "$work/err")
equal "interrupted: status 130" 130 "$status"
contains "interrupted: said so" "$err" 'what was measured is kept'
contains "interrupted: the table says how to go on" "$(cat "$work/out")" 'the same command goes on'
equal "interrupted: nothing is left" "0" "$(left)"
contains "interrupted: what was measured is stored" "$(cat "${found:-/dev/null}")" '"complete": false'
first=$(sed -n '/"run_seconds"/,/]/p' "${found:-/dev/null}" | sed -n 2p | tr -d ', ')
run salloc -Q -N4 -n8 "${tuned[@]}"
equal "it goes on" 0 "$status"
contains "it goes on: said so" "$err" 'goes on with an evaluation'
contains "it goes on: complete" "$(cat "${found:-/dev/null}")" '"complete": true'
contains "it goes on: the first run still counts" "$(cat "${found:-/dev/null}")" "^ *${first:-none at all}"
# Another user finds this profile as one of the site's: a copy is evaluated.
if others_can; then
    mkdir "$work/theirs" && chown nobody "$work/theirs"
    before=$(cat "${found:-/dev/null}")
    run runuser -u nobody -- env "TOPOMAP_CATALOGUE=$work/theirs" salloc -Q -N4 -n8 -D "$work/theirs" \
        "$topomap" tune --repeat 1 --catalogue "$catalogue" -- srun --mpi=pmi2 "$work/halo"
    equal "another user: done" 0 "$status"
    contains "another user: said so" "$err" "is not yours to write: a copy in $work/theirs is evaluated"
    contains "another user: evaluated in their own catalogue" \
        "$(cat "$work"/theirs/halo/*/8/current/evaluation.json)" '"complete": true'
    equal "another user: the site's is as it was" "$before" "$(cat "${found:-/dev/null}")"
    run runuser -u nobody -- env "TOPOMAP_CATALOGUE=$work/theirs" \
        srun -D "$work/theirs" -N4 -n8 --mpi=pmi2 --topomap=auto,graph=best "$work/halo"
    contains "another user: auto uses what was measured" "$status $(said)" '^0 .*by graph p2p .*measured'
else
    skip "another user" "$why_not"
fi

# A program with named phases, that want different layouts.
cat >"$work/regions.c" <<'END'
#include <commprof.h>
static void exchange(const char *name, int partner)
{
    static char out[65536], in[65536];
    commprof_region_begin(name);
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv(out, sizeof(out), MPI_BYTE, partner, 0, in, sizeof(in), MPI_BYTE, partner, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    commprof_region_end(name);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange("near", rank ^ 1);
    exchange("far", rank ^ 4);
    MPI_Finalize();
    return 0;
}
END
mpicc.mpich -I"$STAGE_INCLUDEDIR" -o "$work/regions" "$work/regions.c" || exit 1
run salloc -Q -N4 -n8 "$topomap" tune --repeat 1 --share 1 -- srun --mpi=pmi2 "$work/regions"
equal "phases: a row for each" "0 all@far all@near p2p unmapped" \
    "$status $(printf '%s\n' "$out" | sed -n '/^GRAPH/,/^$/p' | sed '1d;$d' | awk '{ print $1 }' | LC_ALL=C sort | xargs)"
contains "phases: that graph is used, and crosses no link" "$out" '^all@far  *[0-9.]* -> 0  *1 '
printf '%s\n' "$out" >"$work/table"
equal "phases: the seconds of each, and with which graph it is fastest" "near far" \
    "$(sed -n '/^MPI SECONDS BY PHASE/,/^$/p' "$work/table" | awk '$5 ~ /^(p2p|all@near|all@far)$/ { print $1 }' | xargs)"
run "$topomap" profile show "$work/regions"
equal "phases: read back, they are the same" "$(sed -n '/^MPI SECONDS BY PHASE/,/^$/p' "$work/table")" \
    "$(printf '%s\n' "$out" | sed -n '/^MPI SECONDS BY PHASE/,/^$/p')"
run "${job[@]}" --topomap=auto,graph=p2p@far "$work/regions"
contains "srun: the graph of a region" "$status $(said)" '^0 .*graph p2p@far of the profile'
run "${job[@]}" --topomap=auto,graph=p2p@fer "$work/regions"
contains "srun: a region that there is not" "$status $(said)" "^0 .*has no phase 'fer'; it has near, far"
run "${job[@]}" --topomap=auto,graph=p2p@2 "$app"
contains "srun: a program that has named none" "$status $(said)" "^0 .*has no phase '2'; the program has named none"

# On a terminal: the time that is left, and Ctrl-C as it is typed.
if command -v script >/dev/null; then
    mkfifo "$work/keys"
    script -qefc "salloc -Q -N4 -n8 ${tuned[*]}" "$work/typescript" <"$work/keys" >/dev/null 2>&1 &
    pid=$!
    exec 9>"$work/keys"
    for _ in $(seq 300); do
        ! grep -aq 'run 2 of 4, p2p; about' "$work/typescript" 2>/dev/null || break
        sleep 0.1
    done
    printf '\003' >&9
    wait $pid
    equal "on a terminal: Ctrl-C ends it with 130" 130 $?
    exec 9>&-
    contains "on a terminal: the run and the time that is left" "$(tr '\r' '\n' <"$work/typescript")" \
        'topomap: run 2 of 4, p2p; about [0-9]* s left'
    contains "on a terminal: what was measured is kept" "$(cat "$work/typescript")" 'what was measured is kept'
else
    skip "on a terminal" "no script(1)"
fi
no_job_left "no job is left"
finish
