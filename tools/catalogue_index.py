# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the folders of a large catalogue held when they were listed last, in a file of the
user's own: what has not changed since is not opened again, which storage that many share
has least to spare of.
"""
import contextlib
import hashlib
import json
import os
import stat
import time

from output import replacing

FORMAT = 1
# Folders from which on a file is worth it; and a change is seen by its time, when that is
# so long ago.
FOLDERS, SETTLED_S = 500, 2


class Index:
    """Values by a folder's path below the root, good for its inode and time of change."""

    def __init__(self, root):
        cache = os.environ.get("XDG_CACHE_HOME", "")
        if not cache.startswith("/"):
            cache = os.path.join(os.path.expanduser("~"), ".cache")
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
        self.path = os.path.join(cache, "topomap", f"list-{name}")
        self.old, self.new, self.is_changed, self.began = {}, {}, False, time.time()
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            fd = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(fd, encoding="ascii") as file:
                status = os.fstat(fd)
                if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() \
                        and not status.st_mode & 0o022:
                    known = json.load(file)
                    self.old = dict(known["folders"]) if known["format"] == FORMAT else {}

    def find(self, path, status):
        """What the folder held, or None."""
        inode, changed, value = self.old.get(path, (None, None, None))
        if (inode, changed) != (status.st_ino, status.st_ctime_ns):
            return None
        self.new[path] = self.old[path]
        return value

    def put(self, path, status, value):
        if status.st_ctime < self.began - SETTLED_S:
            self.new[path] = (status.st_ino, status.st_ctime_ns, value)
            self.is_changed = True

    def write(self):
        """What cannot be kept is found again."""
        if len(self.new) < FOLDERS or not self.is_changed and len(self.new) == len(self.old):
            return
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self.path), 0o700, exist_ok=True)
            with replacing(self.path, 0o600) as file:
                json.dump({"format": FORMAT, "folders": self.new}, file)
