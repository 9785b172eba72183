#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# survival.sh - what srun must live through, as root and as a user: the job is
# done as without topomap, in one line at most, and nothing of it stays behind:
# no step, process or file. Storage that hangs is hanging.sh's, what is wrong
# with profiles failures.sh's, another Slurm's plugin options.sh's.
# contrib/check --extended tries each thing by itself and both users; else a user
# meets several at once.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
# An srun that is killed between its allocation and its step leaves a job, with
# or without topomap; Slurm takes that away when no process answers for it.
cluster_start --nodes 4 --conf InactiveLimit=60
real=$topomap
topomap=$work/planner

# The heavy neighbours are far apart: ranks move.
for i in {0..3}; do echo "$i $((i + 4)) 1000"; done >"$work/far.edges"
chmod 644 "$work/far.edges"
job=(srun -N4 -n8)
# shellcheck disable=SC2016
prog=(/bin/sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"')

# planner TEXT: the lines of a shell script that srun asks instead of topomap.
planner()
{
    printf '#!/bin/sh\n%s\n' "$1" >"$topomap.new"
    chmod +x "$topomap.new"
    mv "$topomap.new" "$topomap"
}
planner "exec $real \"\$@\""
plugstack

# All that srun starts carries the mark. What stands before a command in `mine`
# makes it that of the user whose turn it is, in a home of the user's own; all of
# it ends in an exec, so that a signal meets srun itself.
mark=TOPOMAP_TEST_MARK=$work
become()
{
    who=$1
    mine=(env "$mark" HOME="$work/home.$who" TMPDIR="$work/tmp.$who" TOPOMAP_CATALOGUE="$work/catalogue.$who")
    [ "$who" = root ] || mine=(setpriv --reuid "$who" --regid nogroup --clear-groups -- "${mine[@]}")
}

# left: processes with the mark, and files that were not there.
left()
{
    local environ found
    for _ in {1..100}; do
        found=
        for environ in $(grep -lzxF "$mark" /proc/[0-9]*/environ 2>/dev/null); do
            found+="$(tr '\0' ' ' <"${environ%environ}cmdline" 2>/dev/null) "
        done
        [ -n "${found// /}" ] || break
        sleep 0.1
    done
    echo "processes: ${found:-none}"
    find "$work/home.$who" "$work/tmp.$who" "$work/catalogue.$who" "$work"/run/tmp.n* -type f \
        ! -path '*/.cache/*' ! -path '*/.history/*' ! -name CATALOGUE 2>/dev/null
}
nothing="processes: none"

# survives NAME COMMAND...: done as without topomap, moved or not.
survives()
{
    local name="$who: $1"
    shift
    run "${mine[@]}" "$@"
    equal "$name: done" "0 0 1 2 3 4 5 6 7" "$status $(printf '%s\n' "$out" | sort -n | cut -d' ' -f1 | xargs)"
    equal "$name: two ranks a node" "2 2 2 2" "$(printf '%s\n' "$out" | cut -d' ' -f2 | sort | uniq -c | awk '{print $1}' | xargs)"
    if [ "$(said | wc -l)" -le 1 ]; then ok "$name: one line at most"; else not_ok "$name: one line at most" "$err"; fi
    equal "$name: nothing stays" "$nothing" "$(left)"
}
moved() { printf '%s\n' "$out" | sort -n | awk '$1 == 0 {a = $2} $1 == 4 {b = $2} END {print a == b ? "moved" : "not moved"}'; }
auto=("${job[@]}" "--topomap=$work/far.edges,time=30" "${prog[@]}")
quick=("${job[@]}" "--topomap=$work/far.edges,time=0.7" "${prog[@]}")

# restart_controller SECONDS: it goes now and comes back.
restart_controller()
{
    local pid
    read -r pid _ <"$work/pid/slurmctld"
    kill -TERM "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    sleep "$1"
    setsid slurmctld -D -i -f "$work/etc/slurm.conf" </dev/null >"$work/log/slurmctld.again" 2>&1 &
    pid=$!
    disown
    echo "$pid $(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f20)" >"$work/pid/slurmctld"
}

controller()
{
    rm -f "$work/planning"
    planner "touch $work/planning; sleep 1; exec $real \"\$@\""
    (
        for _ in {1..200}; do
            [ ! -e "$work/planning" ] || break
            sleep 0.05
        done
        restart_controller 0.3
    ) &
    local restarter=$!
    chmod 777 "$work"
    survives "slurmctld is restarted while srun plans" "${auto[@]}"
    chmod 755 "$work"
    wait "$restarter"
    equal "$who: slurmctld is restarted while srun plans: moved" moved "$(moved)"
    no_job_left "$who: slurmctld is restarted while srun plans: no job is left"
}

# The planner as a bad neighbour.
bad_planner()
{
    local fork='for i in 1 2 3 4 5 6 7 8 9 10; do (trap "" TERM INT HUP; while :; do sleep 1; done) & done' \
        speak='trap "" PIPE; while :; do echo topomap-plan 1; done' \
        complain='trap "" PIPE; while :; do echo complaint; done >&2' \
        eat='head -c 400M /dev/zero | tail -c 400M >/dev/null'
    if [ "$all" = yes ]; then
        planner "exec $eat"
        survives "a planner that eats memory" "${quick[@]}"
        planner "$fork; wait"
        survives "a planner that forks" "${quick[@]}"
        planner "$speak"
        survives "a planner that writes for ever" "${quick[@]}"
        planner "$complain"
        survives "a planner that complains for ever" "${quick[@]}"
    fi
    planner "$fork; ($eat) & ($complain) & $speak"
    survives "a planner that forks, eats memory, and talks for ever" "${quick[@]}"
    planner "exec $real \"\$@\""
}

# Environments. The plan is found in them.
environment()
{
    local -a many=() stale
    local i long
    long=$(head -c 100000 /dev/zero | tr '\0' x)
    for i in {1..10}; do many+=("TOPOMAP_X$i=$long"); done
    stale=(TOPOMAP_PLAN="$long" TOPOMAP_RANKS=/proc/self/mem TOPOMAP_STEP=18446744073709551616 TOPOMAP_MASTER_ADDR=)
    if [ "$all" = yes ]; then
        survives "an ordinary environment" "${auto[@]}"
        survives "LD_PRELOAD of a library that is not there" LD_PRELOAD=/nowhere/libnone.so "${auto[@]}"
        survives "1 MB of TOPOMAP_*" "${many[@]}" "${auto[@]}"
        survives "TOPOMAP of 100 kB beside the option" "TOPOMAP=$long" "${auto[@]}"
        survives "an outer step's variables" "${stale[@]}" "${auto[@]}"
        [ -z "$locale" ] || survives "a decimal comma" "${comma[@]}" "${auto[@]}"
        survives "no PATH and no HOME" env -u HOME PATH=/nowhere "$(command -v srun)" "${auto[@]:1}"
        # shellcheck disable=SC2016
        survives "no standard input" sh -c 'exec "$@" <&-' sh "${auto[@]}"
    fi
    # shellcheck disable=SC2016
    survives "a hostile environment" LD_PRELOAD=/nowhere/libnone.so "${many[@]}" "TOPOMAP=$long" "${stale[@]}" \
        ${locale:+"${comma[@]}"} env -u HOME PATH=/nowhere /bin/sh -c 'exec "$@" <&-' sh "$(command -v srun)" "${auto[@]:1}"
    equal "$who: a hostile environment: moved" moved "$(moved)"
    # shellcheck disable=SC2016
    survives "no standard error" sh -c 'exec "$@" 2>&-' sh "${auto[@]}"
    equal "$who: no standard error: moved" moved "$(moved)"
}

# limited NAME OPTION...: bash's ulimit, where srun itself can live with it.
limited()
{
    local name=$1
    shift
    # shellcheck disable=SC2016
    local under=(bash -c 'ulimit '"$*"' && exec "$@"' bash)
    run "${mine[@]}" "${under[@]}" "${job[@]}" "${prog[@]}"
    if [ "$status" != 0 ]; then
        skip "$who: $name" "Slurm itself does not start so"
        return
    fi
    survives "$name" "${under[@]}" "${auto[@]}"
}

# Nothing can be written where plans are kept.
full()
{
    mkdir -p "$work/full.$who"
    mount -t tmpfs -o size=64k,mode=777 tmpfs "$work/full.$who" 2>/dev/null || { skip "$who: a full file system" "no tmpfs here" && return; }
    head -c 200000 /dev/zero >"$work/full.$who/zero" 2>/dev/null
    survives "a catalogue on a full file system" TOPOMAP_CATALOGUE="$work/full.$who" TMPDIR="$work/full.$who" "${auto[@]}"
    equal "$who: a full file system: moved" moved "$(moved)"
    equal "$who: a full file system: nothing half is there" "./zero" "$(cd "$work/full.$who" && find . -type f)"
    umount "$work/full.$who"
}

# A signal at every stage: the job is gone, and all that was for it. Four at once:
# none waits for another's end.
signalled()
{
    local signal=$1 delay=$2 srun
    # What the shell says of jobs that are killed is not asked for.
    exec 2>/dev/null
    "${mine[@]}" srun -N2 -n4 -O --topomap="$work/far.edges,time=3" sleep 1 >/dev/null </dev/null &
    srun=$!
    sleep "$delay"
    # Twice within a second is how a person insists.
    kill "-$signal" "$srun"
    [ "$signal" != INT ] || { sleep 0.2 && kill -INT "$srun"; }
    for _ in {1..200}; do
        kill -0 "$srun" || return 0
        sleep 0.1
    done
    kill -KILL "$srun" && echo "$signal after $delay s"
}

signals()
{
    local signal delay stuck pids
    planner "sleep 0.3; exec $real \"\$@\""
    for signal in INT TERM KILL; do
        pids=()
        for delay in 0.05 0.25 0.5 0.9; do
            signalled "$signal" "$delay" >"$work/stuck.$delay" &
            pids+=($!)
        done
        wait "${pids[@]}"
        stuck=$(cat "$work"/stuck.*)
        equal "$who: $signal at four moments: srun ends" "" "$stuck"
        no_job_left "$who: $signal at four moments: no job is left"
        # Of a killed srun's files the manual says when they go.
        [ "$signal" != KILL ] || rm -f "$work/home.$who"/.cache/topomap/ranks-*
        equal "$who: $signal at four moments: nothing stays" "$nothing" "$(left)"
    done
    planner "exec $real \"\$@\""
}

# Many at once: no two share anything but the catalogue. The plan's time is the
# whole machine's, which all of them search on at once.
together()
{
    local i lines=0 n=20 astray=""
    [ "$all" != yes ] || n=100
    seq "$n" | "${mine[@]}" timeout --foreground 500 salloc -Q --immediate=120 -N4 -n8 xargs -P 25 -I{} sh -c \
        "exec srun --overlap -N4 -n8 --topomap=$work/far.edges,time=300 /bin/sh -c 'echo \"\$SLURM_PROCID \$SLURMD_NODENAME\"' >$work/tmp.$who/{}.out 2>$work/tmp.$who/{}.err" >"$work/out" 2>&1
    for ((i = 1; i <= n; i++)); do
        out=$(cat "$work/tmp.$who/$i.out") err=$(cat "$work/tmp.$who/$i.err")
        [ "$(printf '%s\n' "$out" | sort -n | cut -d' ' -f1 | xargs) $(moved)" = "0 1 2 3 4 5 6 7 moved" ] ||
            astray+="srun $i: $(moved): $out: $err; "
        [ "$(said | wc -l)" = 1 ] || lines=$((lines + 1))
    done
    rm -f "$work/tmp.$who"/*.out "$work/tmp.$who"/*.err
    equal "$who: $n sruns at once: all are done, and their ranks moved" "" "$astray"
    equal "$who: $n sruns at once: one line of each" 0 "$lines"
    equal "$who: $n sruns at once: nothing stays" "$nothing" "$(left)"
    # What has no name yet may be left for a while, where the disk is slow.
    equal "$who: $n sruns at once: the kept plans are whole" "" "$(find "$work/catalogue.$who/.cache" -type f -name 'plan-*' ! -name '*.new-*' \
        -exec sh -c 'tail -n 1 "$1" | grep -q "^end " || echo "$1"' sh {} \;)"
}

locale=
comma=(LOCPATH="$work/locale" LC_ALL=de_DE.UTF-8)
mkdir "$work/locale"
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$work/locale/de_DE.UTF-8" >/dev/null 2>&1; then locale=yes; fi

all=${TOPOMAP_CHECK_EXTENDED-}
users=(nobody)
[ "$all" != yes ] && others_can || users=(root nobody)
for who in "${users[@]}"; do
    [ "$who" = root ] || others_can || { skip "all of it as a user" "$why_not" && break; }
    become "$who"
    mkdir -m 777 "$work/home.$who" "$work/tmp.$who"
    mkdir "$work/catalogue.$who"
    [ "$who" = root ] || chown nobody "$work"/{home,tmp,catalogue}.nobody
    environment
    limited "little address space, no core, a small stack" -v 300000 -c 0 -s 512
    if [ "$all" = yes ]; then
        limited "eight descriptors" -n 8
        limited "sixteen descriptors" -n 16
        limited "no file may grow" -f 0
    fi
    full
    bad_planner
    controller
    signals
    together
done
finish
