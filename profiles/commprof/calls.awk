# SPDX-License-Identifier: LGPL-2.1-or-later
# calls.awk - turns calls.def into wrappers, with the prototypes of an mpi.h:
#   cc -E -P -include mpi.h -x c /dev/null | awk -f calls.awk calls.def -
# Each row becomes CALL(name, type, (typed parameters), (parameters), rule), see
# wrap.c; the parameters take their types from mpi.h and their names from the
# row. Fails when a row and mpi.h disagree.

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
    if (!match(header, "int MPI_" name " *[(]"))
        return ""
    rest = substr(header, RSTART + RLENGTH)
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

function emit(name, names, type, rule, optional,    p, n, i, typed, have, want)
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
    printf "CALL(%s, TYPE_%s,\n     (%s),\n     (%s),\n     %s)\n", \
        name, type, typed, names, rule
}

# First the table, then the preprocessed header.
FILENAME != "-" && FILENAME != "/dev/stdin" {
    if ($0 !~ /^#/ && trim($0) != "")
        row[++nrows] = $0
    next
}
{ header = header " " $0 }

END {
    if (failed)
        exit 1
    gsub(/[ \t]+/, " ", header)
    print "/* Made from calls.def and mpi.h by calls.awk. */"
    for (r = 1; r <= nrows; r++) {
        if (split(row[r], part, "|") != 3)
            fail("a row is not of three parts: " row[r])
        at = index(part[1], "(")
        name = trim(substr(part[1], 1, at - 1))
        names = trim(substr(part[1], at + 1))
        sub(/\)$/, "", names)
        type = trim(part[2])
        rule = trim(part[3])
        if (rule == "none")
            rule = "(void)0"
        else {
            sub(/\(/, "(TYPE_" type (rule ~ /\(\)$/ ? "" : ", "), rule)
            rule = "rule_" rule
        }
        optional = sub(/\?$/, "", name)
        emit(name, names, type, rule, optional)
        emit(name "_c", names, type, rule, 1)
    }
}
