#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cart.sh - libtopomap-cart on a private Slurm: neighbours, coordinates and
# periods right, bytes between nodes as computed, linked and preloaded.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
unset HWLOC_COMPONENTS # synthetic nodes are made here
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
    # shellcheck disable=SC2046,SC2086
    "$wrapper" -O1 "$@" -o "$work/$name" "$programs/$source" $(polite "$mpi") $flags \
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

# Grids that one start of the program makes: starting takes most of the time.
grids=() names=() answers=()

# asks NAME EXPECTED ARGUMENT...
asks()
{
    names+=("$1")
    answers+=("$2")
    shift 2
    [ ${#grids[@]} = 0 ] || grids+=(/)
    grids+=("$@")
}

# answered COMMAND...: makes them, and judges each.
answered()
{
    local i lines
    run "$@" "${grids[@]}"
    mapfile -t lines <<<"$out"
    for i in "${!names[@]}"; do
        equal "${names[i]}" "0 ${answers[i]}" "$status ${lines[i]-nothing}"
    done
    [ "$status" = 0 ] || printf '%s\n' "$err" | sed 's/^/# /'
    grids=() names=() answers=()
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
    # shellcheck disable=SC2046
    mpicc."$mpi" -O1 -o "$work/plain-$mpi" "$programs/cart.c" $(polite "$mpi")
    step="srun --mpi=$pmi -O -N4 -n16"

    # 4 nodes of 4: blocks of 2 x 2 have 8 neighbours on other nodes, rows 12;
    # each pair exchanges 8 bytes both ways.
    for numbering in world reversed dealt; do
        asks "$mpi: 4x4, $numbering ranks" "dims 4x4 bytes 128" weighted "$numbering" 00 0 0
    done
    asks "$mpi: a dimension that wraps" "dims 4x4 bytes 192" weighted world 10 0 0
    asks "$mpi: given dimensions" "dims 8x2 bytes 96" weighted dealt 00 8 2
    asks "$mpi: one of them given" "dims 2x8 bytes 96" weighted dealt 00 2 0
    asks "$mpi: three dimensions" "dims 4x2x2 bytes 192" weighted world 000 0 0 0
    asks "$mpi: one dimension" "dims 16 bytes 48" weighted reversed 0 0
    asks "$mpi: dimensions that do not multiply" "error MPI_ERR_DIMS" weighted world 00 3 0
    asks "$mpi: dimensions of another size" "error MPI_ERR_DIMS" weighted world 00 2 2
    asks "$mpi: a negative dimension" "error MPI_ERR_DIMS" weighted world 00 -2 0
    asks "$mpi: elements bound the pieces" "dims 2x8 bytes 160" \
        topomap_elements=2,1000 topomap_widths=1,900 weighted world 00 0 0
    asks "$mpi: wide halos" "dims 16x1 bytes 48" topomap_widths=1,99 weighted dealt 00 0 0
    asks "$mpi: levels that do not divide" "error MPI_ERR_INFO_VALUE" \
        topomap_levels=node,3 weighted world 00 0 0
    asks "$mpi: levels that there are not" "error MPI_ERR_INFO_VALUE" \
        topomap_levels=node,socket weighted world 00 0 0
    asks "$mpi: a width too few" "error MPI_ERR_INFO_VALUE" \
        topomap_widths=1 weighted world 00 0 0
    asks "$mpi: switches are not asked for" "dims 4x4 bytes 128" \
        topomap_levels=node weighted world 00 0 0
    answered env TOPOMAP_CART_REPORT=1 $step "$work/cart-$mpi"
    equal "$mpi: nodes of a switch are a level, while it is wanted" \
        "topomap-cart: grid 4x4 on 2 switch x 2 node x 4 task; ranks move
topomap-cart: grid 4x4 on 4 node x 4 task; ranks move" \
        "$(printf '%s\n' "$err" | grep '^topomap-cart: grid 4x4' | LC_ALL=C sort -u)"
    says "$mpi: cyclic ranks" "dims 4x4 bytes 128" \
        $step -m cyclic "$work/cart-$mpi" weighted world 00 0 0
    # Unequal counts (four tasks, two and two): the rows of the grid are filled
    # node after node.
    says "$mpi: unequal counts" "dims 4x2 bytes 64" \
        srun --mpi="$pmi" -O -N3 -n8 -m plane=3 \
        "$work/cart-$mpi" weighted dealt 00 0 0

    preload=$STAGE_LIBDIR/libtopomap-cart-preload-$mpi.so
    says "$mpi: an unchanged program" "dims 4x4 bytes 192" \
        $step "$work/plain-$mpi" plain world 00 0 0
    asks "$mpi: the same with the preloaded library" "dims 4x4 bytes 128" plain world 00 0 0
    asks "$mpi: preloaded, dealt ranks" "dims 4x4 bytes 128" plain dealt 00 0 0
    asks "$mpi: preloaded, given dimensions" "dims 8x2 bytes 96" plain dealt 00 8 2
    answered $step --export=ALL,LD_PRELOAD="$preload" "$work/plain-$mpi"
    dist_graph
    # Tasks bound to the CPUs of two packages, as 0 1 1 0: each node holds 2 x 2
    # cells, each package a column of them.
    # shellcheck disable=SC2016
    says "$mpi: two packages a node" "dims 4x2 bytes 32 cpus 96" \
        env HWLOC_SYNTHETIC="package:2 core:1 pu:1" HWLOC_THISSYSTEM=1 CART_CPUS=1 \
        srun --mpi="$pmi" -O -N2 -n8 sh -c \
        'exec taskset -c $(((SLURM_LOCALID + 1) / 2 % 2)) "$@"' sh \
        "$work/cart-$mpi" weighted world 00 0 0
    deep_node

    if build "cart-f-$mpi" "mpifort.$mpi" "$mpi" cart_f.f90; then
        run $step "$work/cart-f-$mpi"
        equal "$mpi: Fortran" "0 dims 4x4
weighted 2x8" "$status $(printf '%s\n' "$out" | sed 's/^ *//')"
    else
        skip "$mpi: Fortran" "it does not compile here"
    fi
}

# Vertices a quarter of the ranks apart exchange most: of 16, those of four on one
# node have 39 bytes to other nodes, 328 as ranks are numbered; of 8, 103. Without
# weights it is a torus, of which nodes have 2 x 2.
dist_graph()
{
    local how
    # shellcheck disable=SC2046
    mpicc."$mpi" -O1 -o "$work/dist_graph-$mpi" "$programs/dist_graph.c" $(polite "$mpi")
    step="srun --mpi=$pmi -O -N4 -n16 --export=ALL,LD_PRELOAD=$preload"
    for how in adjacent general; do
        asks "$mpi: a distributed graph, $how" "moved off 39" $how bytes world
        asks "$mpi: a distributed graph, $how, without weights" "moved off 32" $how none world
        asks "$mpi: a distributed graph, $how, of dealt ranks" "moved off 39" $how bytes reversed
        asks "$mpi: a distributed graph, $how, of some ranks" "moved off 103" $how bytes even
    done
    answered env TOPOMAP_CART_REPORT=1 $step "$work/dist_graph-$mpi"
    equal "$mpi: what was done with them" \
        "topomap-cart: graph of 16 ranks on 4 nodes; ranks move
topomap-cart: graph of 8 ranks on 4 nodes; ranks move" \
        "$(printf '%s\n' "$err" | grep '^topomap-cart' | LC_ALL=C sort -u)"
    says "$mpi: ranks that are placed well stay" "stayed off 39" \
        $step -m cyclic "$work/dist_graph-$mpi" adjacent bytes world
    # shellcheck disable=SC2016
    says "$mpi: a network without these nodes" "moved off 39" $step \
        sh -c 'SLURMD_NODENAME=x$SLURMD_NODENAME exec "$@"' sh \
        "$work/dist_graph-$mpi" adjacent bytes world
    says "$mpi: fewer than no neighbours" refused \
        $step "$work/dist_graph-$mpi" wrong bytes world
    step="srun --mpi=$pmi -O -N4 -n16"
}

# One node of 2 packages, each of 2 NUMA nodes, each of 2 caches, a task in each,
# dealt out, by a kernel that is made up; then the same by numbers.
deep_node()
{
    asks "$mpi: package, NUMA node and L3" "dims 4x2 bytes 0 cpus 160" weighted reversed 00 0 0
    asks "$mpi: NUMA nodes alone" "dims 4x2 bytes 0 cpus 160" \
        topomap_levels=node,numa weighted dealt 00 0 0
    asks "$mpi: three levels by numbers" "dims 4x2 bytes 0 cpus 160" \
        topomap_levels=node,2,2,2 weighted world 00 0 0
    # shellcheck disable=SC2016
    answered env HWLOC_SYNTHETIC="package:2 numa:2 l3:2 core:1 pu:1" HWLOC_THISSYSTEM=1 \
        CART_CPUS=1 TOPOMAP_CART_REPORT=1 FAKE_AFFINITY="$work/cpus" FAKE_CPUS=8 FAKE_FIXED=1 \
        srun --mpi="$pmi" -O -N1 -n8 sh -c \
        'printf "0x%x\n" $((1 << SLURM_LOCALID * 3 % 8)) >"$FAKE_AFFINITY/$$"
         LD_PRELOAD=$0 exec "$@"' "$work/affinity.so" "$work/cart-$mpi"
    equal "$mpi: what the levels are" \
        "topomap-cart: grid 4x2 on 2 package x 2 numa x 2 l3; ranks move
topomap-cart: grid 4x2 on 2 part x 2 part x 2 task; ranks stay
topomap-cart: grid 4x2 on 4 numa x 2 task; ranks move" \
        "$(printf '%s\n' "$err" | grep '^topomap-cart' | LC_ALL=C sort)"
}
mkdir "$work/cpus"
${CC:-cc} -shared -fPIC -o "$work/affinity.so" "$srcdir/fake/affinity.c"
try_mpi mpich pmi2
try_mpi openmpi pmix
finish
