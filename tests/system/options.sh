#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# options.sh - --topomap and its sub-options, where they may come from, and what
# is refused before anything is allocated.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 4 --gpus 2
compile app mpich halo.c || skip_all "no mpicc.mpich"
app=$work/app
job=(srun -N4 -n8 --mpi=pmi2)
verbose=(srun -v -N4 -n8 --mpi=pmi2)

run "${job[@]}" --topomap=profile "$app"
contains "profile says where it filed" "$err" "$catalogue"
run "${job[@]}" "$app" --where
plain=$(hosts "$out")
run "${job[@]}" --topomap=auto "$app" --where
mapped=$(hosts "$out")
if [ "$plain" != "$mapped" ]; then ok "auto moves ranks"; else not_ok "auto moves ranks" "$out"; fi

# batch SCRIPT: to its end, for which sbatch -W asks every ten seconds.
batch()
{
    run sbatch --parsable "$1"
    [ "$status" = 0 ] || return
    until scontrol -o show job "$out" | grep -qE ' JobState=(COMPLETED|FAILED|CANCELLED|NODE_FAIL|TIMEOUT) '; do
        sleep 0.1
    done
    scontrol -o show job "$out" | grep -q ' JobState=COMPLETED '
    status=$?
}

# Refused before allocating: srun ends, no job was made.
last_job() { scontrol -o show jobs 2>/dev/null | grep -c '^JobId='; }
refused()
{
    local before
    before=$(last_job)
    run srun -N4 -n8 --topomap="$1" "$app"
    if [ "$status" != 0 ]; then ok "--topomap=$1 is refused"; else not_ok "--topomap=$1 is refused" "$err"; fi
    contains "--topomap=$1: $3" "$err" "$2"
    equal "--topomap=$1: no job was made" "$before" "$(last_job)"
}
refused sometimes 'auto.*profile.*off' "names what is allowed"
refused auto,velocity=9 'velocity' "names the word"
refused auto,velocity=9 'time.*seed' "names what is allowed"
refused auto,speed=9 'did you mean "seed"?' "names the nearest"
refused auto,time=never 'time' "names the sub-option"
refused auto,time=-1 'time' "names the sub-option"
refused auto,seed=x 'seed' "names the sub-option"
refused auto,bind=maybe 'bind' "names the sub-option"
refused auto,name=../x 'name' "names the sub-option"
refused auto,unit=nodes 'unit' "names the sub-option"
refused auto,pin=first 'pin' "names the sub-option"
run srun --topomap=help
equal "help ends with 0" 0 "$status"
contains "help names the sub-options" "$out$err" 'dry-run'
contains "srun --help lists the option" "$(srun --help 2>&1)" '--topomap'

# Where it may come from.
TOPOMAP=auto run "${job[@]}" "$app" --where
equal "TOPOMAP=auto maps" "$mapped" "$(hosts "$out")"
# Where nothing is to be gained, a line goes to the user who asked, and to no other.
run "${job[@]}" --topomap=ring:8 "$app" --where
equal "nothing to gain: one line, and the ranks stay" \
    "$plain topomap: unchanged: 8 ranks, by ring:8: Slurm's layout is already the best found (1.5 hops per byte)" \
    "$(hosts "$out") $(said)"
run script -qec "srun -N4 -n8 --mpi=pmi2 --topomap=ring:8 $app" /dev/null
contains "nothing to gain: a terminal gets a second line" "$(tr -d '\r' <<<"$out")" \
    '^topomap: what else: 50% of the bytes stay inside nodes; .*; pictures: report=FILE$'
