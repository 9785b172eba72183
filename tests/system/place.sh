#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# place.sh - topomap place and record: which rank lands on which (pretended) node
# under the real mpiexec of MPICH and of Open MPI; what others would read; how jobs
# are found; and that no launcher notices topomap in between
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:?}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir tmp
export TMPDIR=$work/tmp TOPOMAP_CATALOGUE=$work/catalogue
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for name in $(compgen -e | grep -E '^(SLURM|PBS|LSB|OAR|FLUX)_'); do unset "$name"; done

run()
{
    "$topomap" "$@" >out 2>err </dev/null
    status=$?
    out=$(cat out) err=$(cat err)
}

# Two switches with two nodes each; ranks talk with those four behind.
printf 'SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=r Switches=a,b\n' >topology.conf
printf 'n%d:2\n' 0 1 2 3 >hosts
printf '%d %d 1000000\n' 0 4 1 5 2 6 3 7 >pairs.edges
plan=(--graph ./pairs.edges --topology ./topology.conf)
place=(place --nodefile hosts "${plan[@]}")
# Starts a daemon as ssh would; it says on which node.
# Daemons of one machine must not meet in one temporary folder.
cat >agent <<'END'
#!/bin/sh
[ "$1" = -x ] && shift
ON=$1; shift
TMPDIR=$(dirname "$0")/on.$ON; mkdir -p "$TMPDIR"
export ON TMPDIR
exec sh -c "$*"
END
chmod +x agent
# shellcheck disable=SC2016
says='echo "${PMI_RANK-$OMPI_COMM_WORLD_RANK} $ON"'

# The machine's own launchers.
if command -v mpiexec.hydra >/dev/null; then
    hydra=(mpiexec.hydra -launcher ssh -launcher-exec "$work/agent")
    run "${place[@]}" -- "${hydra[@]}" -n 8 sh -c "$says"
    equal "Hydra: nodes change places, ranks of one stay together" \
        "0 0 n0,1 n0,2 n2,3 n2,4 n1,5 n1,6 n3,7 n3" "$status $(sort out | paste -sd,)"
    contains "Hydra: one line" "$err" '^topomap: placed: 8 ranks, by ./pairs.edges: 2 hops per byte instead of 4'
    equal "Hydra: no file is left" "" "$(ls -A tmp)"
    run "${place[@]}" --unit rank -- "${hydra[@]}" -ppn 2 -f hosts -n 8 sh -c "$says"
    equal "Hydra, --unit rank: rank by rank, and -f and -ppn give way" "0 0 n0,1 n1,2 n2,3 n3,4 n0,5 n1,6 n2,7 n3" \
        "$status $(sort out | paste -sd,)"
else
    skip "Hydra" "no mpiexec.hydra"
fi
if command -v mpiexec.openmpi >/dev/null; then
    printf 'n%d slots=2\n' 3 2 1 0 >reversed
    if mpiexec.openmpi --version | grep -q ' [34]\.'; then
        # By one interface, and no daemon that starts others.
        openmpi=(mpiexec.openmpi --mca plm rsh --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1
            --mca routed direct --mca oob_tcp_if_include lo)
        rankfile='--rankfile rankfile'
        # Its daemons do not always find each other.
        for _ in 1 2 3; do
            run "${place[@]}" -- "${openmpi[@]}" --timeout 60 -n 8 sh -c "$says"
            [ "$status" = 0 ] && break
        done
        equal "Open MPI: rank by rank" "0 0 n0,1 n1,2 n2,3 n3,4 n0,5 n1,6 n2,7 n3" "$status $(sort out | paste -sd,)"
    else
        # The daemons of 5 and later do not start under pretended names; the map
        # is made without them.
        openmpi=(mpiexec.openmpi --do-not-launch --display map)
        rankfile='--map-by rankfile:file=rankfile'
        run "${place[@]}" -- "${openmpi[@]}" -n 8 true
        equal "Open MPI: rank by rank" "0 n0:0 n0:4 n1:1 n1:5 n2:2 n2:6 n3:3 n3:7" \
            "$status $(sed -n 's/^Data for node: \([a-z0-9]*\).*/\1/p; s/.*Process rank: \([0-9]*\).*/:\1/p' out |
                awk '/^:/ {print node $0; next} {node = $0}' | paste -sd' ')"
    fi
    equal "Open MPI: no file is left" "" "$(ls -A tmp)"
    run place "${plan[@]}" --dry-run --bind -- "${openmpi[@]}" --hostfile reversed -n 8 sh -c "$says"
    contains "Open MPI, --bind: a rankfile, beside the nodes that the command names" \
        "$(grep '^rank 4' out) $(tail -1 out)" \
        "^rank 4=n3 slot=1 mpiexec.openmpi $rankfile --hostfile reversed --"
    run "${place[@]}" --dry-run --bind -- mpiexec.openmpi -n 8 ./app
    contains "a rankfile, and the nodes that nothing else names" "$(tail -1 out)" \
        "^mpiexec.openmpi $rankfile --host n0:2,n1:2,n2:2,n3:2 -n 8 ./app"
