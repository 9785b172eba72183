/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* readers.c - changed inputs to all that the command line reads, until the time
 * is up: readers.sh says how it is called, readers_table.c what is tried */
#include "config.h"

#include "attack/attempt.h"
#include "attack/readers.h"

#include <ftw.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS = 512 };

/* All that is the same for every input. */
struct campaign {
    const char *topomap, *tests, *open;
    uint64_t seed;
    struct attempt_limits limits;
    struct attempt attempt;
    struct specimen input;
    unsigned findings;
    unsigned known[ATTEMPT_FAULTS]; /* faults that are not judged yet */
};

/* One reader's inputs, and what became of them. */
struct front {
    const struct reader *reader;
    struct specimen *seeds;
    size_t nseeds;
    unsigned tried, accepted;
    double slowest;
    uint64_t largest;
};

static void add_seed(struct front *front, const char *bytes, size_t n)
{
    struct specimen *grown =
        realloc(front->seeds, (front->nseeds + 1) * sizeof(*front->seeds));

    if (!grown)
        abort();
    front->seeds = grown;
    grown[front->nseeds].bytes = malloc(n + 1);
    if (!grown[front->nseeds].bytes)
        abort();
    memcpy(grown[front->nseeds].bytes, bytes, n);
    grown[front->nseeds].bytes[n] = '\0';
    grown[front->nseeds++].n = n;
}

