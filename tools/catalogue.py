# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keeps catalogues of profiles: catalogue.py list|rm|prune TOPOMAP [--OPTION[=VALUE]]...
-- [OPERAND], which `topomap profile` becomes when it knows the catalogues and the version
that are meant.

Folders below a root are opened one by one, relative to the one above and through no link,
and judged by what is open: what is removed is what was looked at, even if others rename or
link meanwhile. Only versions go, by place, name and files, and what interrupted writers left.
"""
import contextlib
import errno
import functools
import json
import os
import pwd
import re
import stat
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(sys.path[0], "tables"))
import profiles
from catalogue_index import Index
from output import conclude, csv_text, fail, note, plural, printable, read_options

# As profiles/catalogue has them, from the root down.
LEVELS = [re.compile(form) for form in (
    "[A-Za-z0-9_+%-][A-Za-z0-9._+%-]{0,254}", "named|([0-9a-f]{2}){8,64}|sha256-[0-9a-f]{64}",
    "[1-9][0-9]{0,9}", r"r[0-9]{8}T[0-9]{6}Z-[A-Za-z0-9._+-]{1,200}")]
VERSION = LEVELS[3]
LEFTOVER = re.compile(r"\.(new|old|current)-[0-9]+-[0-9]+")
FILE = re.compile(r"((profile|evaluation)\.json|(messages|collectives)(\.phase[0-9]{1,3})?|partial|"
                  r"[A-Za-z0-9_+-][A-Za-z0-9._+-]*\.graph)(\.new-[0-9]+(-[0-9]+)?)?")
EVALUATION = re.compile(r"evaluation-.*\.json")
# Of a type: fit for a graph's file.
PLAIN = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9._+-]{0,63}")
MARK = "topomap catalogue 1\n"
# A version can go between two looks; another process can take a name first.
LOOKS, TRIES = 8, 1000
# In the user's own catalogue.
BELIEVED = os.geteuid(), 0
# What all catalogues of a site hold; as deep as a catalogue can be, with its caches.
USAGE, DEPTH_MOST = ".topomap-usage", 8
# Longer than any writer lives.
A_DAY = 86400
# Of a profile.json, and the types in it.
BYTES_MOST, TYPES_MOST = 16 << 20, 256


class Refused(Exception):
    """A sentence for the user."""


def said(error, what):
    return str(error) if isinstance(error, Refused) else f"{what}: {error.strerror}"


def natural(name):
    """Numbers in names count as such."""
    return [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", name)]


def judge(status, path, own):
    """Why it is not to be believed, or None."""
    if status.st_mode & stat.S_IWOTH:
        return f"{path} is refused: everybody may write to it"
    if own and status.st_uid not in BELIEVED:
        return (f"{path} is refused: it belongs to user {status.st_uid}, and TOPOMAP_CATALOGUE is "
                "for a catalogue of your own; another's is read by --topomap=auto,catalogue=DIR, "
                "or --catalogue DIR")
    return None


class Folder:
    """One that is open, with the one above, but for the root; and why one of them is not to
    be believed, or None."""

    def __init__(self, name, above=None, own=False):
        self.name, self.above = name, above
        self.own = above.own if above else own
        self.path = f"{above.path}/{name}" if above else name
        flags = os.O_RDONLY | os.O_DIRECTORY
        self.fd = (os.open(name, flags | os.O_NOFOLLOW, dir_fd=above.fd) if above else
                   os.open(name, flags))
        self.refused = above and above.refused or judge(os.fstat(self.fd), self.path, self.own)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def known(self, make):
        """What make() finds in it."""
        return make()

    def check(self):
        if self.refused:
            raise Refused(self.refused)

    def names(self, form):
        return [name for name in os.listdir(self.fd) if form.fullmatch(name)]

    def stat(self, name):
        return os.stat(name, dir_fd=self.fd, follow_symlinks=False)

    def has(self, name):
        with contextlib.suppress(OSError):
            return bool(self.stat(name))
        return False

    def is_partial(self, version):
        return self.has(f"{version}/partial")

    def current(self):
        try:
            return os.readlink("current", dir_fd=self.fd)
        except OSError:
            return None

    def versions(self):
        """Their names from the oldest on, and the current one's."""
        for _ in range(LOOKS):
            names, current = self.names(VERSION), self.current()
            if current is None or current in names:
                break
        return sorted(names, key=natural), current

    def read(self, name, most):
        """A regular file, no link, that can be believed."""
        path = f"{self.path}/{name}"
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self.fd)
        try:
            status = os.fstat(fd)
            refused = judge(status, path, self.own)
            if refused or not stat.S_ISREG(status.st_mode):
                raise Refused(refused or f"{path} is refused: not a regular file")
            # As large as it is, and no more than what is too much.
            text = part = os.read(fd, min(status.st_size, most) + 1)
            while part and len(text) <= most:
                part = os.read(fd, most + 1 - len(text)) if len(text) != status.st_size else b""
                text += part
        finally:
            os.close(fd)
        if len(text) > most:
            raise Refused(f"{path}: larger than {most >> 20} MiB")
        return text.decode("utf-8", "surrogateescape")


