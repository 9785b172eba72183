# SPDX-License-Identifier: LGPL-2.1-or-later
"""calibrate_costs.py CALIBRATE: what calibrate makes of measured times, by hand."""
import os
import sys

sys.path.insert(0, os.path.dirname(sys.argv[1]))
import calibrate

for a, b, hops in (("", "", 2), ("s0", "s0", 2), ("top.s1", "top.s10", 4),
                   ("top.s1", "top.s1", 2), ("top.row0.s1", "top.row1.s1", 6),
                   ("top.row0.s1", "top.row0.s2", 4), ("top.s1", "top.row0.s2", 5)):
    assert calibrate.hops_between(a, b) == hops, (a, b)


def costs(*rows):
    return calibrate.Calibration([row.split() for row in rows]).costs


def are(found, **expected):
    assert set(found) == set(expected), found
    for key, value in expected.items():
        assert abs(found[key] - value) < 1e-12, found


# There and back of the shortest message: 2 us in a cache, 3 in a node; 12 at a leaf,
# two links away, 20 across, four away.
ROWS = ["alone 0 1 1 s.a s.a 0 1 2e-6", "alone 3 1 1 s.a s.a 0 1 3e-6",
        "alone 4 1 1 s.a s.a 0 1 12e-6", "alone 5 1 1 s.a s.b 0 1 20e-6",
        "inside 1 1 1 s.a s.a 0.5e-6", "inside 2 2 1 s.a s.a 0",
        "between 1 1 1 s.a s.b 0.8e-6", "between 2 2 1 s.a s.b 1.2e-6"]
are(costs(*ROWS), task_message_s=0.5e-6, nic_message_s=0.6e-6, memory_latency_s=1.0e-6,
    hop_latency_s=2e-6, nic_latency_s=6e-6 - 4e-6 - 0.5e-6)
# Nearer across than at the leaf: no link took anything.
ROWS[3] = "alone 5 1 1 s.a s.b 0 1 11e-6"
are(costs(*ROWS), task_message_s=0.5e-6, nic_message_s=0.6e-6, memory_latency_s=1.0e-6,
    nic_latency_s=5.5e-6)
# A rank a node, far apart.
are(costs("alone 5 1 1 s.a s.b 0 1 20e-6", "between 1 1 1 s.a s.b 4e-6"), task_message_s=4e-6,
    nic_message_s=4e-6, nic_latency_s=6e-6)
are(costs())

# All of it, and a site file: no length carries more than all pairs together, of the two
# longest lengths.
FOUND = calibrate.Calibration([row.split() for row in (
    "alone 0 1 1 - - 0 1 2e-6 64 4e-6", "alone 5 1 1 s.a s.b 0 1 4e-6 64 8e-6",
    "all 5 2 2 s.a s.b 0 1 4e-6 64 16e-6", "inside 1 1 1 - - 1e-6 1 2e-6 64 4e-6",
    "between 1 1 2 s.a s.b 1e-6 1 4e-6 64 8e-6", "between 2 2 2 s.a s.b 3e-6 1 4e-6 64 16e-6")])
assert [(row.what, row.pairs) for row in FOUND.rows] == \
    [("one cache", 1), ("across", 1), ("across", 2), ("in a node", 1), ("of a node", 1),
     ("of a node", 2)]
assert calibrate.site_file(FOUND) == """{
  "format": 1,
  "topology": { "type": "slurm" },
  "nic_rate": 8e+06,
  "memory_rate": 3.2e+07,
  "nic_message_s": 1e-06,
  "task_message_s": 1e-06,
  "nic_latency_s": 1e-06,
  "ports": [
    { "bandwidth": [[1, 1e+06], [64, 3.2e+07]], "most": 3.2e+07 },
    { "bandwidth": [[1, 500000], [64, 8e+06]], "most": 8e+06, "switch": 6.4e+07 },
    { "bandwidth": [[1, 500000], [64, 8e+06]], "most": 8e+06 },
    { }
  ]
}
""", calibrate.site_file(FOUND)