else
    skip "Open MPI" "no mpiexec.openmpi"
fi

# Forms of those that are not here, as their documentation has them.
printed() { run "${place[@]}" --dry-run --launcher "$1" -- "${@:2}"; }
printed prrte mpirun -n 8 ./app
equal "PRRTE" "n0 n1 n2 n3 n0 n1 n2 n3 mpirun --map-by seq:file=hostfile --host n0:2,n1:2,n2:2,n3:2 -n 8 ./app" \
    "$(sed -n 2,9p out | xargs) $(tail -1 out)"
run "${place[@]}" --dry-run --bind --launcher prrte -- mpirun -n 8 ./app
equal "PRRTE, --bind" "mpirun --map-by rankfile:file=rankfile --host n0:2,n1:2,n2:2,n3:2 -n 8 ./app" "$(tail -1 out)"
# Its qualifiers end at a dash, also inside a path.
printf '#!/bin/sh\necho "$2"; cat "${2#*file=}"\n' >mpirun
chmod +x mpirun
mkdir with-dash
TMPDIR=$work/with-dash run "${place[@]}" --launcher prrte -- ./mpirun -n 8 ./app
equal "PRRTE: no dash in the path of its file" "0 seq:file=/hostfile n0 n1 n2 n3 n0 n1 n2 n3" \
    "$status $(sed 's|=/[^-]*/hostfile$|=/hostfile|' out | xargs)"
equal "PRRTE: nothing is left" "" "$(ls -A with-dash)"
rm mpirun
printed intel mpirun -genv A b -n 8 ./app
equal "Intel" "n0:2 n2:2 n1:2 n3:2 mpirun -machinefile machinefile -genv A b -n 8 ./app" \
    "$(sed -n 2,5p out | xargs) $(tail -1 out)"
printed pals mpiexec -n 8 --ppn 2 ./app
equal "PALS" "0,4,1,5,2,6,3,7 env MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=MPICH_RANK_ORDER mpiexec -n 8 --ppn 2 ./app" \
    "$(sed -n 2p out) $(tail -1 out)"
printed flux flux run -n8 ./app
equal "Flux" "flux run '--taskmap=manual:[[0,4,1,1],[0,4,1,1]]' -n8 ./app" "$out"
printed jsrun jsrun -n 8 -c4 -r2 ./app 'a b'
equal "jsrun" "rank: 5: { hostname: n1; cpu: {4-7} } jsrun --erf_input=erf ./app 'a b'" \
    "$(sed -n 9p out) $(tail -1 out)"
printed pals mpiexec -n 8 ./app
"$topomap" "${place[@]}" --dry-run --launcher openmpi -- echo >script 2>err
printed openmpi echo
sh script >said
equal "what is printed is a script" "--mca rmaps seq --hostfile hostfile" "$(cat said)"
# Nodes whose names end the file, and run.
printf '%s:2\n' END 'touch<ran' 'END_' '$(touch<ran)' >hostile
"$topomap" place --nodefile hostile --graph ./pairs.edges --topology tree:2,2 --dry-run --launcher openmpi -- echo >script 2>err
bash script >said
equal "no name of a node ends the file" "--mca rmaps seq --hostfile hostfile 8" "$(cat said) $(grep -c . hostfile)"
equal "nor runs" "2 2 2 2" "$(sort hostfile | uniq -c | awk '{ print $1 }' | xargs)$(ls ran 2>/dev/null)"

