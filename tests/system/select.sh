#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# select.sh - topomap grid select and layout: the paper's torus with service nodes,
# what other tools make of the results, and what is refused
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
unset SLURM_JOB_NODELIST
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-select.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 99

pick() { "$TOPOMAP" grid select "$@" 2>&1; }
layout() { "$TOPOMAP" grid layout "$@" 2>&1; }

# torus FILE PERCENT SEED [BLADE]: 23 x 24 x 24 routers of two nodes; PERCENT of
# them, in fours along y if BLADE, are service nodes. A generator of our own:
# awks differ.
torus() {
    awk -v percent="$2" -v seed="$3" -v blade="${4-1}" 'BEGIN {
        print "torus:23x24x24"
        for (z = 0; z < 24; z++)
            for (y = 0; y < 24; y++)
                for (x = 0; x < 23; x++) {
                    b = int(y / blade)
                    if (y % blade == 0) {
                        for (i = 0; i < 3; i++)
                            seed = (seed * 16807) % 2147483647
                        gone[x, b, z] = seed % 10000 < percent * 100
                    }
                    if (gone[x, b, z])
                        continue
                    for (k = 0; k < 2; k++)
                        printf "host nid%05d %d %d %d\n", n++, x, y, z
                }
    }' >"$1"
}
# field LINES NAME: the number behind "NAME " in the first choice.
field() {
    printf '%s\n' "$1" | sed -n "s/^# choice 1: .*$2 \([0-9.]*\).*/\1/p" | head -1
}
at_most() {
    if [ "$2" -le "$3" ] 2>/dev/null; then ok "$1"; else not_ok "$1" "found: $3, wanted at least $2"; fi
}

# --- section III.A: 14 x 7 x 21 pairs of nodes, 65,856 tasks
milc="--grid 14x14x21x16 --block 1x2x1x16"
for seed in 1 2 3; do
    torus bw 3 $seed
    # shellcheck disable=SC2086
    out=$(pick --topology bw $milc --axes xyz-)
    at_most "select: 3% service nodes, seed $seed: at most 3 hops" "$(field "$out" 'longest path')" 3
done
contains "select: 65,856 tasks on 4,116 nodes" "$out" \
    '^# grid 14x14x21x16: 65856 tasks, 4116 nodes with 1x2x1x8 each$'
contains "select: the prism is the paper's" "$out" '^# choice 1: 14x7x21 routers from'
torus blades 6 4 4
out=$(pick --topology blades --grid 14x7x21 --show 2)
at_most "select: 6% service nodes, by blades: at most 4 hops" "$(field "$out" 'longest path')" 4
contains "select: a second choice" "$out" '^# choice 2: longest path [34]'

# --- the ranks, followed by hand and by eval
# shellcheck disable=SC2086
{
    out=$(pick --topology bw $milc --axes xyz-)
    pick --topology bw $milc --axes xyz- --to hostfile >hostfile
    pick --topology bw $milc --axes xyz- --to hosts >hosts
    pick --topology bw $milc --axes xyz- --to mapping -o mapping
    pick --topology bw $milc --axes xyz- --to mpich >order
}
equal "select: the hostfile has 16 ranks on each of 4,116 nodes" "65856 4116 16 16" \
    "$(awk '{n[$1]++} END {least = 99; for (h in n) {count++; if (n[h] > most) most = n[h]
        if (n[h] < least) least = n[h]} print NR, count, least, most}' hostfile)"
equal "select: every rank once in the rank order" "65856 65856" \
    "$(grep -v '^#' order | tr ', ' '\n\n' | awk 'NF {seen[$1] = 1; n++}
        END {for (r = 0; r < 65856; r++) have += r in seen; print n, have}')"
