#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# doctor_faults.sh - an installation with one fault after another: topomap doctor
# finds each, says what to do, and finds nothing else
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

cluster_start --nodes 4
# An installation is root's, also where another user built it.
mkdir "$work/lib"
cp "$plugin" "$STAGE_SPANKDIR"/topomap-{options,hwloc}.so "$work/lib"
plugin=$work/lib/topomap.so stub=$work/lib/topomap-options.so
PATH=$(dirname "$topomap"):$PATH
good() { printf 'optional %s program=%s %s\noptional %s\n' "$plugin" "$topomap" "$*" "$stub" >"$work/etc/plugstack.conf"; }

# finding MARK SUBJECT PATTERN: such a line, wherever it stands.
finding() { contains "$fault: $2 $1" "$out" "^$2  *$1  $3"; }
# fault NAME STATUS [OPTION...]: all that takes no step.
fault()
{
    local expected=$2
    fault=$1
    shift 2
    run topomap doctor "$@"
    equal "$fault: ends with $expected" "$expected" "$status"
    wrong=$(printf '%s\n' "$out" | grep -c '  !!  ')
}
only() { equal "$fault: that alone" "$1" "$wrong"; }

good default=auto,strict
fault "a default that ends steps" 1
only 1
finding '!!' plugstack "$work/etc/plugstack.conf:1: default=auto,strict: no default takes strict,.*"

good
fault "all is well" 0
only 0
finding ok plugstack ".*plugstack.conf:1$"
finding ok plugin ".*/topomap.so$"
finding ok plugin ".*/topomap-options.so$"
finding ok plugin ".*/topomap-hwloc.so$"
finding ok srun ".* loads the plugin$"
finding ok helper ".*/topomap$"
finding ok PATH ".*/topomap$"
finding ok network "4 of 4 nodes are in the topology"
finding ok links "[0-9]* links, which count as equally fast"
finding ok time "[0-9]* ranks on all 4 nodes of partition "
finding ok catalogue "$catalogue: 0 versions, "
finding -- steps "none were started"
contains "all is well: how steps are started" "$out" '^  *-> topomap doctor --launch starts two, --mpi TYPE'
run topomap doctor --json
equal "as JSON: ends well" "0 0" "$status $(printf '%s\n' "$out" | sed -n 's/^  "wrong": //p')"
equal "as JSON: every line is there" "$(topomap doctor | grep -c '^[a-zA-Z]')" "$(grep -c '"verdict"' <<<"$out")"

# --- how Slurm loads it
echo "# nothing" >"$work/etc/plugstack.conf"
fault "no line loads it" 1
only 2
finding '!!' plugstack "no line of $work/etc/plugstack.conf, nor of what it includes, loads topomap.so$"
finding '!!' srun ".* does not know --topomap"
run topomap doctor --launch
equal "no line loads it: launch" 1 "$status"
contains "no line loads it: srun's word" "$out" '^launch  *!!  srun --topomap=.*: '

good
printf '# and the prefix\noptional %s default=auto\n' "$STAGE_SPANKDIR/topomap.so" >"$work/etc/more.conf"
echo 'include more.conf' >>"$work/etc/plugstack.conf"
fault "two copies of the plugin" 0
finding '!' plugstack " *two lines load topomap.so: $work/etc/plugstack.conf:1 and $work/etc/more.conf:2$"
finding ok srun ".* loads the plugin$"

echo "include $work/etc/plugstack.conf.d/*.conf" >"$work/etc/plugstack.conf"
mkdir "$work/etc/plugstack.conf.d"
echo "required $plugin program=$topomap" >"$work/etc/plugstack.conf.d/topomap.conf"
fault "required, and no stub, in a file that is included" 0
finding '! ' plugstack ".*/plugstack.conf.d/topomap.conf:1: required$"
finding '! ' plugstack "after an upgrade of Slurm scripts that say --topomap will be refused"
contains "$fault: what to add" "$out" "^  *-> add .optional $stub' below$"

