#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shaped.sh - topomap calibrate over links whose rates are known: four nodes, each a
# network namespace, at two leaf switches, each a bridge, under token buckets of
# 80 Mbit/s for a node and 20 Mbit/s between the switches. What it measures is not
# more than they carry, the estimate takes the table, and a program then takes its
# times in the estimate's order
set -u
: "${srcdir:=$(dirname "$0")/..}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
[ "${TOPOMAP_CHECK-}" != unit ] || skip_all "TOPOMAP_CHECK=unit"
topomap=${STAGE_TOPOMAP:?}
probe=$STAGE_LIBEXECDIR/topomap/mpi-calibrate-openmpi
[ "$(id -u)" = 0 ] || skip_all "namespaces need root"
[ -x "$probe" ] || skip_all "no mpi-calibrate-openmpi was built"
PATH=$PATH:/usr/sbin:/sbin
for tool in ip tc mpirun.openmpi; do
    command -v $tool >/dev/null || skip_all "no $tool"
done
mpirun.openmpi --version | grep -q ' [34]\.' || skip_all "not Open MPI 4, whose words for its agent these are"

work=$(mktemp -d) || exit 99
chmod 755 "$work"
mine=tm$$
spaces=("$mine-net" "$mine-0" "$mine-1" "$mine-2" "$mine-3")
down()
{
    local space
    for space in "${spaces[@]}"; do
        ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null
        ip netns del "$space" 2>/dev/null
    done
    rm -rf "$work"
}
trap down EXIT
trap 'exit 130' INT TERM HUP
in_space() { ip netns exec "$mine-$1" "${@:2}"; }
# shape SPACE LINK RATE: what leaves there.
shape() { in_space "$1" tc qdisc add dev "$2" root tbf rate "$3" burst 4k limit 64k; }

# wire: the network. Links into a namespace are made there: names need not be ours alone.
wire()
{
    local space i
    for space in "${spaces[@]}"; do
        ip netns add "$space" || return
    done
    in_space net ip link add leaf0 type bridge && in_space net ip link add leaf1 type bridge &&
        in_space net ip link add up0 type veth peer name up1 || return
    for i in 0 1; do
        in_space net ip link set "up$i" master "leaf$i" && in_space net ip link set "up$i" up &&
            in_space net ip link set "leaf$i" up && shape net "up$i" 20mbit || return
    done
    for i in 0 1 2 3; do
        in_space net ip link add "n$i" type veth peer name eth0 netns "$mine-$i" &&
            in_space net ip link set "n$i" master "leaf$((i / 2))" && in_space net ip link set "n$i" up &&
            in_space "$i" ip addr add "10.98.0.$((i + 1))/24" dev eth0 &&
            in_space "$i" ip link set eth0 up && in_space "$i" ip link set lo up &&
            shape "$i" eth0 80mbit && shape net "n$i" 80mbit || return
    done
}
wire 2>"$work/said" || skip_all "no such network can be had here: $(tail -n 1 "$work/said")"

