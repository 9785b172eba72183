#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# help.sh - what --help shows stands in the manual page and in the completion,
# and the other way round; and the completion completes
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=$TOPOMAP
manuals=$srcdir/../tools

# The options among the words on stdin, one a line.
options() {
    grep -oE -- '--[a-z][a-z-]*' | sort -u
}

# topomap WORD..., or topomap-mpi, which is a program of its own.
call() {
    case $1 in
    mpi) shift && "$topomap-mpi" "$@" ;;
    *) "$topomap" "$@" ;;
    esac
}
all=
commands=$("$topomap" --complete | sed -n 's/^VERB //p')
for command in $commands mpi; do
    [ "$command" != help ] || continue
    page=$manuals/topomap-$command.1
    # Lines of options; what else help speaks of is in some other command.
    # A command, or, where each has options of its own, its verbs.
    words=$command
    [ "$command" != grid ] || words=$("$topomap" grid --complete | sed 's/^VERB /grid /')
    while read -r word verb; do
        call "$word" ${verb:+"$verb"} --help
    done <<<"$words" >help.$$
    shown=$(grep -E '^  (-., )?--' help.$$ | sed 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/' |
        sort -u)
    all+=$shown$'\n'
    told=$(while read -r word verb; do
        call "$word" ${verb:+"$verb"} --complete
    done <<<"$words" | sed -n 's/^\(--[a-z-]*\).*/\1/p' | sort -u)
    written=$(sed -n '/^\.It .*Fl/p' "$page" | grep -oE '(Fl|,) -[a-z][a-z-]*' |
        sed 's/^[^ ]* -/--/' | sort -u)
    equal "$command: the completion knows the options of --help" "$shown" "$told"
    equal "$command: the manual has the options of --help" \
        "$(printf '%s\n' "$shown" | grep -vx -- '--help')" \
        "$(printf '%s\n' "$written" | grep -vx -- '--help')"
    # Those of the synopsis, and in the usage lines, are among them.
    unknown=$({ sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$page" |
        grep -oE 'Fl -[a-z][a-z-]*' | sed 's/^Fl -/--/'
        sed -n '/^usage:/,/^$/p' help.$$ | options; } |
        sort -u | grep -vxF -- "$shown")
    equal "$command: usage and synopsis name no other options" "" "$unknown"
    for verb in $(call "$command" --complete | sed -n 's/^VERB \([a-z]*\).*/\1/p'); do
        grep -q "^\.It Cm $verb" "$page" &&
            ok "$command $verb: the manual has it" ||
            not_ok "$command $verb: the manual has it"
    done
    equal "$command: no line of --help is longer than 80 columns" "" \
        "$(grep -vE 'topomap\.json' help.$$ | grep -E '.{81}')"
    equal "$command: what an option is stands beside it where there is room" "" \
        "$(grep -E '^  -.{0,21}$' help.$$)"
done
rm -f help.$$
# What one command calls so, others do, too; options for developers stay hidden.
n=$(sort -u <<<"$all" | grep -c .)
[ "$n" -lt 90 ] && ok "all commands: fewer than 90 long options" ||
    not_ok "all commands: fewer than 90 long options" "$n"

mkdir bin.$$
ln -s "$(command -v "$topomap")" bin.$$/topomap
PATH=$PWD/bin.$$:$PATH
# Outside of a completion, bash's own word refuses.
compopt() { :; }
# shellcheck source=/dev/null
. "$srcdir/../etc/topomap.bash-completion"
# completes WORDS EXPECTED
completes() {
    read -ra COMP_WORDS <<<"topomap $1 end"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMP_WORDS[COMP_CWORD]=${1##* }
    [[ $1 == *' ' ]] || unset 'COMP_WORDS[COMP_CWORD]'
    [[ $1 == *' ' ]] || COMP_CWORD=$((COMP_CWORD - 1))
    _topomap
    equal "completion of 'topomap $1'" "$2" "${COMPREPLY[*]}"
}
completes 'pl' 'plan place'
completes 'map --cho' '--choose'
completes 'map --choose ' 'hop-bytes pareto time auto'
completes 'map --choose = p' 'pareto'
completes 'topology ' 'show check distance links'
completes 'topology links --' '--config --partition --json --csv --help'
completes 'profile merge --' '--catalogue --json --csv --help'
completes 'map --mapper greedym' 'greedymap'
completes 'eval cycl' 'cyclic'

# Each line of help.txt is of a row of that command, or of all that use its section.
words=$manuals/tables/help.txt
while read -r section; do
    case $section in
    +*) users=$(awk -v part=" ${section#+}( |\$)" '/^\[/ { name = substr($0, 2, length - 2) }
            /^uses / && $0 ~ part { print name }' "$words") ;;
    *) users=$section ;;
    esac
    while read -r user verb; do
        # shellcheck disable=SC2086
        call "${user#-}" $verb --complete | tr ' ' '\n' | sed 's/^--//' | sort -u >help.$$
        sed -n "/^\[$section\]/,/^$/p" "$words" | sed -n 's/^\([A-Za-z|-]*\) .*/\1/p' | sort -u |
            grep -vxE 'form|about|verb|more|uses|GRAPH|PROFILE\|GRAPH' | comm -13 help.$$ - |
            sed "s/^/$user: /"
    done <<<"$users"