TOPOMAP=ring:8 run "${job[@]}" "$app" --where
equal "nothing to gain: TOPOMAP says nothing" "0 $plain " "$status $(hosts "$out") $(said)"
TOPOMAP=ring:8,verbose run "${job[@]}" "$app" --where
contains "nothing to gain: verbose says it all the same" "$(said)" 'topomap: unchanged: '
TOPOMAP=auto run "${job[@]}" --topomap=off "$app" --where
equal "the command line wins over TOPOMAP" "$plain" "$(hosts "$out")"
equal "off is silent" "" "$(said)"
TOPOMAP=nonsense run "${job[@]}" "$app" --where
equal "a bad TOPOMAP does not stop the job" "0 $plain" "$status $(hosts "$out")"
equal "a bad TOPOMAP is one warning" 1 "$(said | wc -l)"
plugstack default=auto,unit=rank,pin=off
run "${job[@]}" "$app" --where
equal "the site's default maps" "$mapped" "$(hosts "$out")"
equal "the site's default is silent" "" "$(said)"
TOPOMAP=off run "${job[@]}" "$app" --where
equal "TOPOMAP wins over the site's default" "$plain" "$(hosts "$out")"
run srun -N4 -n8 hostname
equal "the site's default without a profile is silent" "0 " "$status $(said)"
# The same in the site file, where plugstack.conf does not say it.
echo '{ "format": 1, "default": "auto,unit=rank,pin=off", "time_s": 300, "mpi": "weird" }' >"$work/site.json"
plugstack config="$work/site.json"
run "${job[@]}" "$app" --where
equal "default in the site file maps, silently" "$mapped" "$(hosts "$out")$(said)"
run "${job[@]}" --topomap=auto,verbose "$app" --where
contains "time_s in the site file: the launch has that time" "$err" 'planned in [0-9]* ms of 300000$'
contains "time_s in the site file: the plan has what is left of it" "$err" ' --time 2[0-9][0-9]\.[0-9]* '
# Who says nothing to srun starts no topomap, unless the file may switch it on.
printf '#!/bin/sh\necho "$2" >>%q\nexec %q "$@"\n' "$work/asked" "$topomap" >"$work/asks"
chmod +x "$work/asks"
asked() # FILE PLUGSTACK-WORD...
{
    echo "$1" >"$work/site.json"
    rm -f "$work/asked"
    plugstack config="$work/site.json" program="$work/asks" "${@:2}"
    run "${job[@]}" "$app" --where
    touch "$work/asked"
}
asked '{ "format": 1, "time_s": 300, "mpi": "weird" }'
equal "a site file without a default: nothing is started" "$plain|" "$(hosts "$out")|$(cat "$work/asked")"
asked '{ "format": 1, "default": "auto" }' default=off
equal "nor where plugstack.conf says off" "$plain|" "$(hosts "$out")|$(cat "$work/asked")"
asked '{ "format": 1, "d\u0065fault": "auto,unit=rank,pin=off" }'
equal "a default in other letters is one" "$mapped|--site" "$(hosts "$out")|$(head -1 "$work/asked")"
echo '{ "format": 1, "default": "auto,unit=rank,pin=off", "time_s": 300, "mpi": "weird" }' >"$work/site.json"
plugstack config="$work/site.json" default=off time=1
run "${job[@]}" "$app" --where
equal "plugstack.conf wins over the site file" "$plain" "$(hosts "$out")"
echo '{ "format": 1, "default": "never" }' >"$work/site.json"
plugstack config="$work/site.json"
run "${job[@]}" "$app" --where
equal "a bad site file: as without, and no line for who did not ask" "0 $plain 0" "$status $(hosts "$out") $(said | wc -l)"
run "${verbose[@]}" "$app" --where
equal "a bad site file: srun -v has a line" "0 $plain 1" "$status $(hosts "$out") $(said | wc -l)"
run "${job[@]}" --topomap=auto "$app" --where
contains "a bad site file: who asks is told where" "$status $(said)" "^0 .*a bad site file, tell those who keep it: .*site.json:1: key default: expected off, auto, learn, observe or one of these with ,KEY..., not 'never'"
plugstack default=sometimes
run "${job[@]}" "$app" --where
equal "a bad plugstack argument does not stop the job, nor is it said to who did not ask" "0 $plain 0" \
    "$status $(hosts "$out") $(said | wc -l)"
# What a default would do to users who typed nothing.
for default in auto,dry-run learn,plan-only auto,strict; do
    plugstack "default=$default"
    run "${job[@]}" "$app" --where
    equal "default=$default: the job runs, as without it, without a word" "0 $plain 0" "$status $(hosts "$out") $(said | wc -l)"
    run "${verbose[@]}" "$app" --where
    equal "default=$default: one line, under srun -v" "srun: topomap: plugstack.conf: default=$default: no default takes ${default#*,}" \
        "$(said | sed 's/, which is for.*//')"
    printf '{ "format": 1, "default": "%s" }\n' "$default" >"$work/site.json"
    plugstack config="$work/site.json"
    run "${job[@]}" "$app" --where
    equal "default $default in the site file: the job runs, without a word" "0 $plain 0" "$status $(hosts "$out") $(said | wc -l)"
    run "${verbose[@]}" "$app" --where
    equal "default $default in the site file: the job runs" "0 $plain 1" "$status $(hosts "$out") $(said | wc -l)"
    contains "default $default in the site file: one line" "$(said)" "site.json:1: key default: no default takes ${default#*,}, "
    run srun -N1 -n1 echo ran
    equal "default $default: so does one without MPI" "0 ran" "$status $out"