# Jobs. The first lines of a node's file may come in any order.
found() { run place "${plan[@]}" -v --dry-run --launcher pals -- mpiexec ./app; sed -n 's/^topomap: \(.*\); mpiexec .*/\1/p' err; }
printf 'n0\nn1\nn2\nn3\nn0\nn1\nn2\nn3\n' >nodes
equal "PBS" "PBS job 881: 4 nodes" "$(PBS_JOBID=881 PBS_NODEFILE=$work/nodes found)"
equal "its ranks fill the nodes" "0,4,1,5,2,6,3,7" "$(sed -n 2p out)"
# Full names of nodes, and a network of short ones; and the reverse.
sed 's/$/.a.org/' nodes >nodes.full
sed 's/n\[0-1\]/n[0-1].a.org/; s/n\[2-3\]/n[2-3].a.org/' topology.conf >full.conf
for names in "nodes.full topology" "nodes full" "nodes.full full"; do
    PBS_JOBID=881 PBS_NODEFILE=$work/${names% *} run place --graph ./pairs.edges --topology "./${names#* }.conf" \
        --dry-run --launcher openmpi -- mpirun -n 8 ./app
    equal "names of nodes: $names.conf" "$(sed -n '1~2p' "${names% *}" | paste -sd' ') $(sed -n '2~2p' "${names% *}" | paste -sd' ')" \
        "$(sed -n 2,9p out | awk '{ a[NR] = $1 } END { print a[1], a[3], a[5], a[7], a[2], a[4], a[6], a[8] }')"
done
refused_names() { run place --graph ./pairs.edges --topology "./$1" --dry-run --launcher openmpi -- mpirun -n 8 ./app; }
sed 's/n3.a/n2.b/' nodes.full >two.domains
PBS_NODEFILE=$work/two.domains refused_names topology.conf
equal "two nodes of one short name" "topomap: not placed: nodes n2.a.org and n2.b.org would be one node of the topology (./topology.conf) mpirun -n 8 ./app" \
    "$(cat err out | paste -sd' ')"
sed 's/n\[2-3\].a.org/n2.a.org,n2.b.org,n3.a.org/' full.conf >two.conf
PBS_NODEFILE=$work/nodes refused_names two.conf
contains "a short name of two" "$err" "^topomap: not placed: host 'n2' may be n2.a.org or n2.b.org of the topology"
equal "LSF" "LSF job 7: 4 nodes" "$(LSB_JOBID=7 LSB_DJOB_HOSTFILE=$work/nodes found)"
equal "LSF, by pairs" "LSF job 8: 4 nodes 0,4,1,5,2,6,3,7" \
    "$(LSB_JOBID=8 LSB_MCPU_HOSTS='n0 2 n1 2 n2 2 n3 2' found) $(sed -n 2p out)"
equal "LSF, by names" "LSF job 8: 4 nodes 0,4,1,5,2,6,3,7" \
    "$(LSB_JOBID=8 LSB_HOSTS='n0 n0 n1 n1 n2 n2 n3 n3' found) $(sed -n 2p out)"
printf 'batch2\n' >csm
cat nodes >>csm
LSB_JOBID=9 LSB_DJOB_HOSTFILE=$work/csm run place "${plan[@]}" -v --dry-run --launcher jsrun -- jsrun -n 8 ./app
equal "LSF, jsrun: no rank beside the script" "LSF job 9: 4 nodes 8" \
    "$(sed -n 's/^topomap: \(.*\); jsrun .*/\1/p' err) $(grep -c '^rank' out)"
equal "nor a node of it" "" "$(grep batch2 out)"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "mpirun (IBM Spectrum MPI) 10.3.1.2rtm0"\n' >mpirun
chmod +x mpirun
run place --nodefile hosts "${plan[@]}" --dry-run -- ./mpirun -n 8 ./app
equal "Spectrum MPI is an Open MPI" "./mpirun --mca rmaps seq --hostfile hostfile -n 8 ./app" "$(tail -1 out)"
equal "OAR" "OAR job 9: 4 nodes" "$(OAR_JOB_ID=9 OAR_NODEFILE=$work/nodes found)"
equal "Slurm" "Slurm job 5: 4 nodes 0,4,1,5,2,6,3,7" \
    "$(SLURM_JOB_ID=5 SLURM_JOB_NODELIST='n[0-3]' SLURM_TASKS_PER_NODE='2(x4)' found) $(sed -n 2p out)"
