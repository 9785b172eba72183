#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# draw.sh - pictures: well-formed, right where they are pointed at, harmless
# with any names, and whole or absent
set -u
: "${srcdir:=$(dirname "$0")/..}"
srcdir=$(cd "$srcdir" && pwd) # make gives a relative one in VPATH builds
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
topomap=$TOPOMAP
unset TOPOMAP XDG_DATA_HOME
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export TOPOMAP_CATALOGUE=$work/own

draw()
{
    "$topomap" draw "$@" >out 2>err </dev/null
    status=$?
}
# well_formed NAME FILE: where xmllint is; it follows no link and asks no server.
well_formed()
{
    if ! command -v xmllint >/dev/null; then
        skip "$1: well-formed" "no xmllint"
    else
        equal "$1: well-formed" "" "$(xmllint --nonet --noout "$2" 2>&1)"
    fi
}
# tips FILE: what is shown at the pointer, a line each.
tips() { sed -n 's,.*<title>\(.*\)</title></[a-z]*>.*,\1,p' "$1"; }

# Matrices.
draw matrix grid:4x4:weights=1/100
equal "a matrix needs no network" 0 "$status"
if command -v script >/dev/null; then
    for words in "draw matrix grid:4x4" "report grid:4x4"; do
        said=$(script -qec "$topomap $words" /dev/null </dev/null 2>&1 | tr -d '\r')
        equal "$words on a terminal: what to type" "topomap ${words%% *}: not for a terminal: -o FILE; try 'topomap ${words%% *} --help'" "$said"
        # shellcheck disable=SC2086
        "$topomap" $words -o page >/dev/null 2>err
        equal "$words -o says nothing" "0 " "$? $(cat err)"
    done
fi
well_formed "a matrix" out
equal "a title a cell, both triangles" 48 "$(tips out | wc -l)"
contains "a cell tells ranks and bytes" "$(tips out)" '^rank 0 with rank 4: 1 B$'
contains "and the other direction of the grid" "$(tips out)" '^rank 5 with rank 6: 100 B$'
contains "it has a description" "$(cat out)" '<desc .*16 by 16 cells'
draw matrix grid:4x4:weights=1/100 --topology tree:2,2 --tasks-per-node 4 --mapping block --mapping cyclic
equal "with mappings there is one each" "As numbered|As placed by block|As placed by cyclic" \
    "$(grep -oE 'As (numbered|placed by [a-z]*)' out | paste -sd'|')"
contains "places have nodes" "$(tips out)" '^rank 3 on node 0 with rank 7 on node 1: 1 B$'
# Of a matrix of many cells the script has what stands in them.
awk 'BEGIN { for (i = 0; i < 80; i++) for (j = 0; j < 80; j++) printf "%d%s", i != j, j < 79 ? " " : "\n" }' >dense
draw matrix dense --from dense --by bytes
contains "a matrix of many cells has a script" "$(cat out)" 'data-n="80" data-unit="B" data-cells="2 2,1 2,'
well_formed "a matrix with a script" out
draw matrix grid:40x50 -o many.svg
equal "beyond 512 ranks cells are shared" "0 500 4" "$status $(sed -n 's/.*A matrix of \([0-9]*\) by .* of \([0-9]*\) ranks each.*/\1 \2/p' many.svg)"

# A profile: bytes of all its types, messages, seconds, type by type.
mkdir profile
cat >profile/profile.json <<'JSON'
{"format": 1, "program": "app", "identity": "named", "ntasks": 4, "recorded": "2026-11-21T02:30:00Z",
 "seconds": 10, "types": [
 {"type": "p2p", "calls": 9, "bytes": 3000, "seconds": 6, "paired_bytes": 3000, "graph": "p2p.graph"},
 {"type": "alltoall", "calls": 4, "bytes": 1000, "seconds": 2, "paired_bytes": 1000, "graph": "alltoall.graph"}]}
JSON
printf '4 2 001\n2 2000\n1 2000\n4 1000\n3 1000\n' >profile/p2p.graph
printf '4 1 001\n3 1000\n\n1 1000\n\n' >profile/alltoall.graph
printf 'p2p 0 1 1024 1 1500\np2p 1 0 256 1 500\np2p 2 3 512 2 1000\nalltoall 0 2 128 4 1000\n' >profile/messages
draw matrix profile
equal "bytes of all types" "2 kB (2000 bytes)|1 kB (1000 bytes)|1 kB (1000 bytes)" \
    "$(tips out | sed -nE 's/^rank (0 with rank 1|0 with rank 2|2 with rank 3): //p' | paste -sd'|')"
