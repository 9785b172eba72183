#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# trust.sh - rm and prune take away versions and nothing else: links at each
# level, folders of other people, look-alikes; what was no version is there
# afterwards, byte for byte. Readers and -o refuse what others could have put there.
# Needs neither Slurm nor MPI.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP XDG_DATA_HOME
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-deletions.XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
HOME=$work/home
TOPOMAP_CATALOGUE=$work/own
export HOME TOPOMAP_CATALOGUE
mkdir "$HOME"
cd "$work" || exit 99
printf '2 1 001\n2 9\n1 9\n' >two.graph

# run ARGUMENT...: topomap profile's stdout, stderr and status; never for ever.
run() {
    out=$(timeout 20 "$topomap" profile "$@" 2>"$work/stderr")
    status=$?
    err=$(cat "$work/stderr")
}

# state FOLDER: every name below it with its type, its link or its content.
state() {
    (cd "$1" && find . -mindepth 1 \( -type f -printf '%p f ' -exec md5sum {} \; \) \
        -o -printf '%p %y %l\n' | LC_ALL=C sort)
}

file_versions() { # CATALOGUE NAME COUNT
    for _ in $(seq "$3"); do run import two.graph --name "$2" --catalogue "$1"; done
}

# S1: a version that is a link, by prune and by rm.
file_versions shared app 1
mkdir -m 700 only-root
echo secret | tee only-root/shadow >only-root/passwd
ln -s "$work/only-root" shared/app/named/2/r0
ln -s "$work/only-root" shared/app/named/2/r20200101T000000Z-1.0
before=$(state only-root)
run prune --keep 1 --catalogue shared
equal "prune: what a link leads to stays" "$before" "$(state only-root)"
equal "prune: it says so and fails" 1 "$status"
contains "prune: the link is named" "$err" 'r20200101T000000Z-1.0'
ln -sfn r20200101T000000Z-1.0 shared/app/named/2/current
run rm app:2 --catalogue shared
run rm name:app:2 --catalogue shared
equal "rm: what current leads to through a link stays" "$before" "$(state only-root)"
run rm ./shared/app/named/2/r20200101T000000Z-1.0 --catalogue shared
equal "rm of the link by its path" "$before" "$(state only-root)"
chmod 1777 shared/app/named/2
run rm name:app:2 --all --catalogue shared
equal "rm --all below a folder that all may write" "1:$before" "$status:$(state only-root)"

# S2: folders that only look like a catalogue.
mkdir -p w/cfd/mesh/2024/run1 w/cfd/mesh/2024/run2 w/cfd/mesh/2024/run3
for i in 1 2 3; do echo "d $i" >"w/cfd/mesh/2024/run$i/field.dat"; done
before=$(state w)
run prune --keep 1 --catalogue w
equal "prune of results: nothing changes" "1:$before" "$status:$(state w)"
contains "prune of results: why" "$err" 'is no catalogue'
echo 'topomap catalogue 1' >w/CATALOGUE
before=$(state w)
run prune --keep 1 --catalogue w
equal "nor when they are marked as one" "$before" "$(state w)"

# What does go.
file_versions marked many 4
equal "filing marks a catalogue" "topomap catalogue 1" "$(cat marked/CATALOGUE)"
run prune --keep 2 --dry-run --catalogue marked
equal "prune --dry-run" "0:2:4" "$status:$(echo "$out" | wc -l):$(ls -d marked/many/named/2/r* | wc -l)"
run rm name:many --dry-run --catalogue marked
equal "rm --dry-run" "0:1:4" "$status:$(echo "$out" | wc -l):$(ls -d marked/many/named/2/r* | wc -l)"
mv marked/CATALOGUE mark
run prune --keep 3 --catalogue marked
equal "without its mark nothing goes" "1:4" "$status:$(ls -d marked/many/named/2/r* | wc -l)"
mv mark marked/CATALOGUE
run prune --keep 3 --catalogue marked
equal "with it what was asked goes" "0:3" "$status:$(ls -d marked/many/named/2/r* | wc -l)"
folder=marked/many/named/2
mkdir $folder/.new-1-0 $folder/.old-2-0 $folder/.new-3-0 $folder/r20200101T000000Z-1.0
touch $folder/.new-1-0/profile.json $folder/.new-1-0/p2p.graph.new-17-0 $folder/.old-2-0/p2p.graph
ln -s r20200101T000000Z-1.0 $folder/.current-4-0
touch -h -d '3 days ago' $folder/.new-1-0 $folder/.old-2-0 $folder/.current-4-0 \
    $folder/r20200101T000000Z-1.0