printf 'optional %s\n' "$plugin colour=red" >"$work/etc/plugstack.conf"
fault "a word that is none" 1
finding '!!' plugstack "$work/etc/plugstack.conf:1: \"colour=red\" is not one of catalogue=/DIR"
run srun -N1 -n1 echo ran
equal "$fault: a job whose user did not ask" "0 ran " "$status $out $err"
run srun -v -N1 -n1 echo ran
contains "$fault: srun -v has it" "$err" 'topomap: plugstack.conf: "colour=red" is not one of'
run srun -N1 -n1 --topomap=off echo ran
contains "$fault: so does a user who typed the option" "$err" 'topomap: plugstack.conf: "colour=red" is not one of'
printf '# and\ninclude %s\n' "$work/none/topomap.conf" >"$work/etc/plugstack.conf"
fault "an include of a file that is not there" 1
only 2
finding '!!' plugstack "no line loads topomap.so:$"
contains "$fault: which" "$out" "^  *$work/etc/plugstack.conf:2 includes $work/none/topomap.conf, which does not exist$"
equal "$fault: no other advice" "" "$(grep -e 'headers' -e 'add .optional' <<<"$out")"
printf 'include %s\n' "$work/none/*.conf" >"$work/etc/plugstack.conf"
fault "an include of a pattern that matches nothing" 1
contains "$fault: which" "$out" "^  *$work/etc/plugstack.conf:1 includes $work/none/\*.conf, which matches no file$"

printf 'optional %s/none/topomap.so\noptional %s\n' "$work" "$stub" >"$work/etc/plugstack.conf"
fault "the plugin is not there, its stub is" 1
only 2
finding '!!' plugin ".*plugstack.conf:1: no $work/none/topomap.so$"
finding '!!' srun ".*: topomap.so is not loaded: --topomap is known, and does nothing$"

mkdir "$work/copy"
cp "$plugin" "$work/copy/topomap.so"
printf 'optional %s/copy/topomap.so program=%s\noptional %s\n' "$work" "$topomap" "$stub" >"$work/etc/plugstack.conf"
chmod 666 "$work/copy/topomap.so"
fault "everybody may change the plugin" 1
only 1
finding '! ' plugin "there is no $work/copy/topomap-hwloc.so$"
finding '!!' plugin "topomap.so: $work/copy/topomap.so: everybody may write to it$"
chmod 644 "$work/copy/topomap.so"
chown nobody "$work/copy"
fault "its folder is a user's" 1
only 1
finding '!!' plugin "topomap.so: $work/copy belongs to user [0-9]*, not to root$"
chown root "$work/copy"
chmod 600 "$work/copy/topomap.so"
fault "users cannot read it" 1
only 1
finding '!!' plugin "$work/copy/topomap.so: not everybody may read it$"
chmod 644 "$work/copy/topomap.so"
head -c 1000 "$plugin" >"$work/copy/topomap.so"
printf 'optional %s/copy/topomap.so program=%s\n' "$work" "$topomap" >"$work/etc/plugstack.conf"
fault "half a plugin" 1
finding '!!' srun "srun --help ends by signal 7: so does every job$"

# What contrib/private-slurm --prefix writes: the line of README, else both plugins.
written()
{
    # shellcheck disable=SC2016
    bash -uc 'eval "$(sed -n "/^write_plugstack() {/,/^}/p" "$0")"; prefix=$1 plugstack=""; write_plugstack' "$private_slurm" "$1"
}
mkdir -p "$work/prefix/lib/slurm" "$work/prefix/etc/slurm/plugstack.conf.d"
cp "$plugin" "$stub" "$work/prefix/lib/slurm"
included=$work/prefix/etc/slurm/plugstack.conf.d/topomap.conf
echo "optional $plugin" >"$included"
equal "--prefix: both plugins, where the installed file names others" \
    "optional $work/prefix/lib/slurm/topomap.so optional $work/prefix/lib/slurm/topomap-options.so" "$(written "$work/prefix" | xargs)"
echo "optional $work/prefix/lib/slurm/topomap.so" >"$included"
equal "--prefix: the installed file" "include $included" "$(written "$work/prefix")"

