/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handoff.c - forged texts and files to all that a task reads from srun, and
 * srun from `topomap plan`, by the plugin's own functions: a child takes one
 * after the other, and its parent tells which one it did not survive.
 *   handoff SEED SECONDS [FIRST]      in a folder of its own */
#include "config.h"

#include "attack/mutate.h"

#include "base/fnv.h"
#include "base/text.h"
#include "launch/plan.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/handoff_file.h"
#include "plugin/task/affinity.h"
#include "plugin/task/hardware.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_HOSTS = 6, MOST_LOCAL = 8, JOB = 12, STEP = 3, HANG_SECONDS = 10 };

/* What the parent sees of its child. */
static volatile struct progress {
    uint32_t number; /* of the input being tried */
    uint32_t accepted;
    uint32_t findings;
} * progress;

struct trial {
    struct rng rng;
    uint64_t seed;
    struct specimen text;
    struct mapcore_error err;
    uint32_t nhosts, ntasks, counts[MOST_HOSTS];
    struct mapcore_plan *plan;
    struct specimen seeds[2]; /* slots and plan, unchanged */
};

static uint32_t below(struct trial *trial, uint32_t bound)
{
    return rng_below(&trial->rng, bound);
}

static void finding(const struct trial *trial, const char *what)
{
    progress->findings++;
    printf("FINDING handoff %s\n"
           "  again: contrib/attack --seed %" PRIu64 " --only handoff:%u\n",
           what, trial->seed, progress->number);
    fflush(stdout);
}

/* An error has its sentence, and a success none that matters. */
static void expect(const struct trial *trial, bool truth, const char *what)
{
    if (!truth)
        finding(trial, what);
}

/* A plan of random hosts, every slot once. */
static void make_plan(struct trial *trial)
{
    struct mapcore_plan *plan = calloc(1, sizeof(*plan));
    uint32_t r = 0;

    trial->nhosts = 1 + below(trial, MOST_HOSTS);
    trial->ntasks = 0;
    for (uint32_t h = 0; h < trial->nhosts; h++)
        trial->ntasks += trial->counts[h] = 1 + below(trial, MOST_LOCAL);
    plan->ntasks = trial->ntasks;
    plan->nhosts = trial->nhosts;
    plan->outcome = MAPCORE_PLAN_PLACED;
    plan->reason = strdup("a forged one");
    plan->host = calloc(plan->ntasks, sizeof(*plan->host));
    plan->slot = calloc(plan->ntasks, sizeof(*plan->slot));
    for (uint32_t h = 0; h < trial->nhosts; h++)
        for (uint32_t s = 0; s < trial->counts[h]; s++, r++) {
            plan->host[r] = h;
            plan->slot[r] = s;
        }
    for (r = plan->ntasks; r > 1; r--) {
        uint32_t other = below(trial, r), host = plan->host[r - 1],
                 slot = plan->slot[r - 1];

        plan->host[r - 1] = plan->host[other];
        plan->slot[r - 1] = plan->slot[other];
        plan->host[other] = host;
        plan->slot[other] = slot;
    }
    trial->plan = plan;
}

static void make_seeds(struct trial *trial)
{
    char *text = NULL;

    make_plan(trial);
    if (slot_text_format(&text, trial->plan, NULL) < 0)
        abort();
    specimen_set(&trial->seeds[0], text, strlen(text));
    free(text);
    if (mapcore_plan_format(&text, trial->plan, NULL) < 0)
        abort();
    specimen_set(&trial->seeds[1], text, strlen(text));
    free(text);
}

static bool is_permutation(const uint32_t *slot, uint32_t n)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < n; i++)
        if (slot[i] >= n || (seen & 1u << slot[i]))
            return false;
        else
            seen |= 1u << slot[i];
    return true;
}

/* The right sum behind a wrong body, where the format wants it. */
static void repair_sum(struct specimen *text, const char *before)
{
    char sum[32];
    size_t body = text->n;

    for (size_t i = 0; i + strlen(before) <= text->n; i++)
        if (memcmp(text->bytes + i, before, strlen(before)) == 0)
            body = i;
    if (strcmp(before, " ") != 0)
        body += body < text->n;
    snprintf(sum, sizeof(sum), "%s%016" PRIx64 "%s",
             strcmp(before, " ") == 0 ? " " : "end ", fnv1a(text->bytes, body),
             strcmp(before, " ") == 0 ? "" : "\n");
    text->n = body;
    if (text->n + sizeof(sum) < MUTATE_MOST) {
        memcpy(text->bytes + text->n, sum, strlen(sum) + 1);
        text->n += strlen(sum);
    }
}

