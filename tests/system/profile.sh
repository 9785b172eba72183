#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# profile.sh - topomap profile as users and the plugin see it: what is filed is
# found, listed, exported and removed; each refusal is one line on stderr.
# Needs neither Slurm nor MPI.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
srcdir=$(cd "$srcdir" && pwd) # make gives a relative one in VPATH builds
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP XDG_DATA_HOME
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-profile.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
HOME=$work/home
TOPOMAP_CATALOGUE=$work/own
export HOME TOPOMAP_CATALOGUE
mkdir "$HOME" "$work/bin"
cd "$work" || exit 99
printf '4 3 001\n2 10\n1 10 3 5\n2 5 4 7\n3 7\n' >four.graph
printf '2 1 001\n2 9\n1 9\n' >two.graph
# Two builds of one program; to the catalogue a file is a file.
echo 'first build' >bin/app
chmod 755 bin/app
first=$(sha256sum bin/app | cut -d ' ' -f 1)

# run ARGUMENT...: topomap profile's stdout, stderr and status.
run() {
    out=$("$topomap" profile "$@" 2>"$work/stderr")
    status=$?
    err=$(cat "$work/stderr")
}

# refused NAME STATUS PATTERN: nothing on stdout, one line like that on stderr.
refused() {
    if [ "$status" = "$2" ] && [ -z "$out" ] &&
        [ "$(wc -l <"$work/stderr")" -eq 1 ] &&
        grep -q -e "$3" "$work/stderr"; then
        ok "$1"
    else
        not_ok "$1" "status $status (not $2), stdout '$out', stderr '$err' (not like '$3')"
    fi
}

# silent NAME: done, without a word on stderr.
silent() {
    equal "$1" "0:" "$status:$err"
}

# versions: how many there are in all.
versions() {
    "$topomap" profile list --all 2>/dev/null | sed 1d | wc -l
}

run --help
equal "help goes to stdout" "0::usage: topomap profile list" \
    "$status:$err:$(echo "$out" | sed -n '1s/ \[.*//p')"
run list
equal "an empty catalogue is no error" "0::topomap: no profiles yet: record one with srun --topomap=profile" \
    "$status:$out:$err"
run list --json
equal "an empty catalogue in JSON" "0:[]:" "$status:$out:$err"

# Filed, and found again.
run import four.graph --program bin/app --ntasks 4
silent "import"
equal "import prints the folder" "$work/own/app/sha256-$first/4" "${out%/*}"
folder=$out
equal "the folder is the current one" "${folder##*/}" "$(readlink "${folder%/*}/current")"
# Every command that takes a graph takes a profile.
on() { "$topomap" "$@" --topology flat:2 --tasks-per-node 2 2>&1 | awk '{ print $1, $2, $3 }'; }
for word in app:4 "$folder" "$folder/profile.json"; do
    equal "convert ${word##*/}" "$(cat four.graph)" "$("$topomap" convert "$word" --to metis)"
    equal "map ${word##*/}" "$(on map four.graph)" "$(on map "$word")"
    equal "eval ${word##*/}" "$(on eval four.graph block)" "$(on eval "$word" block)"
done
run import two.graph --program bin/app
silent "import of another size"
# A graph alone is poorer than a recording.
recorded=$(readlink "${out%/*}/current")
sed -i 's/"import"/"7.0"/' "$out/profile.json"
run import two.graph --program bin/app
refused "import in the place of a recording" 1 'a recording of app with 2 tasks is current'
equal "import in the place of a recording: it stays" "$recorded" "$(readlink "$work/own/app/sha256-$first/2/current")"
run import two.graph --program bin/app --replace
silent "import --replace"
run rm app:2
run import four.graph --name wind-1 --graph alltoall
silent "import by name"
run import four.graph --name inside --node "package:2 core:1" --catalogue "$work/nodes"
silent "import with what a node is inside"
contains "it is filed" "$(cat "$out/profile.json")" '"node": "package:2 core:1"'
contains "and a plan goes by it" "$("$topomap" plan --name inside --catalogue "$work/nodes" --ntasks 4 --nodelist 'n[0-1]' \
    --tasks-per-node 2 --topology flat:2 2>&1)" 'package:2 core:1'
