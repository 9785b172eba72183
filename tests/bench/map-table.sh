#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# map-table.sh - bench-map.csv as a table: head; rows INSTANCES CSV NAME, the
# lines of one instance; means INSTANCES CSV, the geometric means of them all.
set -u
LC_ALL=C
export LC_ALL

if [ "$1" = head ]; then
    printf '%-17s %-17s | %-41s| %-15s| %-34s| %-6s| %s\n' \
        "" "" "topomap" "gmap, three" "best of all tools" "block" "best known"
    printf '%-17s %-17s | %8s %10s %11s %7s  | %7s %6s | %8s %-12s %5s %5s | %5s | %6s %6s\n' \
        instance "asked for" hops/B "max hop-B" "busiest B" seconds hops/B ratio \
        hops/B of ratio link link hops/B ratio
    exit 0
fi

awk -F, -v mode="$1" -v only="${4-}" '
# Files: the instances, then the CSV.
function geometric(key) { return count[key] ? sprintf("%.3f", exp(sum[key] / count[key])) : "-" }
function note(key, ratio, name) {
    if (ratio == "") return
    sum[key] += log(ratio); count[key]++
    if (!(key in worst) || ratio > worst[key]) { worst[key] = ratio; where[key] = name }
    if (ratio > 1.0000005) above[key]++
}
function over(a, b) { return a == "" || b == "" || b + 0 == 0 ? "" : a / b }
function show(x) { return x == "" ? "-" : sprintf("%.3f", x) }
function near(a, b) { return a - b < 0.0006 && b - a < 0.0006 }
FNR == NR {
    n = split($0, f, " ")
    if (f[1] == "instance") {
        groups[f[2]] = f[3]; known[f[2]] = f[8]; block[f[2]] = f[9]; cyclic[f[2]] = f[10]
        order[++norder] = f[2]
    }
    next
}
$1 == "instance" { next }
{
    name = $1; tool = $2
    if (tool == "topomap") {
        key = name SUBSEP $4 SUBSEP $3
        if (!(key in ours)) { asked[name, ++nasked[name]] = key; ours[key] = 1 }
        hops[key] = $5; most[key] = $6; link[key] = $7; time[key] = $9; label[key] = $4 (($4 ~ /^[0-9.]+$/) ? " s, " : ", ") $3
        next
    }
    if (tool == "block") { is_block[name] = near($5, block[name]); block_link[name] = $7 }
    if (tool == "cyclic") is_cyclic[name] = near($5, cyclic[name])
    if (tool == "block" || tool == "cyclic") next
    if (tool ~ /^gmap(-q|-qb)?$/ && (!(name in scotch) || $5 < scotch[name])) scotch[name] = $5
    if (!(name in tools) || $5 + 0 < tools[name]) { tools[name] = $5; best[name] = tool }
    if (!(name in links) || $7 + 0 < links[name]) links[name] = $7
}
END {
    for (i = 1; i <= norder; i++) {
        name = order[i]
        if (!(name in nasked)) continue
        if (!is_block[name] || !is_cyclic[name]) known[name] = ""
        for (j = 1; j <= nasked[name]; j++) {
            key = asked[name, j]
            a = over(hops[key], scotch[name]); b = over(hops[key], tools[name])
            c = over(link[key], links[name]); d = over(link[key], block_link[name]); e = over(hops[key], known[name])
            if (mode == "rows" && name == only)
                printf "%-17s %-17s | %8.4f %10.4g %11.5g %7.2f  | %7s %6s | %8s %-12s %5s %5s | %5s | %6s %6s\n",
                    j == 1 ? name : "", label[key], hops[key], most[key], link[key], time[key], show(scotch[name]), show(a),
                    show(tools[name]), best[name], show(b), show(c), show(d), show(known[name]), show(e)
            l = label[key]
            if (!(l in seen)) { seen[l] = 1; kinds[++nkinds] = l }
            g = split("all," groups[name], group, ",")
            for (k = 1; k <= g; k++) {
                t = l SUBSEP group[k]
                note(t SUBSEP "scotch", a, name); note(t SUBSEP "tools", b, name); note(t SUBSEP "links", c, name)
                note(t SUBSEP "block", d, name); note(t SUBSEP "known", e, name)
            }
        }
    }
    if (mode != "means") exit
    n = split("all irregular tree fem circ frag grid qbox", group, " ")
    m = split("scotch tools links block known", what, " ")
    for (i = 1; i <= nkinds; i++) {
        printf "\n%s: geometric means of ours / theirs (worst row)\n", kinds[i]
        printf "%-10s %-32s%-32s%-32s%-32s%s\n", "", " hops, gmap (best of three)", " hops, best tool", " link, least busy tool", " link, block", " hops, best known"
        for (k = 1; k <= n; k++) {
            t = kinds[i] SUBSEP group[k]
            if (!count[t SUBSEP "block"]) continue
            printf "%-10s", group[k]
            for (w = 1; w <= m; w++) {
                key = t SUBSEP what[w]
                printf " %-31s", count[key] ? sprintf("%s (%.3f %s)", geometric(key), worst[key], where[key]) : "-"
            }
            printf "\n"
        }
    }
}' "$2" "$3"
