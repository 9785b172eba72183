#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# json.sh - every subcommand takes --json: what it prints then, and what it says
# when it fails, is read by a parser of JSON; and --csv, which is one table
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
topomap=$TOPOMAP
command -v python3 >/dev/null || skip_all "no python3, whose parser judges"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
unset TOPOMAP
export TOPOMAP_CATALOGUE=$work/catalogue

# What the examples are of.
"$topomap" convert ring:4 --to metis -o ring.graph
"$topomap" profile import ring.graph --name app >folder
"$topomap" profile pack name:app:4 -o app.topomap
printf '{ "format": 1, "ports": [ { "switch": 2 }, { } ] }\n' >site.json
sed 's/2/3/' site.json >measured.json
printf 'a 2\nb 2\n' >nodes
cat >steps <<'STEPS'
{"format": 1, "event": "launch", "time": "2023-11-14T22:13:20Z", "at_s": 1.7e9, "job": 7, "step": 0, "program": "app", "ntasks": 4, "nnodes": 2, "outcome": "placed", "why": "as, \"planned\""}
STEPS
mkdir rows
printf "links\nnode a b\nlink a b 3\n" >two.links
net=(--topology torus:2x2 --tasks-per-node 1)

# An example of each subcommand, or of each of its verbs, and one that fails.
declare -A good bad
good[map]="ring.graph ${net[*]} --work 2 -o m.mapping"
bad[map]="no.graph ${net[*]} -o m.mapping"
good[eval]="ring.graph ${net[*]} block cyclic --by-type"
bad[eval]="no.graph ${net[*]} block"
for verb in matrix network nodes; do
    good["draw $verb"]="ring.graph ${net[*]} --mapping block -o $verb.svg"
    bad["draw $verb"]="no.graph ${net[*]} --mapping block -o $verb.svg"
done
good["draw search"]="ring.graph ${net[*]} --time 0.1 -o s.svg"
bad["draw search"]="no.graph ${net[*]} --time 0.1 -o s.svg"
good["draw profile"]="name:app:4 -o p.svg"
bad["draw profile"]="name:none -o p.svg"
good[report]="ring.graph -o r.html"
bad[report]="no.graph -o r.html"
launch="--graph ring.graph --program /bin/true --ntasks 4 --nodelist n[0-1] --tasks-per-node 2 --topology flat:2 --work 2"
good[plan]=$launch
bad[plan]="${launch/ring.graph/no.graph}"
good[mpi]=$launch
bad[mpi]="${launch/ring.graph/no.graph}"
good[place]="--dry-run --nodefile nodes --graph ring.graph --topology flat:2 --launcher openmpi -- mpiexec -n 4 ./app"
bad[place]="--dry-run --bind"
good[record]="--dry-run --launcher openmpi -- mpiexec -n 4 ./app"
bad[record]="--dry-run --launcher openmpi --catalogue nodes -- mpiexec -n 4 ./app"
good["profile list"]="" bad["profile list"]="--config no.json"
for verb in show graphs grid; do
    good["profile $verb"]="name:app:4" bad["profile $verb"]="name:none"
done
good["profile export"]="name:app:4 -o out.graph" bad["profile export"]="name:none -o out.graph"
good["profile import"]="ring.graph --name more" bad["profile import"]="no.graph --name more"
good["profile pack"]="name:app:4 -o again.topomap" bad["profile pack"]="name:none -o again.topomap"
good["profile unpack"]="app.topomap --catalogue copies" bad["profile unpack"]="ring.graph"
good["profile merge"]="" bad["profile merge"]="rows" # of real rows: recorder_ends.sh
good["profile rm"]="name:old:4" bad["profile rm"]="name:none"
good["profile prune"]="--keep 1" bad["profile prune"]="--keep 1 --catalogue ring.graph"
good["profile recorder"]="/bin/true" bad["profile recorder"]="./none"
good["profile collect"]="" bad["profile collect"]="rows"
good["topology show"]="torus:2x2" bad["topology show"]="torus:x"
good["topology check"]="two.links --nodelist n0" bad["topology check"]="torus:x --nodelist n0"
good["topology distance"]="0 1 torus:2x2" bad["topology distance"]="0 9 torus:2x2"
good["topology links"]="tree:2" bad["topology links"]="torus:x"
good["grid dims"]="--levels 4,4 --ndims 2" bad["grid dims"]="--levels 4,4 --ndims 99"
good["grid order"]="--profile ring.graph --tasks-per-node 2" bad["grid order"]="--profile ring.graph 3x3 --tasks-per-node 2"
good["grid select"]="--topology torus:4x4x4 --grid 2x2x2 --block 1x1x1"
bad["grid select"]="--topology torus:2x2x2 --grid 9x9x9 --block 1x1x1"
good["grid layout"]="--topology torus:2x2x2 --grid 2x2x2x2 --tasks-per-node 2"
bad["grid layout"]="--topology torus:x --grid 2x2x2x2 --tasks-per-node 2"
good[tune]="--forget name:app:4" bad[tune]="--forget name:none"
good[history]="--log steps" bad[history]="--log none"
good[convert]="ring.graph --to scotch -o ring.grf" bad[convert]="no.graph --to scotch -o ring.grf"
good[calibrate]="--merge site.json --from measured.json" bad[calibrate]="--merge none --from measured.json"
good[doctor]="--config site.json" bad[doctor]="--mpi none"

