#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""historygen.py LINES [SEED [SECONDS]]: a site's history, two lines a step, in the order of
time, a step every 20 seconds: 300 users, five programs each of 400, runs that are placed, kept, compared and not known; the end of
one in fifty steps is missing, as where srun was killed."""
import random
import sys
import time


def main(lines, seed=1, apart=20):
    draw = random.Random(seed)
    now = 1795000000.0
    ended, steps = [], 0
    outcomes = ["placed"] * 4 + ["control"] * 2 + ["unchanged", "no-profile", "no-profile", "unsupported", "no-mpi"]
    write = sys.stdout.write

    def put(event, at, user, job, rest):
        day = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        write(f'{{"format": 1, "event": "{event}", "time": "{day}", "at_s": {at:.6f}, '
              f'"user": "u{user:03d}", "job": {job}, "step": 0, {rest}}}\n')

    n = 0
    while n < lines:
        now += draw.expovariate(1 / apart)
        while ended and ended[0][0] < now and n < lines:
            at, user, job, rest = ended.pop(0)
            put("end", at, user, job, rest)
            n += 1
        if n == lines:
            break
        user, job = draw.randrange(300), 100000 + steps
        program = (7 * user + draw.randrange(5)) % 400
        steps += 1
        tasks = 64 << program % 5
        outcome = draw.choice(outcomes)
        seconds = (100 + program) * draw.uniform(0.97, 1.03) * (0.95 if outcome == "placed" else 1)
        links = 2 + program % 7 / 3
        first = job * 7 % 4000
        amounts = "" if outcome not in ("placed", "unchanged", "control") else (
            f'"graph": "weighted-sum", "profile": "r20261101T000000Z-{program}", '
            f'"hops_per_byte_before": {links:.6f}, "hops_per_byte_after": {links * 0.6:.6f}, '
            f'"busiest_link_bytes_before": {program * 7919}, "busiest_link_bytes_after": {program * 4001}, '
            f'"off_node_bytes_before": {program * 104729}, "off_node_bytes_after": {program * 65537}, '
            f'"plan_ms": {draw.uniform(20, 900):.2f}, ')
        put("launch", now, user, job,
            f'"program": "app{program:05d}", "identity": "{program * 0x9e3779b97f4a7c15 % (1 << 64):016x}", '
            f'"arguments": "{user % 3 * 0xc2b2ae3d27d4eb4f % (1 << 64):016x}", "node_type": "batch/128", '
            f'"ntasks": {tasks}, "nnodes": {tasks // 16}, "nodelist": "n[{first}-{first + tasks // 16 - 1}]", '
            f'"outcome": "{outcome}", {amounts}'
            f'"why": "app{program:05d}\'s {tasks} ranks: a byte crosses {links * 0.6:.3g} links instead of '
            f'{links:.3g} (weighted-sum of its profile)", "asked": "{"user" if user % 2 else "site"}"')
        n += 1
        if draw.random() > 0.02:
            ended.append((now + seconds, user, job,
                          f'"ntasks": {tasks}, "nnodes": {tasks // 16}, "outcome": "{outcome}", '
                          f'"seconds": {seconds:.3f}, "mpi_seconds": {seconds * 0.3:.3f}'))
            if len(ended) > 1 and ended[-2][0] > ended[-1][0]:
                ended.sort()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
