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
    {"mca", 2, ROLE_SETS},
    {"omca", 2, ROLE_SETS},
    {"gmca", 2, ROLE_SETS},
    {"prtemca", 2, ROLE_SETS},
    {"pmixmca", 2, ROLE_PLAIN},
    {NULL, 0, ROLE_PLAIN},
};
static const char openmpi_plain[] =
    " default-hostfile bind-to x wdir wd path prefix output output-filename"
    " timeout tune am stdin personality display runtime-options report-uri"
    " report-pid max-restarts dvm-uri dvm ";

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
    {NULL, 0, ROLE_PLAIN},
};
static const char hydra_plain[] =
    " genvlist envlist launcher launcher-exec bootstrap bootstrap-exec rmk"
    " iface wdir gwdir path gpath umask gumask bind-to binding map-by"
    " membind topolib demux usize localhost gpus-per-proc prepend-pattern"
    " outfile-pattern errfile-pattern outfile errfile tmpdir s ";

static const struct launcher_option pals[] = {
    {"n", 1, ROLE_NTASKS},
    {"np", 1, ROLE_NTASKS},
    {"ppn", 1, ROLE_PER_NODE},
    {"hosts", 1, ROLE_PLACES},
    {"host", 1, ROLE_PLACES},
    {"hostfile", 1, ROLE_PLACES},
    {"exclude-hosts", 1, ROLE_PLACES},
    {"configfile", 1, ROLE_PLACES},
    {"genv", 2, ROLE_PLAIN},
    {NULL, 0, ROLE_PLAIN},
};
static const char pals_plain[] =
    " d depth cpu-bind mem-bind gpu-bind env envlist wdir umask rlimits pmi"
    " network vnis list-file procinfo-file ";

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
    {NULL, 0, ROLE_PLAIN},
};
static const char flux_plain[] =
    " cores g gpus-per-task gpus-per-node o setopt S setattr env env-remove"
    " env-file rlimit t time-limit q queue B bank job-name cwd urgency input"
    " output error dependency signal flags ";

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
    {NULL, 0, ROLE_PLAIN},
};
static const char jsrun_plain[] =
    " E env h chdir m memory_per_rs l latency_priority M smpiargs o"
    " stdio_stdout k stdio_stderr t stdio_input e stdio_mode ";

static const struct launcher_option none[] = {{NULL, 0, ROLE_PLAIN}};

const struct launcher_options *launcher_options(enum launcher_kind kind)
{
    static const struct launcher_options all[] = {
        [LAUNCHER_UNKNOWN] = {none, ""},
        [LAUNCHER_OPENMPI] = {openmpi, openmpi_plain},
        [LAUNCHER_PRRTE] = {openmpi, openmpi_plain},
        [LAUNCHER_HYDRA] = {hydra, hydra_plain},
        [LAUNCHER_INTEL] = {hydra, hydra_plain},
        [LAUNCHER_PALS] = {pals, pals_plain},
        [LAUNCHER_FLUX] = {flux, flux_plain},
        [LAUNCHER_JSRUN] = {jsrun, jsrun_plain},
        [LAUNCHER_SRUN] = {none, ""},
    };

    return &all[kind];
}