run import four.graph --name inside --node 'package:two' --catalogue "$work/nodes"
refused "import: no description of a node" 1 '^topomap: --node: '
run import four.graph --name inside --node '<topology/>' --catalogue "$work/nodes"
refused "import: XML of a node" 1 '^topomap: --node: XML is for the site file'
run import "$srcdir/golden/tools/ompi-monitoring" --from ompi-monitoring --name monitored --catalogue "$work/others"
silent "import of a folder of Open MPI's monitoring"
equal "it has the tasks and edges of the run" "4 6 001" "$(head -1 "$out/p2p.graph")"
run list
silent "list"
equal "list: three, sorted" "app 2 p2p
app 4 p2p
wind-1 4 alltoall" "$(echo "$out" | sed 1d | awk '{ print $1, $3, $5 }')"
run list wind-1
equal "list of one program" 2 "$(echo "$out" | wc -l)"
run show bin/app:4
silent "show"
contains "show: path" "$out" "^path  *$work/bin/app\$"
contains "show: tasks" "$out" '^tasks  *4$'
contains "show: a row for each type" "$out" '^p2p  *0  *22  *0  *-  *22  p2p\.graph$'
run show --json name:wind-1
contains "show --json" "$status $out" '"graph": "alltoall.graph"'
run show "$folder"
contains "show of a folder" "$status $out" "^folder  *$folder\$"
run export bin/app:4
equal "what went in comes out" "0:$(cat four.graph)" "$status:$out"
run export bin/app:4 --graph p2p -o out.graph
equal "export to a file" "0:" "$status:$out"
if cmp -s four.graph out.graph; then ok "the same file"; else not_ok "the same file"; fi
PATH=$work/bin:$PATH
run show app:2
contains "a program by PATH" "$status $out" '^tasks  *2$'

# What cannot be.
run show bin/app
refused "several sizes" 1 'recorded with 2, 4 tasks: say which by'
run show bin/app:8
refused "a size that is not there" 1 'no profile of bin/app for 8 tasks; there are profiles for 2, 4'
run show name:other
refused "a name that is not there" 1 'no profile named other'
run export name:wind-1 --graph p2p
refused "a graph that is not there" 1 "has no graph 'p2p'; it has alltoall, sum"
run import four.graph --program bin/app --ntasks 5
refused "a graph of another size" 1 'four.graph has 4 tasks, not 5'
run import four.graph --name ../x
refused "a name that leads away" 1 'letters, digits and'
echo rubbish >bad.graph
run import bad.graph --name x
refused "no graph" 1 'bad\.graph: no edges in it'
run import missing.graph --name x
refused "no file" 1 'missing\.graph'
run import four.graph
refused "import of nothing" 2 'import wants --program or --name'
run import four.graph --name x --graph sum
refused "sum is no type" 2 'no type of call'
run show
refused "no operand" 2 'PROFILE is missing'
run list --graph p2p
refused "an option of another verb" 2 '\-\-graph is not for list'
run bogus
refused "no such verb" 2 "'bogus' is not list, .*merge, .*recorder or collect"
run show --colour x
refused "no such option" 2 'unknown.* option --colour'
TOPOMAP_CATALOGUE=$work/four.graph
run list
refused "a catalogue that is a file" 1 'four.graph: Not a directory'
run import four.graph --name x
refused "filing into a file" 1 'Not a directory'
TOPOMAP_CATALOGUE=$work/own
equal "nothing of that was filed" 3 "$(versions)"

# Broken and untrusted profiles.
cp "$folder/profile.json" good.json
head -c 100 good.json >"$folder/profile.json"
run show bin/app:4
refused "a truncated profile" 1 'profile\.json:.*the file ends in the middle'
run list
contains "list goes on" "$status $err" 'profile\.json'
contains "list: unreadable" "$out" '^app .* unreadable '
run list --json
contains "list --json: error" "$out" '"error": ".*profile\.json'
sed 's/"format": 1/"format": 2/' good.json >"$folder/profile.json"
run show bin/app:4
refused "a later format" 1 'format 2 is later than this topomap knows (1)'
cp good.json "$folder/profile.json"
printf '3 1 001\n2 6\n1 6\n\n' >"$folder/p2p.graph"
run export bin/app:4
refused "a graph of another size in a profile" 1 'a graph of 3 tasks in a profile of 4'
cp four.graph "$folder/p2p.graph"

