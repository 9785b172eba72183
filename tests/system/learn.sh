#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# learn.sh - --topomap=learn and a site's default=learn: what is not known is
# recorded, what is known is placed, some runs stay to compare with, and what
# runs have shown decides, with a program that sleeps by where its partners are.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

cluster_start --nodes 4
history=$catalogue/.history
job=(srun -N4 -n8)
# field NAME: of the newest step in --json.
field() { "$topomap" history --json | tail -n 1 | sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }
# forget: history and what was learnt from it.
forget()
{
    settled
    rm -f "$history"/steps-* "$history"/evaluation-*
}

awk 'BEGIN { print 8, 4, "001"; for (i = 0; i < 8; i++) print (i + 4) % 8 + 1, 65536 }' >"$work/far.graph"
"$topomap" profile import "$work/far.graph" --name far --ntasks 8 >"$work/import.log" 2>&1

# Each rank sleeps longer while the rank four away is on another node.
cat >"$work/sleeper" <<'END'
#!/bin/sh
case ,$SLURM_GTIDS, in
*,$(((SLURM_PROCID + 4) % 8)),*) sleep 0.3 ;;
*) sleep 0.7 ;;
esac
END
chmod +x "$work/sleeper"
if [ -n "${TOPOMAP_CHECK_EXTENDED-}" ]; then
    for i in {1..19}; do
        run "${job[@]}" --topomap=learn,name=far "$work/sleeper"
    done
    contains "after 8 pairs its runs have shown it" "$err" 'placed runs took [3-6][0-9]\.[0-9]% less .*8 pairs'
    equal "half of them stayed" yes "$("$topomap" history --json | grep -c '"outcome": "control"' |
        awk '{ print ($1 >= 8 && $1 <= 11 ? "yes" : $1) }')"
    forget
fi

# A few runs: they take turns.
for i in 1 2 3 4; do
    run "${job[@]}" --topomap=learn,name=far "$work/sleeper"
done
equal "of four runs two are placed" "2 2" \
    "$("$topomap" history --json | grep -c '"outcome": "placed"') $("$topomap" history --json | grep -c '"outcome": "control"')"
contains "which is said" "$err" '[012] of 8 pairs of runs to compare'
equal "where the partners sat, the fastest placed one was faster" yes "$("$topomap" history --json |
    sed 's/.*"outcome": "\([a-z]*\)".*"seconds": \([0-9.]*\).*/\1 \2/' |
    awk '!($1 in least) || $2 < least[$1] { least[$1] = $2 } END { print (least["placed"] < least["control"] ? "yes" : "no") }')"

# More of them, as they would be: twelve pairs; pretend PERCENT: of the time, when placed.
line=$(cat "$history"/steps-* | grep '"event": "launch"' | grep '"placed"' | head -n 1)
file=$(echo "$history"/steps-*)
pretend()
{
    local now
    now=$(date +%s)
    forget
    for i in {1..24}; do
        at=$((now - 4000 * (26 - i) + i % 2 * 1000))
        outcome=control seconds=$((1000 + i % 3))
        [ $((i % 2)) = 0 ] || { outcome=placed seconds=$((1000 * $1 / 100 + i % 3)); }
        sed "s/\"at_s\": [0-9.]*/\"at_s\": $at/; s/\"job\": [0-9]*/\"job\": $((90000 + i))/
            s/\"outcome\": \"[a-z]*\"/\"outcome\": \"$outcome\", \"seconds\": $seconds/" <<<"$line"
    done >"$file"
}
# tells OUTCOME PATTERN: of 6 more runs, most.
tells()
{
    local n=0
    for i in 1 2 3 4; do
        run "${job[@]}" --topomap=learn,name=far,seed="$i" /bin/true
        said | grep -q "$2" && [ "$(field outcome)" = "$1" ] && n=$((n + 1))
    done
    [ "$n" -ge 3 ]
}
pretend 90
tells placed 'topomap: placed: .*; placed runs took [19][0-9.]*% less time' && ok "what is faster is placed" ||
    not_ok "what is faster is placed" "$err"
# What was learnt is kept when the history is gone, with the runs that showed it.
settled
contains "profile show knows it" "$("$topomap" profile show name:far)" \
    '^4 nodes of [^ ]*, arguments none: faster, -[19][0-9.]*% (1[0-9] pairs, .*%); '
