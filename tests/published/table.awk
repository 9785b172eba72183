# SPDX-License-Identifier: LGPL-2.1-or-later
# table.awk - what contrib/published found, as text or, with roff, as the text of a
# manual page: a table for each paper, and after it what the lines are and why; lines
# of one text share it. The papers' names stand in the claims.

# What roff would take for something else.
function quoted(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    return s
}
function sentence(s) { return toupper(substr(s, 1, 1)) substr(s, 2) }
# Sentences begin lines of their own; lines are folded, for roff joins them.
function folded(s, indent, width,    out, line, word, n, i) {
    n = split(s, word, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && (length(line) + length(word[i]) > width || (roff && word[i - 1] ~ /[A-Za-z0-9)]\.$/))) {
            out = out indent line "\n"
            line = ""
        }
        line = line (line == "" ? "" : " ") word[i]
    }
    return out indent line
}
# Many names as what they begin with.
function heads(names,    name, n, i, head) {
    n = split(names, name, ", ")
    if (n <= 6)
        return names
    head = name[1]
    for (i = 2; i <= n; i++)
        while (index(name[i], head) != 1)
            head = substr(head, 1, length(head) - 1)
    return head "*"
}
function end_paper(    i) {
    if (!roff || !nnotes)
        return
    print ".Ed"
    print ".Bl -tag -width Ds"
    for (i = 1; i <= nnotes; i++)
        print ".It " heads(item[note[i]]) "\n" note[i]
    print ".El"
    nnotes = 0
    split("", item)
}
function begin_paper(p) {
    if (p == shown)
        return
    end_paper()
    shown = p
    if (roff) {
        print ".Ss " quoted(p)
        print ".Bd -literal"
        printf "%-26s %10s %10s\n", "", "published", "here"
    } else {
        print "\n" p
    }
}
BEGIN {
    while ((getline text < claims) > 0) {
        if (text ~ /^paper /) {
            paper = text
            sub(/^paper +/, "", paper)
        } else if (text ~ /^line /) {
            split(text, word, " ")
            of[word[2]] = paper
        }
    }
    head = date ", topomap " version (commit != "" ? ", commit " commit : "")
    print head (roff ? "." : "")
}
# A page has the numbers that can be compared; the rest is for --list and the text.
roff && ($4 == "-" || $5 == "not comparable") {
    alone++
    next
}
{
    begin_paper(of[$1])
    count[$5]++
    total++
    if (roff) {
        printf "%-26s %10s %10s  %s\n", $1, $3, $4, $5
        text = folded(quoted(sentence($2) ": " $6 "." ($7 != "" ? " " $7 : "")), "", 80)
        if (!(text in item))
            note[++nnotes] = text
        item[text] = item[text] (item[text] != "" ? ", " : "") quoted($1)
    } else {
        printf "  %-28s %-22s %10s %10s  %s\n", $1, $2, $3, $4, $5
        print folded(sentence($6) "." ($7 != "" ? " " $7 : ""), "      ", 86)
    }
}
END {
    end_paper()
    n = split("better equal worse differs not_comparable -", order, " ")
    for (i = 1; i <= n; i++) {
        key = order[i] == "not_comparable" ? "not comparable" : order[i]
        if (count[key])
            said = said (said == "" ? "" : ", ") count[key] " " (key == "-" ? "not run" : key)
    }
    print roff ? ".Pp" : ""
    print total + 0 " lines: " said (roff ? "." : "")
    if (alone)
        print alone " more published numbers, which are not comparable, stand in the claims alone."
}