# hops DIMS BLOCKS: longest path between neighbours in the grid, by the mapping.
hops() {
    awk 'FILENAME == "bw" && $1 == "host" {x[$2] = $3; y[$2] = $4; z[$2] = $5; next}
    FILENAME == "hosts" {name[nhosts++] = $1; next}
    FILENAME == "mapping" && !/^#/ {at[nranks++] = name[$1]}
    function ring(a, b, n) {a = a < b ? b - a : a - b; return n - a < a ? n - a : a}
    END {
        n[0] = 14; n[1] = 14; n[2] = 21; n[3] = 16
        s[3] = 1; s[2] = 16; s[1] = 336; s[0] = 4704
        for (r = 0; r < nranks; r++)
            for (d = 0; d < 4; d++) {
                if (int(r / s[d]) % n[d] + 1 == n[d])
                    continue
                a = at[r]; b = at[r + s[d]]
                h = ring(x[a], x[b], 23) + ring(y[a], y[b], 24) + ring(z[a], z[b], 24)
                if (h > most) most = h
                sum += h
                pairs++
                print r, r + s[d], 1 >"grid.edges"
            }
        printf "%d %.4g\n", most, sum / pairs
    }' bw hosts mapping
}
equal "select: longest path and hops per byte, counted by hand" "$(hops)" \
    "$(field "$out" 'longest path') $(field "$out" 'hops per byte')"
found=$("$TOPOMAP" eval grid.edges --from edges --ntasks 65856 --topology bw --nodefile hosts \
    --tasks-per-node 16 mapping --json | awk -F '[:,]' '/"hops_per_byte"/ {printf "%.4g", $2}')
equal "select: eval agrees" "$(field "$out" 'hops per byte')" "$found"
equal "select: also on the slowest link" "$(field "$out" 'slowest link')" \
    "$("$TOPOMAP" eval grid.edges --from edges --ntasks 65856 --topology bw --nodefile hosts \
        --tasks-per-node 16 mapping --json | awk -F '[:,]' '/"max_link_time"/ {printf "%.4g", $2; exit}')"

# as_good WHAT GRAPH SLOTS HOPS OPTION...: what map finds on these nodes
as_good() {
    what=$1
    hops=$4
    graph=$2
    slots=$3
    shift 4
    found=$("$TOPOMAP" map "$graph" --topology bw --nodefile hosts --tasks-per-node "$slots" \
        --work 1 -o /dev/null --json "$@" | awk -F "[:,]" '/"hops_per_byte"/ {printf "%.4g", $2; exit}')
    if awk -v a="$found" -v b="$hops" 'BEGIN {exit !(a != "" && a + 0 <= b + 0)}'; then
        ok "$what"
    else
        not_ok "$what" "$found hops per byte, select has $hops"
    fi
}
as_good "map: a grid on nodes of select is no worse than by select" grid.edges 16 \
    "$(field "$out" 'hops per byte')" --from edges --mapper grid

# --- lists of nodes
printf 'torus:4x3x4\nhosts n[00-47]\n' >small
equal "select: a node list" "n[00-01,04-05]" \
    "$(pick --topology small --grid 2x2x1 --to nodelist)"
equal "select: all nodes" "n[00-47]" "$(pick --topology small --grid 4x3x4 --to nodelist)"
equal "select: options for srun" \
    "--nodes=48 --ntasks=96 --ntasks-per-node=2 --distribution=block --nodelist=n[00-47]" \
    "$(pick --topology small --grid 8x3x4 --block 2x1x1 --axes xyz --to srun)"
equal "select: by number where nodes have no names" "[0-11]" \
    "$(pick --topology torus:2x2x2/3 --grid 1x2x2 --exclude '[3-5,9-11]' --to nodelist |
        sed 's/0-2,6-8,12-14,18-20/0-11/')"
# Two of 48 are out: a row of x is skipped around one of them.
out=$(pick --topology small --grid 3x3x4 --exclude 'n[13,28]' --show 9)
contains "select: a row is skipped" "$out" '^# choice 1: .*skipped 1 rows and 0 planes'
contains "select: paths across it are longer" "$out" '^# choice 1: longest path 2,'
equal "select: no two choices have the same nodes" "4 4" \
    "$(printf '%s\n' "$out" | awk '!/^#/ {n++; if (!seen[$0]++) m++} END {print n, m}')"
equal "select: all of the torus is one choice" 1 \
    "$(pick --topology small --grid 4x3x4 --show 9 | grep -vc '^#')"
