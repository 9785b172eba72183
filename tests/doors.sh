#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# doors.sh - a room includes only the rooms that its line below names, no module
# includes itself round a corner, and each outside library has one doorkeeper
# file.
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
cd "$srcdir/.." || exit 99

sources=$(find libmapcore profiles tools plugin contrib/libtopomap-cart -name '*.[ch]' |
    LC_ALL=C sort)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Which folder includes which: "FOLDER DOOR FILE", a line each, as #include
# spells them.
# shellcheck disable=SC2086
awk '/^# *include "[^"]*\// {
    room = FILENAME
    sub(/\/[^\/]*$/, "", room)
    sub(/^(libmapcore|contrib)\//, "", room)
    split($0, quoted, "\"")
    sub(/\/[^\/]*$/, "", quoted[2])
    print room, quoted[2], FILENAME
}' $sources | sort -u >"$work/doors"
named=

# room FOLDER DOOR...: which folders' headers the sources in FOLDER may include.
room() {
    folder=$1
    shift
    named="$named $folder"
    bad=$(awk -v own="$folder" -v doors="$*" '
        BEGIN { n = split(doors, list); for (i = 1; i <= n; i++) may[list[i]] = 1 }
        $1 == own && $2 != own && !($2 in may) { print $3 "->" $2 }' "$work/doors")
    equal "$folder includes only: ${*:-itself}" "" "$bad"
}

# The mathematics, in the order of the flow. Formats of files stand beside what
# they are read into, in a folder `file`.
room base
room json base
room pool base
room cart base
room graph base
room graph/file base graph json
room grid base graph
room grid/find base graph grid
room grid/predict base graph grid grid/find
room topo base
room topo/kind base topo
room topo/file base topo
room alloc base topo
room alloc/file base topo alloc
room metric base graph topo alloc
room play base graph topo alloc metric

# A family of mappers is a folder. Only the registry and the portfolio know
# them; what papers are compared with is no part of a launch.
room map base graph topo alloc metric
room map/slots base graph topo alloc map
room map/partition base graph alloc map
room map/greedy base graph grid/find topo alloc map map/partition
room map/layouts base cart graph topo alloc map map/greedy map/partition
room map/bisection base graph topo alloc map pool
room map/embed base graph grid grid/find topo metric map map/bisection
room map/papers base graph topo alloc map map/partition
room map/constrain base graph topo alloc metric map
room map/refine base graph topo alloc metric map pool
room map/portfolio base graph topo alloc pool map map/constrain map/greedy \
    map/refine map/slots
room launch base
room launch/command base
room libmapcore base cart graph graph/file grid grid/find grid/predict topo alloc metric play map launch

# What is loaded into Slurm's processes, and into MPI programs.
room plugin base launch plugin/srun plugin/task
room plugin/srun base launch launch/command plugin plugin/handoff
room plugin/task base launch plugin plugin/handoff
room plugin/handoff base launch
room libtopomap-cart base cart launch
room profiles base graph graph/file json launch profiles/catalogue \
    profiles/collectives
room profiles/collectives base
room profiles/catalogue base launch launch/command profiles/program
room profiles/program base launch launch/command
room profiles/history base json launch profiles profiles/catalogue
room profiles/commprof base launch launch/command profiles/catalogue profiles/program commprof \
    commprof/count commprof/front commprof/write
room profiles/commprof/front base profiles/program commprof commprof/front
room profiles/commprof/count base launch commprof commprof/count
room profiles/commprof/nccl base commprof commprof/count commprof/nccl profiles/collectives
room profiles/commprof/write base profiles/catalogue profiles/collectives profiles/program commprof \
    commprof/count commprof/front commprof/write

# Subcommands; tools/common is what they share, tools/table how they print,
# tools/inputs what they read, tools/search how they search.
room tools/common base json
room tools/table base json profiles tools/common
room tools/inputs alloc alloc/file base graph graph/file grid metric profiles topo topo/file \
    tools/common tools/profile tools/site tools/table
room tools/search base launch map metric tools/common tools/inputs tools/site
room tools/site base json launch metric plugin profiles/program topo topo/file \
    tools/common tools/inputs tools/table
room tools/plan alloc base json launch launch/command map profiles profiles/catalogue \
    profiles/history tools tools/common tools/draw tools/inputs tools/plan/planner \
    tools/search tools/site tools/table topo
room tools/plan/planner alloc base graph/file grid grid/predict launch map profiles \
    profiles/catalogue profiles/history profiles/program tools/common tools/inputs \
    tools/learn tools/plan tools/profile/recorded tools/search tools/site tools/table topo
room tools/history base launch profiles profiles/catalogue profiles/commprof/count \
    profiles/history tools/common tools/learn tools/plan tools/site tools/table
room tools/learn base profiles/history
room tools/mpi base launch map tools/common tools/plan tools/plan/planner
room tools/profile base graph grid grid/find json launch launch/command profiles \
    profiles/catalogue profiles/history profiles/program topo tools/common \
    tools/inputs tools/profile/recorded tools/site tools/table
room tools/profile/pack base json profiles profiles/catalogue tools/common tools/profile \
    tools/table
room tools/profile/recorded base launch profiles/catalogue profiles/collectives \
    profiles/commprof/count profiles/commprof/write profiles/program tools/common
room tools/draw base graph grid json metric profiles profiles/catalogue topo \
    tools tools/common tools/eval tools/inputs tools/search tools/table
room tools/eval base metric play profiles topo tools tools/common tools/inputs \
    tools/search tools/site tools/table
room tools/place base launch tools/common tools/plan tools/profile \
    tools/profile/recorded tools/site tools/table
room tools/calibrate tools/common tools/site
room tools/doctor base json launch plugin profiles/catalogue profiles/program \
    tools/common tools/site
room tools/torchrun tools/common
room tools/tune base launch profiles profiles/catalogue tools/common tools/site
room tools/grid alloc alloc/file base cart graph grid grid/find json profiles topo \
    tools tools/common tools/inputs tools/table
room tools alloc alloc/file base json launch metric topo tools/common tools/inputs \
    tools/search tools/site tools/table

unnamed=
for folder in $(for file in $sources; do echo "${file%/*}"; done | sort -u); do
    case " $named " in
    *" ${folder#libmapcore/} "* | *" ${folder#contrib/} "*) ;;
    *) unnamed="$unnamed $folder" ;;
    esac
