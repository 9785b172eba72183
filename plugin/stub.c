/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stub.c - topomap-options.so: keeps --topomap a valid option where topomap.so
 * is not loaded, since it does not fit the Slurm that runs or the site has
 * taken it out, and steps aside where it is; it knows nothing of Slurm but
 * spank.h's options, the same from 20.11 to 26.05 */
#include "config.h"

#include <slurm/slurm.h>
#pragma GCC visibility push(default)
#include <slurm/spank.h>
#pragma GCC visibility pop

#include "plugin/copies.h"
#include "plugin/policy.h"
#include "plugin/say.h"

#include "base/printable.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options travel from sbatch to srun and from there to the nodes under the
 * plugin's name: the same as the other's, so that a job which was queued before
 * an upgrade keeps its option after it. Slurm wants the version that it is
 * itself, and looks after the constructor below has run. */
#pragma GCC visibility push(default)
extern const char plugin_name[], plugin_type[];
extern unsigned int plugin_version;
extern const unsigned int spank_plugin_version, topomap_is_stub;
const char plugin_name[] = "topomap", plugin_type[] = "spank";
unsigned int plugin_version = SLURM_VERSION_NUMBER;
const unsigned int spank_plugin_version = 1, topomap_is_stub = 1;
#pragma GCC visibility pop

/* A plugin of Slurm's own, in srun or slurmstepd: its version is Slurm's. */
static bool is_slurms(void *object, const char *path)
{
    const char *type = dlsym(object, "plugin_type");
    const uint32_t *version = dlsym(object, "plugin_version");

    (void)path;
    if (!type || !version || strcmp(type, "spank") == 0)
        return false;
    plugin_version = *version;
    return true;
}

/* libslurm numbers its releases: 36 is 20.11; twice a year since 24.05. */
static uint32_t version_of_api(long api)
{
    static const uint32_t first[] = {
        SLURM_VERSION_NUM(20, 11, 0), SLURM_VERSION_NUM(21, 8, 0),
        SLURM_VERSION_NUM(22, 5, 0),  SLURM_VERSION_NUM(23, 2, 0),
        SLURM_VERSION_NUM(23, 11, 0),
    };
    const long n = sizeof(first) / sizeof(first[0]);
    long release = (api >> 16) - 36;

    if (release < 0 || release > 200)
        return SLURM_VERSION_NUMBER;
    if (release < n)
        return first[release];
    release -= n;
    return (uint32_t)((24 + release / 2) << 16 | (release % 2 == 0 ? 5 : 11)
                                                     << 8);
}

/* What the topomap.so is built for that was installed with it. */
static unsigned int built_for;

__attribute__((constructor)) static void take_version(void)
{
    long (*api)(void);

    built_for = plugin_version;
    if (copies_find(is_slurms))
        return;
    *(void **)&api = dlsym(RTLD_DEFAULT, "slurm_api_version");
    if (api)
        plugin_version = version_of_api(api());
}

/* What was typed last, in srun, sbatch or salloc; and the site's sentence, ""
 * in place of none. */
static char asked[4096], why[512];

static bool fits(void)
{
    return SLURM_VERSION_MAJOR(built_for) ==
               SLURM_VERSION_MAJOR(plugin_version) &&
           SLURM_VERSION_MINOR(built_for) ==
               SLURM_VERSION_MINOR(plugin_version);
}

/* why=TEXT: all behind it, since Slurm divides a line at its blanks. */
static void take_why(int argc, char **argv)
{
    size_t n = 0;
    int i = 0;

    while (i < argc && strncmp(argv[i], "why=", 4) != 0)
        i++;
    why[0] = '\0';
    for (int first = i; i < argc && n < sizeof(why); i++)
        n += (size_t)snprintf(why + n, sizeof(why) - n, "%s%s",
                              i > first ? " " : "",
                              argv[i] + (i > first ? 0 : 4));
    printable_clean(why);
}

/* Why no step is placed or recorded. */
static void describe(char *line, size_t size)
{
    if (fits() || *why != '\0')
        snprintf(line, size, "topomap.so is not loaded%s%s",
                 *why != '\0' ? ": " : "", why);
    else
        snprintf(line, size,
                 "topomap.so is not built for this Slurm (%d.%02d), see "
                 "UPGRADING SLURM in spank-topomap(8)",
                 (int)SLURM_VERSION_MAJOR(plugin_version),
                 (int)SLURM_VERSION_MINOR(plugin_version));
}

static int take_option(int value, const char *argument, int remote)
{
    char line[sizeof(why) + 256];

    (void)value;
    if (remote || !argument)
        return 0;
    snprintf(asked, sizeof(asked), "%s", argument);
    if (policy_lists(asked, "help")) {
        describe(line, sizeof(line));
        printf("topomap: %s\n", line);
        exit(fflush(stdout) == 0 ? 0 : 1);
    }
    return 0;
}

int slurm_spank_init(spank_t spank, int argc, char **argv)
{
    static char usage[] =
        "place ranks by the communication profile of the program (not loaded)";
    static char unfit[] =
        "place ranks by the communication profile of the program "
        "(not with this Slurm)";

    take_why(argc, argv);
    copies_register(spank, plugin_name, fits() || *why != '\0' ? usage : unfit,
                    take_option);
    return 0;
}

/* srun alone, as the user, before the allocation. A job is never lost for this,
 * but for those who asked for the plan or nothing; and where the site says why,
 * it is as with its switch: only who typed hears it, and only a dry run starts
 * nothing. */
int slurm_spank_init_post_opt(spank_t spank, int argc, char **argv)
{
    const char *text = *asked != '\0' ? asked : getenv("TOPOMAP");
    const bool is_meant = *why != '\0';
    bool is_nothing_started;
    char line[sizeof(why) + 256];

    (void)spank;
    (void)argc;
    (void)argv;
    if (spank_context() != S_CTX_LOCAL || !copies_acts(COPIES_INIT_POST_OPT) ||
        !text || *text == '\0' || strcmp(text, "off") == 0 ||
        strncmp(text, "off,", 4) == 0)
        return 0;
    is_nothing_started = (!is_meant && policy_lists(text, "strict")) ||
                         policy_lists(text, "dry-run") ||
                         policy_lists(text, "plan-only");
    describe(line, sizeof(line));
    if (say_takes_text(STDERR_FILENO) &&
        (!is_meant || is_nothing_started || *asked != '\0' ||
         policy_lists(text, "verbose")))
        slurm_spank_log("topomap: %s: %s; %s",
                        outcome_word(policy_lists(text, "profile")
                                         ? OUTCOME_NOT_RECORDED
                                         : OUTCOME_NOT_PLACED),
                        line,
                        is_nothing_started ? "nothing is started"
                                           : "the job runs as usual");
    if (is_nothing_started)
        exit(is_meant ? 0 : 1);
    return 0;
}