equal "Slurm, by CPUs" "Slurm job 5: 4 nodes 0,4,1,5,2,6,3,7" \
    "$(SLURM_JOB_ID=5 SLURM_JOB_NODELIST='n[0-3]' SLURM_JOB_CPUS_PER_NODE='8(x4)' SLURM_CPUS_PER_TASK=4 found) $(sed -n 2p out)"
mkdir bin
printf '#!/bin/sh\n[ "$2" = list ] && echo "4 8 n[0-3]" && echo "0 0 "\n' >bin/flux
chmod +x bin/flux
equal "Flux" "Flux job f1: 4 nodes 0,4,1,5,2,6,3,7" "$(PATH=$work/bin:$PATH FLUX_URI=local:///x FLUX_JOB_ID=f1 found) $(sed -n 2p out)"
equal "none" "" "$(found)"
equal "none: one line, and the command as it is" \
    "topomap: not placed: no job of Flux, Slurm, PBS, LSF or OAR, and no --nodefile; the launcher's layout stays mpiexec ./app" \
    "$(cat err out | paste -sd' ')"

# Lists of nodes, there and back; what launchers print of themselves; task maps.
python3 -I - "$STAGE_LIBEXECDIR/topomap/launchers.py" >out 2>err <<'END'
import importlib.util, random, sys
spec = importlib.util.spec_from_file_location("launchers", sys.argv[1])
launchers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launchers)
draw = random.Random(1)
lists = [["n9", "n10"], ["n09", "n10", "m"], ["a1b", "a2b"], ["r0n1", "r0n2", "r1n1"], ["login", "n0"]]
lists += [[draw.choice(["n", "r1-c", "x"]) + draw.choice(["%d", "%02d", "%03d"]) % draw.randrange(120)
           for _ in range(draw.randrange(1, 30))] for _ in range(500)]
for names in lists:
    assert launchers.expand(launchers.compress(names)) == names, (names, launchers.compress(names))
