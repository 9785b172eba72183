#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# nccl.sh - srun --topomap=profile of what NCCL sends: a stand-in without GPU
# (fake/nccl.c) calls the profiler as NCCL does, with several communicators,
# processes a task, MPI beside it, and ends of all kinds.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
[ -e "$STAGE_LIBDIR/libcommprof-nccl.so" ] || skip_all "no recorder was built"
cluster_start --nodes 4
cd "$work" || exit 99
unset NCCL_PROFILER_PLUGIN
"${CC:-cc}" -O1 -pthread -o nccl "$srcdir/fake/nccl.c" -ldl 2>compile.log ||
    { sed 's/^/# /' compile.log; skip_all "no C compiler"; }

record() { rm -rf "${catalogue:?}"/*; run srun -N2 -n4 --topomap=profile "$@"; }
# filed NTASKS FILE: a file of the profile of that number of tasks.
filed() { cat "$catalogue"/*/*/"$1"/current/"$2" 2>&1; }
lines() { filed "$1" collectives | grep -v '^#' | paste -sd'|'; }
# Numbers of a type in profile.json: its calls, those of NCCL, bytes.
type_of() { filed "$1" profile.json | grep "\"type\": \"$2\"" |
    sed 's/.*"calls": \([0-9]*\), "bytes": \([0-9]*\),.*"nccl_calls": \([0-9]*\).*/\1 \3 \2/'; }

all='communicator 0 4 all|allreduce 0 0 10 40000 ring|allreduce 0 0 5 20000 tree|'
pairs='communicator 1 2 0 1|allgather 1 0 3 600 ring|reduce_scatter_block 1 0 2 800 nvls|'
pairs+='communicator 2 2 2 3|allgather 2 0 3 600 ring|reduce_scatter_block 2 0 2 800 nvls'
for version in 5 4 3; do
    record ./nccl $version dp tp=2 pp
    [ $version = 3 ] || contains "version $version: srun files it" "$(said)" \
        'recorded: 4 of 4 tasks of nccl until 20.*, with NCCL; filed in '
    equal "version $version: the program ends as it does" "0 4" "$status $(grep -c "done" <<<"$out")"
    equal "version $version: what NCCL ran, by communicator and algorithm" "$all$pairs" "$(lines 4)"
    # A ring of four carries 3/2 of the vector; each of two trees half of it up
    # and down: 0-1 and 2-3 are in one tree, 1-2 in both, 0-2 and 1-3 in one.
    equal "version $version: the graph of allreduces" \
        "4 6 001|2 80000 3 20000 4 60000|1 80000 3 100000 4 20000|1 20000 2 100000 4 80000|1 60000 2 20000 3 80000" \
        "$(filed 4 allreduce.graph | paste -sd'|')"
    equal "version $version: messages" "p2p 0 1 256 4 1024|p2p 1 2 256 4 1024|p2p 2 3 256 4 1024" \
        "$(filed 4 messages | grep ^p2p | paste -sd'|')"
    equal "version $version: calls are those of all ranks" "60 60 360000|24 24 3072" "$(type_of 4 allreduce)|$(type_of 4 p2p)"