/* Patterns are of folders that are sorted: the same seeds in the same order. */
static void load_files(struct front *front, struct campaign *campaign)
{
    char *patterns = strdup(front->reader->seeds), *save = NULL;

    for (char *word = strtok_r(patterns, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        char path[4096];
        glob_t found;

        snprintf(path, sizeof(path), "%s/%s", campaign->tests, word);
        if (glob(path, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (specimen_read(&campaign->input, found.gl_pathv[i]))
                add_seed(front, campaign->input.bytes, campaign->input.n);
        globfree(&found);
    }
    free(patterns);
}

static void load_words(struct front *front, struct campaign *campaign)
{
    char path[4096];
    size_t n = strlen(front->reader->name);

    snprintf(path, sizeof(path), "%s/attack/seeds/words", campaign->tests);
    if (!specimen_read(&campaign->input, path))
        return;
    for (char *line = campaign->input.bytes, *end; (end = strchr(line, '\n'));
         line = end + 1)
        if (strncmp(line, front->reader->name, n) == 0 && line[n] == ' ')
            add_seed(front, line + n + 1, (size_t)(end - line) - n - 1);
}

/* word with the first @ in it replaced; owned. */
static char *fill_in(const char *word, const char *input)
{
    const char *at = strchr(word, '@');
    size_t n = strlen(word) + strlen(input) + 1;
    char *filled = malloc(n);

    if (!filled)
        abort();
    if (at)
        snprintf(filled, n, "%.*s%s%s", (int)(at - word), word, input, at + 1);
    else
        snprintf(filled, n, "%s", word);
    return filled;
}

/* The command as argv, all owned. Its words are not the input's: those are
 * divided only where the input is the whole command. */
static void make_command(char *argv[],
                         const struct campaign *campaign,
                         const char *command,
                         const char *input)
{
    char *words = strdup(command ? command : input), *save = NULL;
    int n = 0;

    argv[n++] = strdup(campaign->topomap);
    for (char *word = strtok_r(words, " ", &save); word && n < ARGUMENTS - 1;
         word = strtok_r(NULL, " ", &save))
        argv[n++] = command ? fill_in(word, input) : strdup(word);
    argv[n] = NULL;
    free(words);
}

static int remove_one(const char *path,
                      const struct stat *st,
                      int flag,
                      struct FTW *ftw)
{
    (void)st;
    (void)flag;
    return ftw->level > 0 ? remove(path) : 0;
}

/* Shown, not obeyed by the terminal. */
static void print_clean(const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++)
        if (text[i] == '\n')
            fputs("\\n", stdout);
        else if (text[i] >= ' ' && text[i] < 0x7f)
            putchar(text[i]);
        else
            printf("\\x%02x", (unsigned char)text[i]);
    if (strlen(text) > most)
        fputs("...", stdout);
}

static void report(const struct campaign *campaign,
                   const struct front *front,
                   enum attempt_fault fault,
                   char *const argv[])
{
    const struct attempt *attempt = &campaign->attempt;

    printf("FINDING readers %s, %s: status %d, %.1f s, %" PRIu64 " KiB\n",
           front->reader->name, attempt_fault_names[fault], attempt->status,
           attempt->seconds, attempt->peak_kib);
    fputs("  command: topomap", stdout);
    for (int i = 1; argv[i]; i++) {
        fputs(" '", stdout);
        print_clean(argv[i], 200);
        fputs("'", stdout);
    }
    fputs("\n  said: ", stdout);
    print_clean(attempt->err.bytes, fault == ATTEMPT_CRASH ? 4000 : 400);
    printf("\n  again: contrib/attack --seed %" PRIu64
           " --only readers:%s:%u\n",
           campaign->seed, front->reader->name, front->tried);
    fflush(stdout);
}

static bool is_open(const struct campaign *campaign, enum attempt_fault fault)
{
    const char *name = attempt_fault_names[fault];
    const char *found = strstr(campaign->open, name);

    return found && strchr(" ,", found[strlen(name)]) != NULL;
}

/* The next input of a front. The first ones are as they are: each command with
 * one seed, which it must understand, and the very
 * first must do what it is asked, or a row of the table is out of date. */
static void try_one(struct campaign *campaign, struct front *front)
{
    const struct reader *reader = front->reader;
    char *argv[ARGUMENTS];
    enum attempt_fault fault;
    const struct specimen *seed;
    unsigned ncommands = 0, command;
    uint64_t purpose = 0;
    bool unchanged;
    struct rng rng;

    for (const char *c = reader->name; *c; c++)
        purpose = purpose * 31 + (uint64_t)*c;
    rng_init(&rng, campaign->seed, purpose, front->tried);
    while (reader->commands[ncommands])
        ncommands++;
    unchanged = front->tried < (ncommands > 0 ? ncommands : front->nseeds);
    if (unchanged) {
        command = ncommands > 0 ? front->tried : 0;
        seed = &front->seeds[ncommands > 0 ? 0 : front->tried];
    } else {
        command = ncommands > 0 ? rng_below(&rng, ncommands) : 0;
        seed = &front->seeds[rng_below(&rng, (uint32_t)front->nseeds)];
    }
    specimen_set(&campaign->input, seed->bytes, seed->n);
    if (!unchanged)
        mutate(&campaign->input, &rng, front->seeds, front->nseeds);
    if (!reader->place && campaign->input.n > 100000) /* an argument's most */
        campaign->input.bytes[campaign->input.n = 100000] = '\0';
    if (reader->place && !specimen_write(&campaign->input, reader->place)) {
        perror(reader->place);
        exit(99);
    }
    make_command(argv, campaign, reader->commands[command],
                 reader->place ? reader->place : campaign->input.bytes);
    nftw("out", remove_one, 16, FTW_PHYS | FTW_DEPTH);
    attempt_run(&campaign->attempt, argv, &campaign->limits);
    fault = attempt_judge(&campaign->attempt, &campaign->limits, "out");
    if (unchanged && (campaign->attempt.status == 2 ||
                      (front->tried == 0 && campaign->attempt.status != 0)))
        fault = ATTEMPT_USAGE;
    if (fault != ATTEMPT_SOUND && is_open(campaign, fault)) {
        campaign->known[fault]++;
    } else if (fault != ATTEMPT_SOUND) {
        campaign->findings++;
        report(campaign, front, fault, argv);
    }
    for (int i = 0; argv[i]; i++)
        free(argv[i]);
    front->tried++;
    front->accepted += campaign->attempt.status == 0;
    if (campaign->attempt.seconds > front->slowest)
        front->slowest = campaign->attempt.seconds;
    if (campaign->attempt.peak_kib > front->largest)
        front->largest = campaign->attempt.peak_kib;
}

static void print_summary(const struct campaign *campaign,
                          const struct front *fronts)
{
    unsigned tried = 0;

    for (unsigned i = 0; i < nreaders; i++)
        if (fronts[i].tried > 0) {
            tried += fronts[i].tried;
            printf("  %-14s %6u inputs, %5u accepted, at most %4.1f s, "
                   "%4" PRIu64 " MiB\n",
                   fronts[i].reader->name, fronts[i].tried, fronts[i].accepted,
                   fronts[i].slowest, fronts[i].largest / 1024);
        }
    for (int fault = 0; fault < ATTEMPT_FAULTS; fault++)
        if (campaign->known[fault] > 0)
            printf("OPEN readers %s: %u inputs\n", attempt_fault_names[fault],
                   campaign->known[fault]);
    printf("TRIED readers: %u\n", tried);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* All readers in turn, or one, or one input of one: READER:NUMBER. */
static void run(struct campaign *campaign,
                struct front *fronts,
                const char *only,
                double seconds)
{
    double end = now() + seconds;
    const char *number = only ? strchr(only, ':') : NULL;
    size_t n = number ? (size_t)(number - only) : only ? strlen(only) : 0;
    bool found = false;

    do {
        for (unsigned i = 0; i < nreaders; i++) {
            struct front *front = &fronts[i];

            if (front->nseeds == 0 ||
                (only && (strncmp(front->reader->name, only, n) != 0 ||
                          front->reader->name[n] != '\0')))
                continue;
            found = true;
            if (number)
                front->tried = (unsigned)strtoul(number + 1, NULL, 10);
            try_one(campaign, front);
        }
    } while (found && !number && now() < end);
    if (!found) {
        fprintf(stderr, "no reader %s\n", only ? only : "with seeds");
        exit(99);
    }
}

int main(int argc, char **argv)
{
    static struct campaign campaign = {
        .topomap = "topomap",
        .tests = ".",
        .open = "",
        .seed = 1,
        /* A sanitizer's shadow and its slowness are in both; hwloc, which has a
         * bound of 1 GiB without one, takes half of that for some XML. */
        .limits = {.seconds = 10, .peak_kib = 3 << 19},
    };
    /* Reachable at the end, as its sanitizer wants it. */
    static struct front *fronts;
    const char *only = NULL;
    double seconds = 60;

    fronts = calloc(nreaders, sizeof(*fronts));
    campaign.input = specimen_new();
    attempt_init(&campaign.attempt);
    for (int option; (option = getopt(argc, argv, "t:d:s:n:o:k:")) != -1;)
        switch (option) {
        case 't':
            campaign.topomap = optarg;
            break;
        case 'd':
            campaign.tests = optarg;
            break;
        case 's':
            campaign.seed = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            seconds = strtod(optarg, NULL);
            break;
        case 'o':
            only = optarg;
            break;
        case 'k':
            campaign.open = optarg;
            break;
        default:
            return 99;
        }
    if (!fronts)
        return 99;
    for (unsigned i = 0; i < nreaders; i++) {
        fronts[i].reader = &readers[i];
        if (readers[i].seeds)
            load_files(&fronts[i], &campaign);
        else
            load_words(&fronts[i], &campaign);
        if (fronts[i].nseeds == 0)
            printf("FINDING readers %s: there are no seeds\n", readers[i].name);
    }
    run(&campaign, fronts, only, seconds);
    print_summary(&campaign, fronts);
    return campaign.findings > 0;
}
