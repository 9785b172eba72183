/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrappers.c - programs that start another, a row each: which of their options
 * take the next word, and how many words of their own stand before the command
 */
#include "config.h"

#include "launch/command/wrappers.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

enum {
    ASSIGNS = 1,   /* NAME=VALUE may stand before the command */
    CONTAINER = 2, /* another root */
    HIDES = 4,     /* what runs is, for /proc, the wrapper */
};

/* From the manuals of each: coreutils 9.1, util-linux 2.38, numactl 2.0.16,
 * Apptainer 1.2, Podman 4.3, Charliecloud 0.31, CPython 3.11, bash 5.2. */
struct wrapper_row {
    const char *names; /* between blanks */
    enum wrapper_kind kind;
    const char *letters;    /* options of one letter that take a value */
    const char *words;      /* whole options whose value is the next word */
    const char *subcommand; /* the first operand must be one of these */
    int operands;           /* its own, with the subcommand */
    const char *inlined;    /* letters: the program stands on the line */
    const char *modules;    /* letters: a module's name follows */
    unsigned flags;
};

static const struct wrapper_row rows[] = {
    {"env", WRAPPER_COMMAND, "uCS", " --unset --chdir --split-string ", NULL, 0,
     "", "", ASSIGNS},
    {"nice", WRAPPER_COMMAND, "n", " --adjustment ", NULL, 0, "", "", 0},
    {"ionice", WRAPPER_COMMAND, "cnpPu", " --class --classdata ", NULL, 0, "",
     "", 0},
    {"time", WRAPPER_COMMAND, "fo", " --format --output ", NULL, 0, "", "", 0},
    {"timeout", WRAPPER_COMMAND, "ks", " --kill-after --signal ", NULL, 1, "",
     "", 0},
    {"stdbuf", WRAPPER_COMMAND, "ioe", " --input --output --error ", NULL, 0,
     "", "", 0},
    {"nohup setsid catchsegv busybox toybox command exec", WRAPPER_COMMAND, "a",
     "", NULL, 0, "", "", 0},
    {"taskset chrt", WRAPPER_COMMAND, "TPD",
     " --sched-runtime --sched-period --sched-deadline ", NULL, 1, "", "", 0},
    {"numactl", WRAPPER_COMMAND, "ipPCNmcwLoMSfI",
     " --interleave --preferred --preferred-many --physcpubind --cpunodebind "
     "--membind --cpubind --weighted-interleave --length --offset --shmmode "
     "--shm --file --shmid ",
     NULL, 0, "", "", 0},
    {"hwloc-bind", WRAPPER_COMMAND, "", " --mempolicy --cpubind --membind ",
     NULL, 1, "", "", 0},
    {"valgrind", WRAPPER_COMMAND, "", "", NULL, 0, "", "", HIDES},
    {"strace ltrace", WRAPPER_COMMAND, "aAbeEIlnopPsSuUwX",
     " --output --trace --expr --string-limit --env ", NULL, 0, "", "", 0},
    {"perf", WRAPPER_COMMAND, "ectrpCoxIGDMFmukj",
     " --event --output --count --freq --call-graph --cpu --delay --repeat "
     "--interval-print --field-separator --mmap-pages --pid --tid --clockid "
     "--branch-filter ",
     " stat record trace mem c2c ", 1, "", "", 0},
    {"ld-linux-x86-64.so ld-linux-aarch64.so ld64.so ld.so", WRAPPER_COMMAND,
     "",
     " --library-path --preload --inhibit-rpath --audit --argv0 "
     "--glibc-hwcaps-prepend --glibc-hwcaps-mask ",
     NULL, 0, "", "", HIDES},
    {"conda mamba micromamba", WRAPPER_COMMAND, "np",
     " --name --prefix --cwd --root-prefix ", " run ", 1, "", "", 0},
    {"poetry pipenv pixi uv", WRAPPER_COMMAND, "pC",
     " --with --project --directory --python --environment --extra ", " run ",
     1, "", "", 0},
    {"unshare", WRAPPER_COMMAND, "SGRw",
     " --setuid --setgid --root --wd --propagation --setgroups ", NULL, 0, "",
     "", 0},

    {"bash sh dash ksh zsh ash mksh csh tcsh fish", WRAPPER_SHELL_SCRIPT, "oO",
     " --rcfile --init-file ", NULL, 0, "c", "", 0},

    {"python pypy", WRAPPER_SCRIPT, "XWQ", " --check-hash-based-pycs ", NULL, 0,
     "c", "m", 0},
    {"perl", WRAPPER_SCRIPT, "I", "", NULL, 0, "eE", "", 0},
    {"ruby", WRAPPER_SCRIPT, "ICr", "", NULL, 0, "e", "", 0},
    {"lua", WRAPPER_SCRIPT, "l", "", NULL, 0, "e", "", 0},
    {"node", WRAPPER_SCRIPT, "rC", " --require --import --loader ", NULL, 0,
     "ep", "", 0},
    {"tclsh wish awk gawk mawk php", WRAPPER_SCRIPT, "", "", NULL, 0, "", "",
     0},
    {"Rscript", WRAPPER_SCRIPT, "g", "", NULL, 0, "e", "", 0},
    {"julia", WRAPPER_SCRIPT, "JCtpLm",
     " --project --sysimage --threads --procs --load --machine-file ", NULL, 0,
     "eE", "", 0},
    {"octave octave-cli", WRAPPER_SCRIPT, "p",
     " --path --eval --image-path --info-file ", NULL, 0, "", "", 0},
    {"java", WRAPPER_SCRIPT, "",
     " -cp -classpath --class-path -p --module-path --add-modules --add-opens "
     "--add-exports ",
     NULL, 0, "", "", 0},

    {"apptainer singularity", WRAPPER_COMMAND, "BHWSo",
     " --bind --home --pwd --cwd --workdir --env --env-file --overlay --scratch "
     "--security --network --network-args --hostname --dns --add-caps "
     "--drop-caps --app --mount --fusemount --config ",
     " exec ", 2, "", "", CONTAINER},
    {"podman podman-hpc docker nerdctl", WRAPPER_COMMAND, "abcehlmpuvw",
     " --volume --mount --env --env-file --name --workdir --user --network "
     "--device --entrypoint --hostname --ipc --pid --uts --userns --shm-size "
     "--ulimit --cpus --cpuset-cpus --memory --security-opt --cap-add "
     "--cap-drop --group-add --gpus --label --annotation --tmpfs --runtime ",
     " run exec ", 2, "", "", CONTAINER},
    {"ch-run", WRAPPER_COMMAND, "bcgmsu",
     " --bind --cd --gid --mount --storage --uid --set-env --unset-env ", NULL,
     1, "", "", CONTAINER},
    {"enroot sarus", WRAPPER_COMMAND, "cemr",
     " --conf --env --mount --rc --workdir --entrypoint ", " start run ", 2, "",
     "", CONTAINER},
    {"shifter", WRAPPER_COMMAND, "iVem",
     " --image --volume --env --module --workdir --entrypoint ", NULL, 0, "",
     "", CONTAINER},
    {"chroot", WRAPPER_COMMAND, "", " --userspec --groups ", NULL, 1, "", "",
     CONTAINER},
    {"bwrap", WRAPPER_UNKNOWN, "", "", NULL, 0, "", "", CONTAINER},

    /* Tools that measure and debug: options by the hundred, and new ones in
     * each release. */
    {"nsys ncu nvprof rocprof rocprofv rocprof-compute omniperf omnitrace-run "
     "vtune advisor amplxe-cl advixe-cl inspxe-cl map ddt perf-report forge "
     "scalasca scan tau_exec likwid-perfctr likwid-pin likwid-mpirun hpcrun "
     "hpctoolkit darshan gdb cuda-gdb lldb rr heaptrack omplace dplace setarch "
     "linux ccache cachegrind compute-sanitizer",
     WRAPPER_SEARCH, "", "", NULL, 0, "", "", 0},
};

