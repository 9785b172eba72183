# SPDX-License-Identifier: LGPL-2.1-or-later
"""network_readers.py TOPOMAP READERS: networks of other tools through topomap
topology, their sentences, and that changed files are refused by a sentence."""
import os
import random
import subprocess
import sys

from tap import finish, judge, module_of

topomap, path = sys.argv[1:]
readers = module_of(path)


def run(*words):
    return subprocess.run([topomap, "topology", *words], capture_output=True, text=True)


def read(text, *pairs):
    """The description, and how far pairs of nodes are apart."""
    with open("network", "w") as file:
        file.write(text)
    found = run("show", "network")
    first = (found.stdout or found.stderr).split("\n")[0]
    return [first] + [int(run("distance", a, b, "network").stdout.split()[0]) for a, b in pairs]


FABRIC = """#
# Topology file: generated on Mon Jan  5 10:00:00 2026
#

vendid=0x2c9
devid=0xcb20
switchguid=0xa0(a0)
Switch\t36 "S-00000000000000a0"\t\t# "MF0;leaf0:CS7520/U1" base port 0 lid 4 lmc 0
[1]\t"H-0000000000000010"[1](10) \t\t# "node01 HCA-1" lid 7 4xEDR
[2]\t"H-0000000000000020"[1](20) \t\t# "node02 HCA-1" lid 8 4xEDR
[37]\t"H-0000000000000aa0"[1](aa0) \t\t# "Mellanox Technologies Aggregation Node" lid 99 4xEDR
[35]\t"S-00000000000000c0"[1]\t\t# "SwitchIB spine" lid 2 4xHDR
[36]\t"S-00000000000000c0"[2]\t\t# "SwitchIB spine" lid 2 4xHDR

switchguid=0xb0(b0)
Switch\t36 "S-00000000000000b0"\t\t# "MF0;leaf1:CS7520/U1" base port 0 lid 5 lmc 0
[1]\t"H-0000000000000030"[1](30) \t\t# "node03 HCA-1" lid 9 4xEDR
[2]\t"H-0000000000000031"[1](31) \t\t# "node03 HCA-2" lid 10 4xEDR
[36]\t"S-00000000000000c0"[3]\t\t# "SwitchIB spine" lid 2 4xHDR

switchguid=0xc0(c0)
Switch\t36 "S-00000000000000c0"\t\t# "SwitchIB spine" base port 0 lid 2 lmc 0
[3]\t"S-00000000000000b0"[36]\t\t# "MF0;leaf1:CS7520/U1" lid 5 4xHDR
[1]\t"S-00000000000000a0"[35]\t\t# "MF0;leaf0:CS7520/U1" lid 4 4xHDR
[2]\t"S-00000000000000a0"[36]\t\t# "MF0;leaf0:CS7520/U1" lid 4 4xHDR

caguid=0x10
Ca\t1 "H-0000000000000010"\t\t# "node01 HCA-1"
[1](10) \t"S-00000000000000a0"[1]\t\t# lid 7 lmc 0 "MF0;leaf0:CS7520/U1" lid 4 4xEDR
"""
# Two adapters at one switch are one link of twice the capacity, so this is a tree.
judge("ibnetdiscover", ["tree of 3 switches, 3 hosts", 2, 4],
      read(FABRIC, ("node01", "node02"), ("node01", "node03")))
links = dict((" ".join(line.split()[1:3]), float(line.split()[3]))
             for line in run("links", "network").stdout.split("\n") if line.startswith("link "))
judge("data rates of its links", {"node01 leaf0": 12.5e9, "node02 leaf0": 12.5e9, "node03 leaf1": 25e9,
                                  "leaf0 S-00000000000000c0": 50e9, "leaf1 S-00000000000000c0": 25e9}, links)