done
equal "the profile is whole" "" "$(find "$catalogue" -name partial)"
run "$topomap" eval --graph allreduce:library --topology tree:2,2 --tasks-per-node 1 "$catalogue"/nccl/*/4/current
equal "eval expands them again" 0 "$status"
equal "allreduce:library is what was filed" "" \
    "$(diff <("$topomap" profile export --graph allreduce:library "$catalogue"/nccl/*/4/current) <("$topomap" profile export --graph allreduce "$catalogue"/nccl/*/4/current))"
run srun -N4 -n4 --topomap=auto,verbose ./nccl 5 dp
contains "--topomap=auto uses it" "$(said)" '4 ranks\|already the best\|unchanged'

record ./nccl 5 dp=COLLNET_DIRECT dp=PAT dp=NVLS_TREE dp=SOMETHING_NEW root=2
equal "every algorithm by its name, an unknown one as a ring" \
    "10 collnet_direct|10 nvls_tree|10 pat|10 ring" \
    "$(filed 4 collectives | sed -n 's/^allreduce 0 0 \([0-9]*\) 40000/\1/p' | sort | paste -sd'|')"
equal "roots" "bcast 0 2 1 512 ring reduce 0 2 1 512 ring" "$(filed 4 collectives | grep -E '^(bcast|reduce) ' | paste -sd' ')"

record ./nccl 5 threads
equal "four threads: nothing is lost" "80000 80000" "$(type_of 4 allreduce | cut -d' ' -f1,2)"
record ./nccl 5 many=300
equal "many communicators of one rank: calls, and no pairs" "1200 1200 1200" "$(type_of 4 allreduce)"

# Several ranks of a task: in one process, and in workers that close what they
# did not open.
record ./nccl 5 gpus=2
equal "two GPUs a process: eight ranks are four tasks" 'communicator 0 4 all|allreduce 0 0 10 40000 ring' "$(lines 4)"
equal "two GPUs a process: calls of eight ranks" "80 80" "$(type_of 4 allreduce | cut -d' ' -f1,2)"
cat >agent.py <<'END'
import os, subprocess, sys
node, n = int(os.environ["SLURM_PROCID"]), 4
workers = [subprocess.Popen(["./nccl", "5", "dp", "pp", *sys.argv[1:]], env=dict(
    os.environ, RANK=str(node * n + i), LOCAL_RANK=str(i), WORLD_SIZE=str(n * int(os.environ["SLURM_NTASKS"]))))
    for i in range(n)]
sys.exit(max(w.wait() for w in workers))
END
rm -rf "${catalogue:?}"/*
run srun -N4 -n4 --topomap=profile python3 agent.py
contains "workers of a launcher: they are of its task" "$(said)" 'recorded: 4 of 4 tasks of .* with NCCL'
equal "workers of a launcher: a node each" \
    'communicator 0 4 all|allreduce 0 0 10 40000 ring|allreduce 0 0 5 20000 tree' "$(lines 4)"
equal "workers of a launcher: messages that leave the task" \
    "p2p 0 1 256 4 1024|p2p 1 2 256 4 1024|p2p 2 3 256 4 1024" "$(filed 4 messages | grep ^p2p | paste -sd'|')"

# Ends.
record ./nccl 5 dp exit
equal "no finalize: all of it is there" "60 60" "$(type_of 4 allreduce | cut -d' ' -f1,2)"
record ./nccl 5 dp kill
equal "killed: all of it is there" "60 60" "$(type_of 4 allreduce | cut -d' ' -f1,2)"
contains "killed: the profile is partial" "$(said)" 'the profile is partial (ended after .* by signal 9'
record ./nccl 5 half dp
contains "half of the tasks are silent" "$(said)" 'recorded: 2 of 4 tasks'
contains "half of the tasks are silent: partial" "$(said)" 'the profile is partial (2 of 4 tasks)'
equal "half of the tasks are silent: the others'" "communicator 0 2 0 2|allreduce 0 0 10 40000 ring|allreduce 0 0 5 20000 tree" "$(lines 4)"

# The user's own profiler.
NCCL_PROFILER_PLUGIN=none record ./nccl 5 dp
equal "another profiler: it stays, and one line says so" 1 \
    "$(said | grep -c 'the calls of NCCL are not recorded: NCCL_PROFILER_PLUGIN names another profiler')"
contains "another profiler: nothing is recorded" "$(said)" 'topomap: not recorded: '
record --export=ALL,NCCL_PROFILER_PLUGIN=none ./nccl 5 dp
contains "another profiler by --export: it stays" "$(said)" 'topomap: not recorded: '

# MPI in the same program: both are in one profile.
if "mpicc.mpich" -DWITH_MPI -O1 -pthread -o both "$srcdir/fake/nccl.c" -ldl 2>compile.log; then
    record --mpi=pmi2 ./both 5 dp bcast
    contains "MPI and NCCL: one profile of both" "$(said)" 'recorded: 4 of 4 tasks of both until .*, with NCCL; filed in'
    equal "MPI and NCCL: collectives of both" "communicator 0 4 all|allreduce 0 0 10 40000 ring|allreduce 0 0 5 20000 tree|bcast 0 0 1 100" "$(lines 4)"
    contains "MPI and NCCL: the MPI is known" "$(filed 4 profile.json)" '"mpi": "MPICH'
    equal "MPI and NCCL: one profile" 1 "$(find "$catalogue" -name profile.json | wc -l)"
    record --mpi=pmi2 ./both 5 bcast
    contains "MPI alone: rank 0 files it" "$err" 'recorded: 4 of 4 tasks of both; filed in'
fi
finish
