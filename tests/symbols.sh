#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# symbols.sh - what our shared objects export, need and leave undefined, held
# against checked-in lists: they live inside srun, slurmstepd and other
# people's programs.
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE_LIBDIR:?}" "${STAGE_SPANKDIR:?}"

exports() { nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | LC_ALL=C sort; }
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' '; }

plugin=$STAGE_SPANKDIR/topomap.so
if [ -e "$plugin" ]; then
    equal "the plugin exports what Slurm looks up" \
        "$(cat "$srcdir/golden/symbols-plugin")" "$(exports "$plugin")"
    foreign=$(nm -D --undefined-only "$plugin" | awk '{print $2}' | grep -v '@GLIBC' |
        grep -vE '^(spank_[a-z_]+|slurm_[a-z_]+)(@.*)?$|^(__gmon_start__|_ITM_.*)$' || :)
    equal "the plugin leaves only spank_, slurm_ and libc undefined" "" "$foreign"
    equal "the plugin needs libc alone" "libc.so.6 " "$(needed "$plugin")"
    hardware=$STAGE_SPANKDIR/topomap-hwloc.so
    equal "what it loads to read hardware shows one table" "topomap_hardware " "$(exports "$hardware" | tr '\n' ' ')"
    equal "and needs hwloc and libc alone" "libhwloc.so.15 libc.so.6 " "$(needed "$hardware")"
    equal "and nothing of Slurm's" "" "$(nm -D --undefined-only "$hardware" | awk '{print $2}' | grep -E '^(spank|slurm)_' || :)"
    # What is loaded into srun and slurmstepd, not what stands in one folder: its
    # code and constants, in bytes, and the sources that they come from. GCC 16 made
    # 6% more of it than GCC 12.
    bound=98304
    [ "$(${CC:-cc} -dumpversion 2>/dev/null | cut -d. -f1)" -le 12 ] 2>/dev/null || bound=104448
    loaded=$(size -A "$plugin" | awk '$1 ~ /^\.(text|rodata)/ { n += $2 } END { print n + 0 }')
    if [ "$loaded" -lt $bound ]; then
        ok "little is loaded into Slurm's processes ($loaded bytes, below $bound)"
    else
        not_ok "little is loaded into Slurm's processes ($loaded bytes, below $bound)"
    fi
    # Nothing of file_replace.c is loaded, and its name stays only with -g.
    equal "it is made of what the plugin's folder and the two before it are made of" \
        "$(cat "$srcdir/golden/objects-plugin")" \
        "$(readelf -sW "$plugin" | awk '$4 == "FILE" && $8 ~ /\.c$/ { print $8 }' |
            grep -vE '^(crtstuff|file_replace)\.c$' | LC_ALL=C sort -u)"
    contains "the plugin is bound at load time" "$(readelf -d "$plugin")" 'BIND_NOW\|FLAGS.*NOW'
    stub=$STAGE_SPANKDIR/topomap-options.so
    equal "what stands in for it exports what Slurm looks up, and its mark" \
        "plugin_name plugin_type plugin_version slurm_spank_init slurm_spank_init_post_opt spank_plugin_version topomap_is_stub " \
        "$(exports "$stub" | tr '\n' ' ')"
    equal "it knows of Slurm what no release has changed" "slurm_spank_log spank_context spank_option_register " \
        "$(nm -D --undefined-only "$stub" | awk '{print $2}' | grep -E '^(spank|slurm)_' | tr '\n' ' ')"
    equal "and needs libc alone" "libc.so.6 " "$(needed "$stub")"
else
    skip "the plugin's symbols" "no plugin was built"
fi

library=$STAGE_LIBDIR/libmapcore.so
equal "libmapcore exports mapcore_ alone" "" "$(exports "$library" | grep -v '^mapcore_' || :)"
declared=$(cd "$srcdir/../libmapcore" && find . -name '*.h' -exec cat {} + |
    tr '\n' ' ' | grep -oE 'MAPCORE_API [^;{]*\(' | grep -oE 'mapcore_[a-z0-9_]+ *\($|mapcore_[a-z0-9_]+\(' |
    tr -d '( ' | LC_ALL=C sort -u)
