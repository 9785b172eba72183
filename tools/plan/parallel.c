/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* parallel.c - a search that the nodes of the job itself help with */
#include "config.h"

#include "tools/plan/parallel.h"

#include "base/buffer.h"
#include "base/file_read.h"
#include "tools/common/bounds.h"
#include "tools/common/script.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Shares of the time: when the step's searches end, and the one here; the rest
 * is for its answer. */
static const double STEP_SHARE = 0.85, HERE_SHARE = 0.95;
/* Without a bound of time the step gets so long. */
static const double STEP_SECONDS = 3600;
/* So long srun may take for the end of a step that has answered. */
static const double END_SECONDS = 0.5;
#define ANSWER_MOST ((size_t)256 << 20)
enum { MOST_WORDS = 128, HET_MOST = 128 /* Slurm's own limit */ };

struct step {
    pid_t pid; /* of srun; 0: there is none */
    int answer;
    struct buffer text;
    const char *word[MOST_WORDS];
    int nwords;
    char program[PATH_MAX], group[16], nnodes[16], seed[24], until[32];
    char time[32];
    char work[24], unit[16], schedule[SEARCH_SCHEDULE_TEXT], alpha[32];
};

static void add(struct step *step, const char *word, const char *value)
{
    if (step->nwords + 3 > MOST_WORDS)
        return;
    step->word[step->nwords++] = word;
    if (value)
        step->word[step->nwords++] = value;
}

static void add_if(struct step *step, const char *word, const char *value)
{
    if (value)
        add(step, word, value);
}

/* A component of a heterogeneous job is known to srun by the number of the
 * first one and its own place among them. */
static void add_job(struct step *step, const char *job)
{
    const char *leader = getenv("SLURM_JOB_ID_HET_GROUP_0");

    for (unsigned i = 0; leader && i < HET_MOST; i++) {
        char name[40];
        const char *component;

        snprintf(name, sizeof(name), "SLURM_JOB_ID_HET_GROUP_%u", i);
        if (!(component = getenv(name)))
            break;
        if (strcmp(component, job) == 0) {
            snprintf(step->group, sizeof(step->group), "%u", i);
            add(step, "--jobid", leader);
            add(step, "--het-group", step->group);
            return;
        }
    }
    add(step, "--jobid", job);
}

/* Whole nodes, beside the step that is planned, of which nothing runs yet. */
static void add_srun(struct step *step, const struct planner *planner)
{
    snprintf(step->nnodes, sizeof(step->nnodes), "%u", planner->facts->nhosts);
    add(step, "srun", NULL);
    add_job(step, planner->request.search_arg);
    add(step, "--nodes", step->nnodes);
    add(step, "--ntasks", step->nnodes);
    add(step, "--nodelist", planner->facts->nodelist);
    for (const char *const *word =
             (const char *const[]){"--ntasks-per-node=1", "--overlap",
                                   "--whole", "--cpu-bind=none", "--mem=0",
                                   "--kill-on-bad-exit=1", "--quiet",
                                   "--topomap=off", NULL};
         *word; word++)
        add(step, *word, NULL);
    add_if(step, "--mpi", getenv("SLURM_MPI_TYPE"));
}

static void add_topomap(struct step *step,
                        const struct planner *planner,
                        const struct timed_search *which)
{
    const struct plan_request *request = &planner->request;
    double left = which->deadline > 0
                      ? STEP_SHARE * (which->deadline - tool_now())
                      : STEP_SECONDS;
    long long alpha;
    struct timeval now;

    gettimeofday(&now, NULL);
    /* Not %f: a locale may write a comma; and it may start late. */
    left += (double)now.tv_usec / 1e6;
    snprintf(step->until, sizeof(step->until), "%lld.%03d",
             (long long)now.tv_sec + (long long)left,
             (int)(1000 * (left - (double)(long long)left)));
    snprintf(step->time, sizeof(step->time), "%lld", (long long)left + 1);
    snprintf(step->seed, sizeof(step->seed), "%" PRIu64,
             planner->parameters.seed + 1);
    alpha = llround(1e6 * planner->parameters.alpha);
    snprintf(step->alpha, sizeof(step->alpha), "%lld.%06lld", alpha / 1000000,
             alpha % 1000000);
    add(step, step->program, NULL);
    add(step, "--found", NULL);
    add(step, "--facts", "-");
    add(step, "--until", step->until);
    add(step, "--time", step->time);
    add(step, "--seed", step->seed);
    add(step, "--choose", timed_search_choice(planner->parameters.choose));
    add(step, "--alpha", step->alpha);
    if (request->search.work > 0) {
        snprintf(step->work, sizeof(step->work), "%" PRIu64,
                 request->search.work);
        add(step, "--work", step->work);
    }
    if (request->search.schedule.starts > 0) {
        timed_search_print_schedule(step->schedule, &request->search.schedule);
        add(step, "--schedule", step->schedule);
    }
    add_if(step, "--program", request->program);
    add_if(step, "--name", request->name);
    add_if(step, "--graph",
           planner->graph.is_raced ? planner->graph.name : request->graph);
    add_if(step, "--config", request->config);
    add_if(step, "--topology", request->topology);
    add_if(step, "--partition", request->partition);
    add_if(step, "--node", request->node);
    add_if(step, "--mapper", request->mapper);
    if (request->search.constraints.unit == MAPCORE_UNIT_HOST)
        add(step, "--unit", "node");
    else if (request->search.constraints.unit > 1) {
        snprintf(step->unit, sizeof(step->unit), "%u",
                 request->search.constraints.unit);
        add(step, "--unit", step->unit);
    }
    add_if(step, "--pin", request->search.constraints.pin);
    if (request->scale == SCALE_OFF)
        add(step, "--scale", "off");
    for (size_t i = 0; i < request->catalogues.n; i++)
        add_if(step, "--catalogue", request->catalogues.item[i]);
    for (size_t i = 0; i < request->site_catalogues.n; i++)
        add_if(step, "--site-catalogue", request->site_catalogues.item[i]);
    step->word[step->nwords] = NULL;
}

