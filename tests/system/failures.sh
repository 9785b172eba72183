#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# failures.sh - after any failure before the tasks start, the job runs exactly
# as without topomap, exit code included, and one clear line says why.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

cat >"$work/refuse.c" <<'CODE'
/* refuse.c - preloaded into slurmd: no mask can be applied while a file says so */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
int sched_setaffinity(pid_t pid, size_t n, const cpu_set_t *set)
{
    int (*next)(pid_t, size_t, const cpu_set_t *) =
        (int (*)(pid_t, size_t, const cpu_set_t *))dlsym(RTLD_NEXT, "sched_setaffinity");
    /* Slurm names the pid, the plugin says 0: its own. */
    if (pid == 0 && access(REFUSE, F_OK) == 0) {
        errno = EINVAL;
        return -1;
    }
    return next(pid, n, set);
}
CODE
${CC:-cc} -shared -fPIC -DREFUSE="\"$work/refuse\"" -o "$work/refuse.so" "$work/refuse.c" || exit 99
LD_PRELOAD=$work/refuse.so cluster_start --nodes 4
compile app mpich halo.c || skip_all "no mpicc.mpich"
app=$work/app
job=(srun -N4 -n8 --mpi=pmi2)

# as_without NAME PATTERN COMMAND...: runs with auto, compares with plain.
run "${job[@]}" "$app" --where
plain="$status $out"
as_without()
{
    local name=$1 pattern=$2
    shift 2
    run "$@"
    equal "$name: runs as without topomap" "$plain" "$status $out"
    equal "$name: one line" 1 "$(said | wc -l)"
    contains "$name: the line says why" "$(said)" "$pattern"
}
auto=("${job[@]}" --topomap=auto "$app" --where)

as_without "no profile" 'no profile' "${auto[@]}"
run srun -N4 -n4 --mpi=pmi2 --topomap=profile "$app"
as_without "profile of another size" 'no profile.*8 tasks.*4' "${auto[@]}"
rm -rf "${catalogue:?}"/*

run "${job[@]}" --topomap=profile "$app"
equal "a profile is recorded" 0 "$status"
run "${auto[@]}"
contains "and is used" "$(said)" 'hops per byte'
folder=$(echo "$catalogue"/app/*/8/current)
folder=$(readlink -f "$folder")
cp -a "$folder" "$work/saved"
restore() { rm -rf "$folder" && cp -a "$work/saved" "$folder"; }

for graph in "$folder"/*.graph; do head -c 20 "$work/saved/$(basename "$graph")" >"$graph"; done
as_without "truncated graph" '\.graph:' "${auto[@]}"
restore
head -c 100 "$work/saved/profile.json" >"$folder/profile.json"
as_without "truncated profile.json" 'profile\.json' "${auto[@]}"
restore
head -c 300 /dev/urandom >"$folder/profile.json"
as_without "garbage profile.json" 'profile\.json' "${auto[@]}"
restore
sed -i 's/"format": *1/"format": 999/' "$folder/profile.json"
as_without "profile of a later format" 'format 999\|later format' "${auto[@]}"
restore
sed -i 's/"ntasks": *8/"ntasks": 1000000000/' "$folder/profile.json"
as_without "profile of 10^9 tasks" 'profile\.json\|tasks' "${auto[@]}"
restore
chown -R nobody "$folder" && chmod -R o+w "$folder"
as_without "profile of somebody else, writable by all" 'is refused: everybody may write' "${auto[@]}"
rm -rf "$folder" && cp -a "$work/saved" "$folder"

TOPOMAP_CATALOGUE=$work/nowhere as_without "missing catalogue" 'no profile' "${auto[@]}"
TOPOMAP_CATALOGUE=$work/app as_without "catalogue that is a file" 'not a folder' "${auto[@]}"
if others_can; then
    chmod 700 "$catalogue"
    as_without "unreadable catalogue" 'ermission denied' \
        runuser -u nobody -- env TOPOMAP_CATALOGUE="$catalogue" "${auto[@]}"
    chmod 755 "$catalogue"
else
    skip "unreadable catalogue" "$why_not"
fi

cat >"$work/site.json" <<'SITE'
{ "format": 1, "topology": { "type": "torus", "dims": [2, 1], "hosts": "n[0-1]" } }
SITE
plugstack config="$work/site.json"
as_without "a topology that lacks nodes" 'n2' "${auto[@]}"
echo '{ "format": 1, "topolgy": {} }' >"$work/site.json"
as_without "a site file with a mistake" 'topolgy' "${auto[@]}"
rm "$work/site.json"
as_without "a site file that is missing" 'site\.json' "${auto[@]}"
plugstack

# The planner itself.
planner()
{
    topomap=$work/planner
    printf '#!/bin/sh\n%s\n' "$1" >"$topomap.new"
    chmod +x "$topomap.new"
    mv "$topomap.new" "$topomap"
    plugstack
}
real=$topomap
topomap=$work/no-such-planner plugstack
as_without "planner missing" 'no-such-planner' "${auto[@]}"
# shellcheck disable=SC2016
planner 'kill -SEGV $$'
as_without "planner crashing" 'signal 11\|egmentation' "${auto[@]}"
planner 'exit 3'
as_without "planner failing" 'status 3\|exit' "${auto[@]}"
planner 'head -c 5000 /dev/urandom'
as_without "planner printing garbage" 'topomap: ' "${auto[@]}"
planner 'yes topomap-plan 1'
as_without "planner that never stops printing" 'topomap: ' "${job[@]}" --topomap=auto,time=1 "$app" --where
planner 'exec sleep 60'
as_without "planner hanging past the deadline" 'did not answer in time' \
    "${job[@]}" --topomap=auto,time=2 "$app" --where
cat >"$work/unkillable.c" <<'CODE'
/* unkillable.c - a child that is not gone after SIGKILL: somebody traces it,
 * whose number is written to the file */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    if (fork() == 0) {
        setsid();
        if (!file || ptrace(PTRACE_SEIZE, getppid(), 0, 0) < 0)
            _exit(1);
        fprintf(file, "%d\n", (int)getpid());
        fclose(file);
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        _exit(sleep(300) != 0);
    }
    for (;;)
        pause();
}
CODE
if ${CC:-cc} -o "$work/unkillable" "$work/unkillable.c"; then
    planner "exec '$work/unkillable' '$work/tracer'"
    as_without "planner that cannot be killed" 'did not answer in time' \
        "${job[@]}" --topomap=auto,time=2 "$app" --where
    # The tracer holds it for minutes.
    tracer=$(cat "$work/tracer")
    equal "planner that cannot be killed: srun does not wait for it" yes "$(kill "${tracer:-none}" && echo yes)"
