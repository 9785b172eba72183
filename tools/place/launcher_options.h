/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher_options.h - the options of launchers that take an argument, or that
 * matter to who places ranks */
#ifndef TOOLS_LAUNCHER_OPTIONS_H
#define TOOLS_LAUNCHER_OPTIONS_H

enum launcher_kind {
    LAUNCHER_UNKNOWN,
    LAUNCHER_OPENMPI, /* 1.x to 4.x */
    LAUNCHER_PRRTE,   /* Open MPI 5 and later */
    LAUNCHER_HYDRA,   /* MPICH, MVAPICH */
    LAUNCHER_INTEL,
    LAUNCHER_PALS, /* HPE Cray */
    LAUNCHER_FLUX,
    LAUNCHER_JSRUN,
    LAUNCHER_SRUN,
};

enum launcher_role {
    ROLE_PLAIN,
    ROLE_NTASKS,
    ROLE_PER_NODE,
    ROLE_CPUS, /* of a rank */
    ROLE_NODES,
    ROLE_HOSTFILE,
    ROLE_SETS,   /* its first argument names what is set: mca */
    ROLE_PLACES, /* ranks are placed by it */
    ROLE_GPUS,   /* of a rank; placed unless it is 0 */
};

struct launcher_option {
    const char *name; /* without dashes */
    int arguments;
    enum launcher_role role;
};

struct launcher_options {
    const struct launcher_option *option; /* up to a NULL name */
    const char *plain; /* others with one argument, a blank around each */
};
const struct launcher_options *launcher_options(enum launcher_kind kind);

#endif