# --- the prefix: the plugin runs the command of the one that it was built for
printf 'optional %s\noptional %s\n' "$plugin" "$stub" >"$work/etc/plugstack.conf"
run topomap doctor
fault="a prefix that was moved"
finding '! ' prefix "built for /.*/topomap, and run as $topomap: launches run the former"
LC_ALL=C sed 's,/bin/topomap\x00,/bix/topomap\x00,' "$plugin" >"$work/copy/topomap.so"
printf 'optional %s/copy/topomap.so\noptional %s\n' "$work" "$stub" >"$work/etc/plugstack.conf"
run topomap doctor
fault="a plugin of another prefix"
finding '! ' prefix "plugstack.conf loads a plugin that runs /.*/bix/topomap, and this is $topomap: two installations"
finding '!!' helper "/.*/bix/topomap: No such file or directory"
printf 'optional %s program=%s\noptional %s\noptional %s program=%s\n' "$plugin" "$topomap" "$stub" "$plugin" "$topomap" >"$work/etc/plugstack.conf"
fault "the plugin twice" 0
finding '! ' plugstack "two lines load topomap.so: .*plugstack.conf:1 and .*plugstack.conf:3"

# --- the command that it runs
printf '#!/bin/sh\necho topomap 0.0.7\n' >"$work/copy/old"
chmod 755 "$work/copy/old"
printf 'optional %s program=%s\noptional %s\n' "$plugin" "$work/copy/old" "$stub" >"$work/etc/plugstack.conf"
fault "a command of another version" 1
only 1
finding '!!' helper "$work/copy/old, which the plugin runs, is not .*: topomap 0.0.7$"
chmod 700 "$work/copy/old"
fault "a command that is root's alone" 1
only 1
finding '!!' helper "$work/copy/old: not everybody may run it$"
rm "$work/copy/old"
fault "no command" 1
only 1
finding '!!' helper "$work/copy/old: No such file or directory$"
contains "no command: what to do" "$out" '^  *-> install it again, or name it by program= in plugstack.conf$'
good
fault="not in PATH"
out=$(PATH=${PATH#*:} "$topomap" doctor)
finding '! ' PATH "topomap is not in it"

fault="no Slurm that answers"
mkdir "$work/deaf"
for name in scontrol srun sinfo; do
    printf '#!/bin/sh\necho %s >>%s\necho "%s: error: no slurmctld" >&2\nexit 1\n' "$name" "$work/asked" "$name" >"$work/deaf/$name"
    chmod 755 "$work/deaf/$name"
done
PATH=$work/deaf:$PATH run topomap doctor
equal "$fault: ends with 1" 1 "$status"
finding '!!' slurm 'scontrol show config: scontrol: error: no slurmctld$'
finding -- network 'which nodes there are'
finding ok recorder '.*'
equal "$fault: is asked no more" "scontrol" "$(grep -v srun "$work/asked")"
PATH=$work/deaf:$PATH run topomap doctor --launch
equal "$fault: no launch, no success" 1 "$status"
finding -- launch 'srun: srun: error: no slurmctld$'

# --- the site file, and the network
site=$work/site.json
echo '{ "format": 1, "topology": { "type": "tree", "hsts": 3 } }' >"$site"
fault "a site file with a word that is none" 1 --config "$site"
only 1
finding '!!' network "$site:.*hsts"
equal "that file: no plan is tried by it" "" "$(grep '^time' <<<"$out")"
echo '{ "format": 1, ' >"$site"
fault "half a site file" 1 --config "$site"
only 1
finding '!!' 'site file' "$site:.*"
echo '{ "format": 1, "topology": { "type": "torus", "dims": [2, 2], "hosts": "n[0-1],x[0-1]" } }' >"$site"
fault "nodes without a place" 1 --config "$site"
only 1
finding '!!' network "2 of 4 nodes are in the topology"
contains "nodes without a place: which" "$out" '^  *without a place: n2 n3$'
equal "nodes without a place: no plan is tried" "" "$(grep '^time' <<<"$out")"
echo '{ "format": 1, "topology": { "type": "file", "path": "network" } }' >"$site"
printf 'flat:4\nhosts n[0-3]\n' >"$work/network"
chmod 666 "$work/network"
fault "everybody may change the network's file" 1 --config "$site"
only 1
finding '!!' network "$work/network: everybody may write to it$"
finding ok network "4 of 4 nodes are in the topology (flat network of 4 hosts, from $work/network)"
rm "$work/network"
echo '{ "format": 1, "default": "auto,dry-run" }' >"$site"
fault "a default that stops the jobs of all" 1 --config "$site"
finding '!!' 'site file' "$site:1: key default: no default takes dry-run,.*"
echo '{ "format": 1, "default": "learn" }' >"$site"
fault "a site file that says nothing of the network" 0 --config "$site"
finding ok network "4 of 4 nodes are in the topology"
echo '{ "format": 1 }' >"$site"
chmod 666 "$site"
fault "everybody may change the site file" 1 --config "$site"
only 1
finding '!!' 'site file' "$site: everybody may write to it$"
chmod 644 "$site"

# A command whose site file is broken: what it prints as JSON is shown as a sentence, once.
fault="a site file that is broken for all commands"
cat >"$work/copy/broken" <<SCRIPT
#!/bin/sh
case "\$*" in
"doctor --facts "*) $topomap "\$@" | sed 's,^\( *"recorders": "\).*",\1$work/copy/",'; exit ;;
profile*) echo '{"error": "'"\$WHY"'", "status": 1}' >&2; exit 1 ;;
esac
exec $topomap "\$@"
SCRIPT
chmod 755 "$work/copy/broken"
doctor=(python3 -B "$STAGE_LIBEXECDIR/topomap/doctor.py" doctor "$work/copy/broken")
run env WHY="it is broken" "${doctor[@]}" --
finding '!!' catalogue "$catalogue: it is broken$"
echo '{ "format": 1, "colour": 3 }' >"$site"
why=$("$topomap" doctor --json --config "$site" | sed -n 's/^ *"text": "\(.*colour.*\)",*$/\1/p')
run env WHY="$why" "${doctor[@]}" "--config=$site" --
finding '!!' 'site file' ".*colour"
equal "$fault: once" "1 " "$(grep -c colour <<<"$out") $(grep '^catalogue' <<<"$out")"

