# SPDX-License-Identifier: LGPL-2.1-or-later
# judge.awk - a plan looked at without topomap's own arithmetic: distances are
# counted over a list of links, bytes taken from the graph's file
# usage: awk -f judge.awk nodes network graph plan.rankfile
#   nodes      the machine's file of that name
#   network    what `topomap topology links` prints
#   graph      METIS's format, fmt 001
# Prints "wrong: ..." for each thing that may not be, then average and maximum
# hop-bytes of a task, in Slurm's own layout and in the plan. Leaves the hosts
# of the job in `hosts`, and Slurm's own layout in `own.mapping`.

function wrong(what) { print "wrong: " what }

# n[03-04,7] into list[], behind the n names that are there; returns how many.
function names(list, n, text,    at, depth, c, name, part, i, k, ends, from, to, head, tail, open) {
    depth = 0
    name = ""
    text = text ","
    for (at = 1; at <= length(text); at++) {
        c = substr(text, at, 1)
        if (c == "[") depth++
        if (c == "]") depth--
        if (c != "," || depth > 0) {
            name = name c
            continue
        }
        open = index(name, "[")
        if (open == 0) {
            list[n++] = name
        } else {
            head = substr(name, 1, open - 1)
            tail = substr(name, index(name, "]") + 1)
            k = split(substr(name, open + 1, index(name, "]") - open - 1), part, ",")
            for (i = 1; i <= k; i++) {
                split(part[i] "-" part[i], ends, "-")
                to = ends[2] + 0
                for (from = ends[1] + 0; from <= to; from++)
                    list[n++] = sprintf("%s%0" length(ends[1]) "d%s", head, from, tail)
            }
        }
        name = ""
    }
    return n
}

# 8(x6),4 into list[]; returns how many.
function counts(list, text,    n, k, i, part, piece) {
    n = 0
    k = split(text, part, ",")
    for (i = 1; i <= k; i++) {
        split(part[i], piece, /[(x)]+/)
        for (piece[2] += piece[2] == ""; piece[2] > 0; piece[2]--)
            list[n++] = piece[1] + 0
    }
    return n
}

# 0..7,3*2 into list[]; returns how many.
function runs(list, text,    n, k, i, part, piece, value) {
    n = 0
    k = split(text, part, ",")
    for (i = 1; i <= k; i++)
        if (split(part[i], piece, "*") == 2)
            for (; piece[2] > 0; piece[2]--) list[n++] = piece[1] + 0
        else if (split(part[i], piece, /\.\./) == 2)
            for (value = piece[1] + 0; value <= piece[2] + 0; value++) list[n++] = value
        else
            list[n++] = part[i] + 0
    return n
}

function join(a, b) { near[a] = near[a] " " b; near[b] = near[b] " " a }

# Of two routers of a dragonfly, the group of one; else nothing.
function group(router) { return is_dragonfly && router ~ /^g[0-9]+r/ ? substr(router, 1, index(router, "r")) : "" }

# Breadth first, from where host number h is; hosts forward nothing, and no
# route of a dragonfly has two links between groups (the first of the two parts
# of a state says how many it has had).
function flood(h,    queue, first, last, state, at, had, k, i, to, was, crosses) {
    for (state in far) delete far[state]
    first = last = 0
    queue[last++] = "0 " place[host[h]]
    far[queue[0]] = 0
    while (first < last) {
        state = queue[first++]
        had = substr(state, 1, 1)
        at = substr(state, 3)
        if (at in leaf && at != place[host[h]])
            continue
        k = split(near[at], to, " ")
        for (i = 1; i <= k; i++) {
            crosses = group(at) != "" && group(to[i]) != "" && group(at) != group(to[i])
            was = (had + crosses) " " to[i]
            if (had + crosses < 2 && !(was in far)) {
                far[was] = far[state] + 1
                queue[last++] = was
            }
        }
    }
    for (i = 0; i < nhosts; i++) {
        at = place[host[i]]
        distance[h, i] = ("0 " at) in far ? far["0 " at] : -1
        if (("1 " at) in far && (distance[h, i] < 0 || far["1 " at] < distance[h, i]))
            distance[h, i] = far["1 " at]
    }
}

