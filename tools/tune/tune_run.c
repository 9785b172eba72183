/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_run.c - one run of the user's srun: started, waited for, and read off
 * what the recorder and the planner have left */
#include "config.h"

#include "tools/tune/tune.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/printable.h"
#include "base/process.h"
#include "profiles/profile.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TAIL_BYTES = 4096,
    TAIL_LINES = 8,
};
/* How long srun has to end its job, before it is killed. */
static const double PATIENCE = 20.0;

char *tune_below(const struct tune *tune,
                 const char *name,
                 const char *ending,
                 struct mapcore_error *err)
{
    struct buffer path = {0};

    if (buffer_printf(&path, err, "%s/%s%s", tune->scratch, name, ending) < 0)
        return NULL;
    return buffer_steal(&path);
}

/* A folder that no run had before: what a network file system remembers of one
 * must not be taken for what is there now. */
static char *next_runs(struct tune *tune, struct mapcore_error *err)
{
    char number[16];

    snprintf(number, sizeof(number), "%u", ++tune->attempts);
    return tune_below(tune, "runs-", number, err);
}

/* --topomap=..., as srun gets it. */
static int write_option(struct buffer *out,
                        const struct tune *tune,
                        size_t graph,
                        struct mapcore_error *err)
{
    const char *name = !tune->evaluation ? EVALUATION_UNMAPPED
                                         : tune->evaluation->graphs[graph].name;
    int error;

    if (graph == 0)
        error = buffer_printf(out, err, "--topomap=profile");
    else
        error = buffer_printf(out, err, "--topomap=%s/%s.graph,record%s%s",
                              tune->scratch, name, tune->budget ? ",time=" : "",
                              tune->budget ? tune->budget : "");
    if (error == 0 && tune->name)
        error = buffer_printf(out, err, ",name=%s", tune->name);
    if (error == 0 && tune->exe)
        error = buffer_printf(out, err, ",exe=%s", tune->exe);
    return error;
}

/* srun, our option, and the words behind srun as they were. */
static char **make_words(const struct tune *tune,
                         char *option,
                         struct mapcore_error *err)
{
    size_t n = 0;
    char **words;

    while (tune->words[n])
        n++;
    words = array_alloc(n + 2, sizeof(*words), err);
    if (!words)
        return NULL;
    words[0] = tune->words[0];
    words[1] = option;
    memcpy(words + 2, tune->words + 1, n * sizeof(*words));
    return words;
}

/* A group of its own: Ctrl-C comes to us alone, and srun, which would only
 * report on the first, gets a signal then that ends it. */
static int start_srun(pid_t *pid,
                      char *const words[],
                      const char *output,
                      struct mapcore_error *err)
{
    const int fd =
        open(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    const struct process process = {
        .words = words, .in = -1, .out = fd, .err = fd, .leads_group = true};
    int error = fd < 0 ? error_set(err, MAPCORE_EIO, "%.400s: %s", output,
                                   strerror(errno))
                       : process_start(pid, &process, err);

    if (fd >= 0)
        close(fd);
    return error;
}

/* Until it has ended; the signals waited for are blocked in us. */
static int wait_for(struct tune *tune, pid_t pid, const char *graph)
{
    const struct timespec second = {.tv_sec = 1};
    double killed = 0;
    int status = 0;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        int signal = sigtimedwait(&set, NULL, &second);

        tune_progress(tune, graph);
        if (signal > 0 && signal != SIGCHLD) {
            tune->signal = signal;
            if (killed <= 0)
                killed = tool_now();
            kill(pid, SIGTERM);
        }
        if (killed > 0 && tool_now() > killed + PATIENCE)
            kill(pid, SIGKILL);
    }
    return status;
}

/* The end of what the run wrote, NUL-terminated. */
static void read_tail(char tail[TAIL_BYTES + 1], const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;
    off_t size;

    if (fd >= 0) {
        size = lseek(fd, 0, SEEK_END);
        n = pread(fd, tail, TAIL_BYTES,
                  size > TAIL_BYTES ? size - TAIL_BYTES : 0);
        close(fd);
    }
    tail[n > 0 ? n : 0] = '\0';
}

/* The last lines of the program, which the terminal only shows; srun's own, one
 * a node, only when there are no others. */
