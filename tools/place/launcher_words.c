/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher_words.c - the names of launchers, of which launchers.py knows all */
#include "config.h"

#include "tools/place/launcher_words.h"

const struct option_word launcher_words[] = {
    {"auto", 0, "by its name and version", false},
    {"openmpi", 1, "4 and before", false},
    {"prrte", 2, "Open MPI 5", false},
    {"hydra", 3, "MPICH", false},
    {"intel", 4, NULL, false},
    {"pals", 5, "HPE Cray", false},
    {"flux", 6, NULL, false},
    {"jsrun", 7, NULL, false},
    {NULL, 0, NULL, false},
};
