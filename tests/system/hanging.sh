#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hanging.sh - what a user or a variable names lies on storage that takes every
# request and never answers, or is no file that ends: a job starts as without
# topomap, soon after its budget, and `strict` refuses it as soon.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

[ -c /dev/fuse ] || skip_all "no /dev/fuse"
hangfs=$work/hangfs
# The compiler may be two words, as ccache gcc.
# shellcheck disable=SC2086
${CC:-cc} -O1 -o "$hangfs" "$srcdir/fake/hangfs.c" >"$work/compile.log" 2>&1 ||
    skip_all "hangfs.c does not compile here: $(head -n 1 "$work/compile.log")"
mkdir "$work/H"
H=$work/H
# How long storage hangs at most: what waits for it is released then.
lifetime=25

# hang [OPERATION FOLDER]: all of it, or at that operation, as hangfs.c has it.
hang()
{
    "$hangfs" "$H" "$lifetime" "$@" >"$work/mounted" 2>"$work/refused" &
    server=$!
    for _ in {1..100}; do
        grep -q mounted "$work/mounted" && return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    wait "$server"
    return 1
}

answer()
{
    kill -TERM "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    umount -l "$H" 2>/dev/null || :
}

hanging_end()
{
    [ -z "${server-}" ] || answer
    cluster_end
}
trap 'hanging_end' EXIT
trap 'hanging_end; exit 130' INT TERM HUP
hang || skip_all "no FUSE here: $(cat "$work/refused")"
answer

cluster_start --nodes 2
job=(srun -N2 -n4)
program=(/bin/echo hi)
# run is not for this: a process that waits for such storage takes no signal.
timed()
{
    local begun
    begun=$(date +%s%N)
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    milliseconds=$((($(date +%s%N) - begun) / 1000000))
    out=$(cat "$work/out")
    err=$(cat "$work/err")
}
timed "${job[@]}" "${program[@]}"
timed "${job[@]}" "${program[@]}"
plain="$status $out"
# A second's budget, and twice what the machine needs now for a plain one.
limit=$((1000 + 2 * milliseconds + 4000))

# timed_again COMMAND...: what waits for storage does so each time, a busy machine
# does not: the first of three that ends within the limit counts.
timed_again()
{
    for _ in 1 2 3; do
        timed "$@"
        [ "$milliseconds" -gt "$limit" ] || return
    done
}

# judged NAME: whether it is to be judged; attack/open has what waits for a fix.
judged()
{
    grep -q "^hanging-$1 " "$srcdir/attack/open" 2>/dev/null && [ -z "${ATTACK_ALL-}" ] || return 0
    skip "$1" "attack/open: $(sed -n "s/^hanging-$1 //p" "$srcdir/attack/open")"
    return 1
}

in_time()
{
    if [ "$milliseconds" -le "$limit" ]; then
        ok "$1: within the budget"
    else
        not_ok "$1: within the budget" "$milliseconds ms, more than $limit"
    fi
}

# starts NAME COMMAND...: as without topomap, with one line on why not.
at=() lines=1
starts()
{
    local name=$1
    shift
    judged "$name" || return
    hang "${at[@]}"
    timed_again "$@"
    answer
    equal "$name: runs as without topomap" "$plain" "$status $out"
    equal "$name: so many lines" "$lines" "$(said | wc -l)"
    in_time "$name"
}

# refused NAME COMMAND...: nothing runs, and a line says what hangs.
refused()
{
    local name=$1
    shift
    judged "$name" || return
    hang
    timed_again "$@"
    answer
    equal "$name: nothing is started" "1 " "$status $out"
    equal "$name: it is said" yes "$([ -n "$(said)" ] && echo yes)"
    in_time "$name"
}

# shellcheck disable=SC2054
auto=("${job[@]}" --topomap=auto,time=1)
TOPOMAP_CATALOGUE=$H/own starts catalogue "${auto[@]}" "${program[@]}"
plugstack catalogue="$H/site"
starts site-catalogue "${auto[@]}" "${program[@]}"
plugstack config="$H/topomap.json"
starts site-file "${auto[@]}" "${program[@]}"
plugstack
starts home env -u TOPOMAP_CATALOGUE -u XDG_DATA_HOME HOME="$H" "${auto[@]}" "${program[@]}"
starts graph "${job[@]}" --topomap="$H/x.graph,time=1" "${program[@]}"
starts exe "${job[@]}" --topomap="auto,exe=$H/x,time=1" "${program[@]}"
starts recorder "${job[@]}" --topomap="profile,recorder=$H/x.so,time=1" "${program[@]}"
starts recorder-catalogue env TOPOMAP_CATALOGUE="$H/own" \
    "${job[@]}" --topomap=profile,recorder="$work/no.so",time=1 "${program[@]}"
TOPOMAP_CATALOGUE=$H/own refused strict-catalogue "${job[@]}" --topomap=auto,name=app,strict,time=1 "${program[@]}"
refused strict-graph "${job[@]}" --topomap="$H/x.graph,strict,time=1" "${program[@]}"