static void try_slots(struct trial *trial)
{
    uint32_t slot[MOST_LOCAL], host = below(trial, trial->nhosts);
    uint32_t nlocal = trial->counts[host];
    bool whole = below(trial, 16) == 0;
    int error;

    specimen_set(&trial->text, trial->seeds[0].bytes, trial->seeds[0].n);
    if (!whole)
        mutate(&trial->text, &trial->rng, trial->seeds, 2);
    if (!whole && below(trial, 2) == 0)
        repair_sum(&trial->text, " ");
    error = slot_text_parse(slot, nlocal, trial->text.bytes, trial->text.n,
                            trial->nhosts, host, &trial->err);
    progress->accepted += error == 0;
    expect(trial, !whole || error == 0, "own slots are refused");
    expect(trial, error < 0 || is_permutation(slot, nlocal),
           "slots that are no permutation are taken");
    expect(trial, error == 0 || trial->err.text[0], "refused without a word");
}

static void try_plan(struct trial *trial)
{
    struct mapcore_plan *plan = NULL;
    int error;

    specimen_set(&trial->text, trial->seeds[1].bytes, trial->seeds[1].n);
    mutate(&trial->text, &trial->rng, trial->seeds, 2);
    if (below(trial, 2) == 0)
        repair_sum(&trial->text, "\nend ");
    expect(trial,
           mapcore_plan_complete(trial->text.bytes, trial->text.n) <=
               trial->text.n,
           "a plan that ends behind its text");
    error = mapcore_plan_parse(&plan, trial->text.bytes, trial->text.n,
                               trial->ntasks, trial->nhosts, trial->counts,
                               &trial->err);
    progress->accepted += error == 0;
    expect(trial, (error == 0) == (plan != NULL), "a plan beside an error");
    for (uint32_t h = 0;
         plan && plan->outcome == MAPCORE_PLAN_PLACED && h < trial->nhosts;
         h++) {
        uint32_t slot[MOST_LOCAL], n = 0;

        for (uint32_t r = 0; r < trial->ntasks; r++)
            if (plan->host[r] == h && n < MOST_LOCAL)
                slot[n++] = plan->slot[r];
        expect(trial, n == trial->counts[h] && is_permutation(slot, n),
               "a plan that places two ranks in one slot is taken");
    }
    mapcore_plan_destroy(plan);
}

static void try_words(struct trial *trial)
{
    static const char text[] = "12.3 tvsd the reason why";
    struct handoff handoff;
    char *value;

    specimen_set(&trial->text, text, strlen(text));
    mutate(&trial->text, &trial->rng, trial->seeds, 2);
    if (handoff_parse(&handoff, trial->text.bytes, JOB, STEP)) {
        progress->accepted++;
        expect(trial,
               !handoff.failure ||
                   (handoff.failure >= trial->text.bytes &&
                    handoff.failure <= trial->text.bytes + trial->text.n),
               "a reason that is not in the text");
    }
    value = text_value(trial->text.bytes, "recorder");
    expect(trial, !value || !strchr(value, '\n'), "a value of two lines");
    free(value);
}

