# SPDX-License-Identifier: LGPL-2.1-or-later
"""Networks from what other tools leave: ibnetdiscover's output, Slurm's
topology.yaml, and its blocks, rings and tori as topology.conf has them and
scontrol shows them; JSON of topograph's graph engine and of Kubernetes' nodes.

network-readers.py any NAME: the file is stdin, NAME is for messages. topomap
runs it. It writes what topomap reads itself, mapcore-topology(5): Slurm's switches, a
list of links or a torus and its hosts; or a line "! CODE MESSAGE", CODE of readers.Error.
"""
import itertools
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from readers import NAME_MOST, Error, answer, expand

FILE_MOST = 256 << 20
FILE_HOSTS_MOST = 1 << 22
PLACES_MOST = 1 << 24
# Routers of several tori in one network, each with its name and six cables.
ROUTERS_MOST = 1 << 20
DEPTH_MOST = 64
# As planner_machine.c and partitions.c call what they have from Slurm itself; seconds that it may
# take to say more.
OF_SLURM, ASK_SECONDS = ("Slurm's topology", "scontrol show topology"), 5
BLANKS = " \t\r\v\f"


class File:
    """The lines of a file, and its name, for messages."""

    def __init__(self, name, data):
        self.name, self.nhosts = name, 0
        if len(data) > FILE_MOST:
            raise Error(f"{name}: longer than {FILE_MOST >> 20} MiB", "range")
        if b"\0" in data:
            line = data[: data.index(b"\0")].count(b"\n") + 1
            raise Error(f"{name}:{line}: a NUL byte: this is not a text file")
        text = data.decode("utf-8", "surrogateescape")
        self.lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]

    def error(self, number, text, code="parse"):
        return Error(f"{self.name}:{number}: {text}" if number else f"{self.name}: {text}", code)

    def expand(self, number, text):
        try:
            names = expand(text)
        except Error as error:
            raise self.error(number, str(error), error.code) from None
        self.nhosts += len(names)
        if self.nhosts > FILE_HOSTS_MOST:
            raise self.error(number, f"the lists have more than {FILE_HOSTS_MOST} names", "range")
        return names


# --- InfiniBand

IB_BEGINNINGS = (
    "vendid=", "devid=", "sysimgguid=", "sysimageguid=", "switchguid=", "caguid=", "rtguid=", "Non-Chassis", "Chassis ",
)
# What is left of a link after its coding, gigabits per second a lane: 8b/10b up
# to QDR, 64b/66b from FDR10 on; from EDR on the round figures of the InfiniBand
# Trade Association's roadmap.
SPEEDS = {
    "SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 10, "FDR": 13.6364, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200,
}


def quoted(line, at):
    """The next text in quotes, or None, and what is behind it. Behind # stands
    a remark about it."""
    begin = line.find('"', at)
    end = line.find('"', begin + 1)
    if begin < 0 or end < 0 or "#" in line[at + 1 : begin]:
        return None, at
    return line[begin + 1 : end], end + 1


def about(line, at):
    """The description behind #, or None, and what is behind it."""
    mark = line.find("#", at)
    return quoted(line, mark) if mark >= 0 else (None, len(line))


def rate_of(words):
    """Bytes per second of "4xEDR" among the words, or 0."""
    for word in words.split():
        found = re.fullmatch("([0-9]{1,18})x(.*)", word)
        if found and 0 < int(found[1]) <= 64:
            return int(found[1]) * (SPEEDS.get(found[2], 0) * 1e9 / 8)
    return 0


def plain(name):
    """A name that a list of links takes for one name."""
    return re.sub("[][,()#\x00-\x20\x7f-\xa0]", "_", name)