assert launchers.expand("r[0-1]n[08-10,3],m") == ["r0n08", "r0n09", "r0n10", "r0n3", "r1n08", "r1n09", "r1n10", "r1n3", "m"]
for printed, kind, name in (
        ("HYDRA build details:\n    Version:    4.0.2\n", "hydra", "MPICH 4.0.2"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.10", "intel", "Intel MPI 2021.10"),
        ("mpirun (Open MPI) 4.1.4\n", "openmpi", "Open MPI 4.1.4"), ("mpirun (Open MPI) 5.0.3\n", "prrte", "Open MPI 5.0.3"),
        ("mpirun (Open MPI) 10.1\n", "prrte", "Open MPI 10.1"), ("mpirun (OpenRTE) 2.1.1\n", "openmpi", "Open MPI 2.1.1"),
        ("prterun (PRRTE) 3.0.5\n", "prrte", "PRRTE 3.0.5"), ("PALS 1.2.12\n", "pals", "PALS 1.2.12"), ("GNU coreutils\n", None, "")):
    assert launchers.by_version(printed) == (kind, name), (printed, launchers.by_version(printed))
assert launchers.taskmap([0, 0, 1, 1, 2, 0]) == "[[0,2,2,1],[2,1,1,1],[0,1,1,1]]"
assert launchers.counts_of("2(x3),1", 4) == [2, 2, 2, 1] and launchers.counts_of("8", 3) == [8, 8, 8]
END
equal "lists of nodes, versions and task maps" "0 " "$? $(cat err)"

# A launcher of ours, to see what becomes of it.
cat >mpiexec <<'END'
#!/bin/sh
[ "$1" = --version ] && { echo 'HYDRA build details:'; echo '    Version: 4.2'; exit; }
trap 'echo TERM >>said; kill $child; exit 7' TERM
echo "$*" >said
cat "$2" >machines 2>/dev/null
case $* in
*wait*) sleep 1000 & child=$!; echo $$ >started; wait ;;
*die*) kill -USR1 $$ ;;
esac
exit 5
END
chmod +x mpiexec
run "${place[@]}" -- ./mpiexec -n 8 true
equal "the launcher reads the file, and its status is ours" "5 n0:2 n2:2 n1:2 n3:2" "$status $(xargs <machines)"
PBS_JOBID='881[2].pbs01' run "${place[@]}" -- ./mpiexec -n 8 ./pair
contains "how it is undone" "$err" "; without topomap place the launcher's layout stays$"
step=$("$topomap" history 881 --csv | sed -n 's/^\(881\),\([0-9]*\),.*/\1.\2/p')
equal "the history has it: when it began, and its seconds" "pair 8 4 placed user yes" \
    "$("$topomap" history "$step" --json | tr ',' '\n' | sed -n 's/.*"\(program\|ntasks\|nnodes\|outcome\|asked\)": "*\([^"}]*\).*/\2/p' | xargs) \
$("$topomap" history "$step" --json | grep -q '"seconds": [0-9]' && echo yes)"
equal "and where each rank was" "0,1 n0 4,5 n1 2,3 n2 6,7 n3" \
    "$("$topomap" history "$step" --ranks | awk '$1 ~ /^[0-9]/ { at[$2] = at[$2] (at[$2] == "" ? "" : ",") $1 } END { for (n in at) print n, at[n] }' | sort | awk '{ print $2, $1 }' | xargs)"
run "${place[@]}" -- ./mpiexec -n 8 true die
equal "the signal that ended it ends us" "138 " "$status $(ls -A tmp)"
# begin: topomap place in the background, until its launcher runs.
begin()
{
    rm -f started
    "$topomap" "${place[@]}" -- ./mpiexec -n 8 true wait >out 2>err </dev/null &
    pid=$!
    until [ -s started ]; do sleep 0.05; done
}
begin
kill -TERM $pid
wait $pid
status=$?
contains "placed it was" "$(cat err)" "placed: 8 ranks"
equal "a signal goes on to it, once, and its end is ours" "7 TERM 1 " "$status $(tail -1 said) $(grep -c TERM said) $(ls -A tmp)"
begin
launcher=$(cat started)
kill -KILL $pid
wait $pid 2>/dev/null
while kill -0 "$launcher" 2>/dev/null; do sleep 0.05; done
equal "when we are killed it is told to end" TERM "$(tail -1 said)"
rm -rf tmp/*

# After any failure it starts, and one line says why.
as_is()
{
    local words="${*:3}"
    rm -f said machines
    run place "${@:3}"
    equal "$1: it starts as it is" "5 1 ${words##*./mpiexec }" "$status $(wc -l <err) $(cat said)"
    contains "$1: why" "$err" "$2"
}
as_is "no topology" 'nothing: No such file' --nodefile hosts --graph ./pairs.edges --topology ./nothing -- ./mpiexec -n 8 true
as_is "no graph" 'none.edges' --nodefile hosts --graph ./none.edges --topology ./topology.conf -- ./mpiexec -n 8 true
as_is "more ranks than places" 'hosts has 8 places for 9 ranks' --nodefile hosts "${plan[@]}" -- ./mpiexec -n 9 true
printf 'n0:2\nn1:x\n' >bad
as_is "bad hosts" 'bad:2: expected a node' --nodefile bad "${plan[@]}" -- ./mpiexec -n 8 true
as_is "other programs" 'several programs' --nodefile hosts "${plan[@]}" -- ./mpiexec -n 4 true : true
TMPDIR=/nowhere as_is "no folder for the file" 'cannot make the folder /nowhere' --nodefile hosts "${plan[@]}" -- ./mpiexec -n 8 true
run "${place[@]}" -- ./mpiexec -hosts n0,n1 -n 4 ./app
contains "ranks that the command places itself" "$err" "places ranks itself, by --hosts; the launcher's layout stays"
run "${place[@]}" -- ./none -n 8
equal "a launcher that is not there" 127 "$status"
run place
equal "no command" 2 "$status"

# The site's switch, and its rules for launches like this one.
mkdir site
as_usual='; the job runs as usual'
says() { echo "{ \"format\": 1, $1 }" >site/topomap.json; }
says '"rules": [{"program": "app*", "account": "secret", "place": false}, {"program": "app-[xy]", "record": false, "time_s": 7}]'
configured=(--config site/topomap.json "${place[@]:1}")
rule="rule 1 of site/topomap.json for account secret (secret) and program app-x (app*) forbids it"
SLURM_JOB_ACCOUNT=secret as_is "a rule that forbids it" "^topomap: not placed: $(printf '%s' "$rule" | sed 's/[*()]/[&]/g')$as_usual$" \
    "${configured[@]}" -- ./mpiexec -n 8 ./app-x
SLURM_JOB_ACCOUNT=secret as_is "a rule that forbids it, by --program" "^topomap: not placed: rule 1 " \
    "${configured[@]}" --program ./app-x -- ./mpiexec -n 8 ./run
run place "${configured[@]}" -- ./mpiexec -n 8 ./app-x
contains "a rule of another account: it is placed" "$err" '^topomap: placed: 8 ranks, by'
says '"disabled": "the network is being rebuilt"'
off="this site has switched topomap off: the network is being rebuilt$as_usual"
noted=$("$topomap" history --json | grep -c '"step"')
as_is "the site has switched it off" "^topomap: not placed: $off$" "${configured[@]}" -- ./mpiexec -n 8 true
equal "the site has switched it off: nothing is noted" "$noted" "$("$topomap" history --json | grep -c '"step"')"
run place "${configured[@]}" --dry-run -- ./mpiexec -n 8 true
equal "the site has switched it off: a dry run shows the command" "0 ./mpiexec -n 8 true topomap: not placed: $off" "$status $out $err"
echo '{' >site/topomap.json
echo 'storage is full' >site/disabled
as_is "a file beside a bad one" "^topomap: not placed: .*switched topomap off: storage is full$as_usual$" "${configured[@]}" -- ./mpiexec -n 8 true
rm site/disabled
as_is "a bad site file alone" "site/topomap.json:2: " "${configured[@]}" -- ./mpiexec -n 8 true

# Recording.
[ -e "$STAGE_LIBDIR/libcommprof.so" ] || { skip "record" "no recorder was built" && finish && exit; }
run record --dry-run --launcher jsrun --name mine -- jsrun -n 2 ./app
contains "record: jsrun" "$out" '^jsrun -E LD_PRELOAD=/.*/libcommprof.so -E COMMPROF_CATALOGUE=/.* -E COMMPROF_NAME=mine -E COMMPROF_VERBOSE=1 -n 2 ./app$'
run record --dry-run -q --launcher flux --time 9 -- flux run -n 2 ./app
contains "record: Flux" "$out" '^flux run --env=LD_PRELOAD=/.*/libcommprof.so --env=COMMPROF_CATALOGUE=/.* --env=COMMPROF_SECONDS=9 -n 2 ./app$'
cat >pair.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, data = 1, how = argc > 1 ? argv[1][0] : 'f';
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv_replace(&data, 1, MPI_INT, (rank + size / 2) % size, 0, (rank + size / 2) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (how == 'e')
        return 4;
    if (how == 'w' && rank == 0)
        fclose(fopen("started", "w"));
    if (how == 'a' && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (how == 'k' && rank == 2)
        raise(SIGKILL);
    if (how != 'f')
        sleep(1000);
    MPI_Finalize();
    return 0;
}
END
# without_finalize WHAT PROGRAM LAUNCHER...: however they end, all that they sent is filed.
without_finalize()
{
    local how
    for how in exit abort kill; do
        run record --name "$how" -- "${@:3}" -n 4 "$2" $how
        contains "record: $1, $how: all is filed" "$err" \
            "^topomap: recorded: 4 of 4 tasks of $how until .*, without MPI_Finalize; filed in $work/catalogue/$how/"
        equal "record: $1, $how: what they sent" "0 2 8,1 3 8" \
            "$("$topomap" convert "catalogue/$how/named/4/current/p2p.graph" --to edges | grep -v '[a-z]' | paste -sd,)"
    done
    equal "record: $1: no spool is left" "" "$(ls -A catalogue/.spool-*)"
}
# in_group COMMAND...: in the background, in a cgroup of its own, until the ranks have sent.
group=$(mount -t cgroup2 2>/dev/null | awk 'NR == 1 { print $3 }')/topomap-place-$$
in_group()
{
    rm -f started
    # shellcheck disable=SC2016
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" >out 2>err </dev/null &
    pid=$!
    until [ -e started ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
}
# A batch system ends a job: with a signal before, and without.
ended_by_batch_system()
{
    in_group "$topomap" record --name told -- "$@" -n 4 ./pair wait
    # shellcheck disable=SC2046
    kill -TERM $(cat "$group/cgroup.procs") 2>/dev/null
    wait $pid
    echo 1 >"$group/cgroup.kill"
    contains "record: the whole cgroup is sent TERM, and then killed: all is filed" "$(cat err)" \
        "recorded: 4 of 4 tasks of told until .*, without MPI_Finalize; filed in $work/catalogue/told/"
    in_group "$topomap" record --name untold -- "$@" -n 4 ./pair wait
    echo 1 >"$group/cgroup.kill"
    wait $pid
    equal "record: killed as a whole, it leaves nothing half" "137 " "$? $(ls -d catalogue/untold 2>/dev/null)"
    until grep -q 'populated 0' "$group/cgroup.events"; do sleep 0.05; done
    rmdir "$group"
    rm -rf catalogue/.spool-*/*
}
if ${MPICC_MPICH:-false} pair.c -o pair 2>/dev/null && command -v mpiexec.hydra >/dev/null; then
    run record -- mpiexec.hydra -launcher fork -n 4 ./pair
    contains "record: Hydra's ranks" "$status $err" '^0 topomap: recorded: 4 of 4 tasks of pair; filed in'
    printf 'n%d:1\n' 0 1 2 3 >four
    run place --nodefile four --topology ./topology.conf -- mpiexec.hydra -launcher fork -n 4 ./pair
    contains "and place finds it" "$err" '^topomap: placed: pair, 4 ranks, by the profile of .*: 2 hops per byte instead of 4'
    run place --nodefile hosts --topology ./topology.conf -- mpiexec.hydra -launcher fork -n 8 ./pair
    equal "of another size" 0 "$status"
    without_finalize Hydra ./pair mpiexec.hydra -launcher fork
    if mkdir "$group" 2>/dev/null && [ -w "$group/cgroup.kill" ]; then
        ended_by_batch_system mpiexec.hydra -launcher fork
    else
        rmdir "$group" 2>/dev/null
        skip "record: in a cgroup that is killed" "no cgroup of version 2 can be made"
    fi
else
    skip "record: Hydra's ranks" "no mpicc of MPICH"
fi
if ${MPICC_OPENMPI:-false} pair.c -o pair.o 2>/dev/null && command -v mpiexec.openmpi >/dev/null; then
    run record --name other -- mpiexec.openmpi --oversubscribe -n 4 ./pair.o
    contains "record: Open MPI's ranks" "$err" 'recorded: 4 of 4 tasks of other; filed in'
    without_finalize "Open MPI" ./pair.o mpiexec.openmpi --oversubscribe
else
    skip "record: Open MPI's ranks" "no mpicc of Open MPI"
fi
run record -- mpiexec.hydra -n 2 sleep 0.2
equal "record: no MPI program" \
    "0 topomap: not recorded: the program called no MPI_Init that the recorder saw; NCCL programs: --topomap=llm:tp=T,pp=P,dp=D" "$status $err"
run record -- ./mpiexec -n 2 true
equal "record: the launcher's status is ours" 5 "$status"
run record --launcher hydra -- ./none -n 2 true
equal "record: no launcher, and no word of a recording" "127 1 " "$status $(wc -l <err) $(ls -A catalogue/.spool-*)"
printf '#!/bin/sh\necho "${LD_PRELOAD-none} ${COMMPROF_CATALOGUE-none}"; exit 5\n' >preloaded
chmod +x preloaded
says '"disabled": "the network is being rebuilt"'
run record --config site/topomap.json --launcher hydra -- ./preloaded -n 2 true
equal "record: the site has switched it off: it runs without the recorder" "5 none none topomap: not recorded: $off " "$status $out $err $(ls -A catalogue/.spool-*)"
says '"rules": [{"user": "nobody", "program": "app", "record": false}, {"user": "*", "program": "app", "record": false}]'
run record --config site/topomap.json --launcher hydra -- ./preloaded -n 2 ./app
contains "record: a rule forbids it" "$status $out $err" "^5 none none topomap: not recorded: rule 2 of site/topomap.json for user .*forbids it$as_usual$"
run record --config site/topomap.json --dry-run --launcher hydra -- ./preloaded -n 2 ./app
equal "record: a dry run shows the command as it is" "0 ./preloaded -n 2 ./app" "$status $out"
run record --config site/topomap.json --dry-run --launcher hydra -- ./preloaded -n 2 true
contains "record: other programs are recorded" "$out" 'libcommprof.so.* -n 2 true$'
run record --catalogue hosts -- mpiexec.hydra -n 1 true
equal "record: where no profile can be filed nothing starts" "1 topomap: $work/hosts cannot be written: Not a directory" "$status $err"
finish