run prune --keep 9 --catalogue marked
equal "leftovers older than a day go" "CATALOGUE-less:.new-3-0" \
    "CATALOGUE-less:$(cd $folder && ls -d .new-* .old-* .current-* 2>/dev/null)"
echo text >"$(readlink -f $folder/current)/notes.txt"
run rm name:many --catalogue marked
equal "a version with a file of its own stays" "1:text" \
    "$status:$(cat "$(readlink -f $folder/current)/notes.txt")"

# Random trees: ten seeds; what was no version stays.
foreign() { # everything but true versions, current and leftovers
    state "$1" | grep -vE '^\./p[0-9]/named/2/(r[0-9]{8}T[0-9]{6}Z-import[-0-9]*(/| )|current )' |
        grep -vE '^\./(p[0-9](/named(/2)?)?) d' | grep -v '^\./CATALOGUE'
}
for seed in 1 2 3 4 5 6 7 8 9 10; do
    tree=tree$seed
    for p in 1 2 3; do file_versions $tree p$p 2; done
    mkdir -p victim$seed/d; echo kept >victim$seed/d/profile.json; echo kept >victim$seed/p2p.graph
    awk -v seed=$seed -v tree=$tree -v victim="$work/victim$seed" 'BEGIN {
        srand(seed)
        split("x1 p1 p2 p3", program); split("mesh named 0123456789abcdef", identity)
        split("2024 2 16", ntasks); split("run1 r0 r20200101T000000Z-1 r20210101T000000Z-2.0 .new-1-0 .old-1-0 notes", version)
        for (i = 0; i < 12; i++) {
            path = tree
            depth = 1 + int(4 * rand())
            name[1] = program[1 + int(4 * rand())]; name[2] = identity[1 + int(3 * rand())]
            name[3] = ntasks[1 + int(3 * rand())]; name[4] = version[1 + int(7 * rand())]
            for (k = 1; k < depth; k++) path = path "/" name[k]
            print "mkdir -p " path
            path = path "/" name[depth]
            what = int(5 * rand())
            if (depth < 4) name[depth] = name[depth] "x"
            if (depth < 4) path = path "x"
            if (what == 0) print "ln -sn " victim " " path
            if (what == 1) print "mkdir -p " path "; echo d >" path "/field.dat"
            if (what == 2) print "mkfifo " path
            if (what == 3) print "mkdir -p " path "; mkfifo " path "/profile.json"
            if (what == 4) print "mkdir -p " path "; ln -s " victim "/d/profile.json " path "/profile.json; echo n >" path "/p2p.graph"
        }
    }' | sh 2>/dev/null
    find $tree -exec touch -h -d '3 days ago' {} +
    before=$(foreign $tree | grep -v '/\.\(new\|old\)-'; state victim$seed)
    run prune --keep 1 --catalogue $tree
    first=$status
    run rm name:p1 --all --catalogue $tree
    after=$(foreign $tree | grep -v '/\.\(new\|old\)-'; state victim$seed)
    equal "random tree $seed" "$before" "$after"
    [ "$first" -le 1 ] || not_ok "prune ended by itself on tree $seed" "status $first"
done

# A curator who is root.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir -m 1777 open
    setpriv --reuid 65534 --regid 65534 --clear-groups \
        sh -c "mkdir -p open/app/named/16 && cd open/app/named/16 && ln -s '$work/only-root' r20200101T000000Z-1.0 && mkdir r20210101T000000Z-1.0 && ln -s r20210101T000000Z-1.0 current"
    before=$(state only-root)
    run prune --keep 1 --catalogue open
    equal "root in a catalogue that all may write" "$before" "$(state only-root)"
else
    skip "root in a catalogue that all may write" "not root"
fi

# Readers: a FIFO, a stranger's or a writable profile hides nothing else.
file_versions readers good 1
file_versions readers fifo 1
file_versions readers open 1
rm "$(readlink -f readers/fifo/named/2/current)/profile.json"
mkfifo "$(readlink -f readers/fifo/named/2/current)/profile.json"
chmod 777 readers/open/named
run list --catalogue readers
equal "list: goes on, and says what it refused" "0:fifo refused good p2p open refused" \
    "$status:$(echo "$out" | sed 1d | awk '{ printf "%s%s %s", s, $1, $(NF - 1); s = " " }')"
