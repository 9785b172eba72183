/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tree_teller.c - the tree is read and written when the step has ended, so that
 * no launch waits for either; slurmstepd, which is root, does neither */
#include "config.h"

#include "plugin/task/tree_teller.h"

#include "launch/plain_name.h"
#include "launch/told_tree.h"
#include "plugin/handoff/handoff.h"
#include "plugin/task/hardware.h"
#include "plugin/task/user_fork.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nobody waits for it but slurmd, for slurmstepd's end. */
#define WRITE_SECONDS 1

/* What tasks leave for slurmstepd, which reads it in the fork alone. */
struct tree_said {
    _Atomic uint32_t differs;
    char name[TOLD_TREE_NAME];
};

/* slurmstepd's own, which the tasks inherit. */
static struct {
    struct tree_said *said; /* NULL: nobody is asked */
    bool is_asked;
    struct user_fork user;
    char text[TOLD_TREE_MOST + PATH_MAX]; /* srun's, cut into: */
    const char *kind, *levels, *folder;   /* levels may be NULL */
} topomap_tree_teller;

/* What text begins with is cut off at end; the rest, or NULL. */
static char *cut(char *text, char end)
{
    char *rest = text ? strchr(text, end) : NULL;

    if (rest)
        *rest++ = '\0';
    return rest;
}

/* "ask KIND" or "check KIND LEVELS", a newline, the folder. */
static bool read_text(void)
{
    const size_t ask = strlen(TOLD_TREE_ASK), check = strlen(TOLD_TREE_CHECK);
    char *text = topomap_tree_teller.text;
    char *folder = cut(text, '\n');

    topomap_tree_teller.folder = folder;
    topomap_tree_teller.levels = NULL;
    topomap_tree_teller.is_asked = strncmp(text, TOLD_TREE_ASK, ask) == 0;
    if (topomap_tree_teller.is_asked)
        topomap_tree_teller.kind = text + ask;
    else if (strncmp(text, TOLD_TREE_CHECK, check) == 0) {
        topomap_tree_teller.kind = text + check;
        topomap_tree_teller.levels = cut(text + check, ' ');
    }
    return folder && folder[0] == '/' &&
           (topomap_tree_teller.is_asked || topomap_tree_teller.levels) &&
           plain_name_check(topomap_tree_teller.kind, TOLD_TREE_NAME - 1);
}

void tree_teller_open(spank_t spank)
{
    uint32_t node;
    void *said;

    if (topomap_tree_teller.said ||
        spank_getenv(spank, handoff_names[HANDOFF_TREE],
                     topomap_tree_teller.text,
                     sizeof(topomap_tree_teller.text)) != ESPANK_SUCCESS ||
        !user_fork_is_told(spank) || !read_text() ||
        spank_get_item(spank, S_JOB_NODEID, &node) != ESPANK_SUCCESS)
        return;
    /* One node speaks for those that nobody knows. */
    if (topomap_tree_teller.is_asked && node != 0)
        return;
    if (!user_fork_know(&topomap_tree_teller.user, spank))
        return;
    said = mmap(NULL, sizeof(*topomap_tree_teller.said), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        user_fork_forget(&topomap_tree_teller.user);
    else
        topomap_tree_teller.said = said;
}

void tree_teller_name(spank_t spank)
{
    struct tree_said *said = topomap_tree_teller.said;

    if (said && spank_getenv(spank, "SLURMD_NODENAME", said->name,
                             sizeof(said->name)) != ESPANK_SUCCESS)
        said->name[0] = '\0';
}

const char *tree_teller_planned(void)
{
    return topomap_tree_teller.said ? topomap_tree_teller.levels : NULL;
}

void tree_teller_differs(void)
{
    if (topomap_tree_teller.said)
        topomap_tree_teller.said->differs = 1;
}

/* Under another name first: who reads sees all of it or what was there. */
static void write_file(int folder,
                       const char *what,
                       const char *name,
                       const char *text)
{
    char path[TOLD_TREE_NAME + 16], beside[TOLD_TREE_NAME + 48];
    const size_t n = strlen(text);
    bool done;
    int fd;

    snprintf(path, sizeof(path), "%s%s", what, name);
    snprintf(beside, sizeof(beside), "%s.new-%ld", path, (long)getpid());
    fd = openat(folder, beside,
                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    done = write(fd, text, n) == (ssize_t)n;
    done = close(fd) == 0 && done;
    if (!done || renameat(folder, beside, folder, path) < 0)
        unlinkat(folder, beside, 0);
}

/* In the fork, into a folder that nobody but the user can write to. */
static void be_the_writer(void)
{
    const char *kind = topomap_tree_teller.kind;
    const struct tree_said *said = topomap_tree_teller.said;
    const struct hardware *hardware = NULL;
    char name[TOLD_TREE_NAME] = "", text[TOLD_TREE_MOST], *levels = NULL;
    struct stat st;
    int folder, n;

    user_fork_begin(&topomap_tree_teller.user, NULL, 0);
    memcpy(name, said->name, sizeof(name) - 1);
    folder = open(topomap_tree_teller.folder,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (!plain_name_check(name, sizeof(name) - 1) || folder < 0 ||
        fstat(folder, &st) < 0 || st.st_uid != topomap_tree_teller.user.uid ||
        (st.st_mode & 022))
        _exit(1);
    if (hardware_open(&hardware, NULL) < 0)
        _exit(1);
    if (hardware->levels(&levels, NULL) < 0)
        levels = NULL;
    n = snprintf(text, sizeof(text), TOLD_TREE_HEAD "node %s\nlevels %s\n",
                 name, levels ? levels : TOLD_TREE_NOTHING);
    if (n <= 0 || (size_t)n >= sizeof(text))
        _exit(1);
    write_file(folder, TOLD_TREE_NODE, name, text);
    if (strcmp(kind, TOLD_TREE_NOTHING) != 0)
        write_file(folder, TOLD_TREE_KIND, kind, text);
    _exit(0);
}

void tree_teller_close(void)
{
    pid_t pid;

    if (!topomap_tree_teller.said)
        return;
    if (topomap_tree_teller.is_asked || topomap_tree_teller.said->differs) {
        if ((pid = fork()) == 0)
            be_the_writer();
        if (pid > 0)
            user_fork_wait(pid, WRITE_SECONDS);
    }
    munmap(topomap_tree_teller.said, sizeof(*topomap_tree_teller.said));
    topomap_tree_teller.said = NULL;
    user_fork_forget(&topomap_tree_teller.user);
}