draw matrix profile --graph p2p
equal "bytes of one type" "0 with rank 1|1 with rank 0|2 with rank 3|3 with rank 2" \
    "$(tips out | sed -nE 's/^rank (.*): .*/\1/p' | paste -sd'|')"
draw matrix profile --by messages
equal "messages" "2|4|2" "$(tips out | sed -nE 's/^rank (0 with rank 1|0 with rank 2|2 with rank 3): //p' | paste -sd'|')"
draw matrix profile --by seconds
equal "seconds of a type are shared out by bytes" "4 s|2 s|2 s" \
    "$(tips out | sed -nE 's/^rank (0 with rank 1|0 with rank 2|2 with rank 3): //p' | paste -sd'|')"
echo 'p2p 0 9 1 1 1' >>profile/messages
draw matrix profile --by messages -o bad.svg
equal "a bad line of messages is told with its place, and nothing is written" \
    "1 topomap: profile/messages:5: there are 4 tasks, counted from 0 bad:0" \
    "$status $(cat err) bad:$(find . -name 'bad.svg*' | wc -l)"
"$topomap" report profile >out 2>err
equal "nor is half a page" "1 0" "$? $(stat -c %s out)"
sed -i '$d' profile/messages

# Networks: what is pointed at is what eval says.
# tipped KIND GRAPH TOPOLOGY TASKS_PER_NODE: each link that carries something has one tip a side.
tipped()
{
    draw network "$2" --topology "$3" --tasks-per-node "$4" --mapping cyclic --mapping rb
    equal "$1: drawn" 0 "$status$(cat err)"
    well_formed "$1" out
    "$topomap" eval "$2" --topology "$3" --tasks-per-node "$4" cyclic rb --links --json >links
    # The busier direction of each cable, of each side.
    tips out | grep -v '^busiest of' | sed -nE 's/^(.*[^ ]): ([0-9.]+) B(, time .*)?$/\1|\2/p' | sort >pointed
    awk -F'": |,$' '/"link":/ { name = $2; gsub(/"/, "", name) } /"bytes":/ { print name "|" $2 }' links |
        sort -u >evaluated
    equal "$1: every load is eval's" "" "$(sort -u pointed | comm -23 - evaluated | head -3)"
    equal "$1: there are some" yes "$([ "$(wc -l <pointed)" -gt 9 ] && echo yes)"
    # The list below, first of the first mapping.
    equal "$1: the first of the ten busiest is the busiest of eval" \
        "$("$topomap" eval "$2" --topology "$3" --tasks-per-node "$4" cyclic --json |
            sed -n 's/.*"max_time_link": "\(.*\)".*/\1/p')" \
        "$(sed -n 's,.*>1\.  \(.*\): [^:]*</text>,\1,p' out | head -1)"
}
tipped torus grid:8x4 torus:4x4 2
told "torus with capacities" grid:8x4 torus:4x4x2:capacity=2x1x1 1
draw network grid:4x4:weights=100000/2000000 --topology torus:4x4:capacity=1e9 --tasks-per-node 1 --mapping block
contains "capacities in bytes a second make times" "$(cat out)" '(0,0) +x: 1 MB (1000000 bytes), time 1 ms<'
tipped tree grid:8x4 tree:2,4,2 2
tipped dragonfly grid:8x4 dragonfly:4,2,2 2
cat >cables <<'CABLES'
links
switch s0 s1 s2 t0 t1
host a b c d e f
link a s0
link b s0
link c s1
link d s1
link e s2
link f s2
link s0 t0
link s1 t0
link s2 t0
link s0 t1
link s1 t1
link s2 t1
CABLES
draw network grid:2x3 --topology cables --tasks-per-node 1 --mapping block
equal "a network of any cables" 0 "$status$(cat err)"
contains "its nodes" "$(tips out)" '^a: rank 0$'
draw network grid:64x32 --topology torus:32x32x2 --tasks-per-node 1 --mapping block
contains "a line of a large one is the busiest of several" "$(tips out)" '^busiest of [0-9]* links: ([0-9,]*) [+-][xyz]: [0-9.]* B$'

