#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pack.sh - a profile goes from one catalogue into another in one file; and
# archives that mean no good leave a catalogue as it was
set -u
: "${srcdir:=$(dirname "$0")/..}"
srcdir=$(cd "$srcdir" && pwd) # make gives a relative one in VPATH builds
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
topomap=$TOPOMAP
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
umask 022
export TOPOMAP_CATALOGUE=$work/ada
id=5fa9c3e05fa9c3e05fa9c3e05fa9c3e05fa9c3e0
version=r20261121T023000Z-12.0
place=app/$id/4

# run WORD...: sets status, out and err of topomap profile.
run()
{
    "$topomap" profile "$@" >out 2>err </dev/null
    status=$?
    out=$(cat out) err=$(cat err)
}

# ada's recording, with all that a profile has.
folder=$work/ada/$place/$version
mkdir -p "$folder"
ln -s "$version" "$work/ada/$place/current"
cat >"$folder/profile.json" <<JSON
{ "format": 1, "program": "app", "path": "/home/ada/app", "identity": "$id",
  "ntasks": 4, "recorded": "2026-11-21T02:30:00Z", "seconds": 12.5, "job": "12.0",
  "user": "ada", "hosts": 2, "mpi": "MPICH Version: 4.0.2", "types": [
  { "type": "p2p", "calls": 16, "bytes": 32, "seconds": 3.5, "paired_bytes": 32, "graph": "p2p.graph" },
  { "type": "bcast", "calls": 4, "bytes": 64, "seconds": 0.5, "graph": null } ] }
JSON
printf '4 2 001\n3 16\n4 16\n1 16\n2 16\n' >"$folder/p2p.graph"
printf '# messages 1: x\np2p 0 2 8 1 8\np2p 3 1 8 1 8\n' >"$folder/messages"
printf '# collectives 1: x\ncommunicator 0 4 all\nbcast 0 0 4 64\n' >"$folder/collectives"
run show app:4
equal "ada's profile can be read" "0 " "$status $err"

run pack app:4 -o app.topomap
equal "pack says nothing" "0  " "$status $out $err"
equal "it is a tar archive, of one folder, profile.json first" \
    "$version/profile.json $version/collectives $version/messages $version/p2p.graph" \
    "$(tar tf app.topomap | xargs)"
run pack "$folder"
equal "on stdout it is the same" "$(cksum <app.topomap)" "$(cksum <out)"
mkdir out.d && tar xf app.topomap -C out.d
equal "tar gives all of it back" "" "$(diff -r "$folder" "out.d/$version")"

TOPOMAP_CATALOGUE=$work/bob
run unpack app.topomap
equal "unpack prints where it is" "0 $work/bob/$place/$version " "$status $out $err"
equal "nothing is changed in it" "" "$(diff -r "$folder" "$work/bob/$place/$version")"
equal "it is current" "$version" "$(readlink "$work/bob/$place/current")"
run show app:4
contains "and still ada's" "$out" '^user  *ada$'
run export app:4 --graph p2p
equal "its graph is there" "0 $(grep -v '^%' "$folder/p2p.graph" | cksum)" "$status $(grep -v '^%' out | cksum)"

# No recording is shadowed unasked.
run unpack app.topomap
equal "a recording stays" 1 "$status"
contains "unless it is asked for" "$err" \
    "^topomap: a recording of app with 4 tasks is current ($version): --replace puts what was packed in its place$"
run unpack app.topomap --replace --json
equal "--replace makes it current" "0 $version-2" "$status $(readlink "$work/bob/$place/current")"
equal "as JSON" "{\"filed\":[\"$work/bob/$place/$version-2\"]}" "$(printf '%s' "$out" | tr -d ' \n')"
rm -rf "$work/bob"
"$topomap" profile unpack - <app.topomap >out 2>&1
equal "stdin will do" "$work/bob/$place/$version" "$(cat out)"
rm -rf "$work/bob"
# shellcheck disable=SC2002
cat app.topomap | "$topomap" profile unpack - >out 2>&1
equal "and a pipe" "$work/bob/$place/$version" "$(cat out)"
rm -rf "$work/bob"
tar cf by-hand.tar -C out.d "$version/profile.json" "$version"/{collectives,messages,p2p.graph}
run unpack by-hand.tar
equal "and what tar packs" "0 $work/bob/$place/$version" "$status $out"
rm -rf "$work/bob"