contains "list: a FIFO" "$err" 'profile.json is refused: not a regular file'
contains "list: writable by all" "$err" 'named is refused: everybody may write to it'
for verb in show graphs grid export; do
    run $verb name:fifo --catalogue readers
    equal "$verb: a FIFO is refused" "1::1" "$status:$out:$(echo "$err" | grep -c 'is refused')"
done
run rm name:open --catalogue readers
equal "rm below what all may write to" "1:1" "$status:$(ls -d readers/open/named/2/r* | wc -l)"

# The same of a profile that is named by its folder, and of its collectives.
cp -r "$(readlink -f readers/good/named/2/current)" alone
printf '# collectives 1: t\ncommunicator 0 2 all\nbcast 0 0 1 8\n' >alone/collectives
map() {
    err=$(timeout 20 "$topomap" map ./alone --graph "$1" --topology flat:2 --tasks-per-node 1 --work 1 2>&1 >/dev/null)
    status=$?
}
map bcast:tree
equal "a profile's folder: collectives are read" "0:" "$status:$err"
for file in p2p.graph collectives; do
    mv alone/$file . && mkfifo alone/$file
    [ $file = p2p.graph ] && map p2p || map bcast:tree
    equal "a profile's folder: a FIFO as $file" \
        "1:topomap: ./alone/$file: not a regular file" "$status:$err"
    rm alone/$file && ln -s ../$file alone/$file
    [ $file = p2p.graph ] && map p2p || map bcast:tree
    equal "a profile's folder: a link as $file" 1 "$status"
    rm alone/$file && mv $file alone
done

# Rows that tasks left: regular files of one's own.
mkdir rows
mkfifo rows/node-1.kept
run merge rows
equal "merge: a FIFO" 1 "$status"
contains "merge: it is named" "$err" 'node-1.kept: not a regular file'

# A path with a newline is refused, not cut.
newline=$(printf 'a\nb')
run import two.graph --name x --catalogue "$newline"
equal "a catalogue with a newline" "1::no" "$status:$out:$([ -e "$newline" ] && echo yes || echo no)"

# -o follows no link of somebody else where all may write.
mkdir -m 1777 sticky
ln -s "$work/victim.txt" sticky/mine.graph
"$topomap" convert two.graph --to metis -o sticky/mine.graph
equal "-o: one's own link is followed" "$(cat two.graph)" "$(cat victim.txt)"
if [ "$(id -u)" = 0 ]; then
    chown 65534 sticky
    ln -s "$work/bashrc" sticky/theirs.graph
    chown -h 65533 sticky/theirs.graph
    err=$("$topomap" convert two.graph --to metis -o sticky/theirs.graph 2>&1)
    equal "-o: a stranger's is not" "1:no" "$?:$([ -e bashrc ] && echo yes || echo no)"
    contains "-o: it is named" "$err" 'the link sticky/theirs.graph is of user 65533'
    err=$("$topomap" tune --log sticky/theirs.graph -- srun true 2>&1)
    equal "tune --log: nor there" "1:no" "$?:$([ -e bashrc ] && echo yes || echo no)"
    contains "tune --log: it is named" "$err" 'the link sticky/theirs.graph is of user 65533'
    TOPOMAP_PLAN_SUMMARY=sticky/theirs.graph "$topomap" plan --graph ./two.graph --ntasks 2 --nodelist 'n[0-1]' \
        --tasks-per-node 1 --topology flat:2 --to wire >/dev/null
    equal "what plan leaves for tune: nor that" "0:no" "$?:$([ -e bashrc ] && echo yes || echo no)"
    chown -h 65534 sticky/theirs.graph
    "$topomap" convert two.graph --to metis -o sticky/theirs.graph
    equal "-o: the folder's owner's is" "$(cat two.graph)" "$(cat bashrc)"
else
    skip "-o: a stranger's link" "not root"
fi
"$topomap" convert two.graph --to metis -o /dev/stdout | cmp -s - two.graph
equal "-o: what is no file is written as it is" 0 $?