# Standard output or the last line of standard error: values of JSON.
cat >parse.py <<'PARSE'
import json, sys
text = sys.stdin.read()
if sys.argv[1] == "lines":
    for line in text.splitlines():
        json.loads(line)
elif sys.argv[1] == "error":
    last = json.loads(text.splitlines()[-1])
    assert set(last) == {"error", "status"}, last
    assert last["error"] and last["status"] == int(sys.argv[2]), last
else:
    json.loads(text)
PARSE

cat >table.py <<'TABLE'
import csv, sys
rows = list(csv.reader(sys.stdin, strict=True))
assert len(rows) >= 2, rows
names = rows[0]
assert all(names) and len(set(names)) == len(names), names
assert all(len(row) == len(names) for row in rows), rows
TABLE

# put FORM WORDS OPTIONS: --json goes before what is another program's.
put()
{
    words=()
    for word in $2 $3; do
        [ "$word" != -- ] || words+=("--$1")
        words+=("$word")
    done
    case " $3 " in
    *" -- "*) ;;
    *) words+=("--$1") ;;
    esac
}

# What some examples take away is there again.
restore()
{
    case $1 in
    "profile rm") "$topomap" profile import ring.graph --name old >other ;;
    "profile prune")
        "$topomap" profile import ring.graph --name pruned >other
        "$topomap" profile import ring.graph --name pruned >other
        ;;
    tune) cp "$srcdir/attack/seeds/evaluation.json" "$(cat folder)/" ;;
    esac
}

# call WORD...: topomap's, or those of topomap-mpi.
call()
{
    case $1 in
    mpi) "$topomap-mpi" "${@:2}" ;;
    *) "$topomap" "$@" ;;
    esac
}

tried()
{
    local what=$1 form=whole status
    [ "$what" != history ] || form=lines
    if [ -z "${good[$what]+x}" ] || [ -z "${bad[$what]+x}" ]; then
        not_ok "$what: this test has no example of it"
        return
    fi
    case $what in
    record | "profile recorder")
        [ -e "$STAGE_LIBDIR/libcommprof.so" ] || { skip "$what" "no recorder was built" && return; }
        ;;
    esac
    if [ "$what" != "profile merge" ]; then
        restore "$what"
        put json "$what" "${good[$what]}"
        call "${words[@]}" >out 2>err </dev/null
        status=$?
        case "$what $status" in
        "doctor "* | "topology check 1") status=0 ;; # what they find is their status
        esac
        if [ $status = 0 ] && [ -s out ] && python3 parse.py $form <out 2>why; then
            ok "$what --json: JSON alone on stdout"
        else
            not_ok "$what --json: JSON alone on stdout" "status $status
$(cat out err why 2>&1)"
        fi
    fi
    if ! grep -q "^${verb:+VERB $verb .*}--csv" words; then
        not_ok "$what takes --csv"
    elif [ "$what" != "profile merge" ] && [ "$what" != "profile collect" ]; then
        # collect has nothing to file here: no line.
        restore "$what"
        put csv "$what" "${good[$what]}"
        call "${words[@]}" >out 2>err </dev/null
        status=$?
        case "$what $status" in
        "doctor "* | "topology check 1") status=0 ;;
        esac
        if [ $status = 0 ] && python3 table.py <out 2>why; then
            ok "$what --csv: a table alone on stdout"
        else
            not_ok "$what --csv: a table alone on stdout" "status $status
$(cat out err why 2>&1)"
        fi
    fi
    put json "$what" "${bad[$what]}"
    call "${words[@]}" >out 2>err </dev/null
    status=$?
    if [ $status != 0 ] && python3 parse.py error $status <err 2>why; then
        ok "$what --json: an error of $status is JSON"
    else
        not_ok "$what --json: an error of $status is JSON" "$(cat out err why 2>&1)"
    fi
}

