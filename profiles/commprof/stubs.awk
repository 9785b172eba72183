# SPDX-License-Identifier: LGPL-2.1-or-later
# stubs.awk - the names that one of the recorders has, and how many parameters:
#   awk -f stubs.awk calls-mpich.h calls-openmpi.h
# from what calls.awk has made. Each row becomes STUB(MPI_name, (long a, ...),
# (a, ...)) and another of PMPI_name, see front/stubs.c.

function stub(name, n,    i, typed, names)
{
    if (name in seen) {
        if (seen[name] != n) {
            print "stubs.awk: MPI_" name " has " seen[name] \
                " parameters and " n > "/dev/stderr"
            failed = 1
        }
        return
    }
    seen[name] = n
    for (i = 1; i <= n; i++) {
        typed = typed (i > 1 ? ", " : "") "long p" i
        names = names (i > 1 ? ", " : "") "p" i
    }
    printf "STUB(MPI_%s,\n     (%s),\n     (%s))\n", name, typed, names
    printf "STUB(PMPI_%s,\n     (%s),\n     (%s))\n", name, typed, names
}

# Those that wrap.c has by hand. Pcontrol: three words, whether or not the
# program gave them.
BEGIN {
    print "/* Made from calls-*.h by stubs.awk. */"
    stub("Abort", 2)
    stub("Init", 2)
    stub("Init_thread", 4)
    stub("Pcontrol", 4)
    stub("Request_free", 1)
}

# The third line of a row has its parameters' names, of INSIDE the second.
/^(CALL|BEGIN|PREPARE|WAIT|INSIDE)\(/ {
    name = $0
    sub(/^[A-Z]+\(/, "", name)
    sub(/,.*/, "", name)
    away = /^INSIDE/ ? 1 : 2
    next
}
away > 0 && --away == 0 { stub(name, split($0, part, ",") - (/,$/ ? 1 : 0)) }
END { exit failed }