fi
planner "exec '$real' \"\$@\" | sed -u 's/^ntasks 8/ntasks 7/'"
as_without "plan for another number of tasks" 'checksum' "${auto[@]}"
planner "exec '$real' \"\$@\" | sed -u 's/^hosts .*/hosts 0*8/'"
as_without "plan altered on its way" 'checksum' "${auto[@]}"
# Who is to note the end and to remove files does neither, and says nothing.
planner "case \$1 in history) cat >/dev/null; exit 0 ;; esac; exec '$real' \"\$@\""
mkdir "$work/cache"
chmod 755 "$work/cache"
XDG_CACHE_HOME=$work/cache run "${auto[@]}"
equal "an end that nobody notes: it runs, and leaves no file" "0 " "$status $(find "$work/cache" -type f)"
contains "an end that nobody notes: the ranks were placed" "$(said)" 'hops per byte'
topomap=$real
plugstack

# A slurmctld that falls silent when the step is made.
cat >"$work/silence.c" <<'CODE'
/* silence.c - a SPANK plugin before ours, which stops a process */
#include <slurm/spank.h>
#include <signal.h>
#include <stdlib.h>
SPANK_PLUGIN(silence, 1)
int slurm_spank_local_user_init(spank_t spank, int argc, char **argv)
{
    (void)spank;
    return argc > 0 && getenv("SILENCE") ? kill(atoi(argv[0]), SIGSTOP) : 0;
}
CODE
if ${CC:-cc} -shared -fPIC -o "$work/silence.so" "$work/silence.c"; then
    read -r controller _ <"$work/pid/slurmctld"
    sed -i "1i required $work/silence.so $controller" "$work/etc/plugstack.conf"
    # It stays so until all tasks have run, or for longer than any launch takes.
    mkdir "$work/ran"
    (
        for _ in {1..600}; do
            [ "$(find "$work/ran" -type f | wc -l)" -lt 8 ] || break
            sleep 0.1
        done
        kill -CONT "$controller"
    ) &
    waker=$!
    # shellcheck disable=SC2016
    SILENCE=1 run "${job[@]}" --topomap=auto,time=1 sh -c \
        "sed 's/.*) //; s/ .*//' /proc/$controller/stat && touch $work/ran/\$SLURM_PROCID"
    equal "a silent slurmctld: the launch does not wait for it" "T T T T T T T T" "$(printf '%s\n' "$out" | xargs)"
    equal "a silent slurmctld: the job runs" 0 "$status"
    kill -CONT "$controller"
    kill "$waker" 2>/dev/null
    plugstack
fi