done
plugstack
TOPOMAP=auto,dry-run run srun -N2 -n2 echo ran
equal "dry-run in TOPOMAP starts nothing" "0 " "$status $out"
contains "and says so" "$(said)" 'nothing is started: the variable TOPOMAP asks for a dry run$'
cat >"$work/batch" <<SCRIPT
#!/bin/sh
#SBATCH -N4 -n8 --topomap=auto,time=60 -o $work/batch.out -e $work/batch.err
srun --mpi=pmi2 --topomap=off $app --where
srun --mpi=pmi2 $app --where
SCRIPT
TOPOMAP=off batch "$work/batch"
equal "#SBATCH, before TOPOMAP and after the command line" "$plain
$mapped" "$(hosts "$(cat "$work/batch.out")")"

# srun and `topomap plan` look into the same catalogue, also when XDG_DATA_HOME
# is relative, which counts for neither.
mkdir -p "$work/home/.local/share"
ln -s "$catalogue" "$work/home/.local/share/topomap"
relative=(env -u TOPOMAP_CATALOGUE HOME="$work/home" XDG_DATA_HOME=no-such)
run "${relative[@]}" "${job[@]}" --topomap=auto,strict,verbose "$app" --where
equal "strict, a relative XDG_DATA_HOME: srun maps" "0 $mapped" "$status $(hosts "$out")"
command=$(printf '%s\n' "$err" | sed -n 's/^.*topomap: \(.* plan .*\)$/\1/p')
eval "run \"\${relative[@]}\" $command"
contains "a relative XDG_DATA_HOME: plan finds it, too" "$out$err" 'profile .*/r[0-9]'
contains "the command of verbose, run as it stands, prints the plan" "$status $out" '^step  *8 tasks on 4 nodes'

# Sub-options.
run "${job[@]}" --topomap=auto,dry-run touch "$work/started"
equal "dry-run without a plan starts nothing" "0 no" "$status $(test -e "$work/started" && echo yes || echo no)"
run "${job[@]}" --topomap=auto,plan-only "$app" --where
equal "plan-only starts nothing" "0 " "$status $out"
contains "plan-only says what it would do" "$(said)" 'placed: .* (dry run)$'
run "${job[@]}" --topomap=auto,dry-run,strict,name=nobody "$app" --where
equal "dry-run, strict: 1 without a plan" "1 " "$status $out"
run "${job[@]}" --topomap=auto,dry-run,strict touch "$work/started"
equal "dry-run, strict: 0 where there is nothing to plan" "0 no" "$status $(test -e "$work/started" && echo yes || echo no)"
no_job_left "nothing is left of the dry runs"

# Moves that cannot hurt. The first two nodes are on one switch, the others on
# another; the ranks of the first node talk to those of the last.
printf '%s\n' 'tasks 8' '0 6 100' '1 7 100' '2 4 100' '3 5 100' >"$work/far.edges"
gpus=(--gpus-per-task=1 --gpu-bind=single:1)
ranks_on() { hosts "$out" | sort -n | awk -v r="$1" '$1 == r { print $2 }'; }
run "${job[@]}" --topomap="$work/far.edges,unit=node,pin=0" "$app" --where
equal "unit=node,pin=0: whole nodes move, the first stays" "n0 n0 n1 n1" \
    "$(for r in 0 1 6 7; do ranks_on $r; done | xargs)"
equal "unit=node: ranks of a node stay together" "1 1" \
    "$(for r in 2,3 4,5; do for i in ${r%,*} ${r#*,}; do ranks_on "$i"; done | sort -u | wc -l; done | xargs)"