class Indexed(Folder):
    """One that is opened only when it has changed since an index was written."""

    def __init__(self, name, above, index):
        self.name, self.above, self.own, self.index = name, above, above.own, index
        self.path, self.opened = f"{above.path}/{name}", None
        self.root, self.below = ((above.root, f"{above.below}/{name}")
                                 if isinstance(above, Indexed) else (above, name))
        self.status = self.root.stat(self.below)
        self.judge()

    def judge(self):
        if not stat.S_ISDIR(self.status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        self.refused = self.above.refused or judge(self.status, self.path, self.own)

    @property
    def fd(self):
        if self.opened is None:
            self.opened = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW,
                                  dir_fd=self.above.fd)
            self.status = os.fstat(self.opened)
            self.judge()
        return self.opened

    def __exit__(self, *_):
        if self.opened is not None:
            os.close(self.opened)

    def known(self, make):
        value = self.index.find(self.below, self.status)
        if value is None:
            value = make()
            if "error" not in value:
                self.index.put(self.below, self.status, value)
        return value


def decode(name):
    """A program's name of that of its folder."""
    if re.search("%(?![0-9A-F]{2})|%00", name):
        return name
    return os.fsdecode(re.sub(rb"%(..)", lambda found: bytes([int(found[1], 16)]),
                              os.fsencode(name)))


def sizes_below(folder, depth=0, open_in=Folder):
    """Each open <program>/<identity>/<ntasks>; what cannot be opened is passed over."""
    if depth == 3:
        yield folder
        return
    for name in sorted(folder.known(lambda: folder.names(LEVELS[depth])),
                       key=(lambda name: os.fsencode(decode(name)), str, int)[depth]):
        with contextlib.suppress(OSError), open_in(name, folder) as below:
            yield from sizes_below(below, depth + 1, open_in)


def sizes_of(path, own, check=None, open_in=Folder):
    """All of a catalogue, which may be none yet."""
    try:
        root = Folder(path, own=own)
    except FileNotFoundError:
        return
    with root:
        if check:
            check(root)
        yield from sizes_below(root, open_in=open_in)


def check_files(version, is_strict):
    """Regular files that can be believed; strict: and that versions have alone. Their
    names."""
    names = os.listdir(version.fd)
    for name in names:
        status = version.stat(name)
        if is_strict and not (FILE.fullmatch(name) and stat.S_ISREG(status.st_mode)):
            raise Refused(f"{version.path} holds {name}, which no profile has: remove it by hand")
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{version.path}/{name} is refused: not a regular file")
        refused = judge(status, f"{version.path}/{name}", version.own)
        if refused:
            raise Refused(refused)
    return names


