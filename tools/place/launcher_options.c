/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher_options.c - tables, by mpirun(1) of Open MPI 4.1 and 5.0, mpiexec
 * -help of MPICH 4.0 and Intel MPI 2021, mpiexec(1) of PALS 1.2, flux-run(1),
 * and IBM's jsrun(1) */
#include "config.h"

#include "tools/place/launcher_options.h"

#include <stddef.h>

static const struct launcher_option openmpi[] = {
    {"n", 1, ROLE_NTASKS},
    {"np", 1, ROLE_NTASKS},
    {"c", 1, ROLE_NTASKS},
    {"hostfile", 1, ROLE_HOSTFILE},
    {"machinefile", 1, ROLE_HOSTFILE},
    {"host", 1, ROLE_PLACES},
    {"H", 1, ROLE_PLACES},
    {"default-hostfile", 1, ROLE_PLAIN},
    {"map-by", 1, ROLE_PLACES},
    {"rank-by", 1, ROLE_PLACES},
    {"rankfile", 1, ROLE_PLACES},
    {"rf", 1, ROLE_PLACES},
    {"ppr", 1, ROLE_PLACES},
    {"N", 1, ROLE_PLACES},
    {"npernode", 1, ROLE_PLACES},
    {"npersocket", 1, ROLE_PLACES},
    {"pernode", 0, ROLE_PLACES},
    {"bynode", 0, ROLE_PLACES},
    {"byslot", 0, ROLE_PLACES},
    {"cpus-per-proc", 1, ROLE_PLACES},
    {"cpus-per-rank", 1, ROLE_PLACES},
    {"app", 1, ROLE_PLACES},
    {"bind-to", 1, ROLE_PLAIN},
    {"mca", 2, ROLE_SETS},
    {"omca", 2, ROLE_SETS},
    {"gmca", 2, ROLE_SETS},
    {"prtemca", 2, ROLE_SETS},
    {"pmixmca", 2, ROLE_PLAIN},
    {"x", 1, ROLE_PLAIN},
    {"wdir", 1, ROLE_PLAIN},
    {"wd", 1, ROLE_PLAIN},
    {"path", 1, ROLE_PLAIN},
    {"prefix", 1, ROLE_PLAIN},
    {"output", 1, ROLE_PLAIN},
    {"output-filename", 1, ROLE_PLAIN},
    {"timeout", 1, ROLE_PLAIN},
    {"tune", 1, ROLE_PLAIN},
    {"am", 1, ROLE_PLAIN},
    {"stdin", 1, ROLE_PLAIN},
    {"personality", 1, ROLE_PLAIN},
    {"display", 1, ROLE_PLAIN},
    {"runtime-options", 1, ROLE_PLAIN},
    {"report-uri", 1, ROLE_PLAIN},
    {"report-pid", 1, ROLE_PLAIN},
    {"max-restarts", 1, ROLE_PLAIN},
    {"dvm-uri", 1, ROLE_PLAIN},
    {"dvm", 1, ROLE_PLAIN},
    {NULL, 0, ROLE_PLAIN},
};