run "${job[@]}" --topomap="$work/far.edges,pin=3@n2" "$app" --where
equal "pin=3@n2" n2 "$(ranks_on 3)"
run "${job[@]}" --topomap="$work/far.edges,unit=4" "$app" --where
equal "unit=4 on nodes of two: as Slurm has it" "0 $plain" "$status $(hosts "$out")"
contains "unit=4 on nodes of two: why" "$(said)" 'no multiple of the 4 tasks'
run "${job[@]}" --topomap="$work/far.edges,pin=8" "$app" --where
contains "pin=8 of 8 ranks: why not" "$(said)" 'there is no rank 8, the last one is 7'
# shellcheck disable=SC2016
show='echo "$SLURM_PROCID $TOPOMAP_MASTER_ADDR $TOPOMAP_NODE_RANK $(sed -n "$((SLURM_PROCID + 1))p" "$TOPOMAP_RANKS") $SLURM_LOCALID"; test "$SLURM_PROCID" -gt 0 || echo "file $TOPOMAP_RANKS"'
run "${job[@]}" --export=NONE --topomap="$work/far.edges,unit=node,pin=0" /bin/sh -c "$show"
contains "tasks know the first node, their own and that of each rank" "$out" '^6 n0 3 6 n1 0$'
file=$(printf '%s\n' "$out" | sed -n 's/^file //p')
equal "the list of ranks is gone after the step" "ranks no" \
    "$(basename "$file" | cut -d- -f1) $(test -e "$file" && echo yes || echo no)"
# Of programs that have such a profile: a default names no graph.
cp "$app" "$work/far"
strip -R .note.gnu.build-id "$work/far"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$SLURM_PROCID $SLURMD_NODENAME $SLURM_LOCALID $CUDA_VISIBLE_DEVICES"\n' >"$work/show"
chmod +x "$work/show"
for program in far show; do
    "$topomap" profile import "$work/far.edges" --program "$work/$program" >/dev/null
done
plugstack default=auto
run "${job[@]}" "${gpus[@]}" "$work/far" --where
equal "default=auto moves whole nodes, also of a step with GPUs" "n0 n0 n1 n1" \
    "$(for r in 0 1 6 7; do ranks_on $r; done | xargs)"
equal "default=auto is silent" "" "$(said)"
run srun -N4 -n8 "${gpus[@]}" "$work/show"
equal "and rank % tasks-per-node is still the place in the node, and the GPU" "8 n1" \
    "$(printf '%s\n' "$out" | awk '$3 == $1 % 2 && $4 == $3 { n++ } $1 == 7 { node = $2 } END { print n, node }')"
plugstack default=auto,unit=rank
run "${job[@]}" "${gpus[@]}" "$work/far" --where
equal "a site that moves ranks leaves steps with GPUs alone" "$plain" "$(hosts "$out")"
plugstack
run srun -N4 -n8 "${gpus[@]}" --topomap="$work/far.edges" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES"'
contains "who types the option moves ranks, and Slurm's binding to GPUs stays" "$(said)" \
    'Slurm binds the tasks, since the step uses GPUs$'
equal "each task of a node has another GPU" 8 "$(printf '%s\n' "$out" | awk '{ print $2, $3 }' | sort -u | wc -l)"
equal "and the pair that talks most shares a node" 1 "$(printf '%s\n' "$out" | awk '$1 == 0 || $1 == 6 { print $2 }' | sort -u | wc -l)"
# Two interfaces on each node: who talks across changes slots on one of two nodes, where
# no GPU decides who uses which.
echo '{ "format": 1, "topology": { "type": "tree", "arity": [2, 2], "hosts": "n[0-3]", "rails": 2 } }' >"$work/rails.json"
printf '%s\n' 'tasks 8' '0 1 300' '2 3 300' '4 5 300' '6 7 300' '0 3 100' '1 2 100' '4 7 100' '5 6 100' >"$work/rails.edges"
plugstack config="$work/rails.json"
run "${job[@]}" --topomap="$work/rails.edges,verbose" "$app" --where
contains "rails: half as many hops" "$(said)" 'placed: 8 ranks, by .*: 0\.5 hops per byte instead of 1,'
equal "rails: each node has the other interface's ranks where it helps" "1 1" \
    "$(for n in 01 23; do printf '%s\n' "$err" | grep -cE "node n[$n]: CPUs of ranks: [0246] on 1"; done | xargs)"
run srun -N4 -n8 "${gpus[@]}" --topomap="$work/rails.edges" "$work/show"
equal "rails: with GPUs, which go by rank, nothing is to gain" "8 0" \
    "$(printf '%s\n' "$out" | awk '$3 == $1 % 2 { n++ } END { print n }') $(said | grep -c 'placed: 8')"