def read_profile(version):
    """What a line of the list tells of it."""
    path = f"{version.path}/profile.json"
    try:
        profile = json.loads(version.read("profile.json", BYTES_MOST))
        if profile["format"] != 1:
            raise ValueError(f"format {profile['format']} is later than this topomap knows (1)")
        types = [one["type"] for one in profile["types"]]
        row = {"recorded": profile["recorded"], "seconds": profile["seconds"], "types": types}
        if len(types) > TYPES_MOST or not 0 <= row["seconds"] < float("inf") or not all(
                isinstance(text, str) for text in (row["recorded"], *types)):
            raise ValueError("its values are not those of a profile")
        for name in types:
            if not PLAIN.fullmatch(name):
                raise ValueError(f"types: not a plain name: '{name:.80}'")
        return row
    except KeyError as error:
        raise Refused(f"{path}: key {error.args[0]}: missing") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise Refused(f"{path}: no profile: {error}") from None


def describe(root, size, name, current, open_in):
    """A row of the list."""
    row = {"catalogue": root, "program": decode(size.above.above.name),
           "identity": size.above.name, "ntasks": int(size.name), "version": name,
           "current": name == current, "partial": False,
           "folder": f"{size.path}/{name}", "refused": True}
    try:
        with open_in(name, size) as version:
            version.check()

            def look():
                row["partial"] = "partial" in check_files(version, False)
                row["refused"] = False
                return {"partial": row["partial"], "refused": False, **read_profile(version)}
            row.update(version.known(look))
    except (Refused, OSError) as error:
        row["error"] = said(error, row["folder"])
        row["partial"] = size.is_partial(name)
    return row


def as_json(document):
    """What is no UTF-8 is marked."""
    text = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogateescape")
    return json.dumps(json.loads(text.decode("utf-8", "replace")), indent=2) + "\n"


def list_versions(option, roots, program):
    is_text, rows, status = not {"json", "csv"} & set(option), [], 0
    for path, own in roots:
        # With --all, and for one program, each is looked at.
        index, open_in = None, Folder
        if not program and "all" not in option:
            index = Index(path)
            open_in = functools.partial(Indexed, index=index)
        # One catalogue that cannot be read does not hide the others.
        try:
            for size in sizes_of(path, own, open_in=open_in):
                if not program or decode(size.above.above.name) == os.path.basename(program):
                    names, current = size.known(size.versions)
                    rows += [describe(path, size, name, current, open_in) for name in names
                             if name == current or "all" in option]
            if index:
                index.write()
        except OSError as error:
            fail(f"catalogue {path}: {error.strerror}", "json" in option)
            status = 1
    for row in rows if is_text else ():
        if "error" in row:
            note(row["error"])
    if is_text and not rows and status == 0:
        note("no catalogue: there is no home" if not roots else
             f"no profile of {os.path.basename(program)}: topomap profile list shows all programs"
             if program else "no profiles yet: record one with srun --topomap=profile")
    if rows or not is_text:
        for row in rows if "json" in option else ():
            del row["refused"]
        text = (as_json(rows) if "json" in option else
                profiles.listing_csv(rows) if "csv" in option else
                profiles.listing(rows, "folder" if "all" in option else "catalogue"))
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    return status


class Removal:
    """What went, and what did not: each is printed when it is done."""

    def __init__(self, option):
        self.option, self.paths, self.status = option, [], 0
        self.dry_run = "dry-run" in option

    def went(self, path):
        self.paths.append(path)
        if not {"json", "csv"} & set(self.option):
            print(printable(path), flush=True)

    @contextlib.contextmanager
    def trying(self, path):
        """What cannot be removed does not keep the others."""
        try:
            yield
            self.went(path)
        except (Refused, OSError) as error:
            fail(said(error, f"cannot remove {path}"), "json" in self.option)
            self.status = 1

    def end(self):
        if "json" in self.option:
            print(as_json({**({"dry_run": True} if self.dry_run else {}),
                           "removed": self.paths}), end="")
        elif "csv" in self.option:
            print(csv_text(["removed"], [[path] for path in self.paths]), end="")
        return self.status


def add_name(prefix, add):
    """Calls add with names of our own until no other process has one."""
    for i in range(TRIES):
        name = f"{prefix}{os.getpid()}-{i}"
        try:
            add(name)
            return name
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY) or i == TRIES - 1:
                raise