fault="a recorder that is gone"
cp "$STAGE_LIBDIR"/libcommprof*.so "$work/copy"
gone=$(find "$work/copy" -name 'libcommprof-[mo]p*.so' | head -n 1)
if [ -n "$gone" ]; then
    rm "$gone"
    run env WHY=x "${doctor[@]}" --
    finding '!!' recorder "${gone##*/}: installed for [MO].*, and not there$"
    equal "$fault: that one" 1 "$(grep -c '^[rp].*and not there' <<<"$out")"
else
    skip "$fault" "no recorder was built"
fi

# --- catalogues
printf '4 3 001\n2 5\n1 5 3 7\n2 7 4 1\n3 1\n' >"$work/four.graph"
version=$(topomap profile import "$work/four.graph" --name four)
fault "a profile" 0
finding ok catalogue "$catalogue: 1 version, "
head -c 100 "$version/profile.json" >"$work/half" && cat "$work/half" >"$version/profile.json"
fault "half a profile" 1
only 1
finding '!!' catalogue "$catalogue: 1 of 1 versions cannot be read$"
chmod 777 "$catalogue"
fault "a catalogue where all may write" 1
only 1
finding '!!' catalogue "$catalogue is refused: everybody may write to it$"
chmod 755 "$catalogue"
rm -r "$catalogue/four"
good catalogue="$work/none"
fault "a catalogue of the site that is not there" 0
finding '! ' catalogue "$work/none: there is none yet$"
good

# --- the log
good log="$work/notes"
fault "a log that is not there" 1
only 1
finding '!!' log "$work/notes: there is no such folder$"
touch "$work/notes"
fault "a log that is no folder" 1
finding '!!' log "cannot open the folder $work/notes: Not a directory$"
rm "$work/notes"
for row in '777 1 !! is refused: everybody may write to it' \
    '755 0 ! : not every user may write to it' '1733 0 ok ' '3773 0 ok '; do
    read -r mode ends mark says <<<"$row"
    rm -rf "$work/notes"
    mkdir "$work/notes"
    chmod "$mode" "$work/notes"
    fault "a log of mode $mode" "$ends"
    finding "$mark *" log "$work/notes *$says$"
done
echo "{ \"format\": 1, \"log\": \"$work/none\" }" >"$site"
good
fault "a log in the site file that is not there" 1 --config "$site"
finding '!!' log "$work/none: there is no such folder$"

