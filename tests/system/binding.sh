#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# binding.sh - all that Slurm's options say of CPUs, memory and GPUs holds: on
# nodes of two sockets, four L3 caches, eight cores and sixteen threads, which
# only slurmd believes in (tests/fake/affinity.c).
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
${CC:-cc} -shared -fPIC -O1 -o "$work/affinity.so" "$srcdir/fake/affinity.c" 2>"$work/cc.log" ||
    skip_all "affinity.c does not compile here"
mkdir "$work/affinity"
machine=(
    --nodes 2 --leaf 1 --gpus 2 --conf AllowSpecResourcesUsage=yes
    --hardware 'CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2'
    --slurmd-env 'HWLOC_SYNTHETIC=pack:2 l3:2 core:2 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)'
    --slurmd-env "LD_PRELOAD=$work/affinity.so"
    --slurmd-env "FAKE_AFFINITY=$work/affinity" --slurmd-env FAKE_CPUS=16
    --slurmd-env "FAKE_CPUSET=$work/cpuset"
)
cluster_start "${machine[@]}"

# What a task says: rank, node, local number, mask, what Slurm says of it.
# shellcheck disable=SC2016
printf '#!/bin/sh\nmask=$(cat %s/affinity/$$ 2>/dev/null)\necho "$SLURM_PROCID $SLURMD_NODENAME $SLURM_LOCALID ${mask:--} ${SLURM_CPU_BIND:--} ${CUDA_VISIBLE_DEVICES:--}"\n' \
    "$work" >"$work/where"
chmod +x "$work/where"

# Rank r talks much to the one n/2 away, and a little to its neighbours: so
# ranks move, and change places inside their nodes.
for n in 4 6 8 16 32; do
    {
        echo "$n $((n + n / 2)) 001"
        for ((i = 0; i < n; i++)); do
            echo "$(((i + n / 2) % n + 1)) 65536 $(((i + 1) % n + 1)) 1024 $(((i + n - 1) % n + 1)) 1024"
        done
    } >"$work/$n.graph"
done

# launch N SRUN-OPTION...: sets plain and mapped, the lines of the tasks without
# and with topomap.
launch()
{
    local n=$1
    shift
    run "${in[@]}" srun -N2 -n"$n" "$@" "$work/where"
    plain=$(printf '%s\n' "$out" | grep -E '^[0-9]+ n' | sort -n)
    run "${in[@]}" srun -N2 -n"$n" --topomap="$work/$n.graph,seed=7" "$@" "$work/where"
    mapped=$(printf '%s\n' "$out" | grep -E '^[0-9]+ n' | sort -n)
    "$topomap" plan --graph "$work/$n.graph" --seed 7 --ntasks "$n" --nodelist 'n[0-1]' \
        --tasks-per-node "$(printf '%s\n' "$plain" | awk '{n[$2]++} END {print n["n0"] "," n["n1"]}')" \
        --baseline "$(printf '%s\n' "$plain" | awk '{printf "%s%d", (NR > 1 ? "," : ""), substr($2, 2)}')" \
        --topology "$work/etc/topology.conf" --to=rankfile 2>/dev/null |
        sed -n 's/^rank *\([0-9]*\) *= *\([^ ]*\) *slot *= *\([0-9]*\).*/\1 \2 \3/p' >"$work/plan"
    printf '%s\n' "$plain" >"$work/plain"
}
found() { printf '%s\n' "$mapped" | awk -v mode=found "$@" -f "$srcdir/system/binding.awk"; }
expected() { awk -v mode=expected "$@" -f "$srcdir/system/binding.awk" "$work/plain" "$work/plan"; }

# The first launch has its first node tell what it is inside, when the step has
# ended; all others plan with that, here and by hand.
told=$TOPOMAP_CATALOGUE/.cache
levels='Package:2 L3Cache:2 Core:2 PU:2'
# tells FILE: waits until it says so.
tells()
{
    for ((i = 0; i < 600; i++)); do
        grep -qx "levels $levels" "$told/$1" 2>/dev/null && return
        sleep 0.1
    done
}
in=()
launch 16 --ntasks-per-node=8 --hint=nomultithread
tells node-n0
equal "the first node tells what it is inside, under its name and its kind's" \
    "topomap-node 1 node n0 levels $levels twice" "$(sort -r "$told"/node-* | uniq -c | awk '
        { n = $1; $1 = ""; line = line $0 }
        END { print substr(line, 2), (n == 2 ? "twice" : n) }')"