rm -f "$history"/steps-*
tells placed 'topomap: placed: .*; placed runs took [19][0-9.]*% less time' && ok "it outlives the history" ||
    not_ok "it outlives the history" "$err"
contains "the summary knows it, too" "$("$topomap" history --summary)" '^far  *1  *[1-9] .* -[19][0-9.]*% (1[0-9] pairs, '
rm -f "$history"/steps-*
contains "also alone" "$("$topomap" history --summary=user)" '^root  *1  *0 .* -[19][0-9.]*% (1[0-9] pairs, '
settled
evaluation=$(echo "$history"/evaluation-*.json)
equal "in a file of the user's own" "600 1" "$(stat -c %a "$evaluation") $(wc -w <<<"$evaluation")"
cp "$evaluation" "$work/evaluation"
echo '{ "format": 1, "written' >"$evaluation"
run "${job[@]}" --topomap=learn,name=far /bin/true
contains "a broken one is made anew, with a line" "$err" 'the runs learnt so far are lost: .*/evaluation-.*:[12]: '
settled
cp "$work/evaluation" "$evaluation"
chown 65534 "$evaluation"
run "${job[@]}" --topomap=learn,name=far /bin/true
contains "a stranger's is not believed" "$err" '[01] of 8 pairs of runs to compare; the runs learnt so far are lost: '
mkdir "$work/locked"
if mount -t tmpfs -o size=1m tmpfs "$work/locked" 2>/dev/null; then
    settled
    chown 0 "$evaluation"
    cp -a "$catalogue/." "$work/locked"
    mount -o remount,ro "$work/locked"
    TOPOMAP_CATALOGUE=$work/locked run "${job[@]}" --topomap=learn,name=far,seed=3 /bin/true
    contains "a catalogue that cannot be written to decides as well" "$err" '1[0-9] pairs, '
    umount -l "$work/locked"
else
    skip "a catalogue that cannot be written to decides as well" "no mount here"
fi
forget
pretend 105
tells control 'topomap: unchanged: far: placed runs took [45]\.[0-9]% more time' && ok "what is slower is left alone" ||
    not_ok "what is slower is left alone" "$err"

# Arguments that differ each time: nothing can be compared, and most are placed.
pretend 90
awk '{ sub(/"ntasks"/, sprintf("\"arguments\": \"%016x\", &", NR)); print }' "$file" >"$work/seeds"
cat "$work/seeds" >"$file"
new="" nplaced=0
for i in 1 2 3 4 5; do
    run "${job[@]}" --topomap=learn,name=far,seed="$i" /bin/true "case$i"
    said | grep -q 'no run had these arguments before$' && new+=+
    [ "$(field outcome)" != placed ] || nplaced=$((nplaced + 1))
done
equal "what has other arguments each time is placed, mostly" "+++++ yes" \
    "$new $([ "$nplaced" -ge 3 ] && echo yes || echo "$nplaced of 5")"

# Runs that leave no profile, as those of command lines with a slip: three, and then
# one in a day or more.
# slips: whether a further one is recorded.
slips()
{
    run "${job[@]}" --topomap=learn,name=slip /bin/false
    settled
    said | grep -q 'not recorded: slip failed before MPI_Init$' && echo recorded
}
forget
equal "a run that leaves no profile: another is recorded, not a fourth" "recorded recorded recorded" \
    "$(for i in 1 2 3 4; do slips; done | xargs)"
equal "the history calls none of them recorded" "no-profile no-profile no-profile no-profile" \
    "$("$topomap" history --json | sed 's/.*"outcome": "\([a-z-]*\)".*/\1/' | xargs)"
run "${job[@]}" --topomap=learn,name=slip /bin/false
contains "which is said" "$err" 'not placed: no profile named slip.*; not recorded: no whole profile came of the runs that were recorded; the next one is from [0-9]* [A-Z][a-z]* [0-9:]* UTC on; the job runs as usual$'
sed "s/\"at_s\": [0-9.]*/\"at_s\": $(($(date +%s) - 90000))/" "$file" >"$work/tried"
cat "$work/tried" >"$file"
equal "a day later one is" recorded "$(slips)"
equal "and then none for two" "" "$(slips)"
sed "s/\"at_s\": [0-9.]*/\"at_s\": $(($(date +%s) + 900000))/" "$file" >"$work/tried"
cat "$work/tried" >"$file"
run "${job[@]}" --topomap=learn,name=slip /bin/false
contains "times to come are a wrong clock's" "$err" 'recording: slip, 8 tasks, first run: '