# The step layout: what Slurm's API says of the step is not what stands there.
cat >"$work/lie.c" <<'CODE'
/* lie.c - preloaded into srun: the step has one node more than its layout */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdarg.h>
spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
    spank_err_t (*next)(spank_t, spank_item_t, void *, void *) =
        (spank_err_t (*)(spank_t, spank_item_t, void *, void *))dlsym(RTLD_NEXT, "spank_get_item");
    va_list args;
    va_start(args, item);
    void *a = va_arg(args, void *), *b = item == S_JOB_ARGV ? va_arg(args, void *) : 0;
    va_end(args);
    spank_err_t result = next(spank, item, a, b);
    if (item == S_JOB_NNODES && result == ESPANK_SUCCESS)
        ++*(uint32_t *)a;
    return result;
}
CODE
${CC:-cc} -shared -fPIC -o "$work/lie.so" "$work/lie.c" || exit 99
as_without "a step layout that fails a check" 'layout' env LD_PRELOAD="$work/lie.so" "${auto[@]}"

# Masks: of -O all tasks of a node get one, so that the plan divides it.
masks=(salloc -Q -N4 -n8 srun -O --mpi=pmi2)
run "${masks[@]}" --topomap=auto "$app" --where
equal "one mask for all tasks of a node is divided" "0x1 0x2" "$(where "$out" | awk '{print $3}' | sort -u | xargs)"
touch "$work/refuse"
run "${masks[@]}" "$app"
refused="$status $out"
run "${masks[@]}" --topomap=auto "$app"
equal "masks that cannot be applied: the job runs" "$refused" "$status $out"
equal "masks that cannot be applied: one line beside the plan's" 2 "$(said | wc -l)"
contains "masks that cannot be applied: it says so" "$(said)" 'Slurm binds the tasks: '
rm -f "$work/refuse"

# Exit codes are the program's.
cat >"$work/seven.c" <<'CODE'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 7;
}
CODE
mpicc.mpich -o "$work/seven" "$work/seven.c"
run "${job[@]}" --topomap=auto "$work/seven"
equal "the program's exit code, without a profile" 7 "$status"
run "${job[@]}" --topomap=profile "$work/seven"
equal "the program's exit code, recorded" 7 "$status"
run "${job[@]}" --topomap=auto "$work/seven"
equal "the program's exit code, with a profile" 7 "$status"

# Recording that cannot succeed.
mkdir "$work/full" && chmod 555 "$work/full"
run "${job[@]}" --topomap=profile "$app"
recorded="$status $out"
TOPOMAP_CATALOGUE=/proc/nowhere run "${job[@]}" --topomap=profile "$app"
equal "a recorder that cannot write: the program ends as it would" "$recorded" "$status $out"
equal "a recorder that cannot write says so once" 1 \
    "$(printf '%s\n' "$err" | grep -c 'cannot')"
mkdir -m 777 "$work/open" && chmod 777 "$work/open"
TOPOMAP_CATALOGUE=$work/open run "${job[@]}" --topomap=profile,recorder="$STAGE_LIBDIR/libcommprof-mpich.so" "$app"
contains "a recorder of one's own: what auto would refuse is said" "$(said)" \
    'auto will not use this recording: .*/open'
printf '#!/bin/sh\nexec %s\n' "$app" >"$work/script"
chmod +x "$work/script"
run "${job[@]}" --topomap=profile "$work/script"
equal "profile of a script: it runs" 0 "$status"
contains "profile of a script: what it starts is recorded" "$(said)" 'recording: .*/app by'
run "${job[@]}" --topomap=profile,exe="$app" "$work/script"
equal "profile of a script with exe=: it runs" 0 "$status"
contains "profile of a script with exe=: filed" "$err" 'app'
run "${job[@]}" --topomap=auto,exe="$app" "$work/script"
contains "auto of a script with exe=: found" "$(said)" 'hops per byte'
run srun -N1 -n1 --topomap=profile true
equal "profile of a program without MPI: it runs" 0 "$status"
contains "profile of a program without MPI: a clear line" "$(said)" 'MPI'

# strict turns it round.
run "${job[@]}" --topomap="$work/none.graph,strict" "$app"
equal "strict, missing file: refused" 1 "$status"
contains "strict, missing file: before allocating" "$err" 'none\.graph'
equal "strict, missing file: nothing was allocated" 0 "$(printf '%s\n' "$err" | grep -c 'ob .*queued\|allocated')"
rm -rf "${catalogue:?}"/*
run "${job[@]}" --topomap=auto,strict "$app"
equal "strict, no profile: the step fails" 1 "$status"
equal "strict, no profile: the program did not start" "" "$out"
equal "strict, no profile: one line" 1 "$(said | wc -l)"
contains "strict, no profile: it says why" "$(said)" 'no profile'
run "${job[@]}" "$app"
equal "the next step is not harmed" 0 "$status"
finish
