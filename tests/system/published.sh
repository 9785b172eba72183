#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# published.sh - contrib/published: the quick lines still come to what the papers
# say, or to what the claims explain; what is done is kept; what is no claim is
# refused
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${MAPGEN:?}" "${DIMS_COUNTS:?}" "${STAGE_TOPOMAP:?}"
published=$(cd "$srcdir/../contrib" && pwd)/published
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-published.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 99

"$published" --quick >table 2>said
equal "published: the quick lines" "0 " "$? $(cat said)"
for line in topaware-figure2 topaware-wrf topaware-figure4 topaware-tile-together topaware-tile-one-by-one topolb-8x4 \
    dims-625-nodes dims-625-cores dims-625-grid dims-360 dims-35200 dims-37044 dims-3696 dims-5040 dims-6240 dims-2160 \
    dims-2520 dims-2880 dims-3240 dims-counts-9999 ibm-line ibm-odd ibm-ladder \
    ibm-figure1; do
    contains "published: $line is as published" "$(grep "^  $line " table)" ' equal$'
done
contains "published: LeanMD of a size that is not published is not compared" "$(cat table)" '^  topolb-leanmd-16x16 .* not comparable$'
contains "published: seconds of other machines are not, either" "$(cat table)" '^  ics17-time-rb .* not comparable$'
contains "published: a line that is not comparable says so" "$(cat table)" '^  ics17-table2 .* -  not comparable$'
contains "published: the last line counts" "$(tail -1 table)" '^[0-9]* lines: .*[0-9] equal, .* not comparable$'
lines=$(wc -l <published.state/lines.csv)
"$published" --quick >again 2>said
equal "published: what is done is kept" "$lines $(cksum <table)" "$(wc -l <published.state/lines.csv) $(cksum <again)"
"$published" --again dims-360 >/dev/null
equal "published: and run again when asked" $((lines + 1)) "$(wc -l <published.state/lines.csv)"
"$published" --quick --roff >page
contains "published: as a manual page" "$(cat page)" '^dims-360  *9x8x5  *9x8x5  equal$'
if command -v mandoc >/dev/null; then
    equal "published: which is clean" "" "$(mandoc -Tlint -W warning page)"
fi

# As a person runs it, without what make sets.
if [ -x "${TREE:?}/inst/bin/topomap" ]; then
    contains "published: by hand, with a tree that is there" \
        "$(env -u STAGE_TOPOMAP -u MAPGEN -u DIMS_COUNTS "$published" --build "$TREE" --state own dims-360 topolb-8x4 2>&1)" \
        '^  topolb-8x4 .* equal$'
fi

# Claims of our own: each verdict, what has no reason, and what is not run.
cat >claims <<'TEXT'
paper A paper
line less
where here
claim least
published 35
better less
ours dims_cost 625,24 3 1
line worse
where here
claim least
published 30
better less
ours dims_cost 625,24 3 1
line better
where here
claim most
published 30
better more
ours dims_cost 625,24 3 1
line time
where here
claim seconds
published 340
better seconds
ours dims_cost 625,24 3 1
line long
where here
claim for by hand
published 1
better same
cost 100
ours false
TEXT
PUBLISHED_CLAIMS=claims "$published" --quick --state own >table 2>said
equal "published: worse, and no reason" "1 contrib/published: worse: 30 is published, 35 ours, and no reason stands in claims" "$? $(cat said)"
equal "published: verdicts" "less equal worse worse better better time comparable" \
    "$(awk '/^  [a-z]/ {print $1, $NF}' table | tr '\n' ' ' | sed 's/ $//')"
PUBLISHED_CLAIMS=claims "$published" --state own long >table 2>said
equal "published: a line that does not run" "1 contrib/published: long: no number: " "$? $(cat said)"
equal "published: and that is not kept" 0 "$(grep -c ,long, own/lines.csv)"

# refused WHAT PATTERN ARGUMENT...
refused() {
    what=$1 pattern=$2
    shift 2
    "$published" "$@" >said 2>&1
    status=$?
    contains "published: $what" "$status $(cat said)" "^2 .*$pattern"
}
refused "an unknown option" 'usage:' --nosuch
refused "an unknown line" "there is no line 'nosuch'" nosuch
refused "an option's value is missing" '--state needs a value' --state
printf 'line x\nwhere y\n' >claims
PUBLISHED_CLAIMS=claims refused "a claim that is not whole" 'claims: x: not whole' --list
printf 'line x\nwhat y\n' >claims
PUBLISHED_CLAIMS=claims refused "an unknown word" "claims:2: 'what'?" --list
equal "published: --list runs nothing" "0 0" "$("$published" --list --state empty 'dims-*' >list; echo $? "$(ls empty 2>/dev/null | wc -l)")"
contains "published: and has costs" "$(cat list)" '^dims-counts  *[0-9]* s  slide 21: .*: 4630/6066$'
finish