static const struct launcher_option hydra[] = {
    {"n", 1, ROLE_NTASKS},
    {"np", 1, ROLE_NTASKS},
    {"f", 1, ROLE_HOSTFILE},
    {"hostfile", 1, ROLE_HOSTFILE},
    {"machinefile", 1, ROLE_HOSTFILE},
    {"machine", 1, ROLE_HOSTFILE},
    {"hosts", 1, ROLE_PLACES},
    {"hostlist", 1, ROLE_PLACES},
    {"host", 1, ROLE_PLACES},
    {"ppn", 1, ROLE_PER_NODE},
    {"perhost", 1, ROLE_PER_NODE},
    {"grr", 1, ROLE_PER_NODE},
    {"rr", 0, ROLE_PLACES},
    {"order-nodes", 1, ROLE_PLACES},
    {"rankmap", 1, ROLE_PLACES},
    {"configfile", 1, ROLE_PLACES},
    {"genv", 2, ROLE_PLAIN},
    {"env", 2, ROLE_PLAIN},
    {"genvlist", 1, ROLE_PLAIN},
    {"envlist", 1, ROLE_PLAIN},
    {"launcher", 1, ROLE_PLAIN},
    {"launcher-exec", 1, ROLE_PLAIN},
    {"bootstrap", 1, ROLE_PLAIN},
    {"bootstrap-exec", 1, ROLE_PLAIN},
    {"rmk", 1, ROLE_PLAIN},
    {"iface", 1, ROLE_PLAIN},
    {"wdir", 1, ROLE_PLAIN},
    {"gwdir", 1, ROLE_PLAIN},
    {"path", 1, ROLE_PLAIN},
    {"gpath", 1, ROLE_PLAIN},
    {"umask", 1, ROLE_PLAIN},
    {"gumask", 1, ROLE_PLAIN},
    {"bind-to", 1, ROLE_PLAIN},
    {"binding", 1, ROLE_PLAIN},
    {"map-by", 1, ROLE_PLAIN}, /* inside a node */
    {"membind", 1, ROLE_PLAIN},
    {"topolib", 1, ROLE_PLAIN},
    {"demux", 1, ROLE_PLAIN},
    {"usize", 1, ROLE_PLAIN},
    {"localhost", 1, ROLE_PLAIN},
    {"gpus-per-proc", 1, ROLE_PLAIN},
    {"prepend-pattern", 1, ROLE_PLAIN},
    {"outfile-pattern", 1, ROLE_PLAIN},
    {"errfile-pattern", 1, ROLE_PLAIN},
    {"outfile", 1, ROLE_PLAIN},
    {"errfile", 1, ROLE_PLAIN},
    {"tmpdir", 1, ROLE_PLAIN},
    {"s", 1, ROLE_PLAIN},
    {NULL, 0, ROLE_PLAIN},
};

static const struct launcher_option pals[] = {
    {"n", 1, ROLE_NTASKS},
    {"np", 1, ROLE_NTASKS},
    {"ppn", 1, ROLE_PER_NODE},
    {"hosts", 1, ROLE_PLACES},
    {"host", 1, ROLE_PLACES},
    {"hostfile", 1, ROLE_PLACES},
    {"exclude-hosts", 1, ROLE_PLACES},
    {"configfile", 1, ROLE_PLACES},
    {"d", 1, ROLE_PLAIN},
    {"depth", 1, ROLE_PLAIN},
    {"cpu-bind", 1, ROLE_PLAIN},
    {"mem-bind", 1, ROLE_PLAIN},
    {"gpu-bind", 1, ROLE_PLAIN},
    {"env", 1, ROLE_PLAIN},
    {"genv", 2, ROLE_PLAIN},
    {"envlist", 1, ROLE_PLAIN},
    {"wdir", 1, ROLE_PLAIN},
    {"umask", 1, ROLE_PLAIN},
    {"rlimits", 1, ROLE_PLAIN},
    {"pmi", 1, ROLE_PLAIN},
    {"network", 1, ROLE_PLAIN},
    {"vnis", 1, ROLE_PLAIN},
    {"list-file", 1, ROLE_PLAIN},
    {"procinfo-file", 1, ROLE_PLAIN},
    {NULL, 0, ROLE_PLAIN},
};

