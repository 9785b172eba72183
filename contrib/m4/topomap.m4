dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl topomap.m4 - the probes of configure.ac that take more than a line

dnl TOPOMAP_PROBE_FLAGS(VARIABLE, FLAGS): appends those of FLAGS to VARIABLE
dnl that the C compiler takes without a word.
AC_DEFUN([TOPOMAP_PROBE_FLAGS], [
  for topomap_flag in $2; do
    AC_MSG_CHECKING([whether $CC takes $topomap_flag])
    topomap_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $topomap_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[int topomap_probe;]], [[]])],
      [AC_MSG_RESULT([yes])
       $1="${$1:+$$1 }$topomap_flag"],
      [AC_MSG_RESULT([no])])
    CFLAGS=$topomap_saved_CFLAGS
  done
])

dnl TOPOMAP_PROBE_FORTIFY: sets topomap_fortify to the highest level of
dnl _FORTIFY_SOURCE that compiler and C library know: an unknown one is a warning
dnl of the headers, or silently the one below.
AC_DEFUN([TOPOMAP_PROBE_FORTIFY], [
  AC_MSG_CHECKING([the level of _FORTIFY_SOURCE])
  topomap_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <string.h>
#if __USE_FORTIFY_LEVEL < 3
#error lower
#endif]], [[]])], [topomap_fortify=3], [topomap_fortify=2])
  CFLAGS=$topomap_saved_CFLAGS
  AC_MSG_RESULT([$topomap_fortify])
])

dnl TOPOMAP_PROBE_MPI(COMPILER, REQUIRED): asks an MPI compiler wrapper for the
dnl flags that find its mpi.h, and mpi.h for its ABI. Sets
dnl topomap_mpicc_<abi>, MPICH_CPPFLAGS or OPENMPI_CPPFLAGS; only headers are
dnl taken, since the recorder links no MPI library. A wrapper that was asked
dnl for by name and does not work is an error; one merely looked for is not. The
dnl first of an ABI counts.
dnl topomap_links_<abi> is yes where it makes whole programs, too, which topomap
dnl doctor's is.
AC_DEFUN([TOPOMAP_PROBE_MPI], [
  AC_MSG_CHECKING([the MPI of $1])
  topomap_abi=none topomap_flags=
  if command -v "$1" >/dev/null 2>&1; then
    topomap_shown=`"$1" --showme:compile 2>/dev/null || "$1" -show 2>/dev/null`
    for topomap_word in $topomap_shown; do
      case $topomap_word in
        -I*|-D*) topomap_flags="$topomap_flags $topomap_word" ;;
      esac
    done
    topomap_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $topomap_flags"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OPEN_MPI
#error other
#endif]], [[]])], [topomap_abi=openmpi],
      [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if !defined MPICH_VERSION && !defined I_MPI_VERSION && !defined CRAY_MPICH_VERSION
#error other
#endif]], [[]])], [topomap_abi=mpich])])
    CPPFLAGS=$topomap_saved_CPPFLAGS
  fi
  AC_MSG_RESULT([$topomap_abi])
  topomap_links=no
  AS_IF([test $topomap_abi != none],
    [AC_LANG_CONFTEST([AC_LANG_PROGRAM([[#include <mpi.h>]],
                                       [[MPI_Init(0, 0); MPI_Finalize();]])])
     "$1" -o conftest$EXEEXT conftest.$ac_ext >&AS_MESSAGE_LOG_FD 2>&1 &&
       topomap_links=yes
     rm -f conftest*])
  case $topomap_abi in
    mpich) test -n "$topomap_mpicc_mpich" || {
        topomap_mpicc_mpich=$1 MPICH_CPPFLAGS=$topomap_flags
        topomap_links_mpich=$topomap_links
      } ;;
    openmpi) test -n "$topomap_mpicc_openmpi" || {
        topomap_mpicc_openmpi=$1 OPENMPI_CPPFLAGS=$topomap_flags
        topomap_links_openmpi=$topomap_links
      } ;;
    none)
      if test "$2" = yes; then
        command -v "$1" >/dev/null 2>&1 || AC_MSG_ERROR([$1 (--with-mpicc) is not found])
        AC_MSG_ERROR([$1 finds no mpi.h of the MPICH ABI or of Open MPI])
      fi ;;
  esac
])

dnl TOPOMAP_PROBE_RELOCATABLE(VARIABLE): what ld -r needs besides, so that its
dnl output is machine code under -flto as well.
AC_DEFUN([TOPOMAP_PROBE_RELOCATABLE], [
  AC_MSG_CHECKING([whether $CC takes -flinker-output=nolto-rel])
  topomap_saved_LDFLAGS=$LDFLAGS
  LDFLAGS="-flinker-output=nolto-rel -nostdlib -r"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[int topomap_probe;]])],
    [AC_MSG_RESULT([yes])
     $1=-flinker-output=nolto-rel],
    [AC_MSG_RESULT([no])
     $1=])
  LDFLAGS=$topomap_saved_LDFLAGS
])