printf '%s\n' n00 n01 n02 n03 n12 n13 n14 n15 >list
equal "select: from a list of nodes" "n[00-03,12-15]" \
    "$(pick --topology small --nodefile list --grid 4x1x2 --to nodelist)"
equal "select: the same as an expression" "n[00-03,12-15]" \
    "$(pick --topology small --nodelist 'n[00-03,12-15]' --grid 4x1x2 --to nodelist)"
# Only one of two nodes is there at some routers.
printf 'torus:4x1x1\nhost a 0 0 0\nhost b 0 0 0\nhost c 1 0 0\nhost d 2 0 0\nhost e 2 0 0\n' >pairs
equal "select: routers with all of their nodes" "a,b,d,e" \
    "$(pick --topology pairs --grid 2x1x1 --to nodelist)"
equal "select: one node a router" "a,c,d" \
    "$(pick --topology pairs --grid 3x1x1 --nodes-per-router 1 --to nodelist)"
equal "select: each node has its part of the block" "0:a 1:a 2:b 3:b 4:d 5:d 6:e 7:e " \
    "$(pick --topology pairs --grid 2x2x2 --block 1x2x2 --split 2 --to hostfile |
        awk '{printf "%d:%s ", NR - 1, $1}')"
equal "select: or the other part" "0:a 1:b 2:a 3:b 4:d 5:e 6:d 7:e " \
    "$(pick --topology pairs --grid 2x2x2 --block 1x2x2 --split 3 --to hostfile |
        awk '{printf "%d:%s ", NR - 1, $1}')"
equal "select: ranks along the first dimension" "0:a 1:d 2:a 3:d 4:b 5:e 6:b 7:e " \
    "$(pick --topology pairs --grid 2x2x2 --block 1x2x2 --split 3 --order first \
        --to hostfile | awk '{printf "%d:%s ", NR - 1, $1}')"

# --- axes: the least traffic on the slowest links, then the shortest path
slow=torus:6x6x6:capacity=2x1x2
axes() { pick "$@" --to json | sed -n 's/.*"axes": "\([^"]*\)".*/\1/p'; }
case $(axes --topology $slow --grid 8x8x4 --block 4x4x1) in
??y) not_ok "select: the most traffic is not on y" ;;
??[xz]) ok "select: the most traffic is not on y" ;;
*) not_ok "select: the most traffic is not on y" "$(axes --topology $slow --grid 8x8x4 --block 4x4x1)" ;;
esac
contains "select: weights say so" \
    "$(axes --topology $slow --grid 4x4x4 --block 1x1x1 --weights 8,9,1)" '^[xz][xz]y$'
contains "select: weights say otherwise" \
    "$(axes --topology $slow --grid 4x4x4 --block 1x1x1 --weights 1,8,9)" '^y[xz][xz]$'
equal "select: the only axis that is long enough" "zyx" \
    "$(axes --topology torus:2x3x4 --grid 4x3x2 --block 1x1x1)"

# --- links that differ along an axis: two routers of a board, eight of a cage
boards=torus:2x2x8:capacity.z=1,8
equal "select: two routers of one board" "[4,8]" \
    "$(pick --topology $boards --grid 2x1 --block 1x1 --axes zx --to nodelist)"
equal "select: boards begin at 1, cages hold" "[4,8,12,16]" \
    "$(pick --topology torus:2x2x8:capacity.z=2,8,4,8,1,1,1,1 --grid 4x1 --block 1x1 --axes zx --to nodelist)"
out=$(pick --topology $boards --grid 2x2x4 --block 1x1x1 --axes xyz --weights 1,1,8)
equal "select: its slowest link by hand: 8 / 2 / 1" 4 "$(field "$out" 'slowest link')"
equal "select: the same in JSON" '"slowest_link": 4' \
    "$(pick --topology $boards --grid 2x2x4 --block 1x1x1 --axes xyz --weights 1,1,8 --json |
        grep -o '"slowest_link": [0-9.]*')"
contains "select: a short row of the wide links is for the most traffic" \
    "$(axes --topology torus:4x4x4:capacity=1x1x3:capacity.y=8,1 --grid 2x4x4 --block 1x1x1 --weights 9,1,8)" \
    '^yxz$'

