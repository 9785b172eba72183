/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher_run.c - a launcher's life, of which the caller sees nothing but the
 * end that it would have had anyway */
#include "config.h"

#include "tools/place/launcher_run.h"

#include "base/buffer.h"
#include "tools/common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int launcher_files_make(struct launcher_files *out,
                        const char *shared,
                        const char *name,
                        bool no_dash,
                        struct mapcore_error *err)
{
    const char *tmp = getenv("TMPDIR");
    struct buffer folder = {0}, path = {0};
    int error;

    *out = (struct launcher_files){0};
    if (!tmp || *tmp != '/' || (no_dash && strchr(tmp, '-')))
        tmp = "/tmp";
    error = shared ? buffer_printf(&folder, err, "%s/.topomap.XXXXXX", shared)
                   : buffer_printf(&folder, err, "%s/topomap.XXXXXX", tmp);
    if (error == 0 && !mkdtemp(folder.bytes))
        error = error_set(err, MAPCORE_EIO, "cannot make the folder %.300s: %s",
                          folder.bytes, strerror(errno));
    if (error == 0) {
        error = buffer_printf(&path, err, "%s/%s", folder.bytes, name);
        out->folder = buffer_steal(&folder);
        out->path = buffer_steal(&path);
    }
    buffer_clear(&folder);
    buffer_clear(&path);
    return error;
}

int launcher_files_write(const struct launcher_files *files,
                         const char *text,
                         struct mapcore_error *err)
{
    const int fd =
        open(files->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = file != NULL;

    good = good && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        good = false;
    return good ? 0
                : error_set(err, MAPCORE_EIO, "cannot write %.300s: %s",
                            files->path, strerror(errno));
}

void launcher_files_remove(struct launcher_files *files)
{
    if (files->path)
        unlink(files->path);
    if (files->folder)
        rmdir(files->folder);
    free(files->path);
    free(files->folder);
    *files = (struct launcher_files){0};
}

int launcher_exec(char *const *argv)
{
    signal(SIGPIPE, SIG_DFL); /* topomap's own choices are not its */
    signal(SIGXFSZ, SIG_DFL);
    execvp(argv[0], argv);
    tool_note("%s: %s", argv[0], strerror(errno));
    return errno == ENOENT ? LAUNCHER_NOT_FOUND : LAUNCHER_CANNOT_RUN;
}

static const int passed_on[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                SIGUSR1, SIGUSR2, SIGALRM};

/* Waits; what comes meanwhile from a process, and not from the terminal, whose
 * whole group gets it, is passed on. */
static int wait_for(pid_t child, const sigset_t *awaited)
{
    int status;

    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        siginfo_t info;
        int number;

        if (ended == child)
            return status;
        if (ended < 0 && errno != EINTR)
            return LAUNCHER_CANNOT_RUN << 8;
        number = sigwaitinfo(awaited, &info);
        if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL)
            kill(child, number);
    }
}

/* As if we had been the launcher; one file of its memory is enough. */
int launcher_end_as(int status)
{
    const struct rlimit none = {0, 0};
    sigset_t set;

    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, WTERMSIG(status));
    raise(WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + WTERMSIG(status);
}

int launcher_wait(char *const *argv, struct launcher_files *files)
{
    const pid_t self = getpid();
    sigset_t awaited, before;
    pid_t child;
    int status;

    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++) {
        struct sigaction action;

        if (sigaction(passed_on[i], NULL, &action) == 0 &&
            action.sa_handler != SIG_IGN)
            sigaddset(&awaited, passed_on[i]);
    }
    sigprocmask(SIG_BLOCK, &awaited, &before);
    signal(SIGCHLD, SIG_DFL); /* ignored by inheritance, it would not come */
    fflush(NULL);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        sigprocmask(SIG_SETMASK, &before, NULL);
        _exit(getppid() == self ? launcher_exec(argv) : LAUNCHER_CANNOT_RUN);
    }
    if (child < 0) {
        /* Without a child there is nobody to take the files away. */
        sigprocmask(SIG_SETMASK, &before, NULL);
        return launcher_exec(argv) << 8;
    }
    status = wait_for(child, &awaited);
    launcher_files_remove(files);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