# permuted N OPTION...: each task of a node has a mask that Slurm made for one of
# them, by its slot along the tree, and Slurm's variables say which.
permuted()
{
    launch "$@"
    equal "-n$*: Slurm's own masks, by slot" "$(expected)" "$(found)"
}
# stays N OPTION...: the task of a number has what Slurm gave that number.
stays()
{
    launch "$@"
    equal "-n$*: as Slurm bound them" "$(expected -v stay=1 | cut -d' ' -f1-3)" \
        "$(found | cut -d' ' -f1-3)"
}
# divided SLOTS N OPTION...: one mask for all was divided into these.
divided()
{
    local slots=$1
    shift
    launch "$@"
    equal "-n$*: one mask for all is divided" "$(expected -v slots="$slots")" "$(found)"
}

in=()
permuted 8 --ntasks-per-node=4
masks=$(awk '{print $4}' "$work/plain" | sort -u | wc -l)
if [ "$masks" -gt 2 ] && [ "$(cut -d' ' -f4 "$work/plain")" != "$(printf '%s\n' "$mapped" | cut -d' ' -f4)" ]; then
    ok "ranks change CPUs at all"
else
    not_ok "ranks change CPUs at all" "$(paste "$work/plain" <(printf '%s\n' "$mapped"))"
fi
for options in '-c2' '-c4' '--hint=nomultithread' '--hint=multithread' '--hint=compute_bound' \
    '--threads-per-core=1' '--threads-per-core=2' '--ntasks-per-core=1' '--cpu-bind=cores' '--cpu-bind=sockets' \
    '--cpu-bind=threads' '--cpu-bind=ldoms' '--cpu-bind=quiet' '--exact' '--overlap' '--exclusive' \
    '--mem-bind=local' '-m block:block'; do
    # shellcheck disable=SC2086
    permuted 8 --ntasks-per-node=4 $options
done
# Specialised cores are the last ones; the tasks have the rest of the node.
divided 0x101,0x202,0xc0c,0x7070 8 --ntasks-per-node=4 -S1
permuted 16 --ntasks-per-node=8 --hint=nomultithread
permuted 32 --ntasks-per-node=16
# Two that stay in their order are as far from each other as they were.
permuted 4 --ntasks-per-node=2
permuted 6

launch 8 --ntasks-per-node=4 --cpu-bind=verbose
equal "--cpu-bind=verbose: Slurm's own masks, by slot" "$(expected)" "$(found -v loud=1)"
equal "--cpu-bind=verbose: one line a node says what became of them" 2 \
    "$(printf '%s\n' "$err" | grep -c 'topomap: node n[01]: CPUs of ranks: ')"

# What the user said of numbers holds for numbers.
in=(salloc -Q -N2 --exclusive)
stays 8 --cpu-bind=map_cpu:7,6,5,4
stays 8 --cpu-bind=mask_cpu:0x80,0x40,0x20,0x10
stays 8 --cpu-bind=none
# Slurm 24.11 takes it, and binds as if nothing had been said.
run "${in[@]}" srun -N2 -n8 --cpu-bind=rank "$work/where"
if [[ $out == *quiet,rank* ]]; then
    stays 8 --cpu-bind=rank
else
    divided 0x303,0xc0c,0x3030,0xc0c0 8 --cpu-bind=rank
fi
stays 8 --cpu-bind=cores --mem-bind=map_mem:0
contains "--mem-bind=map_mem: said" "$(said)" 'topomap: Slurm binds the tasks, since --mem-bind counts them by number$'
divided 0x303,0xc0c,0x3030,0xc0c0 8
divided 0x303,0xc0c,0x3030,0xc0c0 8 -O
permuted 8 --exact -c1
permuted 8 --exact -c2 --threads-per-core=1
in=()
permuted 32 -O --ntasks-per-node=16