# A program without MPI: nothing is promised, and it is known from then on.
forget
printf '#!/usr/bin/python3\nprint("trained")\n' >"$work/train.py"
chmod +x "$work/train.py"
llm='NCCL programs: --topomap=llm:tp=T,pp=P,dp=D'
if command -v python3 >/dev/null; then
    run "${job[@]}" --topomap=learn python3 "$work/train.py"
    equal "no MPI: the program runs" "0 8" "$status $(grep -c trained <<<"$out")"
    contains "no MPI: nothing is promised" "$err" "recording: train.py, 8 tasks, first run: its MPI messages are recorded for .*; $llm"
    contains "no MPI: what became of it" "$err" "not recorded: train.py called no MPI_Init that the recorder saw; $llm"
    settled
    equal "no MPI: the history" "no-mpi train.py" "$(field outcome) $(field program)"
    run "${job[@]}" --topomap=learn python3 "$work/train.py"
    equal "no MPI: the next run is told so" \
        "topomap: not placed: train.py called no MPI_Init when it was recorded; $llm; the job runs as usual" "$(said)"
    run "${job[@]}" --topomap=auto python3 "$work/train.py"
    contains "no MPI: so is auto" "$err" "no profile of train.py .* ($llm)"
fi

# A profile of two types of calls that take as long: where placing gains, its graphs
# race, weighted-sum first. Runs by sum were faster: it holds, or another is tried
# against it.
"$topomap" profile import "$work/far.graph" --name two --ntasks 8 >>"$work/import.log" 2>&1
contains "profile show says how it is called" "$("$topomap" profile show two 2>&1)" \
    'no profile of a program two; there is one filed by name: name:two'
folder=$("$topomap" profile show name:two | sed -n 's/^folder  *//p')
cp "${folder:?}/p2p.graph" "$folder/alltoall.graph"
type='"calls": 9, "bytes": 262144, "seconds": 5, "paired_bytes": 262144'
printf '%s\n' '{ "format": 1, "program": "two", "identity": "named", "ntasks": 8,' \
    '"recorded": "2026-01-01T00:00:00Z", "seconds": 2, "job": "import", "types": [' \
    "{ \"type\": \"p2p\", $type, \"graph\": \"p2p.graph\" }," \
    "{ \"type\": \"alltoall\", $type, \"graph\": \"alltoall.graph\" } ] }" >"$folder/profile.json"
forget
for seed in 1 2 3 4 5 6 7 8; do
    [ "$(field outcome)" != placed ] || break
    forget
    run "${job[@]}" --topomap=learn,name=two,seed="$seed" /bin/true
done
line=$(cat "$history"/steps-* | grep '"event": "launch"')
contains "before it is known what placing is worth there is one graph" "$line" '"graph": "weighted-sum"'
now=$(date +%s)
forget
for i in {1..48}; do
    case $((i % 4)) in
    0) was='weighted-sum placed 900' ;;
    2) was='sum placed 800' ;;
    *) was='weighted-sum control 1000' ;;
    esac
    read -r graph outcome seconds <<<"$was"
    sed "s/\"at_s\": [0-9.]*/\"at_s\": $((now - 4000 * (50 - i)))/; s/\"job\": [0-9]*/\"job\": $((90000 + i))/
        s/\"graph\": \"[a-z-]*\"/\"graph\": \"$graph\"/
        s/\"outcome\": \"[a-z]*\"/\"outcome\": \"$outcome\", \"seconds\": $((seconds + i % 3))/" <<<"$line"
done >"$file"
raced=
for i in 1 2 3 4; do
    run "${job[@]}" --topomap=learn,name=two,seed="$i" /bin/true
    case $(field outcome):$(field graph):$err in
    placed:sum:*'graph sum took 11.'?'% less time than weighted-sum ('* | \
        placed:p2p:*'graph p2p is tried against sum (0 pairs'* | control:*) raced+=+ ;;
    *) raced+="$(field outcome) $(field graph): $err" ;;
    esac