class Fabric:
    """The devices of a network in the order in which they are named: switches and
    routers ("S-...", "R-..."), channel adapters ("H-..."); and their wires."""

    def __init__(self, file):
        self.devices, self.wires = {}, []  # id: description or None; (id, id, rate)
        current = None
        for number, line in enumerate(file.lines, 1):
            if line.startswith("["):
                self.read_port(file, number, line, current)
            elif line.startswith(("Switch", "Ca", "Rt")):
                name, at = quoted(line, len(line) - len(line.split(None, 1)[-1]))
                if name is None:
                    raise file.error(number, "a switch or adapter without an identifier")
                current = name
                self.add(name, about(line, at)[0] or "")

    def add(self, name, description):
        if self.devices.setdefault(name, description) is None:
            self.devices[name] = description

    def read_port(self, file, number, line, mine):
        """`[1] "H-..."[1](...) # "description" lid 5 4xEDR`. A link stands at both
        its ends: those to adapters are taken from the switch, those between
        switches from the end that comes first by identifier."""
        name, at = quoted(line, 0)
        if mine is None or name is None:
            raise file.error(number, "a port of no switch or adapter, or to none")
        if mine[:1] == "H":
            if name[:1] == "H":
                raise file.error(
                    number, f"adapters {mine[:40]} and {name[:40]} are joined without a switch", "unsupported"
                )
            return
        description, at = about(line, at)
        self.add(name, description)
        if name == mine or (name[:1] != "H" and mine > name):
            return
        self.wires.append((mine, name, rate_of(line[at:])))

    def name_switches(self, hosts):
        """The name inside "MF0;name:type/U1" if it is new, else the identifier."""
        names, taken = {}, set(hosts)
        for device, description in self.devices.items():
            if device[:1] != "H":
                inside = re.match("MF0;([^: ]{1,63})[: ]", (description or "") + ":")
                name = plain(inside[1]) if inside else None
                names[device] = plain(device) if name is None or name in taken else name
                taken.add(names[device])
        return names

    def name_hosts(self):
        """The host of an adapter is the first word of its description, without a
        domain unless another host has that name in another one; further words
        tell the adapters of one host apart. Not those inside switches, nor those that
        no host is known by, which are counted: a node that was never booted, or
        whose driver names nothing, has no description, the adapter's own, or one
        that others have as well."""
        adapters = {
            device: text for device, text in self.devices.items()
            if device[:1] == "H" and "Aggregation Node" not in (text or "")
        }
        count, names, hosts, words, left_out = {}, {}, {}, set(), 0
        for text in adapters.values():
            count[text or ""] = count.get(text or "", 0) + 1
        for device, text in adapters.items():
            whole = (text or "").split(" ", 1)[0]
            if not 0 < len(whole) <= NAME_MOST or "Mellanox Technologies" in text or count[text] > 1:
                left_out += 1
                continue
            # An address has no domain.
            dot = -1 if whole[0] in "0123456789" else whole.find(".", 1)
            name, is_new = plain(whole[:dot] if dot > 0 else whole), whole not in words
            words.add(whole)
            if name in hosts and (is_new or plain(whole) in hosts):
                name = plain(whole)
            names[device] = hosts.setdefault(name, name)
        return names, left_out


def read_ibnetdiscover(file):
    fabric = Fabric(file)
    hosts, left_out = fabric.name_hosts()
    switches = fabric.name_switches(hosts.values())
    known = all(rate > 0 for _, _, rate in fabric.wires)
    yield "links"
    if left_out:
        yield "note " + (
            "1 adapter without a name of its own left out" if left_out == 1 else
            f"{left_out} adapters without a name of their own left out"
        )
    for name in dict.fromkeys(switches.values()):
        yield f"switch {name}"
    for name in dict.fromkeys(hosts.values()):
        yield f"host {name}"
    names = {**switches, **hosts}
    for a, b, rate in fabric.wires:
        if a in names and b in names:
            yield f"link {names[a]} {names[b]}{f' {rate!r}' if known else ''}"


# --- Slurm's blocks, rings and tori

class Unit:
    """A block, ring or torus, or a part of one."""

    def __init__(self, kind, line, name):
        self.kind, self.line, self.name = kind, line, name  # aggregated: name is a list of blocks
        self.nodes, self.list, self.dims, self.anchor = [], "", None, (0, 0, 0)

    def error(self, file, text):
        return file.error(self.line, f"{self.name[:100]}: {text}")


KINDS = {
    "blockname": "block", "aggregatedblock": "aggregated", "ringname": "ring", "torusname": "torus",
    "torusregion": "region",
}


def place_of(file, number, text, key, example):
    numbers = text.split("x")
    if len(numbers) != 3 or not all(re.fullmatch("[0-9]{1,10}", n) and int(n) < 1 << 16 for n in numbers):
        raise file.error(number, f"{key}={text[:40]} is not of the form {example}")
    return tuple(map(int, numbers))