# A task keeps its GPU, and the CPUs that Slurm chose it by.
for options in '4 --ntasks-per-node=2 --gpus-per-task=1' '4 --ntasks-per-node=2 --gpus-per-node=2 --gpu-bind=single:1' \
    '8 --ntasks-per-node=4 --gpus-per-node=2'; do
    # shellcheck disable=SC2086
    stays $options
    equal "-n$options: the GPU of a local number stays" \
        "$(awk '{print $2, $3, $6}' "$work/plain" | sort)" "$(printf '%s\n' "$mapped" | awk '{print $2, $3, $6}' | sort)"
done

# A part of a node: another job has the rest.
sbatch -Q -N2 -n8 --ntasks-per-node=4 --hint=nomultithread -o /dev/null --wrap 'sleep 100' >/dev/null
permuted 8 --ntasks-per-node=4 --hint=nomultithread
scancel -u "$(id -un)"
no_job_left "the other job ends"

# The tree that the node reported, or the site file: ranks that talk most share an
# L3 cache.
partners()
{
    run srun -N2 -n16 --ntasks-per-node=8 --hint=nomultithread --topomap="$work/16.graph,verbose" "$work/where"
    mapped=$(printf '%s\n' "$out" | grep -E '^[0-9]+ n')
    shared=$(printf '%s\n' "$mapped" | awk '
        function cache(mask) { # of one CPU, 0 to 7: two a cache
            sub(/^0x/, "", mask)
            return int(((length(mask) - 1) * 4 + (index("1248", substr(mask, 1, 1)) - 1)) / 2)
        }
        { at[$1] = $2 " " cache($4) }
        END { for (i = 0; i < 8; i++) n += at[i] == at[i + 8] && at[i] != ""; print n + 0 " of 8" }')
}
partners
equal "partners share an L3 cache, as a node has told of its own" "8 of 8" "$shared"
echo '{"format": 1, "node": "package:2 l3:2 core:2 pu:2"}' >"$work/site.json"
plugstack "config=$work/site.json"
rm -r "$told"
partners
equal "partners share an L3 cache, as the site says" "8 of 8 untold" "$shared $([ -n "$(find "$told" -name "node-*" 2>/dev/null)" ] || echo untold)"
plugstack
launch 16 --ntasks-per-node=8 --hint=nomultithread

# A node that is not what was planned for says so, and is bound as Slurm chose.
tells node-n0
printf 'topomap-node 1\nnode n0\nlevels Package:4 Core:2 PU:2\n' >"$told/node-n0"
partners
equal "a node that is another inside binds as Slurm does" "$(awk '{print $2, $3, $4}' "$work/plain" | sort)" \
    "$(printf '%s\n' "$mapped" | awk '{print $2, $3, $4}' | sort)"
contains "and says so" "$err" \
    'topomap: Slurm binds the tasks of node 0: its hardware is not what the plan assumed'
tells node-n0
tells node-n1
partners
equal "and tells what it is, for the next launch" "8 of 8" "$shared"

# Without task/affinity: tasks that a cgroup confines to the cores of their step
# are bound inside them, others are not. Which cores a step gets by itself is not
# the same in all Slurms.
"$private_slurm" stop "$work" >/dev/null
cluster_start "${machine[@]}" --conf TaskPlugin=task/none
confined=(8 --ntasks-per-node=4 --hint=nomultithread -m block:block)
launch "${confined[@]}"
equal "no task plugin: nothing is bound" 8 "$(printf '%s\n' "$mapped" | awk '$4 == "-"' | wc -l)"
echo 0x3333 >"$work/cpuset"
launch "${confined[@]}"
equal "confined to other cores: nothing is bound" 8 "$(printf '%s\n' "$mapped" | awk '$4 == "-"' | wc -l)"
echo 0x0f0f >"$work/cpuset"
divided 0x101,0x202,0x404,0x808 "${confined[@]}"

"$private_slurm" stop "$work" >/dev/null
contains "private-slurm: on a terminal it says how to go on" \
    "$(python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$private_slurm" start "$work" --nodes 2 2>&1)" \
    "^2 nodes are up; connect a shell: eval \"\$($private_slurm env $work)\""
finish