plugstack
run "${job[@]}" --topomap=llm:tp=2,pp=2,dp=2,verbose "$app" --where
contains "llm: is a graph of its own, with commas" "$(said)" 'llm:tp=2,pp=2,dp=2'
run "${job[@]}" --topomap=auto,verbose "$app" --where
equal "verbose maps" "$mapped" "$(hosts "$out")"
contains "verbose prints the command" "$err" "plan .*--ntasks 8"
equal "verbose prints the CPUs of all ranks, a line a node" 4 \
    "$(printf '%s\n' "$err" | grep -cE 'topomap: node n[0-3]: CPUs of ranks: [0-7] on [01]; [0-7] on [01]$')"
run "${job[@]}" --topomap=profile,name=mine "$app"
contains "name= files under that name" "$("$topomap" profile list 2>&1)" 'mine'
cp "$app" "$work/copy" && strip "$work/copy"
run "${job[@]}" --topomap=auto,name=mine "$work/copy" --where
contains "name= finds without asking for the identity" "$(said)" 'hops per byte'
mkdir "$work/none"
TOPOMAP_CATALOGUE=$work/none run "${job[@]}" --topomap=auto,catalogue="$catalogue" "$app" --where
equal "catalogue= finds a colleague's" "0 $mapped" "$status $(hosts "$out")"
plugstack catalogue="$work/not-yet"
run "${job[@]}" --topomap=auto,catalogue="$work/typo" "$app" --where
contains "catalogue= that is not there is told of, though the profile was found" "$status $(said)" \
    "^0 .*placed: .* by the profile .*; catalogue $work/typo: No such file or directory; --topomap=off undoes it$"
TOPOMAP_CATALOGUE=$work/none run "${job[@]}" --topomap=auto,catalogue="$work/typo" "$app" --where
contains "and where it was not" "$status $(said)" "no profile .*; catalogue $work/typo: No such file or directory; the job runs as usual$"
run "${job[@]}" --topomap=auto "$app" --where
equal "the site's may be made later" "0" "$(said | grep -c not-yet)"
plugstack
chown 65533 "$work/none"
TOPOMAP_CATALOGUE=$work/none run "${job[@]}" --topomap=auto "$app" --where
contains "a colleague's as one's own: the refusal has the remedy" "$(said)" 'belongs to user 65533, .*--topomap=auto,catalogue=DIR'
"$topomap" profile export app:8 --graph p2p -o "$work/app.graph" 2>/dev/null
run "${job[@]}" --topomap="$work/app.graph" "$work/copy" --where
equal "FILE.graph maps by a graph" 0 "$status"
contains "FILE.graph maps by a graph: it says so" "$(said)" 'hops per byte'
run "${job[@]}" --topomap="$app" "$app" --where
equal "a program in place of a graph: the step runs, and one line says what to type" \
    "0 $plain topomap: not placed: $app is a program, not a task graph: was --topomap=auto meant, or NAME:NTASKS of a profile?; the job runs as usual" \
    "$status $(hosts "$out") $(said)"
run "${job[@]}" --topomap=auto,graph=p2p "$app" --where
contains "graph=p2p" "$(said)" 'p2p'
run "${job[@]}" --topomap=auto,graph=nothing "$app" --where
equal "graph= of a type that was not recorded" "0 $plain" "$status $(hosts "$out")"
run "${job[@]}" --topomap=auto,seed=1 "$app" --where
equal "the same seed, the same places" "$mapped" "$(hosts "$out")"