def whole_lines(file):
    """Lines without their comments; one that ends in a backslash goes on in the
    next."""
    whole = ""
    for number, line in enumerate(file.lines, 1):
        line, mark, _ = line.partition("#")
        if not mark and line.endswith("\\"):
            whole += line[:-1]
            continue
        yield number, whole + line
        whole = ""
    if whole:
        yield len(file.lines), whole


def set_words(file, unit, words):
    for word in words:
        key, equals, value = word.partition("=")
        key = key.lower()
        if not equals:
            raise file.error(unit.line, f"'{word[:40]}' is not KEY=VALUE")
        if key == "nodes" and value not in ("", "(null)"):
            if unit.nodes:
                raise file.error(unit.line, "Nodes= stands twice in one line")
            unit.nodes, unit.list = file.expand(unit.line, value), value
        elif key == "dims":
            unit.dims = place_of(file, unit.line, value, "Dims", "4x4x2")
        elif key == "anchor":
            unit.anchor = place_of(file, unit.line, value, "Anchor", "0x0x0")


def read_shapes(file):
    units, sizes = [], []
    for number, line in whole_lines(file):
        words = line.split()
        if not words:
            continue
        key, _, value = words[0].partition("=")
        kind = KINDS.get(key.lower())
        if key.lower() == "blocksizes" and "=" in words[0]:
            sizes = value.split(",")
            if not all(re.fullmatch("[0-9]{1,19}", size) and int(size) > 0 for size in sizes):
                raise file.error(number, "BlockSizes= is not a list of numbers above 0")
            sizes = list(map(int, sizes))
            continue
        if not kind or not value:
            raise file.error(number, f"'{words[0][:40]}' names no block, ring or torus")
        # scontrol lists below a torus what jobs may be placed on.
        if kind == "torus" and "PlacementDims=" in line:
            continue
        units.append(Unit(kind, number, value))
        set_words(file, units[-1], words[1:])
    if file.name in OF_SLURM and units and units[0].kind == "torus":
        file, units = units_of_yaml(file, units)
    return make_shapes(file, units, sizes)