# --- what would fit where nothing does: against trying every size
holes='n[01,06,13,22,23,35,40]'
for size in 4x3x4 3x3x4 4x2x5; do
    said=$(pick --topology small --exclude $holes --grid $size --to nodelist | sed -n 's/.*; \(.*\) would fit$/\1/p' | sed 's/,\| and/ /g')
    steps=$(for x in 1 2 3 4; do for y in 1 2 3; do for z in 1 2 3 4; do
        pick --topology small --exclude $holes --grid ${x}x${y}x$z --to nodelist | grep -q '^n' &&
            echo "$x $y $z" | awk -v size=$size 'function abs(d) {return d < 0 ? -d : d}
                {split(size, s, "x"); print abs($1 - s[1]) + abs($2 - s[2]) + abs($3 - s[3])}'
    done; done; done | sort -n | head -3 | tr '\n' ' ')
    equal "select: three sizes nearest to $size, by trying all" "$steps" \
        "$(for s in $said; do
            pick --topology small --exclude $holes --grid "$s" --to nodelist | grep -q '^n' && echo "$s" |
                awk -v size=$size -F x 'function abs(d) {return d < 0 ? -d : d}
                    {split(size, s, "x"); print abs($1 - s[1]) + abs($2 - s[2]) + abs($3 - s[3])}'
        done | tr '\n' ' ')"
done
contains "select: grids that would fit, in whole blocks" \
    "$(pick --topology small --grid 10x6x4 --block 2x2x1)" '; 8x6x4, 6x6x4 and 8x6x3 would fit$'
contains "select: and in whole tiles" \
    "$(pick --topology torus:8x8x8 --grid 40x64 --block 2x2 --tiles 2x4)" '; 32x64, .* would fit$'

# --- nodes to spare, and reservations
out=$(pick --topology torus:4x4x4/2 --grid 4x4 --block 1x2 --axes xy --spare 3 --show 1)
contains "select: spare nodes are of whole routers" "$out" '^# choice 1: to spare \[[0-9,-]*\]$'
equal "select: none of the box, four of two routers, one hop from it" "4 0 16" \
    "$(printf '%s\n' "$out" | awk 'function put(list, into, i, k, n, r) {
        gsub(/[][]/, "", list); n = split(list, part, ",")
        for (i = 1; i <= n; i++) {split(part[i], r, "-"); if (r[2] == "") r[2] = r[1]
            for (k = r[1]; k <= r[2]; k++) into[k] = 1}}
        /to spare/ {put($NF, spare)} !/^#/ {put($1, box)}
        END {for (k in spare) {n++; both += k in box} for (k in box) m++; print n, both + 0, m + 0}')"
equal "select: all of them are reserved" "NodeCnt=20" \
    "$(pick --topology torus:4x4x4/2 --grid 4x4 --block 1x2 --axes xy --spare 3 --to reservation | cut -d ' ' -f 1)"
equal "select: a reservation" "NodeCnt=4 Nodes=n[00-01,04-05]" \
    "$(pick --topology small --grid 2x2x1 --to reservation)"
equal "select: srun has the box's tasks and all nodes" "--nodes=5 --ntasks=4 --ntasks-per-node=1 " \
    "$(pick --topology small --grid 2x2x1 --block 1x1x1 --axes xyz --spare 1 --to srun | sed 's/--nodelist.*//')"
equal "select: a hostfile has the box only" "4" \
    "$(pick --topology small --grid 2x2x1 --block 1x1x1 --axes xyz --spare 1 --to hostfile | wc -l)"
equal "select: spare nodes in JSON" 1 \
    "$(pick --topology small --grid 2x2x1 --block 1x1x1 --spare 1 --json | grep -c '"spare": "n')"

# --- rings
out=$(pick --topology small --grid 4x3x4 --block 1x1x1 --periodic 1,1,1)
contains "select: whole rings, one hop" "$out" 'longest path 1, mean path 1,'
equal "select: and nothing to warn of" "" "$(printf '%s\n' "$out" | grep '^topomap')"
contains "select: a part of a ring is warned of" \
    "$(pick --topology small --grid 3x3x4 --block 1x1x1 --axes xyz --periodic 1,0,1)" \
    '^topomap: dimension 1 is periodic and takes 3 of 4 routers along x: its ends talk through routers that'