# A recorder without USER leaves a number.
sed -i 's/^{/{ "user": "0",/' "$folder/profile.json"
run show "$folder"
contains "show: who it is that has number 0" "$out" "^user  *$(id -nu 0)$"

# Another build, and removal.
echo 'second build' >bin/app
run show bin/app:4
contains "another build is said" "$status $err" '^0 topomap: this profile is of another build of app$'
run rm bin/app:4
refused "another build is not removed by its path" 1 'name its folder'
run import four.graph --program bin/app
silent "the second build"
run show bin/app:4
equal "its own build first" "0:" "$status:$err"
run import four.graph --name many
run import four.graph --name many
run import four.graph --name many --json
equal "import as JSON: the folder" "$(printf '{\n  "filed": [\n    "%s"\n  ]\n}' "$work/own/many/named/4/$(readlink own/many/named/4/current)")" "$out"
equal "many versions" 7 "$(versions)"
run rm name:many
silent "rm"
equal "rm takes one" 6 "$(versions)"
run show name:many
silent "the next is current"
run prune many --keep 1 --dry-run --json
equal "prune as JSON: one would go" "0 {\"dry_run\":true,\"removed\":[\"$work/own/many/named/4/$(cd own/many/named/4 && ls -d r*-import* | head -n 1)\"]}" \
    "$status $(printf '%s' "$out" | tr -d ' \n')"
run rm name:many --all --json
equal "rm --all as JSON" "0: 2" "$status:$err $(printf '%s\n' "$out" | grep -c "\"$work/own/many")"
contains "rm as JSON: the key" "$out" '"removed": \['
equal "rm takes all" 4 "$(versions)"
equal "empty folders go" "" "$(find own -name many)"
run rm "$folder"
silent "rm of a folder"
run rm name:many
refused "rm of nothing" 1 'no profile named many'
mkdir stray
cp good.json stray/profile.json
run rm stray/
refused "rm outside of catalogues" 1 'is not in a catalogue'
equal "and nothing is removed" stray/profile.json "$(ls stray/profile.json)"

# Critical types: a profile with two of them, a light one and a large one.
graphs=$work/graphs
mkdir "$graphs"
printf '4 3 001\n2 1000 3 9\n1 1000 4 40\n1 9\n2 40\n' >"$graphs/p2p.graph"
printf '4 1 001\n3 500\n\n1 500\n\n' >"$graphs/alltoall.graph"
printf '4 1 001\n4 6\n\n\n1 6\n' >"$graphs/bcast.graph"
types()
{
    cat <<JSON
{ "format": 1, "program": "app", "identity": "01", "ntasks": $1,
  "recorded": "2026-11-21T02:30:00Z", "seconds": 3, "types": [
  { "type": "p2p", "calls": 9, "bytes": 1049, "seconds": $2,
    "paired_bytes": 1049, "graph": "p2p.graph" },
  { "type": "allreduce", "calls": 8, "bytes": 64, "seconds": 50,
    "paired_bytes": 0, "graph": null, "why": "over more than half of the tasks" },
  { "type": "alltoall", "calls": 9, "bytes": 500, "seconds": 4,
    "paired_bytes": 500, "graph": "alltoall.graph",
    "communicators": [ { "size": 2, "communicators": 2, "calls": 9,
      "bytes": 500, "seconds": 4 } ] },
  { "type": "bcast", "calls": 2, "bytes": 6, "seconds": 0.5,
    "paired_bytes": 6, "graph": "bcast.graph" } ] }
JSON
}
types 4 6 >"$graphs/profile.json"
run graphs graphs/
silent "graphs"
equal "graphs: which are critical" "p2p yes
allreduce no: over more than half of the tasks
alltoall yes
bcast no: too little time" "$(printf '%s\n' "$out" | sed '1d;/^$/,$d' | sed 's/^\([a-z0-9]*\) .* \(yes\|no: .*\)$/\1 \2/')"
contains "graphs: sizes of communicators" "$out" '^alltoall .* 2  *yes$'
contains "graphs: of how much" "$out" 'take 95.2% of the 10.5 s outside large'
contains "graphs: the sums" "$out" '^weighted-sum  *3  *829  *2$'
run graphs graphs/ --share 0.5
contains "graphs: a smaller share" "$out" '^alltoall .* no: too little time$'
run graphs graphs/ --json
contains "graphs --json" "$status $out" '"seconds_without_large": 10.5'
run graphs graphs/ --share 0
refused "graphs: no share" 2 '\-\-share: .* is not a number'
run export graphs/ --graph weighted-sum
equal "export: 0.6 and 0.4, and no edge lost" "4 3 001 2 600 3 205 1 600 4 24 1 205 2 24" "$(echo $out)"
run export graphs/ --graph all
contains "export: all" "$out" '^2 1000 3 509 4 6$'
run export graphs/ --neighbours 1 --graph p2p
contains "export: thinned, and said so" "$status $err" '^0 topomap: thinning dropped 0 of 3 pairs, 0 of 1049 bytes'
run export graphs/ --least 40 --graph p2p
contains "export: thinned by bytes" "$err" 'dropped 1 of 3 pairs, 9 of 1049 bytes'
equal "export: the thin graph" "4 2 001 2 1000 1 1000 4 40 2 40" "$(echo $out)"
run export graphs/ --graph p2p --bits 9
equal "export: scaled to a sum of 9 bits" "4 3 001 2 241 3 3 1 241 4 10 1 3 2 10" "$(echo $out)"
run export graphs/ --bits 64
refused "export: too many bits" 2 '\-\-bits: .* is not a whole number'

