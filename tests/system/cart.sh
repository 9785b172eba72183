#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cart.sh - libtopomap-cart on a private Slurm: neighbours, coordinates and
# periods right, bytes between nodes as computed, linked and preloaded.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
! nm -D "$STAGE_LIBDIR/libmapcore.so" | grep -qE '__[at]san_init' ||
    skip_all "a library with sanitizers asks its users for them"
cluster_start --nodes 4

export PKG_CONFIG_PATH=$STAGE_LIBDIR/pkgconfig PKG_CONFIG_SYSROOT_DIR=$STAGE
export LD_LIBRARY_PATH=$STAGE_LIBDIR

# build NAME WRAPPER MPI SOURCE [FLAG]...
build()
{
    local name=$1 wrapper=$2 mpi=$3 source=$4 flags
    shift 4
    command -v "$wrapper" >/dev/null || return 1
    flags=$(pkg-config --cflags --libs "topomap-cart-$mpi") || return 1
    # shellcheck disable=SC2086
    "$wrapper" -O1 "$@" -o "$work/$name" "$programs/$source" $flags \
        >"$work/compile.log" 2>&1 || { sed 's/^/# /' "$work/compile.log" && return 1; }
}

# says NAME EXPECTED COMMAND...: on stdout, with exit 0.
says()
{
    local name=$1 expected=$2
    shift 2
    run "$@"
    equal "$name" "0 $expected" "$status $out"
    [ "$status" = 0 ] || printf '%s\n' "$err" | sed 's/^/# /'
}

# try_mpi MPI PMI
try_mpi()
{
    local mpi=$1 pmi=$2 step preload numbering
    if ! build "cart-$mpi" "mpicc.$mpi" "$mpi" cart.c -DWEIGHTED; then
        skip "libtopomap-cart with $mpi" "it does not compile here"
        return
    fi
    launches "$mpi" "$pmi" || { skip "libtopomap-cart with $mpi" "$why_not"; return; }
    mpicc."$mpi" -O1 -o "$work/plain-$mpi" "$programs/cart.c"
    step="srun --mpi=$pmi -O -N4 -n16"

    # 4 nodes of 4: blocks of 2 x 2 have 8 neighbours on other nodes, rows 12;
    # each pair exchanges 8 bytes both ways.
    for numbering in world reversed dealt; do
        says "$mpi: 4x4, $numbering ranks" "dims 4x4 bytes 128" \
            $step "$work/cart-$mpi" weighted "$numbering" 00 0 0
    done
    says "$mpi: cyclic ranks" "dims 4x4 bytes 128" \
        $step -m cyclic "$work/cart-$mpi" weighted world 00 0 0
    says "$mpi: a dimension that wraps" "dims 4x4 bytes 192" \
        $step "$work/cart-$mpi" weighted world 10 0 0
    says "$mpi: given dimensions" "dims 8x2 bytes 96" \
        $step "$work/cart-$mpi" weighted dealt 00 8 2
    says "$mpi: one of them given" "dims 2x8 bytes 96" \
        $step "$work/cart-$mpi" weighted dealt 00 2 0
    says "$mpi: three dimensions" "dims 4x2x2 bytes 192" \
        $step "$work/cart-$mpi" weighted world 000 0 0 0
    says "$mpi: one dimension" "dims 16 bytes 48" \
        $step "$work/cart-$mpi" weighted reversed 0 0
    says "$mpi: one node" "dims 2x2 bytes 0" \
        srun --mpi="$pmi" -O -N1 -n4 "$work/cart-$mpi" weighted world 00 0 0
    says "$mpi: dimensions that do not multiply" "error MPI_ERR_DIMS" \
        $step "$work/cart-$mpi" weighted world 00 3 0
    says "$mpi: dimensions of another size" "error MPI_ERR_DIMS" \
        $step "$work/cart-$mpi" weighted world 00 2 2
    says "$mpi: a negative dimension" "error MPI_ERR_DIMS" \
        $step "$work/cart-$mpi" weighted world 00 -2 0
    # Unequal counts (four tasks, two and two): the rows of the grid are filled
    # node after node.
    says "$mpi: unequal counts" "dims 4x2 bytes 64" \
        srun --mpi="$pmi" -O -N3 -n8 -m plane=3 \
        "$work/cart-$mpi" weighted dealt 00 0 0

    preload=$STAGE_LIBDIR/libtopomap-cart-preload-$mpi.so
    says "$mpi: an unchanged program" "dims 4x4 bytes 192" \
        $step "$work/plain-$mpi" plain world 00 0 0
    says "$mpi: the same with the preloaded library" "dims 4x4 bytes 128" \
        $step --export=ALL,LD_PRELOAD="$preload" "$work/plain-$mpi" plain world 00 0 0
    says "$mpi: preloaded, dealt ranks" "dims 4x4 bytes 128" \
        $step --export=ALL,LD_PRELOAD="$preload" "$work/plain-$mpi" plain dealt 00 0 0
    says "$mpi: preloaded, given dimensions" "dims 8x2 bytes 96" \
        $step --export=ALL,LD_PRELOAD="$preload" "$work/plain-$mpi" plain dealt 00 8 2
    # Tasks bound to the CPUs of two packages, as 0 1 1 0: each node holds 2 x 2
    # cells, each package a column of them.
    # shellcheck disable=SC2016
    says "$mpi: two packages a node" "dims 4x2 bytes 32 cpus 96" \
        env HWLOC_SYNTHETIC="package:2 core:1 pu:1" HWLOC_THISSYSTEM=1 CART_CPUS=1 \
        srun --mpi="$pmi" -O -N2 -n8 sh -c \
        'exec taskset -c $(((SLURM_LOCALID + 1) / 2 % 2)) "$@"' sh \
        "$work/cart-$mpi" weighted world 00 0 0

    if build "cart-f-$mpi" "mpifort.$mpi" "$mpi" cart_f.f90; then
        run $step "$work/cart-f-$mpi"
        equal "$mpi: Fortran" "0 dims 4x4
weighted 2x8" "$status $(printf '%s\n' "$out" | sed 's/^ *//')"
    else
        skip "$mpi: Fortran" "it does not compile here"
    fi
}
try_mpi mpich pmi2
try_mpi openmpi pmix
finish