def leave(size, name):
    """Points `current` away from a version that goes: to the newest complete one of the
    others, else the newest, or nowhere."""
    if size.current() not in (name, None):
        return
    others = [other for other in size.versions()[0]
              if other != name and stat.S_ISDIR(size.stat(other).st_mode)]
    if others:
        newest = max(others, key=lambda other: (not size.is_partial(other), natural(other)))
        link = add_name(".current-", lambda link: os.symlink(newest, link, dir_fd=size.fd))
        os.rename(link, "current", src_dir_fd=size.fd, dst_dir_fd=size.fd)
    elif size.has("current"):
        os.unlink("current", dir_fd=size.fd)


def erase(size, version):
    """Removes an open version, or what is left of one: first it is renamed, so that no
    reader finds half of it."""
    def put_aside(aside):
        os.rename(version.name, aside, src_dir_fd=size.fd, dst_dir_fd=size.fd)
    aside = add_name(".old-", put_aside)
    if not os.path.samestat(size.stat(aside), os.fstat(version.fd)):
        os.rename(aside, version.name, src_dir_fd=size.fd, dst_dir_fd=size.fd)
        raise Refused(f"{version.path} was exchanged for something else just now")
    for name in version.names(FILE):
        if stat.S_ISREG(version.stat(name).st_mode):
            os.unlink(name, dir_fd=version.fd)
    os.rmdir(aside, dir_fd=size.fd)


def remove(size, name, dry_run):
    """A version of an open folder, and the folders above that are empty then."""
    with Folder(name, size) as version:
        check_files(version, True)
        version.check()
        if dry_run:
            return
        leave(size, name)
        erase(size, version)
    with contextlib.suppress(OSError):
        while size.above:
            os.rmdir(size.name, dir_fd=size.above.fd)
            size = size.above


def check_mark(root):
    """A catalogue holds the file CATALOGUE, or nothing that is seen."""
    with contextlib.suppress(OSError, Refused):
        if root.read("CATALOGUE", 4096).startswith(MARK):
            return
    if root.names(re.compile(r"[^.].*", re.DOTALL)):
        raise Refused(f"{root.path} is no catalogue: there is no file CATALOGUE in it")


def rm(option, roots, path):
    """The version that has that path, or (all) those beside it, too."""
    removal = Removal(option)
    *place, version = path.rsplit("/", 4)
    with contextlib.ExitStack() as stack:
        root = size = stack.enter_context(Folder(place[0], own=roots[0][1]))
        check_mark(root)
        for name in place[1:]:
            size = stack.enter_context(Folder(name, size))
        size.check()
        names = [version]
        if "all" in option:
            # The current one goes last: until then readers find it.
            names, current = size.versions()
            names = [name for name in names if name != current] + [
                name for name in names if name == current]
        for name in names:
            with removal.trying(f"{size.path}/{name}"):
                remove(size, name, removal.dry_run)
    return removal.end()


def prune_size(size, keep, removal):
    """From the newest down. Only a true version counts as one that stays: others do
    not go because a stranger puts something newer beside them."""
    names, current = size.versions()
    newer = 0
    for name in reversed(names):
        is_true = False
        with contextlib.suppress(Refused, OSError):
            remove(size, name, True)
            is_true = True
        newer += is_true
        if name != current and newer + (not is_true) > keep:
            with removal.trying(f"{size.path}/{name}"):
                remove(size, name, removal.dry_run)


def clean_one(size, name, dry_run):
    """A folder that a writer began, half of one that was being removed, or a link that was
    to be `current`."""
    try:
        folder = Folder(name, size)
    except OSError:
        if not name.startswith(".current-"):
            raise Refused(f"{size.path}/{name} leads to no version: remove it by hand") from None
        if not dry_run:
            os.unlink(name, dir_fd=size.fd)
        return
    with folder:
        check_files(folder, True)
        if not dry_run:
            erase(size, folder)


def clean(size, removal):
    """What interrupted writers and removals left, and empty versions, older than a day."""
    for name in sorted(size.names(LEFTOVER) + size.names(VERSION)) if not size.refused else ():
        with contextlib.suppress(OSError):
            status = size.stat(name)
            if time.time() - status.st_mtime < A_DAY:
                continue
            if VERSION.fullmatch(name):
                if not stat.S_ISDIR(status.st_mode):
                    continue
                with Folder(name, size) as version:
                    if os.listdir(version.fd):
                        continue
            with removal.trying(f"{size.path}/{name}"):
                clean_one(size, name, removal.dry_run)