equal "select: nobody is excluded by nothing" "$(pick --topology small --grid 3x3x4 --block 1x1x1)" \
    "$(pick --topology small --grid 3x3x4 --block 1x1x1 --exclude '')"
equal "select: 101 is 1,0,1" "$(pick --topology small --grid 3x3x4 --block 1x1x1 --axes xyz --periodic 1,0,1)" \
    "$(pick --topology small --grid 3x3x4 --block 1x1x1 --axes xyz --periodic 101)"
contains "select: in a prism as well" "$(pick --topology small --grid 3x3x4 --periodic 1,0,0)" \
    '^topomap: dimension 1 is periodic and takes 3 of 4'
contains "select: the ring is preferred" \
    "$(pick --topology torus:4x3x6 --grid 3x4x3 --block 1x1x1 --periodic 0,1,0)" 'axes .x.$'

# --- super-tiles
# Section III.C: eight tiles of 16 x 19 routers with 6 x 5 tasks each, folded.
wrf="--grid 384x190 --block 6x5 --tiles 4x2"
# shellcheck disable=SC2086
{
    out=$(pick --topology bw $wrf)
    pick --topology bw $wrf --to hosts >hosts
}
as_good "map: so is one of two dimensions, folded" grid:384x190 15 \
    "$(field "$out" 'hops per byte')" --mapper grid
out=$(pick --topology torus:8x8x8 --grid 24x64 --block 2x2)
contains "select: a sheet does not fit a plane" "$out" 'no prism fits'
out=$(pick --topology torus:8x8x8 --grid 24x64 --block 2x2 --tiles 2x4)
contains "select: super-tiles fold into planes" "$out" '6x8x8 routers from'
equal "select: folds are at most three planes apart" 3 "$(field "$out" 'longest path')"
contains "select: staggered, one router more across the second folding" \
    "$(pick --topology torus:8x8x16 --grid 24x64 --block 2x2 --tiles 2x4 --stagger)" \
    '6x8x9 routers from .* tiles 2x4 staggered$'
contains "select: and no room for it" \
    "$(pick --topology torus:8x8x8 --grid 24x64 --block 2x2 --tiles 2x4 --stagger)" 'no prism fits'
# Four layers: what goes through them shares links unless they are displaced.
out=$(pick --topology torus:12x16x12 --grid 44x24 --block 1x1 --tiles 4x4)
contains "select: four layers are staggered without being told" "$out" '11x16x9 routers .* tiles 4x4 staggered$'
flat=$(pick --topology torus:11x16x6 --grid 44x24 --block 1x1 --tiles 4x4)
contains "select: where there is no room they are not" "$flat" '11x16x6 routers .* tiles 4x4$'
equal "select: and the slowest link is slower, by hand: four tiles' edges, or two" "2 1" \
    "$(field "$flat" 'slowest link') $(field "$out" 'slowest link')"
# The paper's sheet of figure 4, on a whole torus: 44 x 20 routers of 6 x 5 tasks.
sheet="--topology torus:23x24x24 --grid 264x100 --block 6x5"
# shellcheck disable=SC2086
{
    out=$(pick $sheet --tiles 4x2)
    equal "select: two layers: at a corner a fold and what goes through it" 5.5 "$(field "$out" 'slowest link')"
    out=$(pick $sheet --tiles auto)
    contains "select: of all tiles those that are folded once" "$out" '22x20x2 routers .* axes xy, tiles 2x1$'
    equal "select: no link carries more than a tile's edge: 6 / 2" "1 3" \
        "$(field "$out" 'longest path') $(field "$out" 'slowest link')"
    equal "select: tiles and axes in JSON" '"axes": "xy" "tiles": [ 2, 1 ] "staggered": false' \
        "$(pick $sheet --tiles auto --json | tr -d '\n' | tr -s ' ' |
            grep -oE '"(axes|staggered)": [^,]*|"tiles": \[[^]]*\]' | tr '\n' ' ' | sed 's/ $//')"
}
refused_tiles=$(pick --topology torus:4x4x4 --grid 31x37 --block 1x1 --tiles auto)
contains "select: no tiles fit" "$refused_tiles" 'the grid needs 1147 routers'