# --- steps
run topomap doctor --launch --nodes 'n[0-3]'
equal "steps: all is well" 0 "$status"
contains "steps: ranks move" "$out" '^launch  *ok  ranks 0 1 2 3 on n\([0-3]\) n\([0-3]\) n\1 n\2, as planned'
equal "steps: none of them is in the history" "" "$(topomap history 2>/dev/null; topomap history --summary 2>/dev/null)"
contains "steps: every node is the same" "$out" '^nodes  *ok  4 of 4 have the same plugin'

# Nodes that really differ: what is mounted over a file in the namespace of one slurmd.
# on NODE COMMAND...: there; false where nodes have no namespace.
on()
{
    local pid
    read -r pid _ <"$work/pid/slurmd.$1" || return 1
    [ "$(readlink "/proc/$pid/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ] || return 1
    shift
    nsenter -m -t "$pid" "$@"
}
recorder=$STAGE_LIBDIR/libcommprof-mpich.so
[ -e "$recorder" ] || recorder=$STAGE_LIBDIR/libcommprof-openmpi.so
mkdir "$work/other"
cp "$plugin" "$work/other/topomap.so"
echo "another build" >>"$work/other/topomap.so"
echo "no recorder" >"$work/other/recorder"
if on n1 mount --bind "$work/other/topomap.so" "$plugin" 2>/dev/null; then
    run topomap doctor --nodes 'n[0-3]'
    equal "another plugin on one node: ends with 1" 1 "$status"
    contains "another plugin on one node: which" "$out" '^nodes  *!!  1 of 4 have another than this machine: n1$'
    contains "another plugin on one node: what" "$out" "^  *plugin $plugin [0-9a-f]*$"
    on n1 umount "$plugin"
    on n2 mount --bind "$work/other/recorder" "$recorder"
    on n3 mount -t tmpfs tmpfs "$(dirname "$recorder")"
    run topomap doctor --nodes 'n[0-3]'
    equal "another recorder, and none: ends with 1" 1 "$status"
    contains "another recorder: where" "$out" '^nodes  *!!  .* have another than this machine: .*n2'
    contains "no recorder: where" "$out" '^nodes  *!!  .*n3'
    on n2 umount "$recorder"
    on n3 umount "$(dirname "$recorder")"
    { cat "$work/etc/plugstack.conf" && echo "# of n1"; } >"$work/other/plugstack.conf"
    on n1 mount --bind "$work/other/plugstack.conf" "$work/etc/plugstack.conf"
    run topomap doctor --nodes 'n[0-3]'
    equal "another plugstack.conf: a warning" 0 "$status"
    contains "another plugstack.conf: where" "$out" '^nodes  *!   1 of 4 have another plugstack.conf than this machine: n1$'
    on n1 umount "$work/etc/plugstack.conf"
    run topomap doctor --nodes 'n[0-3]'
    equal "mended: all is well" 0 "$status"
else
    skip "nodes that really differ" "no namespaces here"
fi

# Two nodes with something else, and one that says nothing: srun is a script.
mkdir "$work/bin"
cat >"$work/bin/srun" <<SCRIPT
#!/bin/sh
while [ "\$1" != "$topomap" ]; do shift; done
for node in n0 n1 n2; do
    "\$@" | sed "s,^topomap-doctor-here -,topomap-doctor-here \$node," |
        if [ \$node = n0 ]; then cat; else sed 's,^\(.* helper .*\) .*,\1 0123456789abcdef,'; fi
done
echo "srun: error: n3: task 3: Exited with exit code 2" >&2
exit 2
SCRIPT
chmod +x "$work/bin/srun"
PATH=$work/bin:$PATH run topomap doctor --nodes 'n[0-3]'
equal "nodes that differ: ends with 1" 1 "$status"
contains "nodes that differ" "$out" '^nodes  *!!  2 of 4 have another than this machine: n1 n2$'
contains "nodes that differ: in what" "$out" '^  *helper .* 0123456789abcdef$'
contains "a node that says nothing" "$out" '^nodes  *!!  1 of 4 do not run it: n3$'

run topomap doctor --srun "$work/bin/none"
contains "another srun, that is not there" "$out" "^srun  *!!  cannot run $work/bin/none: "
run topomap doctor --program x
equal "--program is for --mpi" 2 "$status"
finish
