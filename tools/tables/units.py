# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers as people write them: 1.5 GB, 2.1 ms."""

BYTES = ((1, " B"), (1e3, " kB"), (1e6, " MB"), (1e9, " GB"), (1e12, " TB"), (1e15, " PB"),
         (1e18, " EB"))
SECONDS = ((1e-9, " ns"), (1e-6, " us"), (1e-3, " ms"), (1, " s"))
RATES = ((1e6, " MB/s"), (1e9, " GB/s"), (1e12, " TB/s"), (1e15, " PB/s"))
RATE_LEAST = 1e6  # no network has less: below it numbers only say how links compare
NEARLY = 0.9995  # what rounds to 1000 of a unit is 1 of the next


def in_unit(value, units, one=0):
    """Three digits and a unit; units[one] is that of 0."""
    if value == 0:
        return f"0{units[one][1]}"
    size, name = next((unit for unit in reversed(units) if abs(value) >= NEARLY * unit[0]),
                      units[0])
    return f"{value / size:.3g}{name}"


def as_seconds(value):
    if value >= 36000:
        return f"{value / 3600:.0f} h"
    return f"{value:.0f} s" if value >= 1000 * NEARLY else in_unit(value, SECONDS, 3)


def as_rate(value):
    return f"{value:.10g}" if value < RATE_LEAST else in_unit(value, RATES)


def as_bytes(value):
    return in_unit(value, BYTES)


def as_number(value):
    return f"{value:.4g}"


def as_ratio(value):
    return f"{value:.6g}"


def as_change(value):
    return f"{100 * value:+.1f}%"


def as_truth(value):
    return "yes" if value else None


# Of each unit of times: what stands behind the name of their member, and how they are
# written.
TIME = {"seconds": ("_s", as_seconds), "bytes": ("_bytes", as_bytes),
        "none": ("", lambda value: f"{value:.6g}")}