out=$(pick --topology torus:8x8x16 --grid 24x64 --block 2x2 --tiles 2x4 --axes yx --exclude '[0-7]')
contains "select: planes of tiles along other axes" "$out" '8x6x8 routers from .* axes yx, tiles 2x4$'
equal "select: and folds are as near" 3 "$(field "$out" 'longest path')"
equal "select: every rank of a folded sheet once" "1536 384" \
    "$(pick --topology torus:8x8x16 --grid 24x64 --block 2x2 --tiles 2x4 --axes yx --to mapping |
        awk '!/^#/ && !seen[$1 " " $2]++ {n++} !/^#/ && !host[$1]++ {h++} END {print n, h}')"

# --- what the resource manager gave
SLURM_JOB_NODELIST='n[40-47,00-30]'
export SLURM_JOB_NODELIST
out=$(pick --topology small --grid 2x2x3 --from-job --to json)
contains "select: the best nodes of a job" "$out" '"longest_path": 1'
contains "select: are in the job" "$out" '"nodelist": "n\[00-01,04-05,12-13,16-17,24-25,28-29\]"'
out=$(pick --topology small --grid 4x3x4 --from-job)
equal "select: a grid larger than the job" "topomap: the grid needs 48 routers of 1 usable node, and 39 of 48 have them; 4x3x3, 3x3x3 and 4x2x3 would fit" "$out"
equal "select: any nodes, but too few" "topomap: the grid needs 48 nodes, and there are 39" \
    "$(pick --topology small --grid 4x3x4 --block 1x1x1 --from-job --any)"
SLURM_JOB_NODELIST='n[36-47,00-11]'
out=$(pick --topology small --grid 8x3x2 --block 2x1x1 --from-job --any)
contains "select: any nodes, the shape of the grid" "$out" 'longest path 1, mean path 1, slowest link'
equal "select: in the job's order" "n[36-47,00-11]" "$(printf '%s\n' "$out" | tail -1)"
equal "select: any nodes, every rank once" "48 24" \
    "$(pick --topology small --grid 8x3x2 --block 2x1x1 --from-job --any --to mapping |
        awk '!seen[$1 " " $2]++ {n++} !host[$1]++ {h++} END {print n, h}')"
unset SLURM_JOB_NODELIST

# --- Adaptive Layout: 23 x 4 x 24 routers with holes, 84 x 84 x 84 x 144 sites
awk '$1 != "host" || $4 < 4' bw >slab
layout --topology slab --grid 84x84x84x144 --tasks-per-node 16 --periodic 1111 >parts
contains "layout: blocks" "$(cat parts)" \
    "^# lattice 84x84x84x144, 23x4x24x32 blocks, $(($(grep -c ^host slab) * 16)) tasks on $(grep -c ^host slab) nodes\$"
equal "layout: every site belongs to one rank, every rank has sites" \
    "85349376 $(($(grep -c ^host slab) * 16))" \
    "$(awk '!/^#/ {v = 1; for (i = 1; i <= 4; i++) {split($i, r, "-"); v *= r[2] - r[1] + 1}
        sum += v; if (!($5 in has)) n++; has[$5] += v} END {printf "%d %d\n", sum, n}' parts)"
equal "layout: imbalance, counted by hand" \
    "$(sed -n 's/.*imbalance \([0-9.]*\),.*/\1/p' parts)" \
    "$(awk '!/^#/ {v = 1; for (i = 1; i <= 4; i++) {split($i, r, "-"); v *= r[2] - r[1] + 1}
        sum += v; has[$5] += v} END {for (k in has) {n++; if (has[k] > most) most = has[k]}
        printf "%.4g\n", most * n / sum}' parts)"
