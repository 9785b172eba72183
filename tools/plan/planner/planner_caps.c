/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_caps.c - how much of a site is recorded by itself: on which days,
 * which share of the steps, and how many at a time, by files in a folder */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "profiles/catalogue/catalogue.h"
#include "tools/plan/planner/planner_earlier.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { START_S = 60 }; /* from the launch to MPI_Init, at most */

/* Counts the files JOB.STEP-NODES-UNTIL (seconds since 1970; srun may be
 * killed), and removes this user's old ones. False: errno says why. */
static bool count(uint64_t *steps,
                  uint64_t *nodes,
                  const struct own_folder *folder,
                  double now)
{
    const char *name;
    DIR *dir = NULL;
    bool is_read = false;

    for (; (name = own_folder_next(&dir, folder)); is_read = true) {
        uint32_t n;
        double until;

        if (sscanf(name, "%*u.%*u-%" SCNu32 "-%lf", &n, &until) != 2)
            continue;
        if (until < now)
            (void)own_folder_remove(folder, name);
        *steps += until >= now;
        *nodes += until >= now ? n : 0;
    }
    return is_read;
}

/* First the file and then the count: of two steps at the same time both may be
 * refused, and never one too many is recorded. */
static const char *take_place(char *text,
                              size_t size,
                              const struct planner *planner,
                              double now)
{
    const struct site_learning *site = &planner->sources.site->learning;
    const uint32_t nnodes = planner->facts->nhosts;
    struct own_folder *folder = NULL;
    uint64_t steps = 0, nodes = 0;
    struct mapcore_error err = {.text = "no catalogue"};
    char name[96];
    bool fits = false;
    int fd = -1, error = MAPCORE_ENOENT;

    snprintf(name, sizeof(name), "%s-%u-%.0f", planner->request.learn, nnodes,
             now + 60 * (double)site->minutes + START_S);
    if (site->record_folder)
        error =
            own_folder_open(&folder, site->record_folder, OWN_FOLDER_LOG, &err);
    else if (planner->sources.own_root)
        error = catalogue_make_beside(&folder, planner->sources.own_root,
                                      ".recording", 0700, &err);
    if (error == 0)
        error =
            own_folder_append(&fd, &(struct stat){0}, folder, name, 0600, &err);
    if (error == 0 && !count(&steps, &nodes, folder, now))
        error = error_set(&err, MAPCORE_EIO, "%.150s: %s",
                          own_folder_path(folder), strerror(errno));
    if (error < 0) {
        snprintf(text, size, "the site's recordings cannot be counted: %.200s",
                 err.text);
    } else {
        fits = (site->record_steps == 0 || steps <= site->record_steps) &&
               (site->record_nodes == 0 || nodes <= site->record_nodes);
        snprintf(text, size,
                 "%" PRIu64 " steps on %" PRIu64
                 " nodes are being recorded, and the site allows no more",
                 steps - 1, nodes - nnodes);
    }
    if (fd >= 0) {
        close(fd);
        if (!fits)
            (void)own_folder_remove(folder, name);
    }
    own_folder_close(folder);
    return fits ? NULL : text;
}

const char *planner_record_cap(char *text,
                               size_t size,
                               const struct planner *planner)
{
    const struct site_learning *site = &planner->sources.site->learning;
    const double now = (double)time(NULL);

    if (now < site->from_s || (site->until_s > 0 && now >= site->until_s)) {
        snprintf(text, size, "the site %s %s",
                 now < site->from_s ? "records from" : "recorded until",
                 now < site->from_s ? site->record_from : site->record_until);
        return text;
    }
    if (site->record_share < 1 &&
        ldexp((double)planner_earlier_lot(planner, "share "), -64) >=
            site->record_share)
        return "the site has a share of the steps recorded, without this one";
    return site->record_steps > 0 || site->record_nodes > 0
               ? take_place(text, size, planner, now)
               : NULL;
}