# What a program did.
draw profile profile
equal "a profile" 0 "$status$(cat err)"
well_formed "a profile" out
contains "its share in MPI" "$(cat out)" 'In MPI: 20.0% of the run, 2 s of 10 s a rank'
contains "a type's calls" "$(tips out)" '^p2p: 6 s in all ranks, 9 calls, 3000 bytes$'
contains "sizes of messages" "$(tips out)" '^512 B and more: 2 messages$'
contains "bytes of a rank" "$(tips out)" '^rank 0: 3 kB (3000 bytes)$'
sed 's/"type": "p2p",/& "task_seconds": { "max": 6, "max_task": 3, "min": 1, "min_task": 0 },/' profile/profile.json >spans
cp profile/profile.json whole
cp spans profile/profile.json
draw profile profile
contains "the longest and the shortest rank" "$(tips out)" '^p2p: rank 3 had 6 s, rank 0 1 s, the mean '
contains "and what the longest had more" "$(cat out)" '>6 s in rank 3, [0-9.]* times the mean<'
well_formed "imbalance" out
cp whole profile/profile.json
draw profile profile
equal "older recordings have no imbalance" "0 0" "$status $(grep -c Imbalance out)"
draw profile profile/p2p.graph
equal "a graph is no profile" "1 topomap: profile/p2p.graph is a task graph: a profile is wanted, APP:NTASKS or a folder" "$status $(cat err)"

# Nodes.
draw nodes grid:4x4:weights=1/100 --topology torus:2x2 --tasks-per-node 4 --node 'package:2 core:2' --mapping block --mapping cyclic
equal "nodes" 0 "$status$(cat err)"
well_formed "nodes" out
contains "who sits where, and on which core" "$(tips out)" '^slot 1: rank 4, Core 1$'
contains "what stands around" "$(tips out)" '^Package 1$'
contains "and its name is shown" "$(cat out)" '>Package 1<'
draw nodes grid:8x8 --topology torus:4x4 --tasks-per-node 4 --mapping block --show 16
equal "all nodes when they are asked for" "16 of 16" "$(grep -c 'B inside, .* leave it<' out) of 16"
draw nodes grid:8x8 --topology torus:4x4 --tasks-per-node 4 --mapping block
equal "six lines of narrow nodes by default" "12 bars 16" \
    "$(grep -c 'B inside, .* leave it<' out) bars $(tips out | grep -c 'leave it, .* inside$')"
draw nodes grid:4x4:weights=1/100 --topology torus:2x2 --tasks-per-node 4 --node 'package:2 core:2' --mapping block --mapping cyclic
contains "what flows inside" "$(tips out)" '^rank 0 with rank 1: 100 B$'
contains "and what does not" "$(cat out)" '>node 0 (0,0): 300 B inside, 4 B leave it<'
"$topomap" eval grid:4x4:weights=1/100 --topology torus:2x2 --tasks-per-node 4 block --json >json
contains "between all nodes it is what eval says" "$(cat out)" ">$(sed -n 's/.*"off_node_bytes": \(.*\),/\1/p' json) B go between nodes in all<"
draw nodes grid:4x4 --topology torus:2x2 --tasks-per-node 4 --mapping block --node 'package:2 core:x' -o bad.svg
equal "a node that is none" "1 0" "$status $(find . -name 'bad.svg*' | wc -l)"

# The page.
report()
{
    "$topomap" report "$@" >out 2>err </dev/null
    status=$?
}
report grid:4x4:weights=100000/2000000 --topology torus:4x4:capacity=1e9 --tasks-per-node 1 --mapping block
contains "of a report's figures, too" "$(cat out)" "Slowest link's time <small>[^<]*</small></th><td class=\"n\">1 ms<"
# alone FILE: nothing in it leads out of it.
alone()
{
    grep -oiE '(src|href|data|action|poster)="[^#"][^"]*"|url\([^)]*\)|@import|https?:[^"< ]*' "$1" |
        grep -v '^http://www.w3.org/\(2000/svg\|1999/xhtml\)$'
}
report profile --topology torus:2x2 --tasks-per-node 1 --mapping block --mapping cyclic
equal "a report" 0 "$status$(cat err)"
well_formed "a report" out
equal "it fetches nothing" "" "$(alone out)"
equal "its sections" "figures matrix network calls" "$(sed -n 's/.*<section id="\([a-z]*\)".*/\1/p' out | xargs)"
"$topomap" eval profile --topology torus:2x2 --tasks-per-node 1 block --json >json
contains "its figures are eval's" "$(cat out)" \
    "Hops per byte .*<td class=\"n\">$(sed -n 's/.*"hops_per_byte": \(.*\),/\1/p' json | xargs printf %.3g)</td>"