judge("an old one prints no rates", ["flat network of 2 hosts", 2], read("""vendid=0x8f1
Switch  24 "S-0008f104003f1e29"  # "x" base port 0 lid 7
[24]    "H-0002c90200247010"[1]  # "atlas35" lid 1252
[23]    "H-0002c9020024d5f8"[1]  # "atlas34" lid 3640
""", ("atlas35", "atlas34")))
# Slurm's name may have a domain, too.
judge("nodes that were never booted, and names with domains",
      ["flat network of 4 hosts; 5 adapters without a name of their own left out", 2, 2, 2],
      read("""vendid=0x1
Switch 24 "S-1" # "x" base port 0 lid 7
[1] "H-1"[1] # "node1.a.org mlx5_0" lid 1 4xEDR
[2] "H-2"[1] # "node2 mlx5_0" lid 2 4xEDR
[3] "H-3"[1] # "MT4123 ConnectX6   Mellanox Technologies" lid 3 4xEDR
[4] "H-4"[1] # "MT4123 ConnectX6   Mellanox Technologies" lid 4 4xEDR
[5] "H-5"[1] # "" lid 5 4xEDR
[6] "H-6"[1] # "localhost HCA-1" lid 6 4xEDR
[7] "H-7"[1] # "localhost HCA-1" lid 7 4xEDR
[8] "H-8"[1] # "node1.a.org mlx5_1" lid 8 4xEDR
[9] "H-9"[1] # "node2.b.org mlx5_0" lid 9 4xEDR
[10] "H-a"[1] # "10.0.0.1 mlx5_0" lid 9 4xEDR
[11] "H-b"[1] # "node2.b.org mlx5_1" lid 9 4xEDR
""", ("node1", "node2"), ("node2.b.org", "10.0.0.1"), ("node1.a.org", "node2")))

for name, text in (
    ("topology.conf", "".join(f"BlockName=b{b} Nodes=n[{4 * b - 4}-{4 * b - 1}]\n" for b in range(1, 6))
     + "BlockSizes=4,8,16\n"),
    ("scontrol", "".join(f"BlockName=b{b} BlockIndex={b} Nodes=n[{4 * b - 4}-{4 * b - 1}] BlockSize=4\n"
                         for b in range(1, 6)) + """AggregatedBlock=b[1-2] BlockIndex=5 Nodes=n[0-7] BlockSize=8
AggregatedBlock=b[3-4] BlockIndex=6 Nodes=n[8-15] BlockSize=8
AggregatedBlock=b5 BlockIndex=7 Nodes=n[16-19] BlockSize=8
AggregatedBlock=b[1-4] BlockIndex=8 Nodes=n[0-15] BlockSize=16
"""),
    ("topology.yaml", "---\n- topology: t\n  block:\n    block_sizes: [4, 8, 16]\n    blocks:\n"
     + "".join(f"      - {{block: b{b}, nodes: 'n[{4 * b - 4}-{4 * b - 1}]'}}\n" for b in range(1, 6))),
    ("topology.yaml, by lines", "---\n- topology: t  # ours\n  block:\n    block_sizes:\n    - 4\n    - 8\n    - 16\n"
     "    blocks:\n" + "".join(f"    -\n      block: \"b{b}\"\n      nodes:\n      - n[{4 * b - 4}-{4 * b - 2}]\n"
                               f"      - n{4 * b - 1}\n" for b in range(1, 6))),
    ("topology.yaml, as JSON has it", '---\n[{"topology": "t", "block": {"block_sizes": ["4", 8, 16], "blocks": [\n'
     + ",\n".join(f'{{"block": "b{b}", "nodes": "n[{4 * b - 4}-{4 * b - 1}]"}}' for b in range(1, 6)) + "]}}]\n"),
):
    judge(f"blocks: {name}", ["tree of 9 switches, 20 hosts", 2, 4, 6, 6],
          read(text, ("n0", "n3"), ("n0", "n7"), ("n0", "n8"), ("n0", "n19")))

ADDRESSES = "SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node\n" + "".join(
    f"SLURM_TOPOLOGY_ADDR={at}\n" for at in ("top.s0.n0", "top.s0.n1", "top.s1.n2", "top.s0.n0"))
judge("addresses of nodes", ["tree of 3 switches, 3 hosts", 2, 4], read(ADDRESSES, ("n0", "n1"), ("n1", "n2")))

judge("a ring", ["torus 8, 8 hosts", 1, 4],
      read("RingName=r0 Nodes=n[0-7] RingSize=8\n", ("n0", "n7"), ("n0", "n4")))
judge("rings", ["network of 15 links, 14 switches, 13 hosts", 1, 3, 4],
      read("RingName=r0 Nodes=n[0-7] \\\n\nRingName=r1 Nodes=m[0-4]\n", ("n0", "n7"), ("n3", "n6"), ("n1", "m4")))
