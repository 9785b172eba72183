# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap torchrun: becomes torchrun with a static rendezvous whose node ranks are
those of the placement.

torchrun.py torchrun TOPOMAP -- [ARGUMENT]...

PyTorch's c10d rendezvous numbers nodes by their sorted names. Without a placement in
this step, on one node, or with --standalone, torchrun gets its arguments as they are.
"""
import os
import shutil
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from output import note, read_options, usage

# torchrun's options without a value; all others take one.
FLAGS = {"--standalone", "--module", "-m", "--no_python", "--run_path", "--use_env",
         "--virtual_local_rank"}
OURS = ("--nnodes", "--node_rank", "--rdzv_backend", "--rdzv_endpoint", "--master_addr",
        "--master_port")
# Where jobs of one node do not meet, and no service listens.
PORTS, FIRST_PORT = 10000, 20000


def split(words):
    """The options in front of the script, as (name, words) with _ for -, and the rest."""
    options, at = [], 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        name, equals, value = words[at].partition("=")
        # As all versions of torchrun take them.
        name = f"--{name[2:].replace('-', '_')}" if name.startswith("--") else name
        alone = equals or name in FLAGS or (not name.startswith("--") and len(name) > 2)
        options.append((name, [name + equals + value] + ([] if alone else words[at + 1:at + 2])))
        at += len(options[-1][1])
    return options, words[at:]


def value_of(options, name):
    """Of the last one, as argparse takes it; or what torchrun's variable says."""
    value = os.environ.get(f"PET_{name[2:].upper()}")
    for key, words in options:
        if key == name:
            value = words[1] if len(words) > 1 else words[0].partition("=")[2]
    return value


def resolves(host):
    try:
        return bool(socket.getaddrinfo(host, None))
    except OSError:
        return False


def master(options):
    """(address, port): rank 0's node, by the name that was given where only that is
    known here; the port that was given, or one of this step's own."""
    host, _, port = (value_of(options, "--rdzv_endpoint") or "").rpartition(":")
    planned = os.environ["TOPOMAP_MASTER_ADDR"]
    given = value_of(options, "--master_addr") or host
    step = 16 * int(os.environ.get("SLURM_JOB_ID", 0)) + int(os.environ.get("SLURM_STEP_ID", 0))
    return (planned if not given or resolves(planned) else given,
            value_of(options, "--master_port") or port or str(FIRST_PORT + step % PORTS))


def static(options, rank, nodes):
    """The words of a static rendezvous, and of the options that it leaves alone."""
    asked = (value_of(options, "--nnodes") or str(nodes)).split(":")
    if not all(one.isdigit() for one in asked) or not int(asked[0]) <= nodes <= int(asked[-1]):
        usage("torchrun", f"--nnodes {':'.join(asked)}: this step has {nodes} nodes", False)
    if asked[0] != asked[-1] and rank == "0":
        note(f"torchrun: --nnodes {':'.join(asked)} becomes {nodes}: numbers that are given "
             "cannot change while the job runs")
    address, port = master(options)
    return [f"--nnodes={nodes}", f"--node_rank={rank}", "--rdzv_backend=static",
            f"--master_addr={address}", f"--master_port={port}",
            *(word for name, words in options if name not in OURS for word in words)]


def main():
    _, _, _, words = read_options(sys.argv[1:])
    options, script = split(words)
    rank = os.environ.get("TOPOMAP_NODE_RANK")
    nodes = int(os.environ.get("SLURM_STEP_NUM_NODES", 1))
    tasks = int(os.environ.get("SLURM_STEP_NUM_TASKS", nodes))
    if rank and "TOPOMAP_MASTER_ADDR" in os.environ and nodes > 1 and \
            "--standalone" not in (name for name, _ in options):
        if tasks != nodes:
            usage("torchrun", f"it starts the workers of a node itself, and this step has {tasks} "
                  f"tasks on {nodes} nodes: srun --ntasks-per-node=1 is missing", False)
        words = static(options, rank, nodes) + script
        os.environ.pop("PET_RDZV_ENDPOINT", None)
    command = ["torchrun"] if shutil.which("torchrun") else ["python3", "-m",
                                                             "torch.distributed.run"]
    try:
        os.execvp(command[0], command + words)
    except OSError as error:
        note(f"{command[0]}: {error.strerror}")
        sys.exit(1)


main()
