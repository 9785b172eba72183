/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrappers.c - programs that start another, a row each, with the number of
 * their own words before its command. Their options are not known here: what
 * the recorder saw run is remembered, and asked first */
#include "config.h"

#include "launch/command/wrappers.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

enum {
    CONTAINER = 1, /* another root */
    HIDES = 2,     /* what runs is, for /proc, the wrapper */
};

struct wrapper_row {
    const char *names; /* between blanks */
    enum wrapper_kind kind;
    int operands;        /* words of its own before the command */
    const char *letters; /* of interpreters: options that take a value */
    unsigned flags;
};

static const struct wrapper_row rows[] = {
    {"env nice ionice time timeout stdbuf nohup setsid catchsegv command exec "
     "taskset chrt numactl hwloc-bind unshare setarch linux ccache strace "
     "ltrace nsys ncu nvprof rocprof rocprofv vtune advisor map ddt forge "
     "perf-report scalasca tau_exec likwid-pin hpcrun gdb cuda-gdb lldb rr "
     "heaptrack compute-sanitizer",
     WRAPPER_COMMAND, 0, "", 0},
    {"perf conda mamba micromamba poetry pipenv pixi uv likwid-perfctr",
     WRAPPER_COMMAND, 1, "", 0},
    {"valgrind ld-linux-x86-64.so ld-linux-aarch64.so ld64.so ld.so",
     WRAPPER_COMMAND, 0, "", HIDES},
    {"bash sh dash ksh zsh ash mksh csh tcsh fish", WRAPPER_SHELL_SCRIPT, 0,
     "oO", 0},
    {"python pypy", WRAPPER_SCRIPT, 0, "XWQ", 0},
    {"perl ruby lua node Rscript julia tclsh php octave java", WRAPPER_SCRIPT,
     0, "IrJLt", 0},
    {"apptainer singularity podman podman-hpc docker nerdctl ch-run enroot "
     "sarus shifter chroot bwrap",
     WRAPPER_UNKNOWN, 0, "", CONTAINER},
};

static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = list; n > 0 && (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static const struct wrapper_row *find_named(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (*name && !strchr(name, ' ') && has_word(rows[i].names, name))
            return &rows[i];
    return NULL;
}

static const struct wrapper_row *find_row(const char *program)
{
    const char *base = text_last_part(program);
    const struct wrapper_row *row = find_named(base);
    char name[64];
    size_t n = strlen(base);

    if (row || n >= sizeof(name))
        return row;
    /* python3.11, perf_5.10, ld-linux-x86-64.so.2 */
    while (n > 0 && strchr("0123456789._-", base[n - 1]))
        n--;
    memcpy(name, base, n);
    name[n] = '\0';
    return find_named(name);
}

bool wrapper_is_known(const char *program)
{
    return find_row(program) != NULL;
}

/* python3 -m mpi4py pairs.py: modules that run the program behind them. */
static bool runs_a_program(const char *module)
{
    return has_word("mpi4py mpi4py.run mpi4py.futures cProfile profile pdb "
                    "trace kernprof line_profiler scalene",
                    module);
}

/* One option of an interpreter or shell, argv[*i], and its value. */
static void take_option(struct wrapper *out,
                        const struct wrapper_row *row,
                        int *i,
                        int argc,
                        const char *const *argv)
{
    const bool is_shell = row->kind == WRAPPER_SHELL_SCRIPT;
    const bool is_python = row == find_named("python");
    const char *word = argv[(*i)++];

    if (word[1] == '-')
        return;
    for (const char *p = word + 1; *p; p++) {
        const bool is_module = is_python && *p == 'm';

        if (is_shell && *p == 'c') {
            out->kind = WRAPPER_TEXT; /* its first operand */
        } else if (strchr("ceEs", *p) && !is_shell) {
            out->kind = WRAPPER_UNKNOWN; /* the program stands on the line */
        } else if (is_module || strchr(row->letters, *p)) {
            const char *value = p[1] ? p + 1 : *i < argc ? argv[(*i)++] : NULL;

            if (is_module && value && strcmp(value, "coverage") == 0) {
                out->kind = WRAPPER_UNKNOWN;
            } else if (is_module && value && !runs_a_program(value)) {
                out->kind = WRAPPER_MODULE;
                out->text = value;
            }
            return;
        }
    }
}

static void look_at_interpreter(struct wrapper *out,
                                const struct wrapper_row *row,
                                int argc,
                                const char *const *argv)
{
    int i = 1;

    while (i < argc && (argv[i][0] == '-' || argv[i][0] == '+') && argv[i][1] &&
           (out->kind == WRAPPER_NONE || out->kind == WRAPPER_TEXT)) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        take_option(out, row, &i, argc, argv);
    }
    if (out->kind == WRAPPER_TEXT && i < argc)
        out->text = argv[i++];
    else if (out->kind == WRAPPER_TEXT)
        out->kind = WRAPPER_NONE;
    else if (out->kind == WRAPPER_NONE && i < argc)
        out->kind = strcmp(argv[i], "-") == 0 ? WRAPPER_UNKNOWN : row->kind;
    out->at = i;
}

void wrapper_look(struct wrapper *out, int argc, const char *const *argv)
{
    const struct wrapper_row *row = argc > 0 ? find_row(argv[0]) : NULL;
    const bool is_env =
        row && strcmp(text_last_part(argv[0]), "env") == 0 && argc > 1;

    *out = (struct wrapper){.kind = WRAPPER_NONE};
    if (!row)
        return;
    out->is_container = (row->flags & CONTAINER) != 0;
    out->hides_exe = (row->flags & HIDES) != 0;
    if (row->kind == WRAPPER_SHELL_SCRIPT || row->kind == WRAPPER_SCRIPT) {
        look_at_interpreter(out, row, argc, argv);
    } else if (is_env && strncmp(argv[1], "-S", 2) == 0 && argv[1][2]) {
        /* #!/usr/bin/env -S python3 -u */
        *out = (struct wrapper){
            .kind = WRAPPER_WORDS, .text = argv[1] + 2, .at = 2};
    } else if (is_env && (strncmp(argv[1], "-C", 2) == 0 ||
                          strncmp(argv[1], "--chdir", 7) == 0)) {
        out->kind = WRAPPER_UNKNOWN;
    } else if (argc > 1 + row->operands) {
        out->kind = row->kind;
        out->at = 1 + row->operands;
    }
}