def prune_sizes(sizes, program, removal):
    for size in sizes:
        if program in (None, decode(size.above.above.name)):
            prune_size(size, int(removal.option["keep"]), removal)
        clean(size, removal)


def is_user(name, uid):
    """As tools/site/site_root.c names the owner's catalogue."""
    try:
        return name in (str(uid), pwd.getpwuid(uid).pw_name)
    except KeyError:
        return name == str(uid)


@contextlib.contextmanager
def catalogue_below(base, path, user):
    """One user's, open through no link and judged by itself; None: there is none of theirs."""
    with contextlib.ExitStack() as stack:
        folder = base
        try:
            for name in path.replace("%u", user).split("/"):
                folder = stack.enter_context(Folder(name, folder))
        except OSError:
            folder = None
        if folder:
            status = os.fstat(folder.fd)
            folder.above, folder.refused = None, judge(status, folder.path, False)
            folder = folder if is_user(user, status.st_uid) else None
        yield folder


def count_bytes(folder, depth=0):
    """In the regular files of a folder and those below it."""
    total = 0
    for name in os.listdir(folder.fd):
        with contextlib.suppress(OSError):
            status = folder.stat(name)
            if stat.S_ISREG(status.st_mode):
                total += status.st_size
            elif stat.S_ISDIR(status.st_mode) and depth < DEPTH_MOST:
                with Folder(name, folder) as below:
                    total += count_bytes(below, depth + 1)
    return total


def note_usage(base, total):
    """For tools/site/site_root.c, which believes root alone."""
    def make(name):
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644,
                     dir_fd=base.fd)
        with open(fd, "w", encoding="ascii") as file:
            file.write(f"topomap-usage-bytes {total}\n")
            os.fchmod(fd, 0o644)
    name = add_name(f"{USAGE}.new-", make)
    try:
        os.rename(name, USAGE, src_dir_fd=base.fd, dst_dir_fd=base.fd)
    except OSError:
        os.unlink(name, dir_fd=base.fd)
        raise


def prune_users(option, template, program):
    """The catalogues of all users below a site's folder, and what is left in them."""
    if os.geteuid() != 0:
        raise Refused("--users is for root: what others count is not believed")
    removal, total, users = Removal(option), 0, 0
    cut = template.rindex("/", 0, template.index("%u"))
    path = template[cut + 1:]
    form = re.compile(re.escape(path.split("/")[0]).replace("%u", "([A-Za-z0-9_+-][A-Za-z0-9._+-]*)",
                                                            1).replace("%u", r"\1"))
    with Folder(template[:cut]) as base:
        for found in filter(None, map(form.fullmatch, sorted(os.listdir(base.fd)))):
            with catalogue_below(base, path, found.group(1)) as root:
                if not root:
                    continue
                try:
                    root.check()
                    check_mark(root)
                    prune_sizes(sizes_below(root), program, removal)
                except (Refused, OSError) as error:
                    fail(said(error, root.path), "json" in option)
                    removal.status = 1
                users, total = users + 1, total + count_bytes(root)
        if not removal.dry_run:
            note_usage(base, total)
        note(f"{plural(users, 'catalogue')} below {base.path} hold {total / (1 << 20):.1f} MiB")
    return removal.end()


def prune(option, roots, program):
    if "users" in option:
        return prune_users(option, option["users"], program)
    removal = Removal(option)
    prune_sizes(sizes_of(*roots[0], check_mark), program, removal)
    return removal.end()


def main(argv):
    verb, _, options, operands = read_options(argv)
    option = dict(options)
    roots = [(path, name == "own") for name, path in options if name in ("own", "root")]
    try:
        return {"list": list_versions, "rm": rm, "prune": prune}[verb](
            option, roots, operands[0] if operands else None)
    except (Refused, OSError) as error:
        fail(said(error, roots[0][0] if roots else option["users"]), "json" in option)
    return 1


if __name__ == "__main__":
    conclude(main)