done
equal "every folder has its line here" "" "$unnamed"

# A module is NAME.c with NAME.h, its path as an include finds it from one of the
# -I folders. tsort prints those that include one another.
# shellcheck disable=SC2086
awk 'BEGIN { n = split(" libmapcore/ profiles/ contrib/", root, " ") }
FNR == 1 { is[FILENAME] = 1 }
/^# *include "[^"]*\/[^"]*\.h"/ {
    split($0, quoted, "\"")
    from[++lines] = FILENAME
    to[lines] = quoted[2]
}
END {
    root[0] = ""
    for (i = 1; i <= lines; i++) {
        for (r = 0; r <= n && !(root[r] to[i] in is); r++)
            ;
        module = from[i]
        included = root[r] to[i]
        sub(/\.[ch]$/, "", module)
        sub(/\.h$/, "", included)
        if (r <= n && module != included)
            print module, included
    }
}' $sources | sort -u >"$work/modules"
circles=$(tsort "$work/modules" 2>&1 >/dev/null | sed -n 's/^tsort: //p' | grep -v ':' || :)
equal "no module includes itself round a corner" "" "$circles"

# Nor does it call itself round one: objects of the build, by the symbols that
# they define and want.
if [ -d "${TREE:-none}/libmapcore" ] && command -v nm >/dev/null; then
    (cd "$TREE" && find libmapcore profiles plugin tools -name '*.o' ! -name 'recorder-*' -print0 |
        xargs -0 nm -gA 2>/dev/null) | awk '
        {
            split($1, place, ":")
            module = place[1]
            sub(/\.o$/, "", module)
            sub(/.*[\/-]/, "", module)
        }
        NF == 3 && $2 ~ /[TDBRV]/ { by[$3] = module }
        NF == 2 && $1 ~ /:U?$/ || NF == 3 && $2 == "U" { wants[module " " $NF] = 1 }
        END {
            for (want in wants) {
                split(want, word)
                if (word[2] in by && by[word[2]] != word[1])
                    print word[1], by[word[2]]
            }
        }' >"$work/calls"
    circles=$(tsort "$work/calls" 2>&1 >/dev/null | sed -n 's/^tsort: //p' | grep -v ':' | sort -u)
    equal "no module calls itself round a corner" "" "$circles"
else
    skip "no module calls itself round a corner" "no objects of a build"
fi

# One name, one thing: of sources and headers, and of types that they define.
# shellcheck disable=SC2086
equal "no two modules of one name" "" "$(for file in $sources; do
    [ "${file##*/}" = topomap.c ] || echo "${file##*/}"
