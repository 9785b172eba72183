#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# signals.sh - Ctrl-C, TERM and HUP to srun while it plans really end the job:
# the program is not launched, no planner is left, the nodes become idle.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

# The real planner, asked for a graph that never comes.
real=$topomap
topomap=$work/planner
cat >"$topomap" <<PLANNER
#!/bin/sh
echo \$\$ >$work/planner.pid
exec $real "\$@"
PLANNER
chmod +x "$topomap"
mkfifo "$work/never.graph"
cluster_start --nodes 2

# gone PID: within five seconds.
gone()
{
    for _ in {1..50}; do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}

ended_by()
{
    local signal=$1 srun planner=
    rm -f "$work/planner.pid" "$work/started"
    # Ctrl-C twice within a second is how a person insists.
    setsid srun -N2 -n4 --topomap="$work/never.graph,time=30" touch "$work/started" >"$work/out" 2>"$work/err" </dev/null &
    srun=$!
    for _ in {1..100}; do
        [ -s "$work/planner.pid" ] && break
        sleep 0.1
    done
    if ! [ -s "$work/planner.pid" ]; then
        not_ok "$signal: srun plans" "$(cat "$work/err")"
        kill -KILL "$srun"
        return
    fi
    planner=$(cat "$work/planner.pid")
    sleep 0.3
    # srun may be a child of setsid's: signal its whole group.
    kill "-$signal" -- "-$srun" 2>/dev/null || kill "-$signal" "$srun"
    if [ "$signal" = INT ]; then
        sleep 0.4
        kill -INT -- "-$srun" 2>/dev/null || :
    fi
    for _ in {1..200}; do
        kill -0 "$srun" 2>/dev/null || break
        sleep 0.1
    done
    if kill -0 "$srun" 2>/dev/null; then
        not_ok "$signal: srun ends" "$(cat "$work/err")"
        kill -KILL "$srun"
    else
        wait "$srun"
        status=$?
        if [ "$status" != 0 ]; then ok "$signal: srun ends, and not with 0"; else not_ok "$signal: srun ends, and not with 0" "$(cat "$work/err")"; fi
    fi
    if gone "$planner"; then ok "$signal: the planner is gone"; else not_ok "$signal: the planner is gone"; kill -KILL "$planner"; fi
    no_job_left "$signal: no job is left"
    if [ -e "$work/started" ]; then not_ok "$signal: the program was not launched"; else ok "$signal: the program was not launched"; fi
    equal "$signal: the nodes are idle" "idle" "$(sinfo -h -N -o %T | sort -u)"
}
ended_by INT
ended_by TERM
ended_by HUP
run srun -N2 -n4 hostname
equal "the next job runs" 0 "$status"

# A killed srun leaves neither planner nor job.
rm -f "$work/planner.pid"
setsid srun -N2 -n4 --topomap="$work/never.graph,time=30" sleep 30 >"$work/out" 2>"$work/err" </dev/null &
srun=$!
for _ in {1..100}; do
    [ -s "$work/planner.pid" ] && break
    sleep 0.1
done
planner=$(cat "$work/planner.pid" 2>/dev/null)
kill -KILL "$srun"
wait "$srun" 2>/dev/null
if [ -n "$planner" ] && gone "$planner"; then ok "KILL: the planner is gone"; else not_ok "KILL: the planner is gone" "$planner"; fi
no_job_left "KILL: no job is left"
finish