# A Slurm that the plugin is not built for: topomap-options.so stands in.
# of_another_slurm OUT PLUGIN: a copy whose version word says 23.02.8.
of_another_slurm()
{
    local address offset vaddr size
    address=$((0x$(nm -D "$2" | awk '$3 == "plugin_version" { print $1 }')))
    cp "$2" "$1"
    while read -r offset vaddr size; do
        ((address < vaddr || address >= vaddr + size)) ||
            printf '\010\002\027\000' |
            dd of="$1" bs=1 seek=$((address - vaddr + offset)) conv=notrunc 2>/dev/null
    done <<<"$(readelf -lW "$2" | awk '$1 == "LOAD" { print $2, $3, $5 }')"
}
stub=$STAGE_SPANKDIR/topomap-options.so
of_another_slurm "$work/main.so" "$plugin"
of_another_slurm "$work/stub.so" "$stub"
stack=$work/etc/plugstack.conf
echo "optional $stub" >>"$stack"
run "${job[@]}" --topomap=auto "$app" --where
equal "both fit: the stub steps aside" "0 $mapped" "$status $(hosts "$out")"
equal "both fit: nobody hears of it" "1 1" "$(heard | wc -l) $(said | wc -l)"
# The plugin twice: by two lines of one file, and as a package and a prefix.
mkdir "$work/prefix"
cp "$plugin" "$STAGE_SPANKDIR"/topomap-hwloc.so "$stub" "$work/prefix"
for second in "$plugin" "$work/prefix/topomap.so"; do
    name="loaded twice, $(basename "$(dirname "$second")")"
    plugstack
    printf 'optional %s\noptional %s program=/no/such\noptional %s\n' "$stub" "$second" "$work/prefix/topomap-options.so" >>"$stack"
    run "${job[@]}" --topomap=auto "$app" --where
    equal "$name: it acts once" "0 $mapped" "$status $(hosts "$out")"
    equal "$name: one line, and none of Slurm's" "1 1" "$(heard | wc -l) $(said | wc -l)"
    step=$("$topomap" history | awk 'NR == 2 { print $1 }')
    equal "$name: a step of the history" 1 "$("$topomap" history | grep -c "^$step ")"
    run "${job[@]}" --topomap=auto,verbose "$app" --where
    equal "$name: verbose names a second file" "$([ "$second" = "$plugin" ] && echo 0 || echo 1)" \
        "$(said | grep -c "$work/prefix/topomap.so does nothing")"
done
printf 'optional %s program=%s\noptional %s\n' "$work/main.so" "$topomap" "$work/stub.so" >"$stack"
batch "$work/batch"
equal "another Slurm: a script with #SBATCH --topomap runs, as without it" "0 $plain
$plain" "$status $(hosts "$(cat "$work/batch.out")")"
equal "another Slurm: it is told once, and not where it says off" \
    "topomap: not placed: topomap.so is not built for this Slurm ($(srun --version | grep -o '[0-9]*\.[0-9]*' | head -1)), see UPGRADING SLURM in spank-topomap(8); the job runs as usual" \
    "$(grep '^topomap: ' "$work/batch.err")"
TOPOMAP=profile run "${job[@]}" "$app" --where
equal "another Slurm: TOPOMAP is answered, too" "0 1" "$status $(said | wc -l)"
run "${job[@]}" "$app" --where
equal "another Slurm: silent for those who want nothing" "0 0" "$status $(said | wc -l)"
before=$(last_job)
run "${job[@]}" --topomap=auto,strict "$app"
equal "another Slurm: strict ends before a job is made" "1 $before" "$status $(last_job)"
contains "another Slurm: strict says so" "$(said)" 'nothing is started$'
run srun --topomap=help
equal "another Slurm: help ends with 0" "0 1" "$status $(printf '%s\n' "$out" | grep -c 'UPGRADING SLURM')"
plugstack
cat >"$work/queued" <<SCRIPT
#!/bin/sh
#SBATCH -N4 -n8 --topomap=auto,time=60 -o $work/queued.out -e $work/queued.err
echo "optional $work/stub.so" >$stack
srun --mpi=pmi2 $app --where
SCRIPT
batch "$work/queued"
equal "upgraded while a job is queued: it runs" "0 $plain" "$status $(hosts "$(cat "$work/queued.out")")"
contains "upgraded while a job is queued: it is told" "$(cat "$work/queued.err")" 'topomap: not placed: topomap.so is not built'
plugstack

# What is left alone.
run srun -N4 -n8 --mpi=pmi2 --cpu-bind=map_cpu:1,0 --topomap=auto "$app" --where
equal "explicit masks: ranks move" "$mapped" "$(hosts "$out")"
equal "explicit masks stay the user's" "0x1 0x2" "$(where "$out" | awk '{print $3}' | sort -u | xargs)"
run srun -N4 -n8 --mpi=pmi2 --cpu-bind=none --topomap=auto "$app" --where
equal "--cpu-bind=none stays so" "0x3" "$(where "$out" | awk '{print $3}' | sort -u | xargs)"
run srun -N1 -n2 --mpi=pmi2 --topomap=auto "$app"
equal "a step on one node runs" 0 "$status"
run salloc -Q -N4 -n8 sh -c 'exit 5'
equal "salloc without a step is not touched" "5 " "$status $(said)"
run "${job[@]}" -l --topomap=auto "$app"
equal "labels stay those of ranks" "0: halo" "$(printf '%s\n' "$out" | grep -o '^[0-9]*: halo')"
finish