equal "libmapcore exports every function that its headers declare" \
    "" "$(exports "$library" >exports.tmp; printf '%s\n' "$declared" | LC_ALL=C comm -23 - exports.tmp; rm -f exports.tmp)"

recorder=$STAGE_LIBDIR/libcommprof.so
if [ -e "$recorder" ]; then
    equal "the recorder exports MPI_ and PMPI_ names alone" \
        "" "$(exports "$recorder" | grep -vE '^P?MPI_' || :)"
    equal "the recorder exports each call under both names" \
        "$(exports "$recorder" | sed -n 's/^MPI_//p')" \
        "$(exports "$recorder" | sed -n 's/^PMPI_//p')"
    # What is recorded of one MPI is exported for all: no name may be lost.
    equal "the recorder exports what either MPI's part of it records" "" \
        "$(sed -nE 's/^(CALL|BEGIN|PREPARE|WAIT|INSIDE)\(([A-Za-z_]+),.*/MPI_\2/p' \
            ../profiles/commprof/calls-*.h | LC_ALL=C sort -u >calls.tmp
            exports "$recorder" | LC_ALL=C comm -23 calls.tmp - && rm calls.tmp)"
    equal "the recorder needs libc alone" "libc.so.6 " "$(needed "$recorder")"
    # A call would show MPI our return address for the program's.
    if [ "$(uname -m)" = x86_64 ] && command -v objdump >/dev/null; then
        equal "each export is a jump" "$(exports "$recorder" | wc -l) jumps, 0 calls" \
            "$(objdump -d --no-show-raw-insn "$recorder" | awk '
                /^[0-9a-f]+ </ { ours = $2 ~ /^<P?MPI_[A-Za-z_]+>:$/ }
                ours && $2 == "jmp" && $3 ~ /^\*%/ { jumps++ }
                ours && $2 == "call" { calls++ }
                END { print jumps + 0 " jumps, " calls + 0 " calls" }')"
    fi
    profiler=$STAGE_LIBDIR/libcommprof-nccl.so
    equal "NCCL's profiler exports its tables alone" "ncclProfiler_v3 ncclProfiler_v4 ncclProfiler_v5 " \
        "$(exports "$profiler" | tr '\n' ' ')"
    equal "it needs libc alone" "libc.so.6 " "$(needed "$profiler")"
    contains "it stays when NCCL closes it" "$(readelf -d "$profiler")" 'NODELETE'
else
    skip "the recorder's symbols" "not built"
fi

for mpi in mpich openmpi; do
    library=$STAGE_LIBDIR/libcommprof-$mpi.a
    [ ! -e "$library" ] ||
        equal "${library##*/} shows a program MPI's names alone, and leaves it the PMPI_ ones" "" \
            "$(nm "$library" 2>/dev/null | awk 'NF == 3 && $2 ~ /^[A-TV-Z]$/ && $3 !~ /^MPI_/')"
    library=$STAGE_LIBDIR/libtopomap-cart-$mpi.so
    if [ -e "$library" ]; then
        equal "libtopomap-cart-$mpi exports its calls alone" \
            "MPIX_Cart_weighted_create MPIX_Dims_weighted_create mpix_cart_weighted_create_ mpix_dims_weighted_create_" \
            "$(exports "$library" | tr '\n' ' ' | sed 's/ $//')"
        equal "libtopomap-cart-preload-$mpi exports what it takes over" \
            "MPI_Cart_create MPI_Dims_create MPI_Dist_graph_create MPI_Dist_graph_create_adjacent MPI_Init MPI_Init_thread PMPI_Cart_create PMPI_Dims_create PMPI_Dist_graph_create PMPI_Dist_graph_create_adjacent PMPI_Init PMPI_Init_thread" \
            "$(exports "$STAGE_LIBDIR/libtopomap-cart-preload-$mpi.so" | tr '\n' ' ' | sed 's/ $//')"
    else
        skip "the $mpi Cartesian library's symbols" "not built"
    fi
done
finish
