# SPDX-License-Identifier: LGPL-2.1-or-later
# binding.awk - which CPUs each rank should have, and which it has, on nodes of
# two sockets, four cores each, two threads a core: core C has CPUs C and C + 8.
# -v mode=expected [-v slots=MASK,...] PLAIN PLAN: PLAIN has a line `rank node
# local mask list` a task without topomap, PLAN `rank node slot`. The mask of a
# slot is the slot-th of slots or, without, of what the node's tasks had, in the
# order of the tree. -v mode=found FILE: of such lines `rank node mask`, and
# `untrue` when Slurm's variables say something else.

# The places in the tree of the CPUs of a mask, two digits each, ascending.
function places(mask,    i, n, d, b, has, text) {
    mask = tolower(mask)
    sub(/^0x/, "", mask)
    n = length(mask)
    for (i = 1; i <= n; i++) {
        d = index("123456789abcdef", substr(mask, i, 1))
        for (b = 0; b < 4; b++) {
            if (d % 2)
                has[(n - i) * 4 + b] = 1
            d = int(d / 2)
        }
    }
    for (i = 0; i < 16; i++)
        if ((int(i / 2) + (i % 2) * 8) in has)
            text = text sprintf("%02d", i)
    return text
}
function plain(mask) {
    mask = tolower(mask)
    sub(/^0x0*/, "0x", mask)
    return mask
}
mode == "found" {
    # quiet,mask_cpu:M,M,...: the item of this task is its mask
    all = $5
    ok = sub("^" (loud ? "verbose" : "quiet") ",mask_cpu:", "", all)
    n = split(all, item, ",")
    ok = ok && plain(item[n == 1 ? 1 : $3 + 1]) == plain($4)
    print $1, $2, plain($4), ok ? "" : "untrue: " $5
    next
}
FNR == NR {
    had[$2, count[$2]++] = plain($4)
    next
}
# A stable sort by places: a slot of the node, from 0 on.
!($2 in done) {
    done[$2] = 1
    n = slots ? split(slots, item, ",") : count[$2]
    for (i = 0; i < n; i++) {
        mask = slots ? plain(item[i + 1]) : had[$2, i]
        for (j = i; j > 0 && places(slot[$2, j - 1]) > places(mask); j--)
            slot[$2, j] = slot[$2, j - 1]
        slot[$2, j] = mask
    }
}
{ print $1, $2, stay ? had[$2, here[$2]++] : slot[$2, $3], "" }