at_most "layout: longest path" "$(sed -n 's/.*longest path \([0-9]*\), mean .*$/\1/p' parts)" 8
# Ranks go by the list, wherever the nodes are.
equal "layout: ranks in the order of the list" "0-1 0-3 0-1 0-0 2
2-3 0-3 0-1 0-0 0
0-1 0-3 0-1 1-1 3
2-3 0-3 0-1 1-1 1" \
    "$(layout --topology small --nodelist n01,n00 --grid 4x4x2x2 --tasks-per-node 2 | grep -v '^#')"
equal "layout: a hole is dealt in quarters" "0-1 0-7 0-3 0-3 0
2-3 0-1 0-3 0-3 1
2-3 2-3 0-3 0-3 0
2-3 4-5 0-3 0-3 1
2-3 6-7 0-3 0-3 0
4-5 0-7 0-3 0-3 1" \
    "$(layout --topology mesh:3x1x1 --nodelist '[0,2]' --grid 6x8x4x4 --tasks-per-node 1 | grep -v '^#')"
equal "layout: JSON" '"blocks":[1,1,1,2] "tasks":2 "imbalance":1 "longest_path":0 "parts":[[0,3,0,3,0,3,0,1,0],[0,3,0,3,0,3,2,3,1]]' \
    "$(layout --topology mesh:1x1x1 --grid 4x4x4x4 --tasks-per-node 2 --json | tr -d ' \n' |
        grep -oE '"(blocks|tasks|imbalance|longest_path|parts)":(\[\[[^]]*(\],\[[^]]*)*\]\]|\[[^]]*\]|[^,}]*)' | tr '\n' ' ' | sed 's/ $//')"