# Nothing is believed that a file says of itself.
bad_profile() # NAME NTASKS SECONDS PATTERN
{
    types "$2" "$3" >"$graphs/profile.json"
    run graphs graphs/
    refused "graphs: $1" 1 "$4"
}
bad_profile "NaN seconds" 4 NaN 'profile.json:3: key types\[0\].seconds'
bad_profile "negative seconds" 4 -6 'profile.json:3: key types\[0\].seconds.*not negative'
bad_profile "too many seconds" 4 1e999 'profile.json:3: key types\[0\].seconds'
bad_profile "10^9 tasks" 1000000000 6 'p2p.graph: a graph of 4 tasks in a profile of 1000000000'
types 4 6 >"$graphs/profile.json"
bad_graph() # NAME TEXT PATTERN
{
    printf "$2" >"$graphs/bcast.graph"
    run export graphs/ --graph all
    refused "export: $1" 1 "bcast.graph$3"
}
bad_graph "10^9 tasks in a header" '1000000000 1 001\n2 6\n1 6\n' ':3: the header speaks of 1000000000 tasks'
bad_graph "10^9 edges in a header" '4 1000000000 001\n2 6\n1 6\n\n\n' ':5: the header speaks of 1000000000 edges'
bad_graph "a truncated graph" '4 1 001\n4 6\n\n' ':3: the header speaks of 4 tasks, the file ends'
bad_graph "a negative weight" '4 1 001\n4 -6\n\n\n1 -6\n' ':2: .*-6 is negative'
bad_graph "a weight too large" '4 1 001\n4 99999999999999999999\n\n\n1 6\n' ':2: .*too large'
bad_graph "weights that overflow" '4 1 001\n4 18446744073709551615\n\n\n1 18446744073709551615\n' ':2: with this row the weights of all edges exceed'

# Collectives that are expanded when they are asked for.
printf '4 1 001\n4 6\n\n\n1 6\n' >"$graphs/bcast.graph"
bad_collectives() # NAME NTASKS TEXT PATTERN [EXPANSION]
{
    types "$2" 6 >"$graphs/profile.json"
    printf "$3" >"$graphs/collectives"
    run export graphs/ --graph "${5:-bcast:tree}"
    refused "export: $1" 1 "collectives$4"
}
bad_collectives "collectives of a later format" 4 '# collectives 2: new\ncommunicator 0 4 all\nbcast 0 0 1 8\n' \
    ':1: format 2 is not the one'