/* Masks and cores that Slurm never said. */
static void try_binding(struct trial *trial)
{
    static const char *const lists[] = {
        "0x1,0x2", "0x3", "0xff,0xff,0xff,0xff", "0x1,0x2,0x4,0x8", "0-3,8",
    };
    uint32_t host = below(trial, trial->nhosts), slot[MOST_LOCAL];
    const char *list = lists[below(trial, 5)];
    struct binding binding = {
        .nlocal = trial->counts[host],
        .slot = slot,
    };
    const uint32_t local = below(trial, trial->counts[host]);
    cpu_set_t before, after;
    char *bound = NULL;
    int error;

    for (uint32_t i = 0; i < binding.nlocal; i++)
        slot[i] = i;
    specimen_set(&trial->text, list, strlen(list));
    if (below(trial, 8) > 0)
        mutate(&trial->text, &trial->rng, trial->seeds, 2);
    if (below(trial, 3) > 0)
        binding.list = trial->text.bytes;
    else
        binding.cores = trial->text.bytes;
    sched_getaffinity(0, sizeof(before), &before);
    error = topomap_hardware.make(&bound, NULL, &binding, &trial->err);
    sched_getaffinity(0, sizeof(after), &after);
    progress->accepted += error == 0;
    expect(trial, CPU_EQUAL(&before, &after),
           "masks are only tried and the task is bound");
    expect(trial, !bound || affinity_take(bound, local, &trial->err) == 0,
           "masks that were tried are refused");
    sched_setaffinity(0, sizeof(before), &before);
    free(bound);
}

/* --- the file of slots */

/* Slots enough for a file, ended by a digest. */
static char *make_long(struct trial *trial)
{
    size_t n = HANDOFF_MOST + 1 + below(trial, 5000);
    char *text = malloc(n + 1);

    if (!text)
        abort();
    for (size_t i = 0; i < n; i++)
        text[i] = "0123456789,/*. "[below(trial, 15)];
    snprintf(text + n - 17, 18, " %016" PRIx64, fnv1a(text, n - 17));
    return text;
}

enum forgery {
    FILE_WHOLE,
    FILE_FIFO,
    FILE_FOLDER,
    FILE_SYMLINK,
    FILE_SOCKET,
    FILE_ZERO,
    FILE_NULL,
    FILE_FOREIGN,
    FILE_EMPTY,
    FILE_CUT,
    FILE_LONGER,
    FILE_SPARSE,
    FILE_LARGE,
    FILE_MISSING,
    FILE_DIGEST,
    FILE_LOOP,
    FILE_WORDS,
    FILE_KINDS
};

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        perror(path);
    close(fd);
}

/* Changes the file that was written into something else of its name. */
static void forge_file(enum forgery kind, const char *path, size_t n)
{
    int fd, done = 0;

    switch (kind) {
    case FILE_FIFO:
        done = unlink(path) | mkfifo(path, 0600);
        break;
    case FILE_FOLDER:
        done = unlink(path) | mkdir(path, 0700);
        break;
    case FILE_SYMLINK:
        done = rename(path, "elsewhere") |
               symlink("/proc/self/cwd/elsewhere", path);
        break;
    case FILE_LOOP:
        done = unlink(path) | symlink(path, path);
        break;
    case FILE_SOCKET:
        unlink(path);
        make_socket(path);
        break;
    case FILE_EMPTY:
        done = truncate(path, 0);
        break;
    case FILE_CUT:
        done = truncate(path, (off_t)n - 1);
        break;
    case FILE_LONGER:
        fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        done = write(fd, "0", 1) != 1;
        close(fd);
        break;
    case FILE_SPARSE:
        done = truncate(path, (off_t)1 << 40);
        break;
    case FILE_LARGE:
        done = truncate(path, (off_t)257 << 20);
        break;
    case FILE_MISSING:
        done = unlink(path);
        break;
    case FILE_WHOLE:
    case FILE_ZERO:
    case FILE_NULL:
    case FILE_FOREIGN:
    case FILE_DIGEST:
    case FILE_WORDS:
    case FILE_KINDS:
        break;
    }
    if (done != 0)
        perror(path);
}

/* Another path, digest or wording in the plan's text. */
static void forge_text(struct trial *trial, enum forgery kind, const char *plan)
{
    static const char *const devices[] = {"/dev/zero", "/dev/null",
                                          "/etc/passwd"};
    char text[256];

    if (kind == FILE_ZERO || kind == FILE_NULL || kind == FILE_FOREIGN) {
        snprintf(text, sizeof(text), "%.22s%s", plan,
                 devices[kind - FILE_ZERO]);
        specimen_set(&trial->text, text, strlen(text));
        return;
    }
    specimen_set(&trial->text, plan, strlen(plan));
    if (kind == FILE_DIGEST)
        trial->text.bytes[5] ^= 1;
    if (kind == FILE_WORDS)
        mutate(&trial->text, &trial->rng, trial->seeds, 2);
}