# on NODE COMMAND...: there, under its name and with Slurm's words for its place.
on()
{
    local node=$1
    shift
    ip netns exec "$mine-$node" unshare --uts env "SLURMD_NODENAME=n$node" \
        "SLURM_TOPOLOGY_ADDR=top.leaf$((node / 2)).n$node" sh -c "hostname n$node; exec $*"
}
cat >"$work/agent" <<'END'
#!/bin/bash
# What mpirun takes for ssh: HOST COMMAND...
node=${1##*.}
node=$((node - 1))
shift
eval "$ON"
mine=$MINE
on "$node" "$@"
END
chmod +x "$work/agent"
ON=$(declare -f on)
export ON MINE=$mine TMPDIR=$work
# run NODES PROGRAM...: rank by rank on these.
run()
{
    local hosts="" node
    for node in $1; do hosts+=10.98.0.$((node + 1)),; done
    on 0 timeout 300 mpirun.openmpi --allow-run-as-root --mca plm rsh --mca plm_rsh_agent "$work/agent" \
        --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
        --mca mpi_yield_when_idle 1 -host "${hosts%,}" -n 4 "${@:2}" 2>"$work/err" </dev/null
}

run "0 1 2 3" "$probe" --longest 262144 --sample 0.001 >"$work/rows"
equal "it measures" 0 $? || cat "$work/err"
mkdir "$work/bin"
printf '#!/bin/sh\ncat %s\n' "$work/rows" >"$work/bin/srun"
chmod +x "$work/bin/srun"
PATH=$work/bin:$PATH "$topomap" calibrate --mpi pmix --output "$work/ports.json" >"$work/out"
# rate LEVEL: what its port carries in all; the levels are lines of "ports".
rate() { sed -n 's/.*"most": \([0-9.e+]*\).*/\1/p' "$work/ports.json" | sed -n "$1p"; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { print (a > 0 && a < b ? "yes" : "no: " a " " b) }'; }
equal "a node's port has not more than 10 MB/s" yes "$(below "$(rate 1)" 11e6)"
equal "that of a leaf switch not more than 2.5" yes "$(below "$(rate 2)" 2.75e6)"
equal "and it is the slower one" yes "$(below "$(rate 2)" "$(rate 1)")"
equal "the table says of no length more" "" "$(tr -d '\n' <"$work/ports.json" | grep -o '{ "bandwidth[^}]*}' |
    awk '{ most = $0; sub(/.*"most": /, "", most); n = split($0, part, /[][,]+/)
           for (i = 1; i <= n; i++) if (part[i] + 0 > most + 0) print part[i], most }')"

# Ranks 0 and 2, and 1 and 3, send each other 256 KiB: across, or within a leaf.
printf 'SwitchName=leaf0 Nodes=n[0-1]\nSwitchName=leaf1 Nodes=n[2-3]\nSwitchName=top Switches=leaf[0-1]\n' >"$work/topology.conf"
sed "s|\"type\": \"slurm\"|&, \"path\": \"$work/topology.conf\"|" "$work/ports.json" >"$work/site.json"
printf '0 2 262144\n2 0 262144\n1 3 262144\n3 1 262144\n' >"$work/pairs.edges"
printf '0\n2\n1\n3\n' >"$work/near"
"$topomap" eval --by-type "$work/pairs.edges" --model ports --topology "$work/site.json" --tasks-per-node 1 \
    block "$work/near" --csv >"$work/said" 2>"$work/err"
equal "the estimate takes the table" 0 $?
"$topomap" eval --by-type "$work/pairs.edges" --model ports --topology "$work/site.json" --tasks-per-node 1 \
    block "$work/near" --json >"$work/said" 2>&1
contains "and says which mapping to use" "$(cat "$work/said")" '"use": "near"'
time_of() { awk -F '[:,]' -v row="\"$1\"" '/"mapping":/ { found = index($2, row) } found && /"time_s"/ { print $2 * 1000; exit }' "$work/said"; }
said_far=$(time_of block) said_near=$(time_of near)

"${MPICC_OPENMPI:-mpicc.openmpi}" -O1 -o "$work/exchange" "$srcdir/programs/exchange.c" || exit 99
far=$(run "0 1 2 3" "$work/exchange" 262144 7) near=$(run "0 2 1 3" "$work/exchange" 262144 7)
equal "a program takes longer across, as the estimate has it" yes "$(below "$near" "$far")"
short=$(run "0 1 2 3" "$work/exchange" 1 101)
cost() { sed -n "s/^  \"$1\": \(.*\),\$/\1/p" "$work/ports.json"; }
contains "what messages take is measured" "$(cost task_message_s) $(cost nic_message_s)" '^[0-9.e-]* [0-9.e-]*$'
awk -v a="$short" -v b="$(cost nic_latency_s)" -v c="$(cost hop_latency_s)" -v d="$(cost task_message_s)" \
    'BEGIN { printf "# an exchange of a byte across: measured %.0f us, by what was calibrated %.0f us (%.0f + 4 x %.0f + 2 x %.0f)\n",
             1e6 * a, 1e6 * (b + 4 * c + 2 * d), 1e6 * b, 1e6 * c, 1e6 * d }'
awk -v a="$far" -v b="$near" -v c="$said_far" -v d="$said_near" \
    'BEGIN { printf "# measured %.0f and %.0f ms, %.2f times; estimated %.0f and %.0f ms, %.2f times\n",
             1e3 * a, 1e3 * b, a / b, c, d, c / d }'
finish