equal "each picture has title, description and role" "4 4 4" \
    "$(grep -c '<svg.*role="img" aria-labelledby="t[0-9]* d[0-9]*"' out) $(grep -c '<title id=' out) $(grep -c '<desc id=' out)"
equal "no row of the busiest links is empty" "" "$(grep -oE '<tr><td class="n">[0-9]+</td>(<td></td>)+</tr>' out)"
equal "no two things have one name" "" "$(grep -oE ' id="[^"]*"' out | sort | uniq -d)"
contains "how to repeat it" "$(cat out)" '<code>topomap report .*--topology torus:2x2 '
report grid:8x8 --topology torus:4x4 --tasks-per-node 4 --time 0.2
contains "where it searches, how that went" "$(cat out)" '<desc [^>]*>[0-9]* mappings tried in [^;]*; the best is of [a-z]'
contains "the search ends with what is drawn" "$(tips out)" "mappings tried: $(sed -n 's/.*: \([0-9.]*\) hops per byte instead.*/\1/p' out) hops per byte"
# Why: whose bytes the slowest link carries, where ties are halves, and what moved.
printf '%s\n' '0 2 10' '1 3 20' '0 1 1' >m.edges
report m.edges --topology torus:4 --tasks-per-node 1 --mapping block
contains "why: the pairs of the slowest link, whose bytes are its load" "$(cat out)" \
    'it carries 8 B. 3 pairs of ranks use it, most of all 1 and 3 (5 B), 0 and 2 (2.5 B), 0 and 1 (0.5 B)'
report m.edges --topology tree:2,2 --tasks-per-node 1 --time 0.2
contains "why: the link, and that another takes as long" "$(cat out)" \
    'Placed by block, s1 - root is the slowest link (1 other takes as long): it carries 30 B. 2 pairs'
contains "why: what moved, and what that relieved" "$(cat out)" \
    'Placed by topomap, 2 of 4 ranks are on other nodes. That link then carries 1 B, 97% less. Ranks 1 and 3 were 4 links apart and are then 2 links apart'
contains "the change of the slowest link" "$(cat out)" '<p class="lead">Placed by topomap: .* hops per byte instead of .*; the slowest link.s time 30% less'
report ring:4 --topology tree:2,2 --tasks-per-node 1 --time 0.2
contains "what gains nothing is drawn once" "$(grep -c 'Placed by topomap' out) $(cat out)" \
    '^0 .*\|No mapping better than block was found: [0-9.]* hops per byte'
draw network m.edges --topology tree:2,2 --tasks-per-node 1 --mapping block
contains "caption and scale agree" "$(cat out)" 'slowest link: 15 B one way'
contains "caption and scale agree: the scale" "$(cat out)" '>bytes, one way</text>'
draw search grid:8x8 --topology torus:4x4 --tasks-per-node 4 --time 0.2
equal "a search by itself" 0 "$status$(cat err)"
well_formed "a search by itself" out
contains "what the best was, and from when on" "$(tips out)" "^from .* mappings tried: [0-9.]* hops per byte"
contains "and what each mapper came to" "$(tips out)" "^default after .*: [0-9.]* hops per byte"
draw search grid:8x8 --topology torus:4x4 --tasks-per-node 4 --mapping rb
contains "a mapping is not searched for" "$status $(cat err)" "2 topomap draw: search makes its own mappings"
draw search grid:8x8
contains "nor is one without a network" "$status $(cat err)" "2 topomap draw: search needs --topology"
report grid:64x32x32 --topology torus:16x16x16 --tasks-per-node 16 --mapping cyclic --mapping rb
equal "65,536 ranks" 0 "$status$(cat err)"
cp out large.html
contains "of many nodes those that send most, and a bar for all" "$(cat out)" \
    'The 6 of 4096 nodes that send most to others: '
contains "a bar of several nodes is the one that most leaves" "$(tips out)" \
    '^node [0-9]* ([0-9,]*): ranks [0-9, ]*; [0-9]* B leave it, [0-9]* B inside$'
well_formed "a report of 65,536 ranks" out
equal "it is below 2 MB" yes "$([ "$(stat -c %s out)" -lt 2000000 ] && echo yes || stat -c %s out)"
# The worst there is: cells that all differ.
awk 'BEGIN { srand(7); for (i = 0; i < 60000; i++) { a = int(2048 * rand()); b = int(2048 * rand())
    if (a != b) printf "%d %d %d\n", a, b, 1 + 2 ^ (40 * rand()) } }' >worst