bad_collectives "a root that is not there" 4 'communicator 0 2 1 3\nbcast 0 2 1 8\n' ':2: the root'
bad_collectives "a communicator cut off" 4 'communicator 0 4 0 1\n' ':1: 4 tasks below 4 should follow'
bad_collectives "a task that is not there" 4 'communicator 0 2 0 4\n' ':1: 2 tasks below 4 should follow'
bad_collectives "a negative number of bytes" 4 'communicator 0 4 all\nbcast 0 0 1 -8\n' ':2: expected'
bad_collectives "10^9 tasks" 1000000000 'communicator 0 2 0 1\nbcast 0 0 1 8\n' ': 1000000000 tasks are more'
bad_collectives "too many pairs" 16777216 'communicator 0 16777216 all\nalltoall 0 0 1 8\n' \
    ':2: alltoall over 16777216 tasks comes to more than' alltoall:direct
rm "$graphs/collectives"
types 4 6 >"$graphs/profile.json"

# Prune keeps the newest and the current.
for _ in 1 2 3 4; do run import four.graph --name many; done
run prune
refused "prune without --keep" 2 '\-\-keep is missing'
run prune other --keep 1
equal "prune of another program" "0::" "$status:$out:$err"
run prune --keep 2 --dry-run
equal "prune --dry-run" "2:4" "$(printf '%s\n' "$out" | grep -c /many/):$("$topomap" profile list many --all | sed 1d | wc -l)"
run prune many --keep 2
equal "prune" "2:2" "$(printf '%s\n' "$out" | grep -c /many/):$("$topomap" profile list many --all | sed 1d | wc -l)"
run show name:many
silent "prune: the current one is there"
run rm name:many --all

# Other catalogues.
run import four.graph --name theirs --catalogue site
silent "into another catalogue"
run show name:theirs
refused "which is not looked through" 1 'no profile named theirs'
run show name:theirs --catalogue site
silent "unless it is named"
run rm name:theirs
refused "and never removed from" 1 'no profile named theirs'
printf '{ "format": 1, "catalogues": [ "%s/site" ] }\n' "$work" >site.json
run show name:theirs --config site.json
silent "or in the site file"
run list --catalogue site
contains "list has both" "$out" '^theirs .*site$'

# Grids: 4 x 3, and a tree.
awk 'BEGIN {
    print "12 17 001"
    for (t = 0; t < 12; t++) {
        row = ""
        if (t % 4 > 0) row = row " " t " 7"
        if (t % 4 < 3) row = row " " t + 2 " 7"
        if (t >= 4) row = row " " t - 3 " 5"
        if (t < 8) row = row " " t + 5 " 5"
        print row
    }
}' >grid.graph
run import grid.graph --name flow
silent "a grid is imported"
run grid name:flow
silent "grid"
contains "grid: its dimensions" "$out" '^grid 3x4 of 12 tasks, ranks count through it'
contains "grid: its share" "$out" '^explains 100.0% of 103 bytes, stencil: star$'
contains "grid: its offsets" "$out" '^ *9  *63  *61.2%  0,1$'
run grid name:flow --json
contains "grid --json" "$status $out" '"explained_bytes": 103'
contains "grid --json: the stencil" "$out" '"stencil": "star"'
expected=$("$topomap" profile grid name:flow)
run grid grid.graph
equal "grid of a graph file is the same" "0::$expected" "$status:$err:$out"
run grid grid:5x4x3:periodic=100:stencil=box
silent "grid of a pattern"
contains "grid of a pattern: its stencil" "$out" '^explains 100.0% of [0-9]* bytes, stencil: box$'
contains "grid of a pattern: the first dimension is periodic" "$out" '^1  *5  line, periodic$'
# Columns of 6 with alltoall, rows that are rings.
awk 'BEGIN { for (c = 0; c < 8; c++) for (i = 0; i < 6; i++) { t = c * 6 + i
    print t, (t + 6) % 48, 5; for (j = i + 1; j < 6; j++) print t, c * 6 + j, 3 } }' >columns.edges