done | sort | uniq -d)"
# shellcheck disable=SC2086
equal "no two types of one name" "" \
    "$(grep -hE '^(struct|enum|union) [a-z_0-9]+( \{)?$' $sources | sed 's/ *{$//' | sort | uniq -d)"

# keeper NAME PATTERN FILE...: the only files that may include such a header.
keeper() {
    name=$1
    pattern=$2
    shift 2
    bad=
    # shellcheck disable=SC2086
    for file in $(grep -lE "^# *include [<\"]$pattern" $sources); do
        case " $* " in
        *" $file "*) ;;
        *) bad="$bad $file" ;;
        esac
    done
    equal "$name is included only by: $*" "" "$bad"
}

keeper METIS 'metis\.h' libmapcore/map/partition/partition.c
keeper json-c '(json-c/|json(_[a-z]+)?\.h>)' libmapcore/json/json.c
keeper hwloc 'hwloc' plugin/task/hardware_hwloc.c \
    contrib/libtopomap-cart/task_place.c
keeper "the inside of a network" 'topo/(ops|kind/[a-z]+)\.h' \
    libmapcore/topo/*.[ch] libmapcore/topo/kind/*.[ch]

# without FILE PATTERN: where others than FILE have such a call, comments apart.
without() {
    # shellcheck disable=SC2086
    grep -nE "\\b($2)[[:space:]]*\\(" $sources | grep -vE '^[^:]*:[0-9]*: \*' |
        grep -v "^$1" || :
}

equal "threads are started only by: libmapcore/pool/pool.c" "" \
    "$(without libmapcore/pool/pool.c 'pthread_create|thrd_create')"
equal "libmapcore neither prints nor exits nor asks clock and environment" "" \
    "$(without 'libmapcore/\(json/\|base/process\.c\)' \
        'exit|abort|printf|puts|perror|system|popen|time|gettimeofday|clock_gettime|getenv' |
        grep '^libmapcore/' || :)"
equal "no call that cannot be bounded, seeded or trusted" "" \
    "$(without '/' 'strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atof|system|popen|tmpnam|mktemp|rand|srand|setlocale')"

# Folders beside a catalogue's programs go through base/own_folder. By path others
# make, list and remove only what no stranger can exchange, or what a person names:
# "FILE REASON", a line each.
cat >"$work/paths" <<'EOF'
libmapcore/launch/catalogue_root.c a root and those above it, made
plugin/handoff/handoff_file.c ~/.cache/topomap, the user's alone
plugin/srun/lookup.c files that handoff_file made
profiles/catalogue/catalogue_write.c what is in a root, made
tools/history/history_ended.c files that handoff_file made
EOF
# shellcheck disable=SC2086
equal "folders are made, listed and emptied by path only where that is safe" \
    "$(cut -d' ' -f1 "$work/paths")" \
    "$(grep -nE '(^|[^a-z_])(opendir|scandir|nftw|unlink|rename|rmdir|remove|mkdir)\(' $sources |
        grep -E '^[^:]*\.c:' | grep -vE '^[^:]*:[0-9]*: *(/\*|\*)' | cut -d: -f1 | LC_ALL=C sort -u)"

# One dialect: contrib/HACKING has the words.
# dialect WHAT PATTERN: no line of the sources has it, comments apart.
dialect() {
    # shellcheck disable=SC2086
    equal "$1" "" "$(grep -nE "$2" $sources | grep -vE '^[^:]*:[0-9]*: *(/\*|\*)' || :)"
}
dialect "sizeof has parentheses" '\bsizeof [^(]'
dialect "conditions say p and !p" '[!=]= *NULL *(&&|\|\||\?)|(&&|\|\|) *[a-z_>.-]+ *[!=]= *NULL|== *NULL|if \([^()]*!= *NULL\)'
dialect "a status is called error" \
    '\bint (code|rc|ret|retval|err)( =|;)|\bint status = .*\berr\)'
dialect "no name is a keyword of C++" \
    '(\*|->|\.|\b(struct|enum|int|bool|char|double|size_t|u?int[0-9]+_t)) *(class|new|delete|this|template|namespace|operator|private|public|protected|typename|using|try|catch|friend|virtual|export)\b *[;=,)({[]'

bad=$(git ls-files -z '*.c' '*.h' 2>/dev/null | xargs -0r awk 'FNR == 1 && !/SPDX-License-Identifier/ { print FILENAME }')
equal "every C file begins with its licence" "" "$bad"
finish
