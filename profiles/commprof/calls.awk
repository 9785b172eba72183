# SPDX-License-Identifier: LGPL-2.1-or-later
# calls.awk - turns calls.def into wrappers, with the prototypes of an mpi.h:
#   cc -E -P -include mpi.h -x c /dev/null | awk -f calls.awk calls.def -
# Each row becomes CALL, BEGIN, PREPARE or WAIT(name, type, (typed parameters),
# (parameters), rule), see wrap.c; a collective becomes one of each of the first
# three. The parameters take their types from mpi.h and their names from the
# row. Fails when a row and mpi.h disagree.

# The members of struct rule_call that each rule reads, but for point-to-point;
# with _v and _w, the same rule of blocks that differ.
BEGIN {
    reads["each"] = reads["doubling"] = reads["doubling_block"] = \
        reads["prefix"] = reads["neighbour"] = "comm count datatype"
    reads["each_v"] = reads["doubling_v"] = reads["neighbour_v"] = \
        "comm counts datatype"
    reads["each_w"] = reads["neighbour_w"] = "comm counts datatypes"
    reads["each_own"] = "comm count datatype counts in_datatype in_place"
    reads["from_root"] = reads["to_root_v"] = "comm peer count datatype"
    reads["from_root_v"] = "comm peer counts datatype"
    reads["to_root"] = "comm peer count datatype in_count in_datatype"
    reads["barrier"] = "comm"
    reads["access"] = "win peer count datatype in_count in_datatype"
}

function trim(s)
{
    gsub(/^[ \t\n]+|[ \t\n]+$/, "", s)
    return s
}

function fail(text)
{
    print "calls.awk: " text > "/dev/stderr"
    failed = 1
    exit 1
}

# The parameters of MPI_<name> as mpi.h declares them, or "".
function prototype(name,    at, rest)
{
    at = index(header, "int MPI_" name "(")
    if (!at)
        return ""
    rest = substr(header, at + length("int MPI_" name "("), 2000)
    at = index(rest, ")")
    return substr(rest, 1, at - 1)
}

# "const int sendcounts[]", "counts" -> "const int counts[]"
function renamed(declaration, name,    tail)
{
    tail = ""
    declaration = trim(declaration)
    if (match(declaration, /([ ]*\[[^\]]*\])+$/)) {
        tail = substr(declaration, RSTART)
        declaration = substr(declaration, 1, RSTART - 1)
    }
    sub(/[A-Za-z_][A-Za-z_0-9]*$/, "", declaration)
    return trim(declaration) " " name tail
}

function emit(macro, name, names, type, rule, optional,
              p, n, i, typed, have, want)
{
    p = prototype(name)
    if (p == "") {
        if (!optional)
            fail("mpi.h has no MPI_" name)
        return
    }
    n = split(p, have, ",")
    if (split(names, want, ",") != n)
        fail("MPI_" name " has " n " parameters in mpi.h")
    typed = ""
    for (i = 1; i <= n; i++)
        typed = typed (i > 1 ? ", " : "") renamed(have[i], trim(want[i]))
    printf "%s(%s, TYPE_%s,\n     (%s),\n     (%s),\n     %s)\n", \
        macro, name, type, typed, names, rule
    every = every " " name
}

# Both widths of counts.
function emit_both(macro, name, names, type, rule, optional)
{
    emit(macro, name, names, type, rule, optional)
    emit(macro, name "_c", names, type, rule, 1)
}

# Splits text at the commas that no bracket encloses.
function split_arguments(text, out,    i, c, depth, n)
{
    n = 1
    out[1] = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && depth == 0)
            out[++n] = ""
        else
            out[n] = out[n] c
    }
    return n
}