/* Modules that run a program that stands behind them. */
static const struct wrapper_row runners[] = {
    {"mpi4py mpi4py.run mpi4py.futures", WRAPPER_SCRIPT, "",
     " -rc --rc -prof --profile ", NULL, 0, "c", "m", 0},
    {"cProfile profile pdb trace kernprof line_profiler scalene",
     WRAPPER_SCRIPT, "os", " --outfile --sort ", NULL, 0, "c", "m", 0},
    {"coverage", WRAPPER_SCRIPT, "", " --rcfile --source --omit --include ",
     " run ", 1, "", "m", 0},
};

static bool has_word(const char *list, const char *word, size_t n)
{
    for (const char *at = list; n > 0 && (at = strstr(at, word)); at++) {
        bool begins = at == list || at[-1] == ' ';

        if (begins && (at[n] == ' ' || at[n] == '\0'))
            return true;
    }
    return false;
}

static const struct wrapper_row *find_among(const struct wrapper_row *row,
                                            size_t nrows,
                                            const char *name)
{
    for (size_t i = 0; i < nrows; i++)
        if (*name && !strchr(name, ' ') &&
            has_word(row[i].names, name, strlen(name)))
            return &row[i];
    return NULL;
}

static const struct wrapper_row *find_row(const char *program)
{
    static const size_t nrows = sizeof(rows) / sizeof(rows[0]);
    const char *base = text_last_part(program);
    const struct wrapper_row *row = find_among(rows, nrows, base);
    char name[64];
    size_t n = strlen(base);

    if (row || n >= sizeof(name))
        return row;
    /* python3.11, perf_5.10, ld-linux-x86-64.so.2 */
    while (n > 0 && strchr("0123456789._-", base[n - 1]))
        n--;
    memcpy(name, base, n);
    name[n] = '\0';
    return find_among(rows, nrows, name);
}