# Folders beside the programs, where others have put links to the user's own.
user=$(id -u)
make_builds() { # FOLDER: names of all such folders, and one that is none
    mkdir -p "$1/1.2-3" "$1/4.5-6" "$1/time-1.2-3" "$1/nodes-1.2"
    for name in step said room node-0.kept main.c 0123456789abcdef graph-01 01-02 map-1.2-3 cpus-1.2-3 \
        "steps-$user-host" evaluation-01.json node-n0 kind-a .new-1 step.new-1-1; do
        for folder in . 1.2-3 4.5-6 time-1.2-3 nodes-1.2; do echo "$name" >"$1/$folder/$name"; done
    done
    rm "$1/4.5-6/node-0.kept"
    find "$1" -exec touch -d '90 days ago' {} +
}
# The time of each is limited; what they say does not matter here.
use_all() {
    run list
    run show name:app
    run collect
    TOPOMAP_CATALOGUE=$TOPOMAP_CATALOGUE timeout 20 "$topomap" plan --name app --ntasks 2 --nodelist 'n[0-1]' \
        --tasks-per-node 1 --topology flat:2 >/dev/null 2>&1
    printf 'step 1.2\nseconds 3\noutcome map\n' | timeout 20 "$topomap" history --ended - >/dev/null 2>&1
    timeout 20 "$topomap" history >/dev/null 2>&1
    timeout 20 "$topomap" history --summary >/dev/null 2>&1
}
make_builds builds
before=$(state builds)
for mode in 700 2775 1777; do
    rm -rf "linked$mode"
    file_versions "linked$mode" app 1
    for name in ".spool-$user" .cache .history .commands .times .cpus .trees; do
        rm -rf "linked$mode/$name"
        ln -s "$work/builds" "linked$mode/$name"
    done
    chmod "$mode" "linked$mode"
    TOPOMAP_CATALOGUE=$work/linked$mode
    use_all
    sleep 1 # the history is written by a process of its own
    equal "links in a catalogue of mode $mode: what they lead to stays" "$before" "$(state builds)"
done

# A folder that was moved there is no spool, by any name.
file_versions moved app 1
make_builds "moved/.spool-$user"
chmod 700 "moved/.spool-$user"
TOPOMAP_CATALOGUE=$work/moved
use_all
equal "what no spool has stays" main.c "$(cd moved/.spool-"$user" && ls 4.5-6/main.c | sed 's,.*/,,')"
file_versions refused app 1
mkdir -m 700 "refused/.spool-$user" "refused/.spool-$user/1.2-3"
touch -d '90 days ago' "refused/.spool-$user/1.2-3"
chmod 1777 refused
TOPOMAP_CATALOGUE=$work/refused
run list
equal "nothing goes from a catalogue that is refused" 1.2-3 "$(ls "refused/.spool-$user")"

# A launch looks at some of the spools that are left; in time all go.
file_versions many app 1
mkdir -m 700 "many/.spool-$user"
(cd "many/.spool-$user" && seq -f '%.0f.0-1' 1 500 | xargs mkdir -m 700 && touch -d '8 days ago' -- *)
TOPOMAP_CATALOGUE=$work/many
run list
n=$(ls "many/.spool-$user" | wc -l)
equal "of 500 empty spools some dozens go at a time" yes "$([ "$n" -lt 500 ] && [ "$n" -gt 400 ] && echo yes || echo "$n")"
run collect
equal "profile collect takes all" "" "$(ls "many/.spool-$user")"
TOPOMAP_CATALOGUE=$work/own

# Recording into a catalogue that auto would refuse is said before the run.
mkdir -m 777 everybody
chmod 777 everybody
lib=${STAGE_LIBDIR-}/libcommprof.so
if [ -n "${STAGE_LIBDIR-}" ] && [ -e "$lib" ]; then
    out=$(TOPOMAP_CATALOGUE=$work/everybody "$topomap" profile recorder sh)
    contains "recorder: says what would be refused" "$out" '^refused .*everybody is refused: everybody may write to it'
    mkdir -p folders/app/named/4
    chmod 777 folders/app/named/4
    recorder() { TOPOMAP_CATALOGUE=$work/folders "$topomap" profile recorder sh "$@" | grep ^refused; }
    equal "recorder: folders of others do not count" "" "$(recorder; recorder --name app --ntasks 8)"
    contains "recorder: the folder of that size does" "$(recorder --name app --ntasks 4)" \
        '^refused .*folders/app/named/4 is refused: everybody may write to it'
else
    skip "recorder: says what would be refused" "that recorder is not built"
fi
finish
