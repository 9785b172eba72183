#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# linked.sh - the recorder linked into programs, as commprof(1) says: with MPI in
# the program as well, with nothing but static libraries, with a shared MPI; it
# records when the recorder is asked for, and never twice.
# shellcheck source=tests/system/recorded.sh
. "$(dirname "$0")/recorded.sh"
archive=$STAGE_LIBDIR/libcommprof-mpich.a mpi=mpich mpicc=${MPICC_MPICH-} recorder=/nowhere/libcommprof.so
[ -n "$mpicc" ] && [ -e "$archive" ] || skip_all "the recorder for MPICH is not built"
! nm "$archive" 2>/dev/null | grep -qE 'U __(a|t|ub)san_' ||
    skip_all "a library with sanitizers asks its users for them"
export UCX_TLS=posix,self

# What mpicc adds, with MPICH itself as an archive.
show=$("$mpicc" -show 2>/dev/null)
folder=$(for word in $show -L/usr/lib; do [ "${word#-L}" = "$word" ] || echo "${word#-L}"; done |
    while read -r path; do [ ! -e "$path/libmpich.a" ] || echo "$path"; done | head -n 1)
flags=$(for word in $show; do case $word in -I*) echo "$word" ;; esac; done)

# built NAME WORD...: recorder_p2p.c with those; whether that could be done.
built()
{
    local name=$1
    shift
    # shellcheck disable=SC2086
    cc -w $flags -o "$name" "$srcdir/programs/recorder_p2p.c" "$@" >compile.txt 2>&1
}

# runs NAME: recorded when it is asked for, else as if nothing were there.
runs()
{
    rm -rf filed
    launch 4 "./$1"
    equal "$1: nothing is recorded unasked" "0 " "$status $(said)$(ls -A filed 2>/dev/null)"
    record 4 "./$1"
    agrees "$1"
    equal "$1: one profile" 1 "$(said | grep -c 'recorded: 4 of 4 tasks of .*; filed in')"
}

equal "the archive has the names of MPI alone" "" \
    "$(nm "$archive" 2>/dev/null | awk 'NF == 3 && $2 ~ /^[A-TV-Z]$/ && $3 !~ /^MPI_/')"
equal "libcommprof.a is a name of it" "libcommprof-mpich.a" "$(readlink "$STAGE_LIBDIR/libcommprof.a")"
if [ -n "$folder" ] && built inside -Wl,-u,MPI_Init "$archive" "$folder/libmpich.a" -lhwloc -lucp -lucs -lpthread; then
    runs inside
    contains "inside: topomap knows that it can be recorded" \
        "$("$TOPOMAP" profile recorder ./inside)" '^recorder .*libcommprof'
    equal "inside: and no word of that it has no MPI" "" "$("$TOPOMAP" profile recorder ./inside | grep nompi)"
    recorder=$STAGE_LIBDIR/libcommprof.so
    record 4 ./inside
    equal "inside, the other recorder loaded as well: one profile" "1 1" \
        "$(said | grep -c 'filed in') $(find filed -name 'r*' -type d | wc -l)"
    recorder=/nowhere/libcommprof.so
else
    skip "MPICH as an archive" "it does not link here"
fi

# hwloc asks udev, of which there is no archive, and can do without. UCX's parts
# name themselves in constructors.
cat >udev.c <<'END'
void *udev_new(void) { return 0; }
void *udev_unref(void *a) { return a; }
void *udev_device_new_from_subsystem_sysname(void) { return 0; }
void *udev_device_unref(void *a) { return a; }
void *udev_device_get_property_value(void) { return 0; }
END
if [ -n "$folder" ] && built alone -static udev.c -Wl,-u,MPI_Init "$archive" "$folder/libmpich.a" \
    -Wl,--whole-archive "$folder"/libuc[spmt].a -Wl,--no-whole-archive \
    -Wl,--start-group "$folder/libhwloc.a" -lpthread -ldl -lm -lnuma -Wl,--end-group; then
    runs alone
    contains "alone: topomap knows that it can be recorded" \
        "$("$TOPOMAP" profile recorder ./alone)" '^recorder .*libcommprof'
    strip alone
    contains "alone, stripped: that, too" "$("$TOPOMAP" profile recorder ./alone)" '^recorder .*libcommprof'
else
    skip "nothing but archives" "it does not link here"
fi

"$mpicc" -w -o shared "$srcdir/programs/recorder_p2p.c" "$archive" >compile.txt 2>&1
runs shared
recorder=$STAGE_LIBDIR/libcommprof.so
record 4 ./shared
agrees "shared, the other recorder loaded as well"
equal "shared, the other recorder loaded as well: one profile" "1 1" \
    "$(said | grep -c 'filed in') $(find filed -name 'r*' -type d | wc -l)"
finish
