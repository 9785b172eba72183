# SPDX-License-Identifier: LGPL-2.1-or-later
"""What placing would gain: the estimates of steps under observe added up, and the error
that such estimates have had where runs measured the gain."""
from output import plural, table_text

# Fewer pairs of runs measure no gain.
PAIRS_LEAST = 8
# Sums of tools/tables/steps.py: of steps with a profile; of observed ones with hops per
# byte; of those with an estimate, whose seconds are those of the step; of placed ones with
# an estimate, whose gains are shares of the time, below 0 where placed is faster.
SUMS = ("profile_node_seconds", "observed_linked", "observed_links_before",
        "observed_links_after", "estimated", "estimated_mpi_before", "estimated_mpi_after",
        "saved_node_seconds", "placed_estimates", "placed_estimated_gain")
# Outcomes of steps that have a profile.
KNOWN = ("placed", "unchanged", "control", "observed")
HEAD = ("OBSERVED", "NODE-HOURS", "WITH PROFILE", "<HOPS/BYTE", "<MPI SECONDS",
        "SAVED NODE-HOURS", "OF ALL")


def sums_of_step(outcome, seconds, node_seconds, links, estimate):
    """(sum, what a step adds to it). links: before and after, below 0 where they are not
    known; estimate: the seconds of the recorded run, and of them in MPI, before and after."""
    if outcome in KNOWN:
        yield "profile_node_seconds", node_seconds
    if outcome == "observed" and links[0] >= 0:
        yield from zip(SUMS[1:4], (1, *links))
    whole, before, after = estimate
    if whole <= 0 or before < 0 or after < 0:
        return
    if outcome == "placed":
        yield from (("placed_estimates", 1), ("placed_estimated_gain", (after - before) / whole))
    elif outcome == "observed" and seconds > 0:
        yield from zip(SUMS[4:8], (1, seconds * before / whole, seconds * after / whole,
                                   node_seconds * (before - after) / whole))


def would_gain(of, pairs=0, gain=None):
    """Of the sums of(NAME) of one program, user or site, and its measured gain; a share or
    an estimate that is not known is None."""
    def mean(name, number, scale=1):
        return of(name) / of(number) / scale if of(number) else None

    def estimated(name, scale=1):
        return of(name) / scale if of("estimated") else None
    return {
        "steps": int(of("observed")), "node_hours": of("node_seconds") / 3600,
        "profile_share": mean("profile_node_seconds", "node_seconds"),
        "hops_per_byte_before": mean("observed_links_before", "observed_linked"),
        "hops_per_byte_after": mean("observed_links_after", "observed_linked"),
        "mpi_seconds_before": estimated("estimated_mpi_before"),
        "mpi_seconds_after": estimated("estimated_mpi_after"),
        "saved_node_hours": estimated("saved_node_seconds", 3600),
        "estimated_gain": mean("placed_estimated_gain", "placed_estimates"),
        "measured_gain": gain if pairs >= PAIRS_LEAST else None}


KEYS = tuple(would_gain(lambda name: 0))


def chosen(rows, by):
    """(name, what it would gain) of rows with observed steps, most node-hours saved first."""
    named = [(row[by], row["would_gain"]) for row in rows if row["would_gain"]["steps"] > 0]
    return sorted(named, key=lambda row: (-(row[1]["saved_node_hours"] or 0),
                                          -row[1]["node_hours"], row[0]))


def error_text(rows):
    """The error of the estimates, in percentage points of a run's time."""
    both = [(100 * row["would_gain"]["estimated_gain"], 100 * row["would_gain"]["measured_gain"])
            for row in rows if row["would_gain"]["estimated_gain"] is not None
            and row["would_gain"]["measured_gain"] is not None]
    if not both:
        return ("the error of these estimates is not known: no program has measured runs "
                "(default=learn makes them)")
    errors = [estimate - measured for estimate, measured in both]
    return (f"the error of such estimates, {plural(len(both), 'row')} with measured runs: "
            f"{sum(map(abs, errors)) / len(errors):.1f} points of the time on average, "
            f"{max(errors, key=abs):+.1f} at most")


def arrow(before, after, form):
    return None if before is None or after is None else f"{before:{form}} -> {after:{form}}"


def cells(name, row):
    saved, hours = row["saved_node_hours"], row["node_hours"]
    return (name, row["steps"], f"{hours:.1f}",
            None if row["profile_share"] is None else f"{100 * row['profile_share']:.0f}%",
            arrow(row["hops_per_byte_before"], row["hops_per_byte_after"], ".3g"),
            arrow(row["mpi_seconds_before"], row["mpi_seconds_after"], ".4g"),
            None if saved is None else f"{saved:.3g}",
            f"{100 * saved / hours:.1f}%" if saved is not None and hours > 0 else None)


def table(rows, by, site):
    """Below the summary, where a step was observed."""
    named = chosen(rows, by)
    return "\nWOULD GAIN, by the plans of observed steps:\n" + table_text(
        (f"<{by.upper()}", *HEAD),
        [cells(*row) for row in named] + [cells("all of the site", site)]) + \
        error_text(rows) + "\n" if named else ""