judge("a torus", ["torus 4x4x2, 32 hosts", 1, 2, 3],
      read("TorusName=pod1 Dims=4x4x2 Nodes=n[00-31]\n  TorusName=pod1 PlacementDims=2x2x1(4) Anchors=8\n",
           ("n00", "n03"), ("n00", "n05"), ("n00", "n31")))
judge("regions, of the default topology", ["torus 4x4x2, 9 hosts", 0, 3], read("""# ours
---
- topology: other
  flat: true
- topology: t
  cluster_default: true
  torus3d:
    toruses:
      - name: pod1
        dims: {x: 4, y: 4, z: 2}
        regions:
          - anchor: {x: 2, y: 2, z: 0}
            dims: {x: 2, y: 2, z: 2}
            nodes: n[0-7]
          - anchor:
              x: 0
              y: 0
              z: 0
            dims: {x: 1, y: 1,
              z: 1}
            nodes: m
""", ("n0", "2 2 0"), ("n7", "m")))
# What Slurm prints of a torus has its nodes by name: their places are those of topology.yaml.
TORI = """- topology: other
  torus3d:
    toruses:
      - {name: t0, dims: {x: 8, y: 1, z: 1}, nodes: "m[0-7]"}
- topology: torus
  torus3d:
    toruses:
      - {name: t0, dims: {x: 2, y: 2, z: 2}, nodes: "n[3,0,5,7,1,6,2,4]"}
"""


def live(text, yaml):
    """The lines of what Slurm prints, where its topology.yaml is that."""
    os.environ["SLURM_CONF"] = os.path.join(os.getcwd(), "slurm.conf")
    if os.path.exists("topology.yaml"):
        os.unlink("topology.yaml")
    if yaml:
        with open("topology.yaml", "w") as file:
            file.write(yaml)
    try:
        return list(readers.read("Slurm's topology", text.encode()))
    except readers.Error as error:
        return str(error)


PRINTED = "TorusName=t0 Dims=2x2x2 Nodes=n[0-7]\n"
judge("a torus as Slurm prints it, placed by topology.yaml",
      ["torus:2x2x2"] + [f"host n{n} {k % 2} {k // 2 % 2} {k // 4}" for k, n in enumerate((3, 0, 5, 7, 1, 6, 2, 4))],
      live(PRINTED, TORI))
for name, yaml, end in (("without topology.yaml", None, "its topology.yaml cannot be read"),
                        ("and a topology.yaml of other nodes", TORI.replace("n[3,", "n[8,"), "has no torus of these nodes")):
    text = live(PRINTED, yaml)
    judge(f"a torus as Slurm prints it, {name}: refused", True,
          text.startswith("Slurm's topology:1: Slurm prints the nodes of a torus by name") and end in text)
judge("but a ring is printed in its order", ["ring:3", "host n2 0", "host n0 1", "host n1 2"],
      live("RingName=r0 Nodes=n[2,0,1] RingSize=3\n", None))
judge("a tree", ["tree of 3 switches, 4 hosts", 4], read("""- topology: topo1
  tree:
    switches:
      - switch: sw_root
        children: s[1-2]
      - switch: s1
        nodes: node[01-02]
      - switch: s2
        nodes: node[03-04]
""", ("node01", "node03")))

# A domain is a unit on any leaf switches of its nodes, and below the first switch
# that all of them share.
INSTANCES = """{ "instances": [
  {"id": "n0", "network_layers": ["leaf-a", "spine-1"], "labels": {"accelerator.topograph.run/domain": "nvl-1"}},
  {"id": "n1", "network_layers": ["leaf-b", "spine-1"], "labels": {"accelerator.topograph.run/domain": "nvl-1"}},
  {"id": "n2", "network_layers": ["leaf-a", "spine-1"], "labels": {"accelerator.topograph.run/domain": "nvl-2",
                                                                   "example.com/gpu": "H100"}},
  {"id": "n3", "network_layers": ["leaf-b", "spine-1"], "labels": {"accelerator.topograph.run/domain": "nvl-2"}},
  {"id": "n4", "network_layers": ["leaf-b", "spine-1"]},
  {"id": "n5", "network_layers": ["leaf-c", "spine-2"]} ] }
"""
NODES = """{"apiVersion": "v1", "kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "head", "labels": {"kubernetes.io/arch": "amd64"}}},
  """ + ",\n  ".join(
    f'{{"kind": "Node", "metadata": {{"name": "n{i}", "labels": {{"nvidia.com/gpu.clique": "c.{i // 2}", '
    f'"fabric.topograph.run/tier-1": "s{i // 8}", "fabric.topograph.run/tier-0": "l{i // 4}"}}}}}}'
    for i in range(16)) + "]}\n"