done
equal "then the faster graph holds, or is challenged" ++++ "$raced"

# What is not known is recorded.
plugstack default=learn
run "${job[@]}" /bin/true
equal "a program without MPI is no matter" "0 no-mpi" "$status $(field outcome)"
if compile halo mpich halo.c && launches MPI pmi2; then
    mpi=("${job[@]}" --mpi=pmi2)
    run "${mpi[@]}" "$work/halo"
    equal "a site's default: the first run is recorded, in silence" "0 recorded true" \
        "$status $(field outcome) $(field recorded)$(said)"
    contains "its profile" "$("$topomap" profile list)" '^halo .* 8 '
    run "${mpi[@]}" --topomap=learn "$work/halo"
    equal "the second is not" "0 0" "$status $(grep -c recorded <<<"$(field outcome)")"
    run srun -N4 -n16 --overcommit --mpi=pmi2 --topomap=learn,plan-only "$work/halo"
    equal "a dry run records nothing" 0 "$("$topomap" profile list | grep -c '^halo .* 16 ')"
    # How long runs that are compared are in MPI, where the site wants to know.
    echo '{ "format": 1, "learn_mpi_time": true }' >"$work/site.json"
    plugstack config="$work/site.json"
    forget
    run "${mpi[@]}" --topomap=learn,name=far "$work/halo"
    settled
    equal "the time in MPI of a run that is compared" "0 yes" "$status $(awk -v m="$(field mpi_seconds)" \
        -v s="$(field seconds)" 'BEGIN { print (m > 0 && m < s ? "yes" : "no: " m " of " s) }')"
    contains "the summary has its share" "$("$topomap" history --summary)" '^far .* [0-9]*%  '
    lines=$(said | grep -c .)
    run "${job[@]}" --topomap=learn,name=far /bin/sleep 0.1
    settled
    equal "a program without MPI has none, and no more is said" "0 $lines " "$status $(said | grep -c .) $(field mpi_seconds)"
    cp "$work/halo" "$work/setuid"
    chown 65534 "$work/setuid"
    chmod 4755 "$work/setuid"
    run "${mpi[@]}" --topomap=off "$work/setuid"
    alone=$status
    run "${mpi[@]}" --topomap=learn,name=far "$work/setuid"
    settled
    equal "nor has what runs as another user" "$alone $lines " "$status $(said | grep -c .) $(field mpi_seconds)"
    equal "nothing of it is left behind" "" "$(ls -d "$catalogue"/.spool-*/time-* 2>/dev/null)"
    mkdir -p "$catalogue/.spool-0/time-1.0-1"
    touch "$catalogue/.spool-0/time-1.0-1/node-0.kept"
    touch -d '9 days ago' "$catalogue/.spool-0/time-1.0-1"
    run "${mpi[@]}" --topomap=learn,name=far "$work/halo"
    settled
    equal "nor of sruns that were killed a week ago" "" "$(ls -d "$catalogue"/.spool-*/time-* 2>/dev/null)"
    forget
    echo '{ "format": 1, "learn_tasks": 3 }' >"$work/site.json"
    plugstack config="$work/site.json"
    objcopy -R .note.gnu.build-id "$work/halo" "$work/other" # no copy, but a program of its own
    run "${mpi[@]}" --topomap=learn "$work/other"
    contains "but not of more tasks than the site says" "$err" \
        'not recorded: the site limits recorded runs to fewer tasks'
    echo '{ "format": 1, "catalogue_mb": 1 }' >"$work/site.json"
    head -c 1100000 /dev/zero >"$catalogue/large"
    run "${mpi[@]}" --topomap=learn "$work/other"
    contains "nor into a catalogue that is larger than the site says" "$err" \
        'not recorded: your catalogue is as large as the site allows'
    rm "$catalogue/large"
    run "${mpi[@]}" --topomap=learn "$work/other"
    contains "but into one that is not" "$err" 'topomap: recording: .* first run: '
else
    skip "what is not known is recorded" "no MPICH or no pmi2"
fi
echo '{ "format": 1, "default": "learn,unit=rank", "learn_minutes": 0 }' >"$work/site.json"
run "$topomap" plan --site --config "$work/site.json"
contains "no minutes are none" "$out" 'learn_minutes: expected minutes above 0'
no_job_left "no job is left"
finish
