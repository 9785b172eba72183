/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partitions.c - Slurm's partitions, each of which may have a topology of its
 * own (from Slurm 25.05 on), and the topology that a launch in one has */
#include "config.h"

#include "tools/inputs/partitions.h"

#include "base/array.h"
#include "tools/common/subprocess.h"
#include "tools/common/tool.h"
#include "tools/inputs/foreign.h"

#include <stdlib.h>
#include <string.h>

/* "PartitionName=x AllowGroups=ALL ... Topology=name ...", cut up in place. */
static int take_line(struct partitions *out,
                     char *line,
                     struct mapcore_error *err)
{
    struct partition found = {.name = NULL, .topology = ""};
    char *save = NULL;
    int error;

    for (char *word = strtok_r(line, " ", &save); word;
         word = strtok_r(NULL, " ", &save))
        if (!found.name && strncmp(word, "PartitionName=", 14) == 0)
            found.name = word + 14;
        else if (strncmp(word, "Topology=", 9) == 0)
            found.topology = word + 9;
    if (!found.name)
        return 0;
    error = array_reserve(&out->item, &out->capacity, out->n + 1,
                          sizeof(*out->item), err);
    if (error == 0)
        out->item[out->n++] = found;
    return error;
}

int partitions_read(struct partitions *out,
                    double seconds,
                    struct mapcore_error *err)
{
    static const char *const argv[] = {"scontrol", "-a",        "-o",
                                       "show",     "partition", NULL};
    struct partitions made = {0};
    char *save = NULL;
    size_t n;
    int error = subprocess_read(&made.text, &n, argv, seconds, err);

    for (char *p = error == 0 ? strtok_r(made.text, "\n", &save) : NULL;
         p && error == 0; p = strtok_r(NULL, "\n", &save))
        error = take_line(&made, p, err);
    if (error == 0)
        *out = made;
    else
        partitions_clear(&made);
    return error;
}

void partitions_clear(struct partitions *partitions)
{
    free(partitions->item);
    free(partitions->text);
    *partitions = (struct partitions){0};
}

bool partitions_differ(const struct partitions *partitions)
{
    for (size_t i = 1; i < partitions->n; i++)
        if (strcmp(partitions->item[i].topology,
                   partitions->item[0].topology) != 0)
            return true;
    return false;
}

/* Whether name stands in a list that commas divide. */
static bool is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, name, n) == 0 && (list[n] == ',' || !list[n]))
            return true;
    return false;
}

/* What all of a list have, as the plugin takes it; NULL: the default, also
 * where they differ. *known: whether any of them is there. */
static const char *topology_of(const struct partitions *partitions,
                               const char *list,
                               bool *known)
{
    const char *name = NULL;

    *known = false;
    for (size_t i = 0; i < partitions->n; i++) {
        const struct partition *item = &partitions->item[i];

        if (!is_listed(list, item->name))
            continue;
        if (*known && strcmp(name, item->topology) != 0)
            return NULL;
        name = item->topology;
        *known = true;
    }
    return name && *name != '\0' ? name : NULL;
}

/* As `scontrol show topology` prints it: that of a name, of which there may be
 * several from Slurm 25.05 on, or (NULL) the cluster's default. */
static int ask_topology(char **out,
                        const char *name,
                        double seconds,
                        struct mapcore_error *err)
{
    size_t n;

    return subprocess_read(
        out, &n,
        (const char *const[]){"scontrol", "show", "topology", name, NULL},
        seconds, err);
}

int partitions_ask_topology(char **out,
                            const char *partition,
                            double seconds,
                            struct mapcore_error *err)
{
    const char *list = partition ? partition : getenv("SLURM_JOB_PARTITION");
    const double deadline = tool_now() + seconds;
    struct partitions partitions = {0};
    const char *name = NULL;
    bool known = true;
    int error = list ? partitions_read(&partitions, seconds / 2, err) : 0;

    if (error == 0 && list)
        name = topology_of(&partitions, list, &known);
    if (error == 0 && !known && partition)
        error = error_set(err, MAPCORE_ENOENT,
                          "Slurm has no partition '%.100s'", partition);
    /* That of a job may come from another program than this Slurm. */
    if (!partition)
        error = 0;
    if (error == 0)
        error = ask_topology(out, name, deadline - tool_now(), err);
    partitions_clear(&partitions);
    return error;
}

int partitions_open_topology(struct mapcore_topo **out,
                             const char *partition,
                             double seconds,
                             struct mapcore_error *err)
{
    char *lines = NULL;
    int error = partitions_ask_topology(&lines, partition, seconds, err);

    if (error == 0)
        error =
            foreign_network_read(out, &lines, "scontrol show topology", err);
    free(lines);
    return error;
}