static const struct launcher_option flux[] = {
    {"n", 1, ROLE_NTASKS},
    {"ntasks", 1, ROLE_NTASKS},
    {"N", 1, ROLE_NODES},
    {"nodes", 1, ROLE_NODES},
    {"tasks-per-node", 1, ROLE_PER_NODE},
    {"taskmap", 1, ROLE_PLACES},
    {"tasks-per-core", 1, ROLE_PLACES},
    {"requires", 1, ROLE_PLACES},
    {"c", 1, ROLE_CPUS},
    {"cores-per-task", 1, ROLE_CPUS},
    {"cores", 1, ROLE_PLAIN},
    {"g", 1, ROLE_PLAIN},
    {"gpus-per-task", 1, ROLE_PLAIN},
    {"gpus-per-node", 1, ROLE_PLAIN},
    {"o", 1, ROLE_PLAIN},
    {"setopt", 1, ROLE_PLAIN},
    {"S", 1, ROLE_PLAIN},
    {"setattr", 1, ROLE_PLAIN},
    {"env", 1, ROLE_PLAIN},
    {"env-remove", 1, ROLE_PLAIN},
    {"env-file", 1, ROLE_PLAIN},
    {"rlimit", 1, ROLE_PLAIN},
    {"t", 1, ROLE_PLAIN},
    {"time-limit", 1, ROLE_PLAIN},
    {"q", 1, ROLE_PLAIN},
    {"queue", 1, ROLE_PLAIN},
    {"B", 1, ROLE_PLAIN},
    {"bank", 1, ROLE_PLAIN},
    {"job-name", 1, ROLE_PLAIN},
    {"cwd", 1, ROLE_PLAIN},
    {"urgency", 1, ROLE_PLAIN},
    {"input", 1, ROLE_PLAIN},
    {"output", 1, ROLE_PLAIN},
    {"error", 1, ROLE_PLAIN},
    {"dependency", 1, ROLE_PLAIN},
    {"signal", 1, ROLE_PLAIN},
    {"flags", 1, ROLE_PLAIN},
    {NULL, 0, ROLE_PLAIN},
};

static const struct launcher_option jsrun[] = {
    {"n", 1, ROLE_NTASKS}, /* resource sets, each with one rank */
    {"nrs", 1, ROLE_NTASKS},
    {"p", 1, ROLE_NTASKS},
    {"np", 1, ROLE_NTASKS},
    {"a", 1, ROLE_PLACES},
    {"tasks_per_rs", 1, ROLE_PLACES},
    {"r", 1, ROLE_PER_NODE},
    {"rs_per_host", 1, ROLE_PER_NODE},
    {"c", 1, ROLE_CPUS},
    {"cpu_per_rs", 1, ROLE_CPUS},
    {"g", 1, ROLE_GPUS},
    {"gpu_per_rs", 1, ROLE_GPUS},
    {"d", 1, ROLE_PLACES},
    {"launch_distribution", 1, ROLE_PLACES},
    {"b", 1, ROLE_PLACES},
    {"bind", 1, ROLE_PLACES},
    {"U", 1, ROLE_PLACES},
    {"erf_input", 1, ROLE_PLACES},
    {"E", 1, ROLE_PLAIN},
    {"env", 1, ROLE_PLAIN},
    {"h", 1, ROLE_PLAIN},
    {"chdir", 1, ROLE_PLAIN},
    {"m", 1, ROLE_PLAIN},
    {"memory_per_rs", 1, ROLE_PLAIN},
    {"l", 1, ROLE_PLAIN},
    {"latency_priority", 1, ROLE_PLAIN},
    {"M", 1, ROLE_PLAIN},
    {"smpiargs", 1, ROLE_PLAIN},
    {"o", 1, ROLE_PLAIN},
    {"stdio_stdout", 1, ROLE_PLAIN},
    {"k", 1, ROLE_PLAIN},
    {"stdio_stderr", 1, ROLE_PLAIN},
    {"t", 1, ROLE_PLAIN},
    {"stdio_input", 1, ROLE_PLAIN},
    {"e", 1, ROLE_PLAIN},
    {"stdio_mode", 1, ROLE_PLAIN},
    {NULL, 0, ROLE_PLAIN},
};

static const struct launcher_option none[] = {{NULL, 0, ROLE_PLAIN}};

const struct launcher_option *launcher_options(enum launcher_kind kind)
{
    switch (kind) {
    case LAUNCHER_OPENMPI:
    case LAUNCHER_PRRTE:
        return openmpi;
    case LAUNCHER_HYDRA:
    case LAUNCHER_INTEL:
        return hydra;
    case LAUNCHER_PALS:
        return pals;
    case LAUNCHER_FLUX:
        return flux;
    case LAUNCHER_JSRUN:
        return jsrun;
    case LAUNCHER_UNKNOWN:
    case LAUNCHER_SRUN:
        break;
    }
    return none;
}