run grid columns.edges
silent "grid of columns"
contains "grid: a group" "$out" '^2  *6  group: all with all$'
contains "grid: bytes inside groups" "$out" '^  *360  *60.0%  inside groups'
run grid rubbish.graph
refused "grid: no such file" 1 'no profile of rubbish.graph'
printf '4 3 001\n2 x\n' >rubbish.graph
run grid rubbish.graph
refused "grid: no graph" 1 'rubbish\.graph:2'
printf '1 2 9\n2 3 9\n3 0 9\n0 1 9\n' >ring.edges
run grid ring.edges --from edges
contains "grid: a list of edges" "$status $out" '^0 grid 4 of 4 tasks'
run grid ring.edges --from xml
refused "grid: no such format" 2 "xml"
run grid grid.graph --graph p2p
refused "grid: a file has no types" 1 'is one graph: --graph is for profiles'
printf '5 4 001\n2 1 3 1 4 1 5 1\n1 1\n1 1\n1 1\n1 1\n' >star.graph
run import star.graph --name star
run grid name:star
silent "no grid is no failure"
contains "no grid: it says so" "$out" '^no Cartesian grid'
run grid name:star --json
contains "no grid, in JSON" "$status $out" '"grid": null'
run grid name:star --graph nothing
refused "grid: no such graph" 1 'nothing'

# What has not changed is not opened again in a large catalogue.
run import four.graph --program bin/app --catalogue "$work/builds"
for i in $(seq 1000 1199); do cp -r "${out%/4/*}" "$work/builds/app/$(printf %016d "$i")"; done
sleep 3
listed() { echo "$out" | grep -c "$work/builds"; }
index() { find "$HOME/.cache" -name "list-*" 2>/dev/null | wc -l; }
equal "large: no index yet" 0 "$(index)"
run list --catalogue "$work/builds" --csv
noted=$out
equal "large: all are listed" "0:201:" "$status:$(listed):$err"
equal "large: an index is kept" 1 "$(index)"
touch "$work/before"
run list --catalogue "$work/builds" --csv
equal "large: the same by the index" "$noted" "$out"
equal "large: which stays" "" "$(find "$HOME/.cache/topomap" -newer "$work/before" -name 'list-*')"
one=$work/builds/app/0000000000001100/4
rm -r "$work/builds/app/0000000000001050" && chmod o+w "$one" && : >"$work/builds/app/0000000000001000/4/$(readlink "$one/current")/partial"
run list --catalogue "$work/builds"
equal "large: what went, what is refused, and what is partial" "200 1" "$(listed) $(echo "$out" | grep -c '(partial)$')"
equal "large: refused" "topomap: $one is refused: everybody may write to it" "$err"
chmod o-w "$one"
echo '{"format": 1, "folders": 7}' >"$(echo "$HOME"/.cache/topomap/list-*)"
run list --catalogue "$work/builds"
equal "large: an index that is none" "0:200:" "$status:$(listed):$err"

# Recorders.
run recorder no-such-program
refused "recorder: no program" 1 'no program no-such-program in PATH or here'
run recorder ./nowhere
refused "recorder: no file" 1 'nowhere: No such file'
run recorder /bin/sh --mpi lam
refused "recorder: no such MPI" 2 '\-\-mpi: .* is not mpich or openmpi'
lib=${STAGE_LIBDIR-}/libcommprof.so
if [ -n "${STAGE_LIBDIR-}" ] && [ -e "$lib" ]; then
    run recorder ./four.graph
    equal "recorder: a script, which may start any MPI" "recorder $lib
catalogue $work/own
program $work/four.graph" "$(printf '%s\n' "$out" | head -n 3)"
    silent "recorder: a script"
    run recorder sh
    sh=$(readlink -f "$(command -v sh)")
    equal "recorder: no MPI" "recorder $lib
catalogue $work/own
program $sh
nompi $sh
nccl ${lib%.so}-nccl.so" "$(printf '%s\n' "$out" | grep -v '^command ')"
    contains "recorder: the command is remembered" "$out" '^command [0-9a-f]\{64\} [0-9a-f]\{64\}$'
    silent "recorder: no MPI"
    run recorder sh --mpi mpich
    equal "recorder: an MPI that is told" "recorder ${lib%.so}-mpich.so" "$(printf '%s\n' "$out" | head -n 1)"
else
    skip "recorder: its path" "it is not built"
fi
finish
