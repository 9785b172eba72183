#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# fuzz.sh - every fuzz target over its corpus: what the fuzzers have found once
# stays found. Runs what configure --enable-fuzzers has built just as well.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${FUZZERS:=.}"

for source in "$srcdir"/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    corpus=$srcdir/fuzz/corpus/${name#fuzz_}
    if said=$("$FUZZERS/fuzz/$name" "$corpus"/* 2>&1); then
        ok "$name: $(find "$corpus" -type f | wc -l) files"
    else
        not_ok "$name" "$(printf '%s\n' "$said" | tail -40)"
    fi
done
finish