# A folder of the catalogue alone, which is looked at where there is a graph.
printf '4 2 001\n3 9\n4 9\n1 9\n2 9\n' >"$work/far.graph"
H=$work/some/.cache
mkdir -p "$H"
chmod go-w "$work/some" "$H"
TOPOMAP_CATALOGUE=$work/some starts kept-network "${job[@]}" --topomap="$work/far.graph,time=1" "${program[@]}"
contains "kept-network: which says so, whoever sees it first" "$(said)" \
    'reading took longer than\|did not answer in time'
H=$work/H

# The command itself, and what it reads, at each operation in turn. Who has asked
# for nothing hears nothing.
mkdir "$work/S" "$work/S/log"
cp "$topomap" "$work/S/topomap"
cp "$work/far.graph" "$work/S/far.graph"
echo '{ "format": 1, "default": "learn" }' >"$work/S/topomap.json"
for operation in stat open exec read; do
    at=("$operation" "$work/S")
    plugstack program="$H/topomap" time=1 default=auto
    if [ "$operation" != open ]; then
        starts "$operation-program" "${auto[@]}" "${program[@]}"
        lines=0
        starts "$operation-program-default" "${job[@]}" "${program[@]}"
        lines=1
    fi
    [ "$operation" != exec ] || continue
    plugstack config="$H/topomap.json" time=1
    starts "$operation-site-file" "${auto[@]}" "${program[@]}"
    lines=0
    starts "$operation-site-file-default" "${job[@]}" "${program[@]}"
    lines=1
done
plugstack
at=(read "$work/S")
starts read-plan "${job[@]}" --topomap="plan:$H/far.graph,time=1" "${program[@]}"
at=(stat "$work/S")
plugstack log="$H/log"
lines=0 # the plan is there
starts log "${auto[@]}" "${program[@]}"
plugstack
at=() lines=1

# Without a stderr nothing is said, and that takes no time.
if judged closed-stderr; then
    # -Q: srun's own word on a job that waits goes where its descriptor 2 is.
    mute() { timed_again sh -c 'exec "$@" 2>&-' sh "$@"; }
    mute "${job[@]}" -Q --topomap=off "${program[@]}"
    limit_before=$limit limit=$((milliseconds + 3500))
    mute "${auto[@]}" -Q "${program[@]}"
    equal "closed-stderr: runs as without topomap" "$plain" "$status $out"
    in_time closed-stderr
    limit=$limit_before
fi

# A recorder that is no library: nothing is recorded, and nothing preloaded.
mkfifo "$work/fifo"
mkdir "$work/folder"
echo "no library" >"$work/text.so"
head -c 300 "$(command -v srun)" >"$work/cut.so"
for recorder in "$work/fifo" "$work/text.so" "$work/cut.so" "$work/folder" /dev/zero /bin/true; do
    name=recorder-${recorder##*/}
    judged "${name%.so}" || continue
    timed timeout -k 1 30 "${job[@]}" --topomap="profile,recorder=$recorder,time=1" "${program[@]}"
    equal "$name: runs as without topomap" "$plain" "$status $out"
    # What srun says of a job that waits is none of ours.
    equal "$name: one line, and none of ld.so" "1 0" "$(said | wc -l) $(grep -c 'cannot be preloaded' <<<"$err")"
    in_time "$name"
done
no_job_left "no job is left"

# topomap doctor waits for none of it for ever, and names it.
if judged doctor; then
    lifetime=100
    hang
    lifetime=25
    TOPOMAP_CATALOGUE=$H/own timed timeout -k 1 60 "$topomap" doctor
    answer
    equal "doctor: ends with 1" 1 "$status"
    contains "doctor: it is named" "$out" "^catalogue  *!!  $H/own: it does not answer"
    contains "doctor: a plan of the cluster needs no catalogue" "$out" "^time  *ok  [0-9]* ranks on all 2 nodes"
fi

# A recording ends the program after COMMPROF_WAIT, wherever it is to be filed.
library=$STAGE_LIBDIR/libcommprof-mpich.so
if [ -e "$library" ] && compile app mpich halo.c; then
    if judged recording; then
        hang
        timed env COMMPROF_WAIT=3 COMMPROF_CATALOGUE="$H/own" LD_PRELOAD="$library" mpiexec.mpich -n 2 "$work/app"
        answer
        equal "recording: the program ends as it would" 0 "$status"
        limit=$((limit + 3000))
        in_time recording
    fi
    # What is left without MPI_Finalize is written by another process.
    if judged rows && compile ends mpich recorder_ends.c; then
        hang
        timed env COMMPROF_WAIT=2 COMMPROF_DUMP="$H/rows" COMMPROF_KEEPER="$STAGE_LIBEXECDIR/topomap/commprof-keep" LD_PRELOAD="$library" "$work/ends" no-finalize
        answer
        equal "rows: the program ends as it would" 0 "$status"
        limit=$((limit + 4000))
        in_time rows
    fi
else
    skip "a recording" "no recorder for MPICH was built"
fi
finish
