/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* policy.c - tells the steps that can be mapped from those that are to be left
 * alone */
#include "config.h"

#include "plugin/policy.h"

#include "base/text.h"

#include <string.h>

/* Slurm's own step ids (interactive, extern, batch ...) are from here on. */
#define FIRST_SPECIAL_STEP 0xfffffff0U

bool policy_is_special(uint32_t step)
{
    return step >= FIRST_SPECIAL_STEP;
}

bool policy_is_launcher(const char *program)
{
    static const char *const names[] = {
        "orted",   "prted",         "hydra_pmi_proxy", "hydra_bstrap_proxy",
        "mpiexec", "mpiexec.hydra", "mpirun",          "pmi_proxy",
        "prterun", "orterun",       "mpispawn",
    };

    program = text_last_part(program);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(program, names[i]) == 0)
            return true;
    return false;
}

bool policy_lists(const char *list, const char *word)
{
    const size_t n = word ? strlen(word) : 0;

    while (list && word && *list) {
        size_t length = strcspn(list, ",");

        if (length == n && strncmp(list, word, n) == 0)
            return true;
        list += length + (list[length] != '\0');
    }
    return false;
}

int policy_check_mpi(const char *type,
                     const char *list,
                     struct mapcore_error *err)
{
    if (!type)
        return error_set(err, MAPCORE_ENOTSUP,
                         "srun does not tell its MPI type");
    /* What tells a program where its ranks are must take that from the task ids
     * of the launch message, which are those that were permuted. none tells
     * nothing, and openmpi is an old name of it; pmi2 and pmix, of any version,
     * were measured; cray_shasta fills its apinfo file rank by rank from
     * msg->global_task_ids (src/plugins/mpi/cray_shasta/apinfo.c of Slurm,
     * read, not run). */
    if (policy_lists("none,openmpi,pmi2,pmix,cray_shasta", type) ||
        text_after(type, "pmix_v") || policy_lists(list, type))
        return 0;
    return error_set(err, MAPCORE_ENOTSUP,
                     "ranks are not moved under --mpi=%.32s (only under none, "
                     "pmi2, pmix, cray_shasta%s%.64s)",
                     type, list && *list ? ", " : "", list ? list : "");
}

bool policy_bound_by_user(const char *type)
{
    static const char *const kinds[] = {"map_cpu",   "mask_cpu", "map_ldom",
                                        "mask_ldom", "none",     "rank"};

    for (size_t i = 0; type && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strstr(type, kinds[i]))
            return true;
    return false;
}

struct policy_words policy_own_words(const char *text,
                                     size_t size,
                                     int nprogram)
{
    struct policy_words own = {.text = text, .n = -nprogram};
    const char *word = text;

    for (size_t i = 0; i < size; i++)
        own.n += text[i] == '\0';
    for (int i = 0; i < own.n; i++)
        word += strlen(word) + 1;
    own.program = own.n > 0 ? word : NULL;
    return own;
}

bool policy_has_option(const struct policy_words *words, const char *option)
{
    const char *word = words->text;

    for (int i = 0; i < words->n; i++, word += strlen(word) + 1) {
        const char *rest = text_after(word, option);

        if (rest && (*rest == '\0' || *rest == '='))
            return true;
    }
    return false;
}

bool policy_asks_for_gpus(const struct policy_words *words)
{
    const char *word = words->text;
    bool listed = false; /* the word before takes a list of resources */

    for (int i = 0; i < words->n; i++, word += strlen(word) + 1) {
        bool takes_list =
            text_after(word, "--gres") || text_after(word, "--tres");

        if (text_after(word, "-G") || text_after(word, "--gpus") ||
            ((takes_list || listed) && strstr(word, "gpu")))
            return true;
        listed = takes_list && !strchr(word, '=');
    }
    return false;
}