report worst --from edges --ntasks 2048 --topology dragonfly:33,16,4 --tasks-per-node 1 --mapping block --mapping cyclic
equal "the worst case is below 2 MB as well" "0 yes" "$status $([ "$(stat -c %s out)" -lt 2000000 ] && echo yes || stat -c %s out)"
# Names as long as Slurm takes them.
long=$(printf '%050d' 0)
printf 'dragonfly:16,16,4\nhosts h%s[0-1023]\n' "$long" >long.topo
report grid:32x32 --topology long.topo --tasks-per-node 1 --mapping cyclic --mapping rb
cp out long.html
equal "long names are below 2 MB" "0 yes" "$status $([ "$(stat -c %s out)" -lt 2000000 ] && grep -q "h${long}1023" out && echo yes || stat -c %s out)$(cat err)"

# In a browser, where there is one: scripts run, and tell what is pointed at.
if command -v chromium >/dev/null; then
    report dense --from dense
    { sed 's,</body>.*,,; s,</html>.*,,' out
        cat <<'SCRIPT'
<script>
var hit = document.querySelector('.hit'), r = hit.getBoundingClientRect();
hit.dispatchEvent(new MouseEvent('mousemove', {clientX: r.left + 1.5 * r.width / 80, clientY: r.top + 0.5 * r.height / 80}));
document.title = 'TOLD ' + document.querySelector('.value').textContent;
hit.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}));
document.title += ' THEN ' + document.querySelector('.value').textContent;
</script></body></html>
SCRIPT
    } >pointed.html
    HOME=$work timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr \
        --user-data-dir="$work/chromium" --dump-dom "file://$work/pointed.html" >dom 2>log
    contains "what is pointed at is right" "$(cat dom)" \
        '<title>TOLD rank 0 with rank 1: 2 B THEN rank 1, inside: nothing</title>'
    equal "no error in the page" "" "$(grep -E 'CONSOLE' log)"
    # On a phone and on a desk: where it scrolls, and no text over another.
    report grid:4x4 --topology tree:4,2 --tasks-per-node 2 -o small.html
    report "$(dirname "$srcdir")/profiles/examples/lammps" --topology tree:4,2 --tasks-per-node 2 -o alike.html
    cat >bad.html <<'BAD'
<!DOCTYPE html><body><div style="width:500px">x</div><svg width="100" height="50">
<text x="5" y="20">aaaa</text><text x="9" y="22">bbb</text><text x="80" y="40">cccccccc</text></svg></body>
BAD
    # To those who hear it, in the dark, on paper, without hues, by the keyboard.
    report profile --topology torus:2x2 --tasks-per-node 1 --mapping block --mapping cyclic -o page.html
    if ! command -v python3 >/dev/null; then
        skip "what a screen reader is told" "no python3"
    elif ! timeout 240 python3 "$srcdir/programs/see_page.py" --layout large.html long.html small.html alike.html bad.html >laid 2>err; then
        not_ok "the layout of pages" "$(tail -3 err)"
    elif ! timeout 120 python3 "$srcdir/programs/see_page.py" page.html >seen 2>err; then
        not_ok "what a screen reader is told" "$(tail -3 err)"
    else
        equal "faults of a layout are seen" "wide over outside over outside" \
            "$(sed -n 's/^layout bad.html [0-9]* \([0-9]* pixels \)*\([a-z]*\).*/\2/p' laid | xargs)"
        equal "no page is wider than a phone, and no text lies over another" "" "$(grep -v ' bad.html ' laid; grep '^layout' seen)"
        equal "a screen reader is told of each picture, by title and description" \
            "$(grep -c '<svg' page.html)" "$(grep -cE '^ax image .+ .+' seen)"
        contains "of the matrix" "$(cat seen)" '^ax image Who talks with whom: .* A matrix of 4 by 4 cells'
        contains "of a link's load" "$(cat seen)" '^ax graphics-symbol (0,0) +x: [0-9.]* k*B$'
        equal "of headings, parts, and a table with heads of rows and columns" "yes yes yes yes yes" \
            "$(for role in heading navigation table columnheader rowheader; do grep -q "^ax $role " seen && echo yes; done | xargs)"
        contains "the keyboard can pass over the top" "$(cat seen)" '^ax link To the figures$'
        equal "text is read in light, in the dark and on paper: 4.5 to 1 (WCAG AA)" "light dark print" \
            "$(awk '$1 == "contrast" && $3 >= 4.5 { print $2 }' seen | xargs)"
        equal "amounts are told apart without hues" "light yes dark yes print yes" \
            "$(sed -n 's/^scale //p' seen | xargs)"
        equal "it prints" yes "$(awk '$1 == "pages" && $2 > 0 { print "yes" }' seen)"
        if command -v pdftotext >/dev/null; then
            pdftotext -layout page.html.pdf paper
            grep -o '<h2[^>]*>[^<]*' page.html | sed 's/.*>//' >headings
            equal "what is printed is read in the order of the page" "$(cat headings)" \
                "$(tr -d '\f' <paper | sed 's/ *$//' | grep -xFf headings)"
            equal "and no heading stands alone below" "" \
                "$(awk -v RS='\f' '{ n = split($0, line, "\n"); while (n > 0 && line[n] ~ /^ *$/) n--; if (n) print line[n] }' paper | grep -xFf headings)"
        else
            skip "what is printed" "no pdftotext"
        fi
        equal "and the keyboard reaches what can be pointed at" yes \
            "$(awk '$1 == "focus" && $2 > 1 { print "yes" }' seen)"
    fi