done < <(sed -n 's/^\[\(.*\)\]$/\1/p' "$words") >stale.$$
equal "lines of help.txt are of rows that there are" "" "$(cat stale.$$)"
rm -f stale.$$ help.$$

# srun --topomap=, by what srun itself prints; and what others complete stays.
cat >bin.$$/srun <<'SRUN'
#!/bin/sh
printf '%s\n' '--topomap=MODE[,key=value...]' '  auto        x' '  grid:4x4[:periodic]' \
    '              more' 'keys:' '  time=SECONDS   y' '  strict         z' '  seed=N' 'TOPOMAP'
SRUN
chmod +x bin.$$/srun
_others() { COMPREPLY=("others $1"); }
complete -F _others srun
# shellcheck source=/dev/null
. "$srcdir/../etc/topomap.bash-completion"
# shellcheck source=/dev/null
. "$srcdir/../etc/topomap.bash-completion"
# slurm_completes LINE EXPECTED
slurm_completes() {
    COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
    read -ra COMP_WORDS <<<"$1"
    _topomap_slurm srun
    equal "completion of '$1'" "$2" "${COMPREPLY[*]}"
}
slurm_completes 'srun -N2 --topomap=' 'auto grid:'
slurm_completes 'srun -N2 --topomap=au' 'auto'
slurm_completes 'srun --topomap=auto,' 'auto,time= auto,strict auto,seed='
slurm_completes 'srun --topomap=auto,s' 'auto,strict auto,seed='
slurm_completes 'srun --topomap=auto,time=5,se' '5,seed='
slurm_completes 'srun --part' 'others srun'
rm -rf bin.$$
equal "map --list fits a terminal" "" "$("$topomap" map --list | awk 'length > 80')"
# What is typed to topomap by contrib/attack are commands that there are.
unknown=$({
    sed -n 's/^options //p' "$srcdir/attack/seeds/words"
    sed -nE '/^(seeds|place|let) /!s/^([a-z]+ .*@)/\1/p' "$srcdir/attack/readers.txt"
    sed -nE '/^commands=/,/^\)/s/^ *"([a-z]+ .*)"$/\1/p' "$srcdir/attack/limits.sh"
} | awk '{ print $1, $1 ~ /^(grid|profile|topology)$/ ? $2 : "" }' | sort -u | while read -r word verb; do
    call "$word" ${verb:+"$verb"} --help >/dev/null 2>&1 || echo "$word $verb"
done)
equal "commands that are attacked are there" "" "$unknown"

# Scripts of contrib take a value as --x V and as --x=V, and refuse what they do not know.
while IFS='|' read -r script option says; do
    for form in "$option" "${option/=/ }"; do
        # shellcheck disable=SC2086
        said=$("$srcdir/../contrib/"$script $form 2>&1 </dev/null)
        contains "contrib/$script $form" "$? $said" "^[12] .*$says"
    done
done <<'LINES'
quickstart|--ntasks=3|--ntasks 3: a number from 8
quickstart|--nodes=1|--nodes 1: a number from 2
quickstart|--mpi=lam|--mpi lam: mpich or openmpi
quickstart|--tasks=32|--tasks: no such option
private-slurm start /tmp|--nodes=x|a count is a number
private-slurm start /tmp|--node=2|--node: no such option
in-debian|--dir=/no-such Sid|Sid: no name of a Debian suite
in-debian|--folder=/no-such sid|usage:
attack|--seconds=x|--seconds and --seed take a number
attack|--second=1|usage:
check|--slurm=1.0|usage:
check|--slurms=24.11|usage:
published|--state=/no-such --nothing|usage:
LINES

finish
