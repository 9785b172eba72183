# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asks Slurm's accounting for the seconds of steps whose srun was killed before it
could note their end (tools/history/history_main.c).

Lines "INDEX JOB STEP AT" on stdin become lines "INDEX SECONDS STATE"; what stands
against it is the last line, "! WHY".
"""
import os
import subprocess
import sys

# A plan may take so long between the start of the step and its note, DEFAULTS_SECONDS_MOST
# and a minute; clocks differ by less than the second.
PLANNED, CLOCKS = 3660, 60
# Of one question: a database is not to be kept busy, nor a command line to be too long.
JOBS_MOST, PATIENCE = 500, 30


def ask(jobs):
    done = subprocess.run(
        ["sacct", "--noheader", "--parsable2", "--duplicates", "--jobs", ",".join(jobs),
         "--format=JobIDRaw,Start,ElapsedRaw,State"], env=dict(os.environ, SLURM_TIME_FORMAT="%s"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        timeout=PATIENCE, check=True)
    return done.stdout.decode("utf-8", "replace").splitlines()


def main():
    lacking = [line.split() for line in sys.stdin]
    jobs = sorted({job for _, job, _, _ in lacking}, key=int)
    for i in range(0, len(jobs), JOBS_MOST):
        for line in ask(jobs[i:i + JOBS_MOST]):
            # "4711.0|1795000000|61|COMPLETED"; anything else is passed over.
            words = line.split("|")
            state = words[-1].split()[0] if len(words) == 4 and words[-1] else ""
            if state in ("", "RUNNING", "PENDING") or not words[1].isdigit():
                continue
            for step in lacking:
                if words[0] == f"{step[1]}.{step[2]}" and \
                        -PLANNED <= int(words[1]) - float(step[3]) <= CLOCKS:
                    print(step[0], words[2], state)
                    lacking.remove(step)
                    break


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError:
        print("! sacct fails")
    except subprocess.TimeoutExpired:
        print("! sacct does not answer")
    except OSError as error:
        print(f"! sacct: {error.strerror}")