# "each(comm, count, type)" as a call of rule_each with a struct rule_call.
function call_rule(type, rule,    name, n, i, members, value, member)
{
    name = substr(rule, 1, index(rule, "(") - 1)
    if (!(name in reads)) {
        sub(/\(/, "(TYPE_" type (rule ~ /\(\)$/ ? "" : ", "), rule)
        return "rule_" rule
    }
    rule = substr(rule, length(name) + 2)
    sub(/\)$/, "", rule)
    n = split_arguments(rule, value)
    if (split(reads[name], member, " ") != n)
        fail("rule " name " takes " reads[name])
    for (i = 1; i <= n; i++)
        members = members ", ." member[i] " = " trim(value[i])
    sub(/_[vw]$/, "", name)
    if (name == "access")
        rule = "rule_access("
    else
        rule = "rule_collective(rule_" name (name == "to_root" && n == 4 ? "_v" : "") ", "
    return rule "&(struct rule_call){.type = TYPE_" type members "})"
}

function emit_row(line,    part, at, name, names, type, kind, rule, optional, n)
{
    if (split(line, part, "|") != 4)
        fail("a row is not of four parts: " line)
    at = index(part[1], "(")
    name = trim(substr(part[1], 1, at - 1))
    names = trim(substr(part[1], at + 1))
    sub(/\)$/, "", names)
    type = trim(part[2])
    kind = trim(part[3])
    rule = trim(part[4])
    optional = sub(/\?$/, "", name)
    if (kind == "wait") {
        match(rule, /[a-z_]+\(/)
        n = substr(rule, 1, RSTART - 1)
        rule = substr(rule, RSTART)
        sub(/\(/, (rule ~ /\(\)$/ ? "(\\&waiting" : "(\\&waiting, "), rule)
        emit_both("WAIT", name, names, type, n "waiting_" rule, optional)
        return
    }
    if (rule == "none")
        rule = "record_stats(TYPE_" type ")"
    else
        rule = call_rule(type, rule)
    # What is sent after these is sent later.
    if (kind == "done" || kind == "collective")
        emit_both("CALL", name, names, type, "first_use_done(" rule ")", optional)
    else if (kind == "sent")
        emit_both("CALL", name, names, type, "first_use_sent(" rule ")", optional)
    else if (kind == "call")
        emit_both("CALL", name, names, type, rule, optional)
    else if (kind == "begin")
        emit_both("BEGIN", name, names, type, rule, optional)
    else if (kind == "prepare")
        emit_both("PREPARE", name, names, type, rule, optional)
    else
        fail("there is no kind " kind)
    if (kind == "collective") {
        emit_both("BEGIN", "I" tolower(substr(name, 1, 1)) substr(name, 2), \
            names ", request", type, rule, 1)
        emit_both("PREPARE", name "_init", names ", info, request", type, \
            rule, 1)
    }
}

function emit_inside(name,    p, n, i, typed, names, have)
{
    p = prototype(name)
    if (p == "")
        return
    n = split(p, have, ",")
    for (i = 1; i <= n; i++) {
        typed = typed (i > 1 ? ", " : "") renamed(have[i], "p" i)
        names = names (i > 1 ? ", p" : "p") i
    }
    printf "INSIDE(%s, (%s),\n       (%s))\n", name, typed, names
    every = every " " name
}

# First the table, then the preprocessed header.
FILENAME != "-" && FILENAME != "/dev/stdin" {
    if (/^inside:/)
        for (i = 2; i <= split($0, word, " "); i++)
            inside[++ninside] = word[i]
    if (/^by hand:/)
        for (i = 3; i <= split($0, word, " "); i++)
            hand[++nhand] = word[i]
    if ($0 !~ /^#/ && $0 !~ /^(neither|inside|by hand):/ && trim($0) != "")
        row[++nrows] = $0
    next
}
{ header = header " " $0 }

END {
    if (failed)
        exit 1
    gsub(/[ \t]+/, " ", header)
    gsub(/ \(/, "(", header)
    print "/* Made from calls.def and mpi.h by calls.awk. */\n#ifdef CALL"
    for (r = 1; r <= nrows; r++)
        emit_row(row[r])
    for (r = 1; r <= ninside; r++) {
        emit_inside(inside[r])
        emit_inside(inside[r] "_c")
    }
    print "#endif"
    for (r = 1; r <= nhand; r++)
        if (prototype(hand[r]) != "")
            every = every " " hand[r]
    printf "#define CALL_NAMES(X)"
    n = split(every, word, " ")
    for (r = 1; r <= n; r++)
        printf " \\\n    X(%s)", word[r]
    print ""
}