judge("topograph's instances", ["tree of 7 switches, 6 hosts", 2, 4, 4, 6],
      read(INSTANCES, ("n0", "n1"), ("n0", "n2"), ("n0", "n4"), ("n0", "n5")))
judge("labels of Kubernetes' nodes", ["tree of 15 switches, 16 hosts", 2, 4, 6, 8],
      read(NODES, ("n0", "n1"), ("n0", "n2"), ("n0", "n4"), ("n0", "n8")))
judge("cliques alone", ["tree of 3 switches, 4 hosts", 2, 4],
      read('{"apiVersion": "v1", "items": [' + ", ".join(
          f'{{"metadata": {{"name": "n{i}", "labels": {{"nvidia.com/gpu.clique": "c.{i % 2}"}}}}}}' for i in range(4))
          + "]}", ("n0", "n2"), ("n0", "n1")))
with open("site.json", "w") as site:
    site.write('{ "format": 1, "topology": { "type": "file", "path": "' + os.path.abspath("tg.json") + '" } }')
with open("tg.json", "w") as tg:
    tg.write(INSTANCES)
judge("a site file may name it", "tree of 7 switches, 6 hosts",
      run("show", "--config", "site.json").stdout.split("\n")[0])

YAML = "---\n- topology: t\n"
for text, why in (
    ('vendid=0x1\nSwitch 8 S-1 # "x"\n', ":2: a switch or adapter without an identifier"),
    ('vendid=0x1\n[1] "H-1"[1] # "n" lid 1 4xEDR\n', ":2: a port of no switch or adapter, or to none"),
    ('vendid=0x1\nSwitch 8 "S-1" # "x"\n[1] "H-1"[1] # "" lid 1\n', ": a network without hosts"),
    ('vendid=0x1\nCa 1 "H-1" # "n"\n[1](1) "H-2"[1](2) # lid 1\n',
     ":3: adapters H-1 and H-2 are joined without a switch"),
    ("vendid=0x1\n", ": a network without hosts"),
    ("BlockName=b1 Nodes=n[0-3]\nBlockName=b1 Nodes=m\n", ":2: b1: a block is there twice"),
    ("BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n3\n", ":2: b2: one of its nodes is there twice"),
    ("BlockName=b1 Nodes=n0\nBlockSizes=4,x\n", ":2: BlockSizes= is not a list of numbers above 0"),
    ("BlockName=b1 Nodes=n0\nBlockSizes=4,6\n", ": BlockSizes= are no multiples of the first"),
    ("BlockName=b1 Nodes=n0\nAggregatedBlock=b[1-2] Nodes=n0\n",
     ":2: b[1-2]: it has a block that is not described"),
    ("BlockName=a Nodes=n0\nBlockName=b Nodes=n1\nBlockName=c Nodes=n2\nAggregatedBlock=a,b\nAggregatedBlock=b,c\n",
     ": aggregated blocks overlap"),
    ("BlockSizes=4,8\n", ": no blocks in it"),
    ("BlockName=b1\n", ": no nodes in it"),
    ("BlockName=b1 Nodes=n0\nRingName=r Nodes=n1\n", ":2: r: blocks, rings and tori do not stand in one file"),
    ("BlockName=b1 Nodes=n0\nSwitchName=s Nodes=n1\n", ":2: 'SwitchName=s' names no block, ring or torus"),
    ("TorusName=t Nodes=n0\n", ":1: t: Dims= is missing"),
    ("TorusName=t Dims=4x4 Nodes=n0\n", ":1: Dims=4x4 is not of the form 4x4x2"),
    ("TorusName=t Dims=1x1x1 Nodes=n[0-1]\n", ":1: t: more nodes than places"),
    ("TorusName=t Dims=0x1x1 Nodes=n[0-1]\n", ":1: t: no places, or more than 2^24"),
    ("BlockName=b Nodes=n[0-\n", ":1: host list 'n[0-': a bracket is not closed"),
    ("BlockName=b Nodes=n[3-0]\n", ":1: host list 'n[3-0]': a range that runs backwards"),
    ("BlockName=b Nodes=n[0-99999999]\n", ":1: host list 'n[0-99999999]': more than 1048576 names"),
    ("BlockName=b Nodes=n[0-999][0-9999]\n", ":1: host list 'n[0-999][0-9999]': more than 1048576 names"),
    ("BlockName=b Nodes=a\x1bb\n", ":1: host list 'a?b': a blank or control character in a name"),
    ("BlockName=b Nodes=a,,b\n", ":1: host list 'a,,b': an empty name"),
    ("--- x\n", ":1: no list of topologies"),
    ("---\n- [\n", ":2: a bracket is not closed"),
    (YAML + "  flat: true\n",
     ":2: neither tree, block, ring nor torus3d: the nodes of a flat network are not listed"),
    (YAML + "  tree: 3\n", ":2: a list of switches, blocks, rings or toruses is expected"),
    (YAML + "  tree:\n    switches:\n    - switch: a\n      nodes: n[0-3]\n    - switch: b\n      nodes: n3\n",
     ":7: node n3 is on two switches, a and b"),
    (YAML + "  tree:\n    switches:\n    - nodes: n\n", ":5: an entry without a name"),
    (YAML + "  block:\n    blocks:\n    - {block: 'b c', nodes: n}\n", ":5: an entry without a name"),
    (YAML + "  torus3d:\n    toruses:\n    - name: t\n      dims: {x: 1, y: 1}\n", ":6: x, y and z are expected"),
    (YAML + "  tree: &a\n    switches: *a\n", ":3: '&a' is more of YAML than is read here"),
    (INSTANCES[:300], ":4: column 56: Expecting property name enclosed in double quotes"),
    ("SLURM_TOPOLOGY_ADDR=a.n0\nSLURM_TOPOLOGY_ADDR=b.n0\n", ":2: node n0 is there twice, at different places"),
    ("SLURM_TOPOLOGY_ADDR=a.b[1-2].n0\n", ":1: a.b[1-2].n0 is not switches and a node, joined by dots"),
    ("SLURM_TOPOLOGY_ADDR=n0\n", ": no node is at a switch: Slurm has no topology"),
    ('{"instances": 3}', ": neither instances of topograph nor items of kubectl"),
    ('{"instances": [{"id": "n0"}]}', ": no node has layers of switches, or labels of a domain"),
    ('{"instances": [{"id": "n0", "network_layers": ["a"]}, {"id": "n 1"}]}', ": entry 2 has no name of a node"),
    ('{"instances": [{"id": "n0", "network_layers": ["a"]}, {"id": "n0"}]}', ": node n0 is there twice"),
    ('{"instances": [{"id": "n0", "network_layers": "a"}]}', ": network_layers of n0 is not a list of texts"),
    ('{"instances": [{"id": "n0", "labels": {"a": 1}}]}', ": labels of n0 are not texts"),
    ('{"apiVersion": ' + "[" * 100000, ": nested too deeply"),
    (YAML + "  tree:\n      a: b\n     c: d\n", ":5: an indentation that nothing begins"),
):
    judge(why[:70], [f"topomap: network{why}"], read(text))

# The reader says a sentence of every change in them.
seeds = [FABRIC, INSTANCES, NODES, "BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n[4-7]\nAggregatedBlock=b[1-2]\n",
         "TorusName=a Dims=2x2x2 Nodes=n[0-3]\nTorusRegion=a Dims=1x1x1 Anchor=1x1x1 Nodes=m\nTorusName=b Dims=1x1x1\n",
         YAML + "  tree:\n    switches:\n      - {switch: a, nodes: ['n[0-3]', \"m\"]}\n      - switch: b\n"]
pieces = ['"', "#", "[", "]", "{", "}", ":", ": ", "- ", "\n", " ", "=", ",", "x", "0", "9" * 30, "\\", "'", "---", "\udc80"]
random.seed(int(os.environ.get("SEED", "1")))
bad = []
for i in range(4000):
    text = list(random.choice(seeds))
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(text))
        text[at : at + random.randrange(3)] = random.choice(pieces)
    data = "".join(text).encode("utf-8", "surrogateescape")
    try:
        for _ in readers.read("f", data):
            pass
    except readers.Error:
        pass
    except Exception as error:  # a fault of ours
        bad.append((repr(error), data))
judge("changed files", [], bad[:1])
finish()
