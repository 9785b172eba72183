# SPDX-License-Identifier: LGPL-2.1-or-later
"""What goes wrong."""


class Error(ValueError):
    """What libmapcore refuses; str() is its sentence, status its number.

    Statuses are those of base/error.h: -1 an argument, -2 text that is not of its
    format, -3 a number too large, -4 no memory, -5 reading or writing, -6 not
    there, -9 not in this build.

    >>> import mapcore
    >>> mapcore.Topology("torus:0x4")
    Traceback (most recent call last):
        ...
    mapcore._errors.Error: ...
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class LibraryError(ImportError):
    """libmapcore.so is not found, or is of another release."""
