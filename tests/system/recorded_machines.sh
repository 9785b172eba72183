#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorded_machines.sh - every machine below tests/recorded: its network as
# shown, the plan for its recorded job in every form and the metrics of that
# plan are, byte for byte, what they were; and the plan is sound by an account
# that is not topomap's. UPDATE=yes writes the expected files anew. Needs no
# Slurm.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP XDG_DATA_HOME TOPOMAP_PLAN_SUMMARY SLURM_JOB_NODELIST
recorded=$(cd "$srcdir/recorded" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-recorded.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
HOME=$work/home
TOPOMAP_CATALOGUE=catalogue
export HOME TOPOMAP_CATALOGUE
mkdir "$HOME"
# Profiles that anybody may write to are not believed.
umask 022

# value KEY: of the profile's JSON.
value() {
    sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",]*\).*/\1/p" profile/profile.json | head -n 1
}

# file_profile: into a catalogue, as the recorder does.
file_profile() {
    folder=catalogue/$(value program)/$(value identity)/$(value ntasks)
    version=r$(value recorded | tr -d ':-')-$(value job)
    mkdir -p "$folder"
    cp -R profile "$folder/$version"
    ln -s "$version" "$folder/current"
}

# fact KEYWORD: the line of `nodes` that begins with it.
fact() {
    sed -n "s/^$1 *//p" nodes
}

# plan FORM OPTION...: into the file found.FORM; what it says, into `stderr`.
plan() {
    form=$1
    shift
    baseline=$(fact baseline)
    # shellcheck disable=SC2046
    "$topomap" plan $(cat command) $site ${baseline:+--baseline "$baseline"} \
        --nodelist "$(fact nodelist)" --tasks-per-node "$(fact tasks-per-node)" \
        --no-cache "$@" >whole 2>stderr || {
        cp stderr "found.$form"
        return
    }
    # Without what took how long, on how many threads.
    sed -e '/^time  /d' -e '/^milliseconds /d' -e '/^end /d' -e '/^  "threads": /d' \
        -e '/^  "milliseconds": {$/,/^  },\{0,1\}$/d' whole >"found.$form"
}

# evaluate TITLE MAPPING OPTION...: appends to found.eval.
evaluate() {
    echo "$1" >>found.eval
    mapping=$2
    shift 2
    "$topomap" eval used.graph --topology "$network" --nodefile hosts --node node.xml \
        --tasks-per-node "$(fact tasks-per-node)" "$mapping" --json "$@" >>found.eval 2>stderr
}

# expect NAME FILE: found.FILE is expected.FILE, or becomes it.
expect() {
    expected=$recorded/$machine/expected.$2
    if [ "${UPDATE-}" = yes ]; then
        cp "found.$2" "$expected"
    fi
    if difference=$(diff "$expected" "found.$2" 2>&1); then
        ok "$machine: $1"
    else
        not_ok "$machine: $1" "$(printf '%s\n' "$difference" | head -n 40)"
    fi
}

# try: the machine in the current folder.
try() {
    site=
    network=$(sed -n 's/.*--topology \([^ ]*\).*/\1/p; s/.*--config \([^ ]*\).*/\1/p' command)
    # What this computer has for a site file is none of it.
    if ! grep -q -e --config command; then
        echo '{ "format": 1 }' >none.json
        site="--config none.json"
    fi
    "$topomap" topology show "$network" --all >found.topology 2>stderr
    expect "its network" topology
    file_profile
    plan txt --write-graph used.graph
    expect "the plan, as text" txt
    plan json --json
    expect "the plan, as JSON" json
    for threads in 1 2; do
        plan $threads --json --threads $threads
        equal "$machine: the same on $threads of the threads" "" \
            "$(diff found.json found.$threads 2>&1 | head -n 20)"
    done
    plan wire --to wire --threads 1
    expect "the plan, as srun reads it" wire
    plan hostfile --to hostfile --threads 2
    expect "the plan, for SLURM_HOSTFILE" hostfile
    plan rankfile --to rankfile
    expect "the plan, for Open MPI" rankfile

    "$topomap" topology links "$network" >links 2>stderr
    judged=$(LC_ALL=C awk -f "$recorded/judge.awk" nodes links used.graph found.rankfile 2>&1)
    equal "$machine: every rank once, no node more than its share, no more hop-bytes" "" \
        "$(printf '%s\n' "$judged" | grep -v '^[am][a-z]* hop-bytes')"
    # What is kept is Slurm's own, also beside other results.
    equal "$machine: hop-bytes, counted by other means" \
        "$(tr -d , <found.json | awk -v kept="$(grep -c '^outcome *unchanged' found.txt)" '
            $1 ~ /"(avg|max)_hop_bytes":/ { if ($1 in best) printf "%s %.10g %.10g\n", title[$1], $2, (kept ? $2 : best[$1]); best[$1] = $2 }
            BEGIN { title["\"avg_hop_bytes\":"] = "average hop-bytes"; title["\"max_hop_bytes\":"] = "maximum hop-bytes" }')" \
        "$(printf '%s\n' "$judged" | grep '^[am][a-z]* hop-bytes')"
    equal "$machine: both files for launchers say the same" "$(cat found.hostfile)" \
        "$(LC_ALL=C sort -t ' ' -k 2n found.rankfile | sed 's/^rank [0-9]*=\(.*\) slot=.*/\1/')"
    : >found.eval
    evaluate "# Slurm's own" own.mapping
    evaluate "# the plan" found.rankfile
    evaluate "# the plan, each message the least loaded way" found.rankfile --routes least-loaded
    expect "its metrics" eval
}

for command in "$recorded"/*/command; do
    machine=${command%/command}
    machine=${machine##*/}
    cp -R "$recorded/$machine" "$work/$machine"
    chmod -R u+w "$work/$machine"
    cd "$work/$machine" || exit 99
    try
done
finish