static void show_tail(const char *path)
{
    char *last[TAIL_LINES];
    char tail[TAIL_BYTES + 1];
    size_t n = 0;

    read_tail(tail, path);
    for (int sruns = 0; sruns < 2 && n == 0; sruns++)
        for (char *line = tail; *line != '\0';
             line = *line == '\0' ? line : line + 1) {
            if (*line != '\n' &&
                (strncmp(line, "srun: ", 6) == 0) == (sruns == 1))
                last[n++ % TAIL_LINES] = line;
            line = strchrnul(line, '\n');
        }
    for (size_t i = n > TAIL_LINES ? n - TAIL_LINES : 0; i < n; i++) {
        char *line = last[i % TAIL_LINES];

        line[strcspn(line, "\r\n")] = '\0';
        fputs("    ", stderr);
        printable_write(stderr, line);
        fputc('\n', stderr);
    }
}

/* What topomap itself said last in there, or a guess. */
static void last_words(char *out, size_t size, const char *path)
{
    static const char mark[] = "topomap: ";
    char tail[TAIL_BYTES + 1];

    read_tail(tail, path);
    snprintf(out, size,
             "topomap's plugin said nothing: is it in Slurm's plugstack.conf?");
    for (char *line = tail; (line = strstr(line, mark));) {
        line += strlen(mark);
        snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
    }
}

static void append_log(const struct tune *tune,
                       const char *graph,
                       const char *path)
{
    FILE *from = tune->log ? fopen(path, "re") : NULL, *to = NULL;
    struct mapcore_error err;
    char bytes[4096];
    size_t n;
    bool broken;

    if (!from)
        return;
    if (tool_append_open(&to, tune->log, &err) < 0) {
        tool_note("%s", err.text);
    } else {
        fprintf(to, "== %s\n", graph);
        while ((n = fread(bytes, 1, sizeof(bytes), from)) > 0)
            fwrite(bytes, 1, n, to);
        errno = 0;
        broken = ferror(to) != 0;
        if (fclose(to) != 0 || broken)
            tool_note("cannot write %s: %s", tune->log,
                      strerror(errno != 0 ? errno : EIO));
    }
    fclose(from);
}

/* Runs srun in this environment of ours, and judges how it ended. */
static int start_and_wait(struct tune_run *out,
                          struct tune *tune,
                          char *const words[],
                          const char *graph,
                          const char *output,
                          struct mapcore_error *err)
{
    bool is_mapped = strcmp(graph, EVALUATION_UNMAPPED) != 0;
    double start = tool_now();
    int status, error;
    pid_t pid;

    tune_progress(tune, graph);
    if ((error = start_srun(&pid, words, output, err)) < 0)
        return error;
    status = wait_for(tune, pid, graph);
    out->wall = tool_now() - start;
    tune->wall[is_mapped] += out->wall;
    tune->nwall[is_mapped]++;
    tune_progress_end();
    append_log(tune, graph, output);
    if (tune->signal != 0)
        return TUNE_INTERRUPTED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    show_tail(output);
    if (WIFSIGNALED(status))
        return error_set(err, MAPCORE_EIO,
                         "the run with graph %s was ended by signal %d", graph,
                         WTERMSIG(status));
    return error_set(err, MAPCORE_EIO,
                     "the run with graph %s ended with status %d", graph,
                     WEXITSTATUS(status));
}

/* A program without point-to-point calls spends no time there. */
static void take_run(struct evaluation_run *out, const struct profile *profile)
{
    const struct profile_type *p2p = profile_find_type(profile, "p2p");
    const bool knows_tasks =
        profile->task_seconds.is_known && (!p2p || p2p->task_seconds.is_known);
    double mpi = 0;

    for (size_t i = 0; i < profile->ntypes; i++)
        mpi += profile->types[i].seconds;
    out->seconds[EVALUATION_SECONDS] = profile->seconds;
    out->seconds[EVALUATION_MPI] = mpi / profile->ntasks;
    out->seconds[EVALUATION_P2P] = !knows_tasks ? -1
                                   : p2p        ? p2p->seconds / profile->ntasks
                                                : 0;
    out->seconds[EVALUATION_MOST_P2P] = !knows_tasks ? -1
                                        : p2p        ? p2p->task_seconds.max
                                                     : 0;
    out->seconds[EVALUATION_MOST_MPI] =
        knows_tasks ? profile->task_seconds.max : -1;
    out->nphases = profile->nphases;
    for (size_t i = 0; i < profile->nphases; i++) {
        const struct profile_phase *phase = &profile->phases[i];

        profile_phase_word(out->phase[i].name, phase);
        out->phase[i].seconds = 0;
        for (size_t k = 0; k < phase->ntypes; k++)
            out->phase[i].seconds += phase->types[k].seconds / profile->ntasks;
    }
}

