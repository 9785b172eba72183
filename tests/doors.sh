#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# doors.sh - a room includes only the rooms before it, and each outside library
# has one doorkeeper file.
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
cd "$srcdir/.." || exit 99

# room FOLDER ROOM...: which rooms' headers the sources in FOLDER may include.
room() {
    folder=$1
    shift
    own=${folder##*/}
    bad=
    for file in "$folder"/*.[ch]; do
        [ -e "$file" ] || continue
        for door in $(sed -n 's/^# *include "\([^"/]*\)\/.*/\1/p' "$file" | sort -u); do
            case " $own $* " in
            *" $door "*) ;;
            *) bad="$bad $file->$door" ;;
            esac
        done
    done
    equal "$folder includes only: ${*:-itself}" "" "$bad"
}

room libmapcore/base
room libmapcore/cart base
room libmapcore/json base
room libmapcore/pool base
room libmapcore/graph base
room libmapcore/topo base graph
room libmapcore/alloc base graph topo
room libmapcore/metric base graph topo alloc
room libmapcore/map base graph topo alloc metric pool
room libmapcore/launch base
room plugin base launch
room profiles base graph json
room profiles/commprof base profiles
room libtopomap-cart cart

# keeper NAME PATTERN FILE...: the only files that may include such a header.
keeper() {
    name=$1
    pattern=$2
    shift 2
    bad=
    for file in $(grep -lE "^# *include [<\"]$pattern" \
        libmapcore/*.[ch] libmapcore/*/*.[ch] profiles/*.[ch] \
        profiles/*/*.[ch] tools/*.[ch] plugin/*.[ch] libtopomap-cart/*.[ch] \
        2>/dev/null); do
        case " $* " in
        *" $file "*) ;;
        *) bad="$bad $file" ;;
        esac
    done
    equal "$name is included only by: $*" "" "$bad"
}

keeper METIS 'metis\.h' libmapcore/map/partition.c
keeper json-c '(json-c/|json(_[a-z]+)?\.h>)' libmapcore/json/json.c
keeper hwloc 'hwloc' libmapcore/launch/cpuset.c libmapcore/launch/cpuset.h \
    libmapcore/topo/hwnode.c libtopomap-cart/package.c
keeper libyaml 'yaml' libmapcore/topo/yaml.c
bad=$(grep -lE 'pthread_create|thrd_create' libmapcore/*/*.c profiles/*.c \
    profiles/*/*.c tools/*.c plugin/*.c | grep -v '^libmapcore/pool/pool\.c$' || :)
equal "threads are started only by: libmapcore/pool/pool.c" "" "$bad"

# What below tools/ would print, exit, or ask the clock.
bad=$(grep -nE '\b(exit|abort|printf|puts|perror|system|popen|time|gettimeofday|clock_gettime|getenv)[[:space:]]*\(' \
    libmapcore/*/*.c | grep -v '^libmapcore/json/' || :)
equal "libmapcore neither prints nor exits nor asks clock and environment" "" "$bad"
bad=$(grep -nE '\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atof|system|popen|tmpnam|mktemp|rand|srand|setlocale)[[:space:]]*\(' \
    libmapcore/*/*.c profiles/*.c profiles/*/*.c tools/*.c plugin/*.c |
    grep -vE '^[^:]*:[0-9]*: \*' || :)
equal "no call that cannot be bounded, seeded or trusted" "" "$bad"
bad=$(for file in $(git ls-files '*.c' '*.h' 2>/dev/null); do
    head -1 "$file" | grep -q SPDX-License-Identifier || echo "$file"
done)
equal "every C file begins with its licence" "" "$bad"
lines=$(cat plugin/*.c plugin/*.h | wc -l)
if [ "$lines" -lt 1500 ]; then
    ok "the plugin is small ($lines lines, below 1500)"
else
    not_ok "the plugin is small ($lines lines, below 1500)"
fi
finish
