# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiles in one file each: archives.py pack|unpack TOPOMAP [--OPTION[=VALUE]]... --
FOLDER|FILE. `topomap profile pack` has read all files of the folder.

Nothing in an archive is believed: its members become files of a folder of our own,
which only this user can open, and only if each is a regular file TOP/NAME and they
are not too large together. `topomap profile unpack --folder` then reads them all, and
files them.
"""
import contextlib
import errno
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from datetime import datetime, timezone

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from catalogue import FILE, VERSION
from output import conclude, fail, output_file, print_row, read_options

# All bytes of one profile: far beyond any.
MOST = 16 << 30
PIECE = 1 << 20
NAME = re.compile("[A-Za-z0-9_+-][A-Za-z0-9._+-]{0,254}")


class Error(Exception):
    """A sentence for the user."""


def copy(source, target, most):
    """Returns how many bytes that were."""
    n = 0
    while True:
        piece = source.read(PIECE)
        n += len(piece)
        if n > most:
            raise Error("its files are larger than 16 GiB together")
        if not piece:
            return n
        target.write(piece)


def open_archive(path):
    """A file that can be read again; what comes by a pipe is put into one."""
    source = sys.stdin.buffer if path == "-" else open(path, "rb")
    if source.seekable():
        return source
    with source:
        spool = tempfile.TemporaryFile()
        copy(source, spool, MOST)
        spool.seek(0)
        return spool


def unpack_member(archive, member, top, folder):
    """Returns the bytes that it has."""
    place = member.name.split("/")
    if member.isdir():
        if place != [top]:
            raise Error(f"{member.name} is no file of a packed profile")
        return 0
    if not member.isreg():
        raise Error(f"{member.name} is no regular file, and only those are taken")
    if len(place) != 2 or place[0] != top or not NAME.fullmatch(place[1]):
        raise Error(f"{member.name} is no file of a packed profile")
    if member.size > MOST:
        raise Error("its files are larger than 16 GiB together")
    try:
        fd = os.open(place[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600,
                     dir_fd=folder)
    except FileExistsError:
        raise Error(f"{member.name} is in it twice") from None
    with open(fd, "wb") as target:
        n = copy(archive.extractfile(member), target, MOST)
    if n != member.size:
        raise Error("it is cut off")
    return n


def unpack(path, folder):
    with open_archive(path) as file:
        begin = file.tell()
        try:
            with tarfile.open(fileobj=file, mode="r:") as archive:
                left, top, names = MOST, None, []
                for member in archive:
                    top = top or member.name.split("/")[0]
                    left -= unpack_member(archive, member, top, folder)
                    if left < 0:
                        raise Error("its files are larger than 16 GiB together")
                    names.append(member.name)
                # Where tarfile meets no header it stops, and says nothing.
                file.seek(begin + archive.offset)
                end = file.read(tarfile.BLOCKSIZE)
        except tarfile.ReadError as error:
            raise Error("it is cut off" if "unexpected end" in str(error) else
                        "this does not look like a tar archive") from None
        except (tarfile.TarError, ValueError, EOFError) as error:
            raise Error(f"this does not look like a tar archive: {error}") from None
        if end != bytes(tarfile.BLOCKSIZE):
            raise Error("it is cut off or damaged")
        if f"{top}/profile.json" not in names:
            raise Error("no profile.json is in it")


def no_link(path, flags):
    """What was read, and not what others put in its place meanwhile."""
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "no regular file", path)
    return fd


def pack(option, folder):
    """The same bytes for the same profile: files without an owner, of the time when it was
    recorded, profile.json first."""
    first, path = "profile.json", option.get("output", "-")
    name = os.path.basename(folder)
    top = name if VERSION.fullmatch(name) else "profile"
    with open(os.path.join(folder, first), encoding="utf-8", opener=no_link) as file:
        recorded = datetime.strptime(json.load(file)["recorded"], "%Y-%m-%dT%H:%M:%SZ")
    others = sorted(one for one in os.listdir(folder)
                    if one != first and FILE.fullmatch(one) and ".new" not in one)
    with contextlib.nullcontext(sys.stdout) if path == "-" else output_file(path) as out:
        with tarfile.open(fileobj=out.buffer, mode="w|", format=tarfile.USTAR_FORMAT) as archive:
            for one in [first, *others]:
                with open(os.path.join(folder, one), "rb", opener=no_link) as file:
                    member = tarfile.TarInfo(f"{top}/{one}")
                    member.size = os.fstat(file.fileno()).st_size
                    member.mtime = int(recorded.replace(tzinfo=timezone.utc).timestamp())
                    archive.addfile(member, file)
        out.flush()
    if "json" in option or "csv" in option:
        print_row({"output": path, "folder": folder, "bytes": os.path.getsize(path)}, "csv" in option)
    return 0


def main(argv):
    verb, topomap, options, (path,) = read_options(argv)
    option = dict(options)
    if verb == "pack":
        try:
            return pack(option, path)
        except OSError as error:
            where = error.filename or f"cannot write {option.get('output', 'stdout')}"
            fail(f"{where}: {error.strerror}", "json" in option)
            return 1
    name = "stdin" if path == "-" else path
    folder = tempfile.mkdtemp(prefix="topomap-")
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            unpack(path, fd)
        finally:
            os.close(fd)
        words = [f"--{key}" + ("" if value is None else f"={value}") for key, value in options]
        return subprocess.run([topomap, "profile", "unpack", name, f"--folder={folder}", *words],
                              stdin=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        fail(f"{error.filename or name}: {error.strerror}", "json" in option)
    except Error as error:
        fail(f"{name}: {error}", "json" in option)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1


if __name__ == "__main__":
    conclude(main)