# refused NAME PATTERN ARCHIVE: with these words, and the catalogue is as it was.
refused()
{
    rm -rf "$work/bob"
    run unpack "$3"
    equal "$1: refused, and nothing is left" "1 0" \
        "$status $(find "$work/bob" -mindepth 1 ! -name CATALOGUE 2>/dev/null | wc -l)"
    contains "$1: said why" "$err" "^topomap: .*$2"
}
# remade FILE...: the archive bad.tar of profile.json and these, of out.d.
remade() { tar cf bad.tar --format=ustar -C out.d "$version/profile.json" "$@"; }
rest=("$version"/{collectives,messages,p2p.graph})

refused "no file" 'nowhere: No such file' nowhere
refused "no archive" 'profile.sh: this does not look like a tar archive' "$srcdir/system/profile.sh"
: >empty
refused "an empty file" 'empty: this does not look like a tar archive' empty
head -c 2000 app.topomap >short
refused "half an archive" 'short: it is cut off' short
head -c 10240 /dev/zero >zeros
refused "nothing but zeros" 'zeros: no profile.json is in it' zeros
remade "${rest[@]}" --transform "s,$version/messages,../../../../evil,"
refused "a way out by .." 'evil is no file of a packed profile' bad.tar
remade "${rest[@]}" --transform "s,$version/messages,$version/../messages,"
refused "another one" 'messages is no file of a packed profile' bad.tar
remade "${rest[@]}" -P --transform "s,$version/messages,$work/evil,"
refused "a whole path" 'evil is no file of a packed profile' bad.tar
remade "${rest[@]}" --transform "s,$version/messages,other/messages,"
refused "another folder" 'other/messages is no file of a packed profile' bad.tar
remade "${rest[@]}" --transform "s,$version/messages,$version/.bashrc,"
refused "another file" 'bashrc is no file of a packed profile' bad.tar
equal "nothing was written beside" "" "$(find "$work" -name 'evil*' -o -name '.bashrc')"
mv "out.d/$version/messages" kept
ln -s /etc/passwd "out.d/$version/messages"
remade "${rest[@]}"
refused "a symlink" 'messages is no regular file, and only those are taken' bad.tar
rm "out.d/$version/messages" && ln "out.d/$version/p2p.graph" "out.d/$version/messages"
remade "$version"/{p2p.graph,messages}
refused "a hard link" 'messages is no regular file' bad.tar
rm "out.d/$version/messages" && mkfifo "out.d/$version/messages"
remade "${rest[@]}"
refused "a FIFO" 'messages is no regular file' bad.tar
rm "out.d/$version/messages"
if mknod "out.d/$version/messages" c 1 5 2>/dev/null; then
    remade "${rest[@]}"
    refused "a device" 'messages is no regular file' bad.tar
    rm "out.d/$version/messages"
fi
cp kept "out.d/$version/messages"
tar cf bad.tar -C out.d "${rest[@]}" "$version/profile.json"
rm -rf "$work/bob"
run unpack bad.tar
equal "profile.json may be last" "0 $work/bob/$place/$version" "$status $out"
remade "${rest[@]}" "$version/p2p.graph" --hard-dereference
refused "a file twice" 'p2p.graph is in it twice' bad.tar
tar cf bad.tar --format=pax -C out.d "$version/profile.json" "${rest[@]}"
rm -rf "$work/bob"
run unpack bad.tar
equal "headers of pax are taken" "0 $work/bob/$place/$version" "$status $out"
truncate -s 20G large && tar cf bad.tar -S -C out.d "$version/profile.json" --transform "s,large,$version/p2p.graph," -C .. large
rm -f large
refused "a sparse file of 20 GiB" 'its files are larger than 16 GiB together' bad.tar
cp app.topomap bad.tar && printf 'X' | dd of=bad.tar bs=1 seek=520 conv=notrunc 2>/dev/null
refused "a damaged file" 'bad\.tar: profile.json' bad.tar
cp app.topomap bad.tar && printf 'X' | dd of=bad.tar bs=1 seek=3 conv=notrunc 2>/dev/null
refused "a damaged header" 'this does not look like a tar archive' bad.tar
# A size of 8 GiB less 1, with the sum that belongs to it.
size_at() # FILE OFFSET OCTAL
{
    local sum
    printf '%011o' "$3" | dd of="$1" bs=1 seek=$(($2 + 124)) conv=notrunc 2>/dev/null
    printf '        ' | dd of="$1" bs=1 seek=$(($2 + 148)) conv=notrunc 2>/dev/null
    sum=$(dd if="$1" bs=512 skip=$(($2 / 512)) count=1 2>/dev/null | od -An -v -tu1 | tr -s ' \n' '\n\n' |
        awk '{ s += $1 } END { printf "%06o", s }')
    printf '%s\0 ' "$sum" | dd of="$1" bs=1 seek=$(($2 + 148)) conv=notrunc 2>/dev/null
}
cp app.topomap bad.tar && size_at bad.tar 0 $(((1 << 33) - 1))
refused "a profile.json of 8 GiB" 'it is cut off' bad.tar
next=$((512 + ($(wc -c <"$folder/profile.json") + 511) / 512 * 512))
cp app.topomap bad.tar && size_at bad.tar $next $(((1 << 33) - 1))
refused "a file of 8 GiB that is not there" 'bad.tar: it is cut off' bad.tar