# refused COMMAND STATUS WHAT PATTERN ARGUMENT...
refused() {
    command=$1 expected=$2 what=$3 pattern=$4
    shift 4
    out=$("$TOPOMAP" grid "$command" "$@" 2>&1)
    status=$?
    case $status$out in
    $expected*"$pattern"*) ok "$command: $what" ;;
    *) not_ok "$command: $what" "status $status: $out" ;;
    esac
}
t="--topology small"
# shellcheck disable=SC2086
{
    refused select 2 "no topology" "--topology is missing" --grid 1x1x1
    refused select 2 "nothing to select for" "--grid is missing" $t
    refused select 2 "no block" "without --block" $t --grid 4x4x4 --axes xyz
    refused select 2 "a size of 0" "not '4x0x4'" $t --grid 4x0x4
    refused select 2 "a negative size" "not '4x-1x4'" $t --grid 4x-1x4
    refused select 2 "a size of two dimensions" "NXxNYxNZ" $t --grid 4x4
    refused select 2 "a grid of 0" "not '4x0'" $t --grid 4x0 --block 1x1
    refused select 2 "a block of other dimensions" "a block of 2" $t --grid 4x4x4 --block 2x2
    refused select 2 "an unknown order" "'middle' is not" $t --grid 1x1x1 --order middle
    refused select 2 "an unknown form" "'xml' is not" $t --grid 1x1x1 --to xml
    refused select 2 "ranks without a grid" "only with --block" $t --grid 1x1x1 --to mpich
    refused select 2 "an axis twice" "two dimensions along x" $t --grid 2x2 --block 1x1 --axes xx
    refused select 2 "an unknown axis" "not 'xw'" $t --grid 2x2 --block 1x1 --axes xw
    refused select 2 "inside, but it is not" "is not inside a router" $t --grid 2x2 --block 1x1 --axes x-
    refused select 2 "weights for other dimensions" "2 numbers" $t --grid 2x2 --block 1x1 --weights 1
    refused select 2 "a negative weight" "not '1,-1'" $t --grid 2x2 --block 1x1 --weights 1,-1
    refused select 2 "a flag that is none" "0 or 1" $t --grid 1x1x1 --periodic 0,2,0
    refused select 2 "tiles of three dimensions" "not 3" $t --grid 2x2x2 --block 1x1x1 --tiles 1x1
    refused select 2 "tiles inside a router" "not 'x-'" $t --grid 2x2 --block 1x2 --tiles 1x1 --axes x-
    refused select 2 "staggered without tiles" "needs --tiles" $t --grid 2x2 --block 1x1 --stagger
    refused select 2 "tiles that are none" "AxB or auto, not 'all'" $t --grid 2x2 --block 1x1 --tiles all
    refused select 2 "spare nodes of all" "no --spare" $t --grid 2x2 --block 1x1 --any --spare 1
    refused select 2 "ranks by number with spare nodes" "hostfile or rankfile" \
        $t --grid 2x2 --block 1x1 --spare 1 --to mpich
    refused select 2 "no spare nodes" "--spare" $t --grid 1x1x1 --spare 0
    refused select 1 "more spare nodes than there are" "--spare 45: 44 nodes are left" $t --grid 2x2x1 --spare 45
    refused select 2 "a split that is not there" "has 2 dimensions" $t --grid 2x2 --block 1x1 --split 3
    refused select 2 "two sources" "only one of" $t --grid 1x1x1 --from-job --nodelist n00
    refused select 1 "no job" "this is no job" $t --grid 1x1x1 --from-job
    refused select 1 "no torus" "no torus or mesh of three" --topology tree:4,4 --grid 1x1x1
    refused select 1 "another torus" "no torus or mesh of three" --topology torus:4x4 --grid 1x1x1
    refused select 1 "blocks that do not divide" "blocks of 3" $t --grid 4x4 --block 3x1
    refused select 1 "a grid that overflows" "more than 2147483647" $t --grid 65536x65536 --block 1x1
    refused select 1 "a grid larger than the torus" "the grid needs 64 routers of 1 usable node, and 48 of 48 have them" \
        $t --grid 4x4x4 --block 1x1x1
    refused select 1 "longer than every axis" "no prism fits: a prism of 5 routers" $t --grid 5x2x2 --block 1x1x1
    refused select 1 "too many dimensions" "no axis of the torus is left" $t --grid 2x2x2x2 --block 1x1x1x1
    refused select 1 "too many dimensions for any nodes" "topomap: dimension 4 has 2 blocks" \
        $t --grid 2x2x2x2 --block 1x1x1x1 --any
    refused select 1 "no plane is whole" "no prism fits: no prism of 4 x 3 x 4 usable routers: at most 2 of 3 planes" \
        --topology torus:5x3x4 --exclude '[0,1]' --grid 4x3x4
    refused select 1 "an unknown node" "--exclude: " $t --grid 1x1x1 --exclude n99
    refused select 1 "a node twice" "stands there twice" $t --grid 1x1x1 --nodelist n00,n00
    refused select 1 "no node left" "no node is left" $t --grid 1x1x1 --exclude 'n[00-47]'
    refused select 1 "a split that does not divide" "cannot divide the block's 1 along dimension 1" \
        --topology pairs --grid 2x2 --block 1x2 --split 1
    refused select 1 "nothing to split" "along any dimension" --topology pairs --grid 2x1 --block 1x1
    refused select 1 "a choice too many" "of 1 that" $t --grid 4x3x4 --choice 2
    refused select 1 "names that are not there" "have no names" \
        --topology torus:4x3x4 --grid 2x2 --block 1x1 --to hostfile
    refused layout 2 "no lattice" "--grid is missing" $t --tasks-per-node 1
    refused layout 2 "no tasks" "--tasks-per-node is missing" $t --grid 4x4x4x4
    refused layout 2 "a lattice of 0" "'4x4x0x4' is not" $t --grid 4x4x0x4 --tasks-per-node 1
    refused layout 2 "flags that are none" "'111' is not" $t --grid 4x4x4x4 --tasks-per-node 1 --periodic 111
    refused layout 2 "flags half with commas" "'1,1,11' is not" $t --grid 4x4x4x4 --tasks-per-node 1 --periodic 1,1,11
    refused layout 1 "a lattice smaller than the blocks" "3 sites along x cannot be cut into 4" \
        $t --grid 3x4x4x4 --tasks-per-node 1
    refused layout 1 "other counts than nodes" "48" $t --grid 8x8x8x8 --tasks-per-node '2(x3)'
    refused layout 1 "no torus" "no torus or mesh of three" --topology flat:4 --grid 4x4x4x4 --tasks-per-node 1
}
finish