else
    skip "what is pointed at" "no chromium"
fi

# Names of others.
cp -r profile evil
sed 's,"program": "app","program": "<script>alert(1)</script>\\u0007\\"]]>",' profile/profile.json >evil/profile.json
{ printf 'torus:2x2\n'
    printf 'host %s 0 0\nhost b&b 1 0\nhost c"c 0 1\nhost d\001d 1 1\n' "a<script>a"
} >evil.topo
draw matrix evil --topology evil.topo --tasks-per-node 1 --mapping block
equal "names are shown as they are" 0 "$status$(cat err)"
well_formed "a picture of bad names" out
equal "no markup of others" 0 "$(grep -c '<script>a' out)"
contains "but their names" "$(tips out)" 'rank 0 on a&lt;script&gt;a with rank 1 on b&amp;b: '
report evil --topology evil.topo --tasks-per-node 1 --mapping block
well_formed "a report of bad names" out
equal "a report: no markup of others" 0 "$(grep -c '<script>a' out)"
cp profile/p2p.graph '<b>&"]]>.graph'
draw matrix '<b>&"]]>.graph'
well_formed "a file of a bad name" out
contains "whose name it shows" "$(cat out)" '&lt;b&gt;&amp;&quot;\]\]&gt;.graph, 4 ranks'

# Refused, and nothing half written.
# refused NAME STATUS PATTERN: one line on stderr, nothing on stdout.
refused()
{
    equal "$1" "$2 1 0" "$status $(wc -l <err) $(stat -c %s out)"
    contains "$1: why" "$(cat err)" "$3"
}
draw matrix nothing.graph
refused "no such file" 1 'nothing.graph: neither a file nor a profile'
draw matrix grid:4x4 --mapping block
refused "a mapping without a network" 2 'needs --topology'
draw matrix grid:4x4 --topology torus:4x4
refused "a network without slots" 2 'needs --tasks-per-node'
draw network grid:4x4
refused "a network that nobody names" 2 'network needs --topology'
draw matrix grid:4x4 --by seconds
refused "a graph has no seconds" 1 'bytes alone'
draw picture grid:4x4
equal "no such picture" 2 "$status"
echo old >kept.svg
draw matrix grid:4x4 --topology torus:2x2 --tasks-per-node 1 -o kept.svg
equal "what was there stays when drawing fails" "1 old kept.svg" "$status $(cat kept.svg) $(echo kept.svg*)"
draw matrix grid:4x4 -o /dev/full
equal "a full disk is told" 1 "$status"

# What a plan comes to, by hand; srun's is in launch.sh.
plan() { "$topomap" plan --ntasks 16 --nodelist 'n[0-7]' --tasks-per-node 2 --no-cache --topology "$@" >out 2>err; status=$?; }
plan torus:2x2x2 --graph grid:4x4 --report plan.html
equal "a plan with a report" 0 "$status"
well_formed "the report of a plan" plan.html
contains "its first layout" "$(cat plan.html)" 'Placed by Slurm'
contains "its second" "$(cat plan.html)" 'Placed by topomap'
plan torus:2x2x2 --graph nothing.graph --report none.html
equal "no report without a plan" "1 no" "$status $([ -e none.html ] && echo yes || echo no)"
plan torus:2x2x2 --name nobody --report none.html
equal "without a profile there is nothing to draw" "1 no" "$status $([ -e none.html ] && echo yes || echo no)"
contains "which is said" "$(cat err)" 'none.html: there is nothing to draw: '
finish