# Contents that no reader takes, refused by the archive's name. edited NAME PATTERN FILE SED
edited()
{
    cp "$folder/$3" edited.kept
    sed "$4" "$folder/$3" >"out.d/$version/$3"
    remade "${rest[@]}"
    refused "$1" "bad\.tar: $2" bad.tar
    cp edited.kept "out.d/$version/$3"
}
edited "a graph of other tasks" 'p2p.graph: a graph of 5 tasks in a profile of 4' p2p.graph 's/^4 2/5 2/;$a\
'
edited "a graph that is none" 'p2p.graph:2' p2p.graph 's/^3 16/x/'
edited "ranks that are not there" 'messages:3: there are 4 tasks, counted from 0' messages 's/p2p 3/p2p 4/'
edited "messages that are none" 'messages:2: expected: type' messages 's/p2p 0 2/p2p/'
edited "a communicator that is not there" 'collectives:3: there is no such communicator' collectives 's/bcast 0/bcast 1/'
edited "no time" "profile.json: key recorded: 'now' is no time" profile.json 's/"2026[^"]*"/"now"/'
edited "a later format" 'profile.json:.*format' profile.json 's/"format": 1/"format": 9/'
edited "a program elsewhere" "profile.json: '../../app' is no program's file name" profile.json 's,"app","../../app",'
edited "an identity elsewhere" "profile.json: '../../x' is no executable's identity" profile.json "s,$id,../../x,"
edited "no tasks" 'profile.json:.*not a number of tasks' profile.json 's/"ntasks": 4/"ntasks": 0/'
edited "a graph that is missing" 'x.graph: No such file' profile.json 's/p2p.graph/x.graph/'
edited "a graph of no type" 'p2p.graph is the graph of no type' profile.json 's/"p2p.graph"/null/'
echo '{ "format": 1 }' >"out.d/$version/evaluation.json"
remade "${rest[@]}" "$version/evaluation.json"
refused "an evaluation that is none" 'bad\.tar: evaluation.json' bad.tar
rm "out.d/$version/evaluation.json"

# What cannot be packed, or not there.
TOPOMAP_CATALOGUE=$work/ada
run pack nobody -o x
equal "no such profile" "1 topomap: no profile of nobody" "$status $err"
echo 'p2p 9 9 1 1 1' >>"$folder/messages"
run pack app:4 -o x
equal "a damaged profile is not packed" "1 0" "$status $(ls x 2>/dev/null | wc -l)"
contains "a damaged profile: said why" "$err" 'messages:4: there are 4 tasks, counted from 0'
cp kept "$folder/messages"
python3 -B -c 'import os, sys
sys.path.insert(0, sys.argv[1])
import archives
os.symlink("/etc/passwd", "linked")
os.mkfifo("queue")
for path in ("linked", "queue"):
    try:
        archives.no_link(path, os.O_RDONLY)
        print("opened", path)
    except OSError:
        pass' "$STAGE_LIBEXECDIR/topomap" >out 2>&1
equal "what became a link or a FIFO meanwhile is not packed" "" "$(cat out)"
TOPOMAP_CATALOGUE=$work/open
mkdir -p open/app && chmod 777 open/app
run unpack app.topomap
equal "a catalogue that all may write to is refused" 1 "$status"
contains "and named" "$err" 'open/app'
finish