/* What the outer srun left for its step is not for this one. */
static void clear_environment(void)
{
    static const char *const kept[] = {
        "SLURM_CONF=", "SLURM_JOB_ID=", "SLURM_CLUSTER_NAME="};

    for (char **at = environ; *at;) {
        bool is_ours =
            strncmp(*at, "SLURM_", 6) != 0 && strncmp(*at, "SRUN_", 5) != 0;
        char name[256];

        for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
            is_ours |= strncmp(*at, kept[i], strlen(kept[i])) == 0;
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(*at, "="), *at);
        if (is_ours || unsetenv(name) != 0)
            at++;
    }
}

/* In the child. Of its own group: who kills this process and all that it has
 * started with KILL would leave the step to itself. TERM, when this process
 * ends, makes srun end the step. */
static void become_srun(const struct step *step,
                        int input,
                        int output,
                        pid_t parent)
{
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    alarm(0);
    /* Which srun would hand on to its tasks. */
    bounds_lift_memory();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(output, STDERR_FILENO);
    clear_environment();
    execvp(step->word[0], (char *const *)(uintptr_t)step->word);
    _exit(127);
}

/* A file in memory, at its beginning: no pipe takes as much before it is read.
 */
static int open_facts(const struct planner *planner)
{
    FILE *file = script_memory(NULL);
    char *text = NULL;
    int fd = -1;

    if (file && mapcore_facts_format(&text, planner->facts, NULL) == 0 &&
        fputs(text, file) >= 0 && fflush(file) == 0)
        fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    if (file)
        fclose(file);
    if (fd >= 0)
        (void)lseek(fd, 0, SEEK_SET);
    free(text);
    return fd;
}

/* A failure here leaves the search to this process. */
static void start(struct step *step,
                  const struct planner *planner,
                  const struct timed_search *which)
{
    static const char beside[] = "-mpi"; /* topomap-mpi, installed so */
    ssize_t n = readlink("/proc/self/exe", step->program,
                         sizeof(step->program) - sizeof(beside));
    int facts = open_facts(planner), ends[2];
    pid_t self = getpid();

    step->answer = -1;
    memcpy(step->program + (n > 0 ? n : 0), beside, sizeof(beside));
    if (n <= 0 || facts < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        if (facts >= 0)
            close(facts);
        return;
    }
    add_srun(step, planner);
    add_topomap(step, planner, which);
    step->pid = fork();
    if (step->pid == 0)
        become_srun(step, facts, ends[1], self);
    close(facts);
    close(ends[1]);
    step->answer = ends[0];
}

/* Until its answer is whole, or has ended, or the time is up. */
static bool listen_to(struct step *step, double deadline)
{
    struct pollfd ready = {.fd = step->answer, .events = POLLIN};
    bool more = step->pid > 0;

    while (more &&
           mapcore_plan_complete(step->text.bytes ? step->text.bytes : "",
                                 step->text.n) == 0) {
        double left = deadline - tool_now();

        if (left <= 0)
            return false;
        if (poll(&ready, 1, (int)(1 + left * 1000)) > 0 &&
            file_read_some(&step->text, &more, step->answer, "srun",
                           ANSWER_MOST, NULL) < 0)
            return false;
    }
    return more;
}

/* Until the deadline srun may end by itself once it has answered; then it is
 * asked to end its step, which it does with or without this process. */
static void end(struct step *step, bool has_answered, double deadline)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    bool is_asked = false;

    while (step->pid > 0 && waitpid(step->pid, NULL, WNOHANG) == 0) {
        if (!is_asked && (!has_answered || tool_now() >= deadline)) {
            kill(step->pid, SIGTERM);
            is_asked = true;
        }
        if (tool_now() >= deadline)
            break;
        nanosleep(&pause, NULL);
    }
    if (step->answer >= 0)
        close(step->answer);
    buffer_clear(&step->text);
}

/* "seed 7" and what was found with it. */
static void take(struct planner *planner, const struct buffer *text)
{
    const struct found_query query = planner_found_query(planner);
    struct mapcore_result found = {0};
    char made[FOUND_DATE];
    double estimate[2];
    uint64_t seed = 0;
    const char *body = memchr(text->bytes, '\n', text->n);

    if (!body || sscanf(text->bytes, "seed %" SCNu64, &seed) != 1)
        return;
    body++;
    if (found_parse(&found, made, &query, body,
                    text->n - (size_t)(body - text->bytes), NULL) < 0)
        return;
    if (planner_is_better(estimate, planner, &found)) {
        mapcore_result_clear(&planner->result);
        planner->result = found;
        planner->parameters.seed = seed;
    } else {
        mapcore_result_clear(&found);
    }
}

int parallel_search(struct planner *planner, const struct timed_search *which)
{
    struct timed_search here = *which;
    double now = tool_now();
    double deadline =
        which->deadline > 0 ? which->deadline : now + STEP_SECONDS;
    struct step step = {.pid = 0};
    bool has_answered;
    int error;

    start(&step, planner, which);
    if (here.deadline > 0)
        here.deadline = now + HERE_SHARE * (here.deadline - now);
    error = planner_search_here(planner, &here);
    has_answered = error == 0 && listen_to(&step, deadline);
    if (has_answered)
        take(planner, &step.text);
    end(&step, has_answered,
        has_answered ? fmin(deadline, tool_now() + END_SECONDS) : deadline);
    return error;
}
