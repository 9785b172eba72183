#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# syslog.sh - log=syslog: lines arrive whole, at rsyslog where that is installed, and
# no launch waits for a daemon that takes nothing. /dev/log is one of this test's own: in
# a mount namespace.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
case $srcdir in /*) ;; *) srcdir=$(cd "$srcdir" && pwd) ;; esac
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
topomap=$TOPOMAP
[ "$(id -u)" = 0 ] || skip_all "needs root: a /dev of its own"
command -v python3 >/dev/null || skip_all "no python3"
if [ -z "${SYSLOG_INSIDE-}" ]; then
    unshare --mount --propagation private true 2>/dev/null || skip_all "no mount namespaces here"
    SYSLOG_INSIDE=1 exec unshare --mount --propagation private "$BASH" "$0"
fi
work=$(mktemp -d) || exit 99
daemon=""
end_daemon()
{
    [ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null
    daemon=""
}
trap 'end_daemon; umount -l /dev "$work"/dev/* 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$work/dev"
for file in null zero full random urandom; do
    touch "$work/dev/$file" && mount --bind "/dev/$file" "$work/dev/$file" || skip_all "no mounts here"
done
log=$work/dev/log
lines=$work/lines
export TOPOMAP_CATALOGUE=$work/catalogue
mount --rbind "$work/dev" /dev || skip_all "no mount over /dev here"

# ended STEP: srun tells the end of that step of job 1.
ended()
{
    printf 'step 1.%d\nseconds 2.5\noutcome placed\nasked site\nprogram app\nntasks 8\nnnodes 4\nwhy because "%0300d"\n' "$1" "$1" |
        "$topomap" history --ended - --log syslog
}
# launched STEP: and its launch.
launched() { "$topomap" plan --facts "$srcdir/attack/seeds/facts" --work 3 --step "1.$1" --log syslog >"$work/plan" 2>&1; }
own() { cat "$work"/catalogue/.history/steps-* 2>/dev/null; }
# until_there COMMAND...: in the end it is so, or a test behind it says that it is not.
until_there() { for _ in {1..600}; do ! "$@" || return 0; sleep 0.1; done; }
# arrived N: N lines, all of them ended.
arrived() { [ -e "$lines" ] && [ "$(grep -c '{.*}$' "$lines")" -ge "$1" ]; }

# Binds the socket, and appends what comes to a file, a line a message. "full": only
# after a line on stdin, with its queue filled up before.
cat >"$work/receiver" <<'END'
import os, socket, sys
path, lines, mode = sys.argv[1:]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(path)
if mode == "full":
    filler = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    filler.setblocking(False)
    filler.connect(path)
    try:
        while True:
            filler.send(b"<14>filler")
    except BlockingIOError:
        pass
    filler.close()
    print("full", flush=True)
    sys.stdin.readline()
out = os.open(lines, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
if mode == "read":
    print("ready", flush=True)
while True:
    message = receiver.recv(1 << 16)
    if message != b"<14>filler":
        os.write(out, message.rstrip(b"\n\0") + b"\n")
END
python3 "$work/receiver" "$log" "$lines" read >"$work/said" 2>&1 &
daemon=$!
until_there grep -q ready "$work/said"

# try NAME: twenty at once, then a launch.
try()
{
    local pids="" i
    for i in {1..20}; do
        ended "$i" >/dev/null 2>&1 &
        pids="$pids $!"
    done
    for i in $pids; do wait "$i"; done
    until_there arrived 20
    equal "$1: twenty at once, each a line" "20 20" \
        "$(grep -c . "$lines") $(sed -n 's/.*"step": \([0-9]*\),.*/\1/p' "$lines" | sort -nu | grep -c .)"
    contains "$1: by a name of their own" "$(head -n 1 "$lines")" 'topomap\[[0-9]*\]: {"format": 1, "event": "end", '
    equal "$1: as the user's own history has them" "$(own | grep '"event": "end"' | sort)" \
        "$(sed 's/^[^{]*//' "$lines" | sort)"
    equal "$1: topomap history reads them" "20 placed" \
        "$("$topomap" history --log "$lines" --json | sed -n 's/.*"outcome": "\([a-z]*\)".*/\1/p' | sort | uniq -c | xargs)"
    launched 21
    until_there arrived 21
    contains "$1: and a launch" "$(tail -n 1 "$lines")" '"event": "launch", .*"job": 1, "step": 21, .*}$'
    equal "$1: whose map is nobody else's" 0 "$(grep -c '"map"' "$lines")"
    end_daemon
    rm -rf "$log" "$lines" "$TOPOMAP_CATALOGUE"
}
try "a socket"

if command -v rsyslogd >/dev/null; then
    cat >"$work/rsyslog.conf" <<END
module(load="imuxsock" SysSock.Name="$log" SysSock.RateLimit.Interval="0")
template(name="whole" type="string" string="%TIMESTAMP% %HOSTNAME% %syslogtag%%msg:::sp-if-no-1st-sp%%msg:::drop-last-lf%\n")
:programname, isequal, "topomap" action(type="omfile" file="$lines" template="whole")
END
    rsyslogd -n -f "$work/rsyslog.conf" -i "$work/rsyslog.pid" >"$work/said" 2>&1 &
    daemon=$!
    until_there test -S "$log"
    try rsyslog
else
    skip "rsyslog" "it is not installed"
fi

# A daemon that takes nothing: its queue is full before and when the commands are over.
mkfifo "$work/word"
python3 "$work/receiver" "$log" "$lines" full <"$work/word" >"$work/said" 2>&1 &
daemon=$!
exec 9>"$work/word"
until_there grep -q full "$work/said"
launched 2
equal "a full queue: a launch does not wait, and gets its plan" "0 yes" "$? $([ -s "$work/plan" ] && echo yes)"
# srun waits for this one a second, and leaves it alone then.
ended 1 >/dev/null 2>&1 &
ending=$!
equal "nothing has been taken" no "$([ -e "$lines" ] && echo yes || echo no)"
# No file may be there yet.
own_has() { own | grep -q "\"event\": \"$1\""; }
contains "the user's own history has it" "$(until_there own_has end; own)" '"event": "end", '
echo go >&9
exec 9>&-
until_there arrived 2
wait "$ending"
equal "who notes the end of a step waits alone" 0 $?
equal "what waits alone is written when the daemon goes on" "1 end 2 launch" \
    "$(sed -n 's/.*"event": "\([a-z]*\)".*"step": \([0-9]*\),.*/\2 \1/p' "$lines" | sort | xargs)"

# Last of all: who notes this launch may still look for a daemon when others begin.
end_daemon
rm -rf "$log" "$TOPOMAP_CATALOGUE"
equal "no daemon: the end is noted" "0 1" "$(ended 0 >/dev/null 2>&1; echo $?) $(own | grep -c .)"
launched 0
equal "and a launch gets its plan" 0 $?
until_there own_has launch
finish
