# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C library: where it is, its structures as its headers have them, its
functions. tests/test_layout.py holds the structures against a C compiler."""

import ctypes
import ctypes.util
import os
import pathlib
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double,
                    c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p)

from ._errors import Error, LibraryError

NONE = 0xFFFFFFFF


class c_error(Structure):
    _fields_ = [("text", c_char * 512)]


class c_edge(Structure):
    _fields_ = [("a", c_uint32), ("b", c_uint32), ("bytes", c_uint64)]


class c_graph_reading(Structure):
    _fields_ = [("format", c_int), ("ntasks", c_uint32)]


class c_mapping(Structure):
    _fields_ = [("ntasks", c_uint32), ("host", POINTER(c_uint32)),
                ("slot", POINTER(c_uint32))]


class c_metrics(Structure):
    _fields_ = [("avg_hop_bytes", c_double), ("max_hop_bytes", c_double),
                ("hops_per_byte", c_double), ("off_node_bytes", c_uint64),
                ("max_link_bytes", c_double), ("max_link", c_uint32),
                ("max_link_time", c_double), ("max_time_link", c_uint32)]


class c_metrics_how(Structure):
    _fields_ = [("routes", c_int), ("bytes", c_void_p)]


class c_inside(Structure):
    _fields_ = [("avg_inside_hop_bytes", c_double),
                ("inside_hops_per_byte", c_double), ("inside_bytes", c_uint64)]


class c_schedule(Structure):
    _fields_ = [("starts", c_uint32), ("clusters", c_uint32), ("tasks", c_uint32),
                ("cut", c_uint32)]


class c_stop(Structure):
    _fields_ = [("spent", c_double), ("is_set", c_uint64)]


c_progress = CFUNCTYPE(None, c_void_p, c_uint64, POINTER(c_metrics))


class c_search(Structure):
    _fields_ = [("choose", c_int), ("alpha", c_double), ("seed", c_uint64),
                ("work", c_uint64), ("threads", c_uint),
                ("baseline", POINTER(c_uint32)), ("expired", c_void_p),
                ("spent", c_void_p), ("expired_arg", c_void_p),
                ("schedule", c_schedule), ("workload", c_void_p),
                ("progress", c_progress), ("progress_arg", c_void_p),
                ("node", c_void_p), ("slots_by_rank", c_bool),
                ("unit", c_uint32), ("pin", POINTER(c_uint32)),
                ("came", c_void_p), ("ends_early", c_bool)]


class c_result(Structure):
    _fields_ = [("mapping", POINTER(c_mapping)), ("metrics", c_metrics),
                ("baseline", c_metrics), ("inside", c_inside),
                ("baseline_inside", c_inside), ("candidate", c_char * 96),
                ("is_refined", c_bool), ("work", c_uint64), ("schedule", c_schedule),
                ("interrupted", c_bool), ("is_baseline", c_bool)]


class c_mapper(Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("source", c_char_p)]


#: Names of the structures in C, for the test of their layout.
STRUCTURES = {
    "mapcore_error": c_error, "mapcore_edge": c_edge,
    "mapcore_graph_reading": c_graph_reading, "mapcore_mapping": c_mapping,
    "mapcore_metrics": c_metrics, "mapcore_inside": c_inside,
    "mapcore_schedule": c_schedule, "mapcore_stop": c_stop,
    "mapcore_search": c_search, "mapcore_result": c_result, "mapcore_mapper": c_mapper,
}

_u32s, _u64s, _doubles = POINTER(c_uint32), POINTER(c_uint64), POINTER(c_double)
_err, _out = POINTER(c_error), POINTER(c_void_p)

# name: (result, arguments); a result of int is a status, and the last argument err.
_FUNCTIONS = {
    "graph_create": (c_int, _out, c_uint32, c_void_p, c_size_t, _err),
    "graph_destroy": (None, c_void_p),
    "graph_ntasks": (c_uint32, c_void_p),
    "graph_nedges": (c_size_t, c_void_p),
    "graph_bytes": (c_uint64, c_void_p),
    "graph_neighbours": (c_size_t, c_void_p, c_uint32, POINTER(_u32s), POINTER(_u64s)),
    "graph_read": (c_int, _out, c_char_p, POINTER(c_graph_reading), _err),
    "graph_write": (c_int, c_void_p, c_int, c_void_p, _err),
    "pattern_graph": (c_int, _out, c_char_p, c_uint32, _err),
    "topo_open": (c_int, _out, c_char_p, _err),
    "topo_destroy": (None, c_void_p),
    "topo_describe": (c_char_p, c_void_p),
    "topo_nhosts": (c_uint32, c_void_p),
    "topo_nlinks": (c_uint32, c_void_p),
    "topo_host_name": (c_char_p, c_void_p, c_uint32),
    "topo_host_place": (c_int, c_void_p, c_uint32, c_char_p, c_size_t),
    "topo_find_host": (c_int, _u32s, c_void_p, c_char_p, _err),
    "topo_distance": (c_uint32, c_void_p, c_uint32, c_uint32),
    "topo_link_name": (c_int, c_void_p, c_uint32, c_char_p, c_size_t),
    "topo_link_capacity": (c_double, c_void_p, c_uint32),
    "topo_link_directions": (c_uint32, c_void_p),
    "topo_diameter": (c_uint32, c_void_p),
    "topo_route": (c_uint32, c_void_p, c_uint32, c_uint32, _u32s),
    "alloc_create": (c_int, _out, c_void_p, c_uint32, c_void_p, c_void_p, _err),
    "alloc_destroy": (None, c_void_p),
    "slots_parse": (c_int, c_void_p, c_uint32, c_char_p, _err),
    "mapping_create": (c_int, POINTER(POINTER(c_mapping)), c_void_p, c_uint32, c_void_p,
                       c_void_p, _err),
    "mapping_block": (c_int, POINTER(POINTER(c_mapping)), c_void_p, c_uint32, _err),
    "mapping_cyclic": (c_int, POINTER(POINTER(c_mapping)), c_void_p, c_uint32, _err),
    "mapping_destroy": (None, POINTER(c_mapping)),
    "metrics_compute_routes": (c_int, POINTER(c_metrics), c_void_p, c_void_p, c_void_p,
                               POINTER(c_metrics_how), _err),
    "search_run": (c_int, POINTER(c_result), c_void_p, c_void_p, c_char_p,
                   POINTER(c_search), _err),
    "result_clear": (None, POINTER(c_result)),
    "mapper_get": (c_bool, POINTER(c_mapper), c_size_t),
    "stop_expired": (c_bool, c_void_p),
    "stop_spent": (c_double, c_void_p),
}


def _candidates():
    """Where the library may be: as the environment says; beside the folder that this lies in (an
    installation that was moved); where it was installed; where the loader looks."""
    told = os.environ.get("MAPCORE_LIBRARY")
    if told:
        return [told]
    name = "libmapcore.so.1"
    here = pathlib.Path(__file__).resolve()
    beside = [str(folder / name) for folder in list(here.parents)[2:5]]
    try:
        from ._installed import LIBDIR
        beside.append(os.path.join(LIBDIR, name))
    except ImportError:
        pass
    return [path for path in beside if os.path.exists(path)] + [name]


def _load():
    said = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            for name, (result, *arguments) in _FUNCTIONS.items():
                function = getattr(library, "mapcore_" + name)
                function.restype, function.argtypes = result, arguments
            return library
        except (OSError, AttributeError) as error:
            said.append(str(error))
    raise LibraryError("no libmapcore.so that fits (MAPCORE_LIBRARY names one): "
                       + "; ".join(said))


library = _load()
libc = ctypes.CDLL(None, use_errno=True)
libc.fopen.restype, libc.fopen.argtypes = c_void_p, [c_char_p, c_char_p]
libc.fclose.restype, libc.fclose.argtypes = c_int, [c_void_p]


def call(name, *arguments):
    """Calls a function with room for its sentence; raises that as an Error."""
    err = c_error()
    status = getattr(library, "mapcore_" + name)(*arguments, ctypes.byref(err))
    if status < 0:
        raise Error(status, err.text.decode(errors="replace"))


def path_bytes(path) -> bytes:
    """A path, or a word, for C."""
    return os.fsencode(os.fspath(path))


def string_of(function, *arguments) -> str:
    """What a function like snprintf writes."""
    buffer = ctypes.create_string_buffer(256)
    n = function(*arguments, buffer, len(buffer))
    if n >= len(buffer):
        buffer = ctypes.create_string_buffer(n + 1)
        function(*arguments, buffer, len(buffer))
    return buffer.value.decode(errors="replace")
