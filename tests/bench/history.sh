#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# history.sh - what topomap history costs of many lines in one file: CPU seconds and
# memory (of its largest process), and the seconds over those of a tenth of the lines.
# Prints, judges nothing.
#
#   BENCH_LINES    default 1000000, which are 430 MB in TMPDIR
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-history}
: "${MEASURE:?}"
lines=${BENCH_LINES:-1000000}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-history-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
"$(dirname "$0")/historygen.py" "$lines" >"$work/all" || exit 1
head -n $((lines / 10)) "$work/all" >"$work/tenth"

# took LOG WORD...: CPU seconds and MB.
took()
{
    local log=$1
    shift
    "$MEASURE" "$work/took" "$topomap" history --log "$work/$log" "$@" >/dev/null 2>"$work/said" || { cat "$work/said" >&2 && exit 1; }
    awk '{print $2, $3}' "$work/took"
}

printf '%s lines\n%-28s %8s %8s  %s\n' "$lines" "" "CPU s" "MB" "of a tenth"
while read -r name words; do
    # shellcheck disable=SC2086
    read -r few _ <<<"$(took tenth $words)"
    # shellcheck disable=SC2086
    read -r cpu memory <<<"$(took all $words)"
    awk -v n="$name" -v a="$few" -v b="$cpu" -v m="$memory" 'BEGIN {printf "%-28s %8.2f %8.0f  %.1f\n", n, b, m, b / a}'
done <<END
table
summary --summary
one-job 120000
since-a-day --since 2027-03-14
fold --summary --fold $work/fold
again --summary --fold $work/fold
END