bool wrapper_is_known(const char *program)
{
    return find_row(program) != NULL;
}

/* A command line that is being read. */
struct reading {
    struct wrapper *out;
    const struct wrapper_row *row;
    int argc, i, operands;
    const char *const *argv;
    bool inlined, ended, done; /* done: out is complete */
};

static void finish(struct reading *reading,
                   enum wrapper_kind kind,
                   const char *text)
{
    reading->out->kind = kind;
    reading->out->text = text;
    reading->out->at = reading->i;
    reading->done = true;
}

/* What options of env mean to the command behind it; value NULL: none. */
static void note_env(struct reading *reading, char letter, const char *value)
{
    struct wrapper *out = reading->out;

    if (letter == 'i' || (letter == 'u' && value && strcmp(value, "PATH") == 0))
        out->path = "";
    else if (letter == 'C')
        out->folder = value;
    else if (letter == 'S' && value)
        finish(reading, WRAPPER_WORDS, value);
}

static void note(struct reading *reading, char letter, const char *value)
{
    if (reading->row->flags & ASSIGNS)
        note_env(reading, letter, value);
}

/* The next word, as the value of an option; NULL at the end. */
static const char *take_value(struct reading *reading)
{
    return reading->i < reading->argc ? reading->argv[reading->i++] : NULL;
}

/* --bind SRC, --chdir=DIR, -classpath DIR; false when word is no such one. */
static bool take_long(struct reading *reading, const char *word)
{
    static const struct {
        const char *name;
        char letter;
    } letters[] = {{"--chdir", 'C'},
                   {"--split-string", 'S'},
                   {"--unset", 'u'},
                   {"--ignore-environment", 'i'}};
    size_t n = strcspn(word, "=");
    const char *value = word[n] == '=' ? word + n + 1 : NULL;
    bool takes = !value && has_word(reading->row->words, word, n);

    if (word[1] != '-' && !takes)
        return false;
    if (takes)
        value = take_value(reading);
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (strlen(letters[i].name) == n &&
            memcmp(letters[i].name, word, n) == 0)
            note(reading, letters[i].letter, value);
    return true;
}