static void try_file(struct trial *trial)
{
    enum forgery kind = (enum forgery)below(trial, FILE_KINDS);
    char *slots = make_long(trial), *plan = NULL, *path = NULL, *out = NULL;
    char folder[4096];
    const struct handoff_place place = {folder, NULL, {JOB, STEP, NULL}};
    int error;

    if (!getcwd(folder, sizeof(folder)) ||
        handoff_file_write(&path, "slots", slots, &place, &trial->err) < 0 ||
        handoff_file_name(&plan, slots, path, &trial->err) < 0) {
        finding(trial, trial->err.text);
        free(slots);
        return;
    }
    forge_text(trial, kind, plan);
    forge_file(kind, path, strlen(slots));
    error = handoff_file_read(&out, trial->text.bytes, &trial->err);
    progress->accepted += error == 0;
    expect(trial, kind != FILE_WHOLE || error == 0, "its own file is refused");
    expect(trial,
           error < 0 || kind == FILE_WHOLE || kind == FILE_WORDS ||
               strcmp(out, slots) == 0,
           "slots that srun did not write are taken");
    expect(trial, error < 0 || kind == FILE_WHOLE || kind == FILE_WORDS,
           "a forged file is taken");
    expect(trial, error == 0 || trial->err.text[0], "refused without a word");
    if (error == 0)
        free(out);
    remove(path);
    remove("elsewhere");
    free(slots);
    free(plan);
    free(path);
}

/* Two clusters that share a folder, of any names, with one step's number: each
 * finds its own file. */
static void try_clusters(struct trial *trial)
{
    static const char *const texts[] = {"here\n", "there\n"};
    char folder[4096], line[16] = "", *path[2] = {NULL, NULL};
    FILE *file;

    if (!getcwd(folder, sizeof(folder)))
        return;
    for (int i = 0; i < 2; i++) {
        const struct handoff_place place = {
            folder, NULL, {JOB, STEP, trial->text.bytes}};

        specimen_set(&trial->text, "cluster", strlen("cluster"));
        mutate(&trial->text, &trial->rng, trial->seeds, 2);
        if (handoff_file_write(&path[i], "ranks", texts[i], &place,
                               &trial->err) < 0)
            finding(trial, trial->err.text);
    }
    for (int i = 0; i < 2 && path[0] && path[1]; i++) {
        file = fopen(path[i], "r");
        expect(trial,
               file && fgets(line, sizeof(line), file) &&
                   strcmp(line, texts[i]) == 0,
               "a cluster finds another's file");
        if (file)
            fclose(file);
    }
    for (int i = 0; i < 2; i++) {
        if (path[i])
            remove(path[i]);
        free(path[i]);
    }
}

static void try_one(struct trial *trial)
{
    void (*const tries[])(struct trial *) = {
        try_slots, try_slots, try_slots,   try_plan,     try_plan,
        try_words, try_file,  try_binding, try_clusters,
    };

    rng_init(&trial->rng, trial->seed, 0, progress->number);
    trial->err.text[0] = '\0';
    make_seeds(trial);
    alarm(HANG_SECONDS);
    tries[below(trial, sizeof(tries) / sizeof(*tries))](trial);
    alarm(0);
    mapcore_plan_destroy(trial->plan);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    static struct trial trial;
    uint32_t first = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    double end;

    if (argc < 3)
        return 99;
    trial.seeds[0] = specimen_new();
    trial.seeds[1] = specimen_new();
    trial.text = specimen_new();
    trial.seed = strtoull(argv[1], NULL, 10);
    end = now() + strtod(argv[2], NULL);
    progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        return 99;
    /* As the plugin has it, or hwloc would look for GPUs. */
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
    progress->number = first;
    do {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            do {
                try_one(&trial);
                progress->number++;
            } while (argc < 4 && now() < end);
            exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            return 99;
        if (status != 0) {
            finding(&trial, status == SIGALRM ? "a reader hangs"
                                              : "a reader does not survive");
            progress->number++;
        }
    } while (argc < 4 && now() < end);
    printf("  %u texts and files, %u accepted\n", progress->number - first,
           progress->accepted);
    printf("TRIED handoff: %u\n", progress->number - first);
    return progress->findings > 0;
}