function hop_bytes(where,    edge, end, d, sum, most, task, t) {
    sum = most = 0
    for (edge in bytes) {
        split(edge, end, SUBSEP)
        d = distance[where[end[1]], where[end[2]]]
        if (d < 0) wrong("no way between " host[where[end[1]]] " and " host[where[end[2]]])
        task[end[1]] += bytes[edge] * d
    }
    for (t = 0; t < ntasks; t++) {
        sum += task[t]
        if (task[t] > most) most = task[t]
    }
    average = sum / ntasks
    maximum = most
}

FNR == 1 { file++ }

file == 1 && $1 == "nodelist" { nhosts = names(host, 0, $2) }
file == 1 && $1 == "tasks-per-node" { if (counts(slots, $2) != 1) unequal = 1 }
file == 1 && $1 == "baseline" { has_baseline = runs(own, $2) }

file == 2 && FNR == 1 { is_dragonfly = $3 == "dragonfly" }
file == 2 && $1 == "host" { place[$2] = $3 == "at" ? $4 : $2; if ($3 != "at") leaf[$2] }
file == 2 && $1 == "node" { place[$2] = $2 }
file == 2 && $1 == "link" { join($2, $3) }

file == 3 && FNR == 1 { ntasks = $1; nedges = $2 }
file == 3 && FNR > 1 { for (i = 1; i < NF; i += 2) bytes[FNR - 2, $i - 1] = $(i + 1) }

# rank 3=n1 slot=0
file == 4 {
    split($0, word, /[ =]/)
    rank = word[2]
    if (rank in name) wrong("rank " rank " is there twice")
    if ((word[3], word[5]) in taken) wrong("slot " word[5] " of " word[3] " is taken twice")
    name[rank] = word[3]
    slot[rank] = word[5]
    taken[word[3], word[5]]
}

END {
    if (!unequal)
        for (i = 1; i < nhosts; i++) slots[i] = slots[0]
    for (i = 0; i < nhosts; i++) {
        print host[i] >"hosts"
        number[host[i]] = i
        room += slots[i]
        if (!(host[i] in place)) wrong(host[i] " is not in the network")
    }
    if (room != ntasks) wrong(ntasks " tasks, " room " slots")
    for (r = 0; r < ntasks; r++) {
        if (!(r in name)) wrong("rank " r " is nowhere")
        else if (!(name[r] in number)) wrong("rank " r " is on " name[r] ", not one of the job's")
        else {
            plan[r] = number[name[r]]
            used[plan[r]]++
            if (slot[r] >= slots[plan[r]]) wrong("rank " r " is in slot " slot[r] " of " name[r])
        }
        ranks++
    }
    for (r in name) if (r + 0 >= ntasks) wrong("there is a rank " r)
    for (i = 0; i < nhosts; i++)
        if (used[i] != slots[i]) wrong(used[i] " ranks on " host[i] ", not " slots[i])
    if (!has_baseline)
        for (i = r = 0; i < nhosts; i++)
            for (k = 0; k < slots[i]; k++) own[r++] = i
    for (r = 0; r < ntasks; r++) print own[r] >"own.mapping"
    for (edge in bytes) {
        n++
        split(edge, end, SUBSEP)
        if (bytes[edge] != bytes[end[2], end[1]]) wrong("the graph is not symmetric")
    }
    if (n != 2 * nedges) wrong("the graph has " n " ends of edges, not " 2 * nedges)
    for (i = 0; i < nhosts; i++) flood(i)
    hop_bytes(own)
    own_average = average
    own_maximum = maximum
    hop_bytes(plan)
    if (average > own_average) wrong("more hop-bytes than in Slurm's own layout")
    printf "average hop-bytes %.10g %.10g\n", own_average, average
    printf "maximum hop-bytes %.10g %.10g\n", own_maximum, maximum
}
