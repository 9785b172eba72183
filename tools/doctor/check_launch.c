/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_launch.c - a launch that must move its ranks, looked at from the nodes
 */
#include "config.h"

#include "tools/doctor/checks.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/common/tool.h"
#include "tools/doctor/trial.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 4 };

/* What each task prints; its words are srun's to set. */
#define SCRIPT "echo topomap-doctor $SLURM_PROCID $SLURMD_NODENAME"
#define MARK   "topomap-doctor "

/* Block puts 0 and 1 on one node; by this grid 0 talks to 2, and 1 to 3. */
#define MOVED "--topomap=grid:2x2:weights=1000/1,strict,time=20"
#define PLAIN "--topomap=off"

/* srun for such a step, with the user's own words. words[n + 16]. */
static void fill_words(const char **words, const char *mode, char *const *more)
{
    static const char *const fixed[] = {
        "srun",
        "-N2",
        "-n4",
        "--ntasks-per-node=2",
        "--distribution=block",
        "--mpi=none",
        "--quit-on-interrupt",
        "--time=2",
    };
    size_t n = 0;

    for (; n < sizeof(fixed) / sizeof(*fixed); n++)
        words[n] = fixed[n];
    if (mode)
        words[n++] = mode;
    for (; more && *more; more++)
        words[n++] = *more;
    words[n++] = "sh";
    words[n++] = "-c";
    words[n++] = SCRIPT;
    words[n] = NULL;
}

/* node[TASKS] borrow from run. */
static bool read_nodes(char *node[TASKS], struct process_output *run)
{
    unsigned found = 0;

    memset(node, 0, TASKS * sizeof(*node));
    for (char *line = run->out.bytes; line && *line != '\0';) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end != '\0');
        uint32_t rank;

        *end = '\0';
        if (strncmp(line, MARK, sizeof(MARK) - 1) == 0) {
            line += sizeof(MARK) - 1;
            if (text_take_u32(&line, &rank, NULL) && rank < TASKS &&
                !node[rank] && (node[rank] = text_take_word(&line)))
                found++;
        }
        line = next;
    }
    return found == TASKS;
}

static void judge(struct doctor_report *report,
                  char *const node[TASKS],
                  double moved_s,
                  double plain_s)
{
    bool is_moved = strcmp(node[0], node[2]) == 0 &&
                    strcmp(node[1], node[3]) == 0 &&
                    strcmp(node[0], node[1]) != 0;

    doctor_say(report, is_moved ? VERDICT_OK : VERDICT_WRONG, "launch",
               is_moved ? NULL
                        : "see what srun says of it: srun -N2 -n4 "
                          "--ntasks-per-node=2 " MOVED ",verbose hostname",
               "ranks 0 1 2 3 on %s %s %s %s%s; %.2g s, and %.2g s without "
               "topomap",
               node[0], node[1], node[2], node[3],
               is_moved ? ", as planned" : ": they had to be 0 2 and 1 3",
               moved_s, plain_s);
}

static void say_failure(struct doctor_report *report,
                        const char *mode,
                        const struct process_output *run)
{
    size_t n;
    const char *line = trial_last_line(&n, run);

    report->is_in_vain = !mode;
    doctor_say(report, mode ? VERDICT_WRONG : VERDICT_UNTRIED, "launch",
               mode ? "launches with topomap fail here"
                    : "this is so without topomap, too: name a partition by "
                      "-- --partition=P",
               "srun%s%s: %.*s", mode ? " " : "", mode ? mode : "", (int)n,
               line);
}

void check_launch(struct doctor_report *report,
                  const struct doctor_options *options)
{
    static const char *const modes[] = {NULL, MOVED};
    struct process_output run = {0};
    struct mapcore_error why;
    double seconds[2] = {0};
    const char **words;
    char *node[TASKS];
    size_t more = 0;

    while (options->srun && options->srun[more])
        more++;
    if (!(words = array_alloc(more + 16, sizeof(*words), &why))) {
        doctor_say(report, VERDICT_WRONG, "launch", NULL, "%s", why.text);
        return;
    }
    for (int i = 0; i < 2; i++) {
        double start = tool_now();

        process_output_clear(&run);
        /* Not by the option, which a Slurm without the plugin refuses. */
        setenv("TOPOMAP", "off", 1);
        fill_words(words, modes[i], options->srun);
        if (trial_run(&run, 0, (char *const *)(uintptr_t)words, &why) < 0) {
            doctor_say(report, VERDICT_WRONG, "launch", NULL, "%s", why.text);
            goto out;
        }
        seconds[i] = tool_now() - start;
        if (!trial_is_good(&run) || !read_nodes(node, &run)) {
            say_failure(report, modes[i], &run);
            goto out;
        }
    }
    judge(report, node, seconds[1], seconds[0]);
out:
    process_output_clear(&run);
    free(words);
}