/* What the recorder has left in runs: one profile. */
static int read_recording(struct tune_run *out,
                          const char *runs,
                          const char *output,
                          struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL;
    struct profile *profile = NULL;
    char reason[512];
    size_t n = 0;
    int error = catalogue_list(&list, &n, runs, true, false, err);

    if (error == 0 && n != 1) {
        last_words(reason, sizeof(reason), output);
        error = error_set(err, MAPCORE_EIO, "the run was not recorded: %.400s",
                          n > 1 ? "it consists of several programs" : reason);
    }
    if (error == 0)
        error = profile_read(&profile, list[0].path, err);
    if (error == 0) {
        take_run(&out->of, profile);
        out->recording = list[0];
        list[0] = (struct catalogue_entry){0};
    }
    profile_destroy(profile);
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
    return error;
}

static int take_number(double *out,
                       const struct json_node *root,
                       const char *key,
                       struct mapcore_error *err)
{
    return json_has(root, key) ? json_get_double(out, root, key, err) : 0;
}

/* What `topomap plan` has left of what it told srun. */
static int read_summary(struct tune_run *out,
                        struct tune *tune,
                        const char *path,
                        const char *output,
                        struct mapcore_error *err)
{
    const char *reason = NULL, *nodes = NULL;
    struct json *json = NULL;
    struct json_node root;
    char words[512];
    int error;

    if (access(path, R_OK) < 0) {
        last_words(words, sizeof(words), output);
        return error_set(err, MAPCORE_EIO, "srun did not map: %.400s", words);
    }
    if ((error = json_open(&json, path, err)) < 0 ||
        (error = json_root(&root, json, err)) < 0 ||
        (error = json_get_string(&reason, &root, "reason", err)) < 0 ||
        (error = take_number(&out->hops_per_byte, &root, "hops_per_byte",
                             err)) < 0 ||
        (error = take_number(&out->before, &root, "unmapped_hops_per_byte",
                             err)) < 0 ||
        (error = take_number(&out->max_hops_per_byte, &root,
                             "max_hops_per_byte", err)) < 0 ||
        (error = take_number(&out->max_before, &root,
                             "unmapped_max_hops_per_byte", err)) < 0)
        goto out;
    if (out->hops_per_byte < 0)
        error = error_set(err, MAPCORE_EIO, "srun did not map: %.400s", reason);
    else if (json_has(&root, "nodelist") &&
             (error = json_get_string(&nodes, &root, "nodelist", err)) == 0) {
        free(tune->nodes);
        tune->nodes = strdup(nodes);
    }
out:
    json_close(json);
    return error;
}

int tune_run(struct tune_run *out,
             struct tune *tune,
             size_t graph,
             struct mapcore_error *err)
{
    struct tune_run run = {.hops_per_byte = -1,
                           .before = -1,
                           .max_hops_per_byte = -1,
                           .max_before = -1};
    const char *name =
        graph == 0 ? EVALUATION_UNMAPPED : tune->evaluation->graphs[graph].name;
    char *runs = next_runs(tune, err);
    char *summary = tune_below(tune, "summary", ".json", err);
    char *output = tune_below(tune, "output", "", err);
    struct buffer option = {0};
    char **words = NULL;
    int error = MAPCORE_ENOMEM;

    if (!runs || !summary || !output ||
        (error = write_option(&option, tune, graph, err)) < 0)
        goto out;
    words = make_words(tune, option.bytes, err);
    if (!words) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    unlink(summary);
    /* Recordings of these runs are measurements, no profiles to keep. */
    setenv("TOPOMAP_CATALOGUE", runs, 1);
    setenv("TOPOMAP_PLAN_SUMMARY", summary, 1);
    error = start_and_wait(&run, tune, words, name, output, err);
    if (error == 0)
        error = read_recording(&run, runs, output, err);
    if (error == 0 && graph > 0)
        error = read_summary(&run, tune, summary, output, err);
    if (error == 0) {
        *out = run;
        run.recording = (struct catalogue_entry){0};
    }
out:
    tune_run_clear(&run);
    buffer_clear(&option);
    free(words);
    free(runs);
    free(summary);
    free(output);
    return error;
}

void tune_run_clear(struct tune_run *run)
{
    catalogue_entry_clear(&run->recording);
}