for command in $("$topomap" --complete | sed -n 's/^VERB //p') mpi; do
    [ "$command" != help ] && [ "$command" != torchrun ] || continue
    call "$command" --complete >words
    verb=
    verbs=$(sed -n 's/^VERB \([a-z]*\).*/\1/p' words)
    # Its verbs have options of their own.
    [ "$command" != grid ] || for verb in $verbs; do
        echo "VERB $verb $("$topomap" grid "$verb" --complete | cut -d' ' -f1 | xargs)"
    done >words
    if [ -n "$verbs" ]; then
        for verb in $verbs; do
            if grep -q "^VERB $verb .*--json" words; then
                tried "$command $verb"
            else
                not_ok "$command $verb takes --json"
            fi
        done
    elif grep -qx -- --json words; then
        tried "$command"
    else
        not_ok "$command takes --json"
    fi
done

# What tells of a file needs one.
for command in "convert ring.graph --to metis" "draw matrix ring.graph" "report ring.graph" \
    "profile export name:app:4" "profile pack name:app:4"; do
    # shellcheck disable=SC2086
    "$topomap" $command --json >out 2>err </dev/null
    equal "${command%% ring*} --json wants -o" "2  1" "$? $(cat out) $(grep -c '^{"error".*-o FILE' err)"
done
for command in place record; do
    "$topomap" $command --json -- mpiexec true >out 2>err </dev/null
    equal "$command --json is for --dry-run" "2  1" "$? $(cat out) $(grep -c 'json is for --dry-run' err)"
done

# As CSV, the tables are these.
cat >count.py <<'COUNT'
import csv, sys
rows = list(csv.reader(sys.stdin))
print(len(rows), "lines of", *sorted({len(row) for row in rows}), "columns:", *rows[0][:2])
COUNT
# table WANTED WORDS...
table()
{
    wanted=$1
    shift
    equal "$1 $2 --csv" "$wanted" "$("$topomap" "$@" --csv 2>err | python3 count.py 2>&1)"
    "$topomap" "$@" --csv --json >out 2>err
    equal "$1 $2: either --json or --csv" "2 " "$? $(cat out)"
}
table "2 lines of 11 columns: job step" history --log steps
table "2 lines of 18 columns: mapping from" eval ring.graph "${net[@]}" cyclic
table "3 lines of 6 columns: mapping type" eval --by-type ring.graph "${net[@]}" block cyclic --nic 1e9
table "4 lines of 11 columns: program identity" profile list
table "2 lines of 12 columns: type calls" profile show name:app:4
table "5 lines of 3 columns: number name" topology show torus:2x2
table "3 lines of 4 columns: link from" topology links tree:2
table "3 lines of 9 columns: mapping type" eval --by-type --play ring.graph "${net[@]}" block cyclic
table "3 lines of 4 columns: level pieces" grid dims --levels 4,4 --ndims 2
table "5 lines of 5 columns: order on_node_bytes" grid order --profile ring.graph --tasks-per-node 2
table "17 lines of 9 columns: x_first x_last" grid layout --topology torus:2x2x2 --grid 2x2x2x2 --tasks-per-node 2
table "2 lines of 10 columns: size start" grid select --topology torus:4x4x4 --grid 2x2x2 --block 1x1x1
table "3 lines of 1 columns: links" topology distance 0 3 torus:2x2

# And say what JSON says, an object's members by name.
"$topomap" map ring.graph "${net[@]}" --mapper rb -o m.mapping --json >json
"$topomap" map ring.graph "${net[@]}" --mapper rb -o m.mapping --csv >csv
equal "map: CSV and JSON agree" "" "$(python3 -c '
import csv, json
told = json.load(open("json"))
told.update(("baseline." + key, value) for key, value in told.pop("baseline").items())
row = next(csv.DictReader(open("csv")))
for key in (told.keys() | row.keys()) - {"seconds"}:
    value = told[key] if isinstance(told[key], str) else json.dumps(told[key])
    if value != row[key]:
        print(key, value, row[key])
' 2>&1)"
# A word that looks like a formula, or has marks of its own, is a word.
"$topomap" convert ring.graph --to scotch -o '=a",b' --csv >csv
equal "a word is quoted" "\"'=a\"\",b\"" "$(sed -n '2s/,"scotch.*//p' csv)"

# What it says is what is there.
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@"; }
"$topomap" convert ring.graph --to scotch -o ring.grf --json >out
equal "convert: what was written" "ring.grf graph 4 4" \
    "$(field out output) $(field out kind) $(field out ntasks) $(field out nedges)"
"$topomap" profile pack name:app:4 -o again.topomap --json >out
equal "pack: as many bytes as there are" "$(stat -c %s again.topomap)" "$(field out bytes)"
"$topomap" place --dry-run --json --nodefile nodes --graph pairs:4 --topology flat:2 --launcher openmpi \
    -- mpiexec -n 4 ./app >out 2>/dev/null
equal "place: nothing to gain is not placed" False "$(field out placed)"
finish