/* -u, -uBm MODULE, -oFILE, -lc TEXT */
static void take_letters(struct reading *reading, const char *word)
{
    const struct wrapper_row *row = reading->row;

    for (const char *p = word + 1; *p && !reading->done; p++) {
        bool is_module = strchr(row->modules, *p) != NULL;

        if (strchr(row->inlined, *p)) {
            reading->inlined = true;
            /* A shell's text is its first operand; with others the program
             * stands just here. */
            if (row->kind != WRAPPER_SHELL_SCRIPT)
                finish(reading, WRAPPER_UNKNOWN, NULL);
        } else if (row->kind == WRAPPER_SHELL_SCRIPT && *p == 's') {
            finish(reading, WRAPPER_UNKNOWN, NULL);
        } else if (is_module || strchr(row->letters, *p)) {
            const char *value = p[1] ? p + 1 : take_value(reading);

            if (is_module)
                finish(reading, value ? WRAPPER_MODULE : WRAPPER_NONE, value);
            else
                note(reading, *p, value);
            return;
        } else {
            note(reading, *p, NULL);
        }
    }
}

static void take_option(struct reading *reading)
{
    const char *word = reading->argv[reading->i++];

    if (strcmp(word, "--") == 0)
        reading->ended = true;
    else if (!take_long(reading, word))
        take_letters(reading, word);
}

static bool is_option(const struct reading *reading, const char *word)
{
    if (reading->ended)
        return false;
    return (word[0] == '-' &&
            (word[1] != '\0' || (reading->row->flags & ASSIGNS))) ||
           (word[0] == '+' && reading->row->kind == WRAPPER_SHELL_SCRIPT);
}

/* NAME=VALUE for env, or a word of the wrapper's own; false: the command. */
static bool take_operand(struct reading *reading)
{
    const struct wrapper_row *row = reading->row;
    const char *word = reading->argv[reading->i];

    if ((row->flags & ASSIGNS) && strchr(word, '=')) {
        if (strncmp(word, "PATH=", 5) == 0)
            reading->out->path = word + 5;
    } else if (reading->operands > 0) {
        bool first = reading->operands-- == row->operands;

        if (first && row->subcommand &&
            !has_word(row->subcommand, word, strlen(word))) {
            finish(reading, WRAPPER_UNKNOWN, NULL);
            return true;
        }
    } else {
        return false;
    }
    reading->i++;
    return true;
}

/* The command, the script or the text that stands at reading->i. */
static void take_rest(struct reading *reading)
{
    const struct wrapper_row *row = reading->row;
    const char *word = reading->argv[reading->i];

    if (row->kind == WRAPPER_SHELL_SCRIPT && reading->inlined) {
        reading->i++;
        finish(reading, WRAPPER_TEXT, word);
    } else if (row->kind == WRAPPER_SCRIPT && strcmp(word, "-") == 0) {
        finish(reading, WRAPPER_UNKNOWN, NULL);
    } else {
        finish(reading, row->kind, NULL);
    }
}

static void read_words(struct reading *reading)
{
    reading->operands = reading->row->operands;
    if (reading->row->kind == WRAPPER_SEARCH ||
        reading->row->kind == WRAPPER_UNKNOWN)
        reading->ended = true; /* its options are not ours to know */
    while (!reading->done && reading->i < reading->argc) {
        if (is_option(reading, reading->argv[reading->i]))
            take_option(reading);
        else if (!take_operand(reading))
            take_rest(reading);
    }
}

void wrapper_look(struct wrapper *out, int argc, const char *const *argv)
{
    struct reading reading = {
        .out = out,
        .row = argc > 0 ? find_row(argv[0]) : NULL,
        .argc = argc,
        .i = 1,
        .argv = argv,
    };

    *out = (struct wrapper){.kind = WRAPPER_NONE};
    if (!reading.row)
        return;
    out->is_container = (reading.row->flags & CONTAINER) != 0;
    out->hides_exe = (reading.row->flags & HIDES) != 0;
    read_words(&reading);
    while (out->kind == WRAPPER_MODULE) {
        const struct wrapper_row *runner = find_among(
            runners, sizeof(runners) / sizeof(runners[0]), out->text);
        struct wrapper module = *out;

        if (!runner)
            return;
        reading.row = runner;
        reading.done = reading.ended = false;
        read_words(&reading);
        if (!reading.done) {
            *out = module; /* nothing is behind it: it is the program */
            return;
        }
    }
}