def configuration_folder():
    """Where Slurm's files are, as it says itself."""
    path = os.environ.get("SLURM_CONF")
    if not path:
        told = subprocess.run(["scontrol", "show", "config"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=ASK_SECONDS, check=True)
        path = re.search(rb"^SLURM_CONF\s*= (.+)$", told.stdout, re.M)[1]
    return os.path.dirname(os.fsdecode(path))


def units_of_yaml(file, units):
    """The tori of topology.yaml with these names and nodes, and that file. Slurm (26.05) prints nodes
    by name, and no regions: where they are stands there alone."""
    lost = ("Slurm prints the nodes of a torus by name, not by place, and {}: name topology.yaml in the site file, "
            "topology in topomap.json(5)")
    try:
        path = os.path.join(configuration_folder(), "topology.yaml")
        with open(path, "rb") as yaml:
            below = File(path, yaml.read(FILE_MOST + 1))
    except (OSError, subprocess.SubprocessError, TypeError):
        raise file.error(units[0].line, lost.format("its topology.yaml cannot be read")) from None
    wanted = {unit.name: set(unit.nodes) for unit in units}
    for topology in topologies_of(below):
        found = units_in(below, topology, "torus3d") if topology.get("torus3d") else []
        nodes = {}
        for unit in found:
            nodes.setdefault(unit.name, set()).update(unit.nodes)
        if nodes == wanted:
            return below, found
    raise file.error(units[0].line, lost.format(f"{path} has no torus of these nodes"))


def make_shapes(file, units, sizes):
    """Every node once, and all units of one sort."""
    if not units:
        raise file.error(0, "no blocks in it")
    sorts = {"block": 0, "aggregated": 0, "ring": 1, "torus": 2, "region": 2}
    seen = set()
    for unit in units:
        if sorts[unit.kind] != sorts[units[0].kind]:
            raise unit.error(file, "blocks, rings and tori do not stand in one file")
        for name in unit.nodes if unit.kind != "aggregated" else ():
            if name in seen:
                raise unit.error(file, "one of its nodes is there twice")
            seen.add(name)
    if not seen:
        raise file.error(0, "no nodes in it")
    return make_blocks(file, units, sizes) if sorts[units[0].kind] == 0 else make_tori(file, units, seen)


def make_groups(file, units, blocks, sizes):
    """Lists of blocks that are nearer to each other than to others, the largest
    first. topology.conf has sizes in nodes, of which the first is that of a block,
    and every further one joins as many blocks in a row; scontrol lists them."""
    groups = []
    for size in sizes[1:]:
        if size % sizes[0]:
            raise file.error(0, "BlockSizes= are no multiples of the first")
        n = size // sizes[0]
        if n > 1:
            groups += [list(range(at, min(at + n, len(blocks)))) for at in range(0, len(blocks), n)]
    for unit in units:
        if unit.kind == "aggregated":
            names = file.expand(unit.line, unit.name)
            if not all(name in blocks for name in names):
                raise unit.error(file, "it has a block that is not described")
            groups.append([blocks[name] for name in names])
    return sorted(groups, key=len, reverse=True)


def make_blocks(file, units, sizes):
    """Slurm's lines of a tree: a root, the groups, those that say nothing new left
    out, and the blocks."""
    blocks, of = {}, [unit for unit in units if unit.kind == "block"]
    for unit in of:
        if unit.name in blocks:
            raise unit.error(file, "a block is there twice")
        blocks[unit.name] = len(blocks)
    inner, size, below = [0] * len(of), [len(of)], [[]]
    for group in make_groups(file, units, blocks, sizes):
        above = inner[group[0]]
        if any(inner[b] != above for b in group):
            raise file.error(0, "aggregated blocks overlap")
        if len(group) == size[above] or len(group) == 1:
            continue
        for b in group:
            inner[b] = len(size)
        below[above].append((min(group), len(size)))
        size.append(len(group))
        below.append([])
    names = ["root"] + [f"s{s}" for s in range(1, len(size))]
    names = [name + "_" * (name in blocks) for name in names]
    for b, unit in enumerate(of):
        below[inner[b]].append((b, unit.name))
    for s, name in enumerate(names):
        switches = ",".join(names[x] if isinstance(x, int) else x for _, x in sorted(below[s], key=lambda x: x[0]))
        yield f"SwitchName={name} Switches={switches}"
    for unit in of:
        yield f"SwitchName={unit.name} Nodes={unit.list}"


def place_nodes(file, torus, parts):
    """(name, coordinates) of the nodes of a ring or torus and its regions."""
    for unit in parts:
        if any(a + d > most for a, d, most in zip(unit.anchor, unit.dims, torus.dims)):
            raise unit.error(file, "a region outside its torus")
        x, y, z = unit.dims
        if len(unit.nodes) > x * y * z:
            raise unit.error(file, "more nodes than places")
        for k, name in enumerate(unit.nodes):
            yield name, tuple(a + b for a, b in zip(unit.anchor, (k % x, k // x % y, k // x // y)))


def make_tori(file, units, nodes):
    tori = []  # each with its regions
    for unit in units:
        if unit.kind == "ring":
            unit.dims = (len(unit.nodes), 1, 1)
        if unit.dims is None:
            raise unit.error(file, "Dims= is missing")
        if unit.kind == "region" and not tori:
            raise unit.error(file, "a region of no torus")
        if not 0 < unit.dims[0] * unit.dims[1] * unit.dims[2] <= PLACES_MOST:
            raise unit.error(file, "no places, or more than 2^24")
        if unit.kind == "region":
            tori[-1].append(unit)
        else:
            tori.append([unit])
    if len(tori) > 1:
        return join_tori(file, tori, nodes)
    torus = tori[0][0]
    word = f"ring:{torus.dims[0]}" if torus.kind == "ring" else "torus:" + "x".join(map(str, torus.dims))
    n = 1 if torus.kind == "ring" else 3
    hosts = (f"host {name} {' '.join(map(str, x[:n]))}" for name, x in place_nodes(file, torus, tori[0]))
    return itertools.chain([word], hosts)


def router_of(torus, at):
    return f"{torus.name[:100]}({at[0]},{at[1]},{at[2]})"


def join_tori(file, tori, nodes):
    """Nothing is said of the way from one to another: their first routers are
    joined by a switch of their own."""
    root, nrouters, names = "root" + "_" * ("root" in nodes), 0, set()
    yield "links"
    yield f"switch {root}"
    for torus, *regions in tori:
        dims = torus.dims
        nrouters += dims[0] * dims[1] * dims[2]
        if nrouters > ROUTERS_MOST:
            raise file.error(torus.line, "several tori of more than 2^20 routers", "range")
        if torus.name[:100] in names:
            raise torus.error(file, "a ring or torus is there twice")
        names.add(torus.name[:100])
        places = [(x, y, z) for z in range(dims[2]) for y in range(dims[1]) for x in range(dims[0])]
        for at in places:
            yield f"switch {router_of(torus, at)}"
        for at in places:
            for d in range(3):
                # Two routers in a ring have one cable.
                if dims[d] == 1 or (dims[d] == 2 and at[d] == 1):
                    continue
                to = list(at)
                to[d] = (at[d] + 1) % dims[d]
                yield f"link {router_of(torus, at)} {router_of(torus, to)}"
        yield f"link {root} {router_of(torus, (0, 0, 0))}"
        for name, at in place_nodes(file, torus, [torus] + regions):
            yield f"host {name} at {router_of(torus, at)}"


# --- topology.yaml

class Node(tuple):
    """(line, value): a text, a list of nodes, or a dict of them by text."""

    line = property(lambda self: self[0])
    value = property(lambda self: self[1])

    def get(self, key):
        return self.value.get(key) if isinstance(self.value, dict) else None

    def word(self, key):
        """A word of text, or None."""
        node = self.get(key)
        text = node.value if node else None
        return text if isinstance(text, str) and re.fullmatch(r"[^\s#\\]+", text) else None


QUOTED = r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\''
PIECE = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|$)|\'[^\']*(?:\'|$)|\s#.*|.')
KEY = re.compile(rf"({QUOTED}|[^\s\[\]{{}},\"'#&*!|>%@`:][^:]*):(?:\s+(.*)|$)")
FLOW_TEXT = re.compile(rf"{QUOTED}|[^\s,\[\]{{}}\"'&*!|>%@`#:](?:[^,\[\]{{}}:\n]|:(?=[^\s,\[\]{{}}]))*")


class Yaml:
    """The first document of what Slurm's file may have of YAML: lists and mappings
    by indentation or in brackets, texts of one line; no anchors, no tags."""

    def __init__(self, file):
        self.file, self.lines, self.at = file, [], 0
        for number, line in enumerate(file.lines, 1):
            text = self.without_comment(line)
            if re.match(r"(---|\.\.\.)(\s|$)", text):
                if self.lines or text[0] == ".":
                    break
                text = "   " + text[3:]
            if text.strip():
                indent = len(text) - len(text.lstrip(" "))
                if text[indent] == "\t":
                    raise file.error(number, "a tab begins a line of YAML")
                self.lines.append((number, indent, text.strip()))

    @staticmethod
    def without_comment(line):
        if "#" not in line:
            return line
        pieces = PIECE.findall(" " + line)
        return "".join(p for p in pieces if not re.match(r"\s#", p))[1:]

    def error(self, number, text, code="parse"):
        return self.file.error(number, text, code)

    def node(self, indent, depth=0):
        """What begins at the next line, whose indentation that is."""
        number, _, text = self.lines[self.at]
        if depth > DEPTH_MOST:
            raise self.error(number, f"more than {DEPTH_MOST} levels", "range")
        if re.match(r"-(\s|$)", text):
            return self.sequence(number, indent, depth)
        if text[0] not in "[{" and KEY.fullmatch(text):
            return self.mapping(number, indent, depth)
        self.at += 1
        return self.scalar(number, text)

    def below(self, number, indent, depth, least):
        """What stands below a line that ends in a dash or colon."""
        if self.at < len(self.lines) and self.lines[self.at][1] >= least:
            return self.node(self.lines[self.at][1], depth + 1)
        return Node((number, ""))

    def goes_on(self, indent):
        if self.at == len(self.lines) or self.lines[self.at][1] < indent:
            return False
        if self.lines[self.at][1] > indent:
            raise self.error(self.lines[self.at][0], "an indentation that nothing begins")
        return True

    def sequence(self, number, indent, depth):
        items = []
        while self.goes_on(indent) and re.match(r"-(\s|$)", self.lines[self.at][2]):
            line, _, text = self.lines[self.at]
            rest = text[1:].lstrip()
            if rest:
                at = indent + len(text) - len(rest)
                self.lines[self.at] = (line, at, rest)
                items.append(self.node(at, depth + 1))
            else:
                self.at += 1
                items.append(self.below(line, indent, depth, indent + 1))
        return Node((number, items))

    def mapping(self, number, indent, depth):
        pairs = {}
        while self.goes_on(indent):
            line, _, text = self.lines[self.at]
            found = KEY.fullmatch(text)
            if not found:
                if re.match(r"-(\s|$)", text):
                    break
                raise self.error(line, "a key is expected")
            key = self.unquote(found[1].rstrip())
            self.at += 1
            if found[2]:
                value = self.scalar(line, found[2], depth)
            else:
                # A list below a key may stand as far to the left.
                dash = self.at < len(self.lines) and re.match(r"-(\s|$)", self.lines[self.at][2])
                value = self.below(line, indent, depth, indent if dash else indent + 1)
            pairs.setdefault(key, value)
        return Node((number, pairs))

    @staticmethod
    def unquote(text):
        if text[0] == "'":
            return text[1:-1].replace("''", "'")
        return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] == '"' else text

    def scalar(self, number, text, depth=0):
        if text[0] in "[{":
            self.number, self.text, self.pos = number, text, 0
            node = self.flow(number, depth)
            if self.text[self.pos :].strip():
                raise self.error(self.number, "something follows the brackets")
            return node
        if text[0] in "&*!|>%@`" or (text[0] in "\"'" and not re.fullmatch(QUOTED, text)):
            raise self.error(number, f"'{text[:40]}' is more of YAML than is read here")
        return Node((number, self.unquote(text)))

    def peek(self):
        """The next character of a text in brackets, which may go on in further
        lines."""
        while True:
            while self.pos < len(self.text) and self.text[self.pos].isspace():
                self.pos += 1
            if self.pos < len(self.text):
                return self.text[self.pos]
            if self.at == len(self.lines):
                raise self.error(self.number, "a bracket is not closed")
            (self.number, _, self.text), self.pos = self.lines[self.at], 0
            self.at += 1

    def flow(self, number, depth):
        if depth > DEPTH_MOST:
            raise self.error(self.number, f"more than {DEPTH_MOST} levels", "range")
        first = self.peek()
        if first not in "[{":
            return Node((self.number, self.flow_text()))
        number, items, pairs, end = self.number, [], {}, "]" if first == "[" else "}"
        self.pos += 1
        while self.peek() != end:
            if first == "[":
                items.append(self.flow(number, depth + 1))
            else:
                key, value = self.flow_text(), Node((self.number, ""))
                if self.peek() == ":":
                    self.pos += 1
                    value = self.flow(number, depth + 1)
                pairs.setdefault(key, value)
            if self.peek() == ",":
                self.pos += 1
            elif self.peek() != end:
                raise self.error(self.number, f"'{self.text[self.pos :][:40]}' stands in brackets")
        self.pos += 1
        return Node((number, items if first == "[" else pairs))

    def flow_text(self):
        self.peek()
        found = FLOW_TEXT.match(self.text, self.pos)
        if not found:
            raise self.error(self.number, f"'{self.text[self.pos :][:40]}' stands in brackets")
        self.pos = found.end()
        return self.unquote(found[0].rstrip())


def list_of(file, node, key):
    """The words of a key, joined by commas; "" without it."""
    value = node.get(key)
    if value is None or node.word(key):
        return node.word(key) or ""
    if not isinstance(value.value, list):
        raise file.error(value.line, "a list of names is expected")
    words = [Node((0, {"": item})).word("") for item in value.value]
    if None in words:
        raise file.error(value.line, "a word is expected")
    return ",".join(words)


def name_of(file, node, key):
    if not node.word(key):
        raise file.error(node.line, "an entry without a name")
    return node.word(key)


def dims_of(file, node, key):
    """"4x4x2" of {x: 4, y: 4, z: 2}; None without it."""
    value = node.get(key)
    if value is None:
        return None
    numbers = [value.word(axis) for axis in "xyz"]
    if None in numbers:
        raise file.error(value.line, "x, y and z are expected")
    return "x".join(numbers)


def unit_of(file, node, kind, name):
    unit = Unit(kind, node.line, name)
    words = (("Anchor", dims_of(file, node, "anchor")), ("Dims", dims_of(file, node, "dims")),
             ("Nodes", list_of(file, node, "nodes")))
    set_words(file, unit, [f"{key}={value}" for key, value in words if value])
    return unit


def make_switches(file, entries):
    """Slurm's lines of a tree, where the entries stood, so that messages about
    them name those lines."""
    line = 0  # that are written
    for node in entries:
        name = name_of(file, node, "switch")
        words = (("Switches", list_of(file, node, "children")), ("Nodes", list_of(file, node, "nodes")))
        yield "\n" * max(0, node.line - line - 1) + " ".join(
            [f"SwitchName={name}"] + [f"{key}={value}" for key, value in words if value]
        )
        line = max(line + 1, node.line)


def topologies_of(file):
    yaml = Yaml(file)
    root = yaml.node(yaml.lines[0][1]) if yaml.lines else Node((1, ""))
    if yaml.at < len(yaml.lines):
        raise file.error(yaml.lines[yaml.at][0], "something follows the list of topologies")
    if not isinstance(root.value, list) or not root.value:
        raise file.error(1, "no list of topologies")
    return root.value


LISTS = {"tree": "switches", "block": "blocks", "ring": "rings", "torus3d": "toruses"}


def entries_of(file, topology, kind):
    entries = topology.get(kind).get(LISTS[kind])
    if not entries or not isinstance(entries.value, list):
        raise file.error(topology.line, "a list of switches, blocks, rings or toruses is expected")
    return entries.value


def units_in(file, topology, kind):
    units = []
    for node in entries_of(file, topology, kind):
        name = name_of(file, node, "name" if kind == "torus3d" else kind)
        units.append(unit_of(file, node, "torus" if kind == "torus3d" else kind, name))
        regions = node.get("regions") if kind == "torus3d" else None
        if regions and not isinstance(regions.value, list):
            raise file.error(regions.line, "a list of regions is expected")
        units += [unit_of(file, region, "region", name) for region in (regions.value if regions else ())]
    return units


def read_yaml(file):
    topologies = topologies_of(file)
    # The one that Slurm takes where nothing else is said.
    chosen = next((t for t in topologies if (t.word("cluster_default") or "").lower() == "true"), topologies[0])
    kind = next((k for k in LISTS if chosen.get(k)), None)
    if not kind:
        raise file.error(
            chosen.line, "neither tree, block, ring nor torus3d: the nodes of a flat network are not listed", "unsupported"
        )
    if kind == "tree":
        return make_switches(file, entries_of(file, chosen, kind))
    units = units_in(file, chosen, kind)
    sizes = list_of(file, chosen.get(kind), "block_sizes").split(",")
    if sizes != [""] and not all(re.fullmatch("[0-9]{1,19}", size) and int(size) > 0 for size in sizes):
        line = chosen.get(kind).get("block_sizes").line
        raise file.error(line, "BlockSizes= is not a list of numbers above 0")
    return make_shapes(file, units, list(map(int, filter(None, sizes))))


# --- JSON: topograph's graph engine, and `kubectl get nodes -o json`

# Labels by which nodes share an accelerator's network (NVLink), the smallest first;
# the last one is the GPU operator's, where topograph has set no other.
DOMAINS = (("accelerator.topograph.run/sub-domain",), ("accelerator.topograph.run/domain", "nvidia.com/gpu.clique"))
TIER = re.compile("fabric[.]topograph[.]run/tier-([0-9]{1,2})")


def texts(file, value, what):
    """A list of texts, empty ones left out."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise file.error(0, f"{what} is not a list of texts")
    return [one for one in value if one]


def pairs(file, value, what):
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise file.error(0, f"{what} are not texts")
    return value


def units_of(layers, labels):
    """What a node is part of, the nearest first; None where a level has no name."""
    tiers = {int(found[1]): value for key, value in labels.items() if (found := TIER.fullmatch(key)) and value}
    if not layers and tiers:
        layers = [tiers.get(tier) for tier in range(max(tiers) + 1)]
    return [next((labels[key] for key in keys if labels.get(key)), None) for keys in DOMAINS] + layers


def read_json(file):
    try:
        root = json.loads("\n".join(file.lines))
    except json.JSONDecodeError as error:
        raise file.error(error.lineno, f"column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise file.error(0, "nested too deeply") from None
    entries = root.get("instances", root.get("items"))
    if not isinstance(entries, list):
        raise file.error(0, "neither instances of topograph nor items of kubectl")
    nodes = {}
    for number, entry in enumerate(entries, 1):
        one = entry if isinstance(entry, dict) else {}
        data = one.get("metadata") if "items" in root else one
        name = data.get("name" if "items" in root else "id") if isinstance(data, dict) else None
        if not isinstance(name, str) or not re.fullmatch(f"[A-Za-z0-9_.-]{{1,{NAME_MOST}}}", name):
            raise file.error(0, f"entry {number} has no name of a node")
        if name in nodes:
            raise file.error(0, f"node {name} is there twice")
        layers = texts(file, data.get("network_layers"), f"network_layers of {name}")
        nodes[name] = units_of(layers, pairs(file, data.get("labels"), f"labels of {name}"))
    if len(nodes) > FILE_HOSTS_MOST:
        raise file.error(0, f"more than {FILE_HOSTS_MOST} nodes", "range")
    # Such as a head node of Kubernetes.
    nodes = {name: units for name, units in nodes.items() if any(units)}
    if not nodes:
        raise file.error(0, "no node has layers of switches, or labels of a domain")
    return make_layers(nodes)


ADDRESS = "SLURM_TOPOLOGY_ADDR"


def read_addresses(file):
    """What `env` of a task on each node has: SLURM_TOPOLOGY_ADDR=top.leaf.node."""
    nodes = {}
    for number, line in enumerate(file.lines, 1):
        key, _, address = line.strip(BLANKS).partition("=")
        if key != ADDRESS:
            continue
        *units, name = address.split(".")
        if not all(re.fullmatch(f"[A-Za-z0-9_-]{{1,{NAME_MOST}}}", one) for one in (name, *units)):
            raise file.error(number, f"{address[:80]} is not switches and a node, joined by dots")
        if nodes.setdefault(name, units[::-1]) != units[::-1]:
            raise file.error(number, f"node {name} is there twice, at different places")
    if not any(nodes.values()):
        raise file.error(0, "no node is at a switch: Slurm has no topology")
    return make_layers(nodes)


def make_layers(nodes):
    """Slurm's lines of a tree. A unit is below the nearest one that has all of its
    nodes: a domain whose nodes are at several leaf switches is below their spine."""
    members, above = {}, {}
    for name, units in nodes.items():
        for level, unit in enumerate(units):
            if unit:
                members.setdefault((level, unit), []).append(name)

    def around(names, level):
        for at in range(level, max(len(nodes[name]) for name in names)):
            found = {nodes[name][at] if at < len(nodes[name]) else None for name in names}
            if len(found) == 1 and None not in found:
                return at, found.pop()
        return None
    below = {}
    for name in nodes:
        below.setdefault(around([name], 0), [[], []])[0].append(name)
    for unit in sorted(members, key=lambda unit: unit[0]):
        if unit in below:
            above[unit] = around(members[unit], unit[0] + 1)
            below.setdefault(above[unit], [[], []])[1].append(unit)
    names, taken = {}, set(nodes)
    for unit in below:
        if unit:
            name = plain(unit[1])[: NAME_MOST - 8]
            while name in taken:
                name += "_"
            names[unit] = name
            taken.add(name)
    for unit, (hosts, units) in below.items():
        if unit:
            words = [f"Nodes={','.join(hosts)}"] * bool(hosts)
            words += [f"Switches={','.join(names[one] for one in units)}"] * bool(units)
            yield f"SwitchName={names[unit]} {' '.join(words)}"


def read(name, data):
    """The lines that topomap reads, of the file of that name."""
    file = File(name, data)
    first = next((line.strip(BLANKS) for line in file.lines if line.partition("#")[0].strip(BLANKS)), "")
    if first.startswith(IB_BEGINNINGS):
        return read_ibnetdiscover(file)
    if first.startswith(("---", "- ")):
        return read_yaml(file)
    if first.startswith("{"):
        return read_json(file)
    if first.startswith(ADDRESS):
        return read_addresses(file)
    if re.match("(BlockName|AggregatedBlock|BlockSizes|RingName|TorusName)=", first, re.I):
        return read_shapes(file)
    raise Error(f"{name}: a network of no tool that is known", "none")


if __name__ == "__main__":
    answer(sys.argv[2], lambda: read(sys.argv[2], sys.stdin.buffer.read(FILE_MOST + 1)))
