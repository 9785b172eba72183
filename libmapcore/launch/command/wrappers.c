/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrappers.c - programs that start another, a row each */
#include "config.h"

#include "launch/command/wrappers.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

static const struct wrapper rows[] = {
    {"env nice ionice time timeout stdbuf nohup setsid taskset chrt numactl "
     "hwloc-bind unshare strace ltrace gdb conda mamba poetry uv nsys ncu "
     "rocprof vtune map ddt perf-report scalasca likwid-perfctr likwid-pin "
     "hpcrun omplace dplace setarch",
     WRAPPER_PREFIX, 0, false, "", ""},
    {"perf", WRAPPER_PREFIX, 1, false, "", ""},
    {"valgrind ld-linux-x86-64.so ld-linux-aarch64.so ld64.so ld.so",
     WRAPPER_PREFIX, 0, true, "", ""},
    {"bash sh dash ksh zsh ash mksh csh tcsh fish", WRAPPER_SHELL, 0, false,
     "oO", "c"},
    {"python pypy", WRAPPER_INTERPRETER, 0, false, "XWQ", "c"},
    {"perl ruby", WRAPPER_INTERPRETER, 0, false, "ICr", "eE"},
    {"julia", WRAPPER_INTERPRETER, 0, false, "JCtpL", "eE"},
    {"Rscript lua node octave tclsh wish php", WRAPPER_INTERPRETER, 0, false,
     "", "e"},
    {"apptainer singularity podman podman-hpc docker nerdctl ch-run enroot "
     "sarus shifter chroot bwrap",
     WRAPPER_CONTAINER, 0, false, "", ""},
};

static const struct wrapper *find_name(const char *name, size_t n)
{
    for (size_t i = 0; n > 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
        for (const char *at = rows[i].names; *at; at += *at == ' ') {
            size_t length = strcspn(at, " ");

            if (length == n && memcmp(at, name, n) == 0)
                return &rows[i];
            at += length;
        }
    return NULL;
}

const struct wrapper *wrapper_find(const char *program)
{
    const char *name = text_last_part(program);
    size_t n = strlen(name);
    const struct wrapper *found = find_name(name, n);

    /* python3.11, perf_5.10, ld-linux-x86-64.so.2 */
    while (n > 0 && strchr("0123456789._-", name[n - 1]))
        n--;
    return found ? found : find_name(name, n);
}

enum wrapper_operand wrapper_operand(const char **word,
                                     int *at,
                                     int argc,
                                     const char *const *argv)
{
    const struct wrapper *row = wrapper_find(argv[0]);
    bool is_shell = row && row->kind == WRAPPER_SHELL, is_text = false;
    enum wrapper_operand found = WRAPPER_NOTHING;

    if (!is_shell && !(row && row->kind == WRAPPER_INTERPRETER))
        return found;
    for (int i = 1; i < argc; i++) {
        const char *p = argv[i];

        if (*p != '-' && !(is_shell && *p == '+')) {
            *word = p;
            *at = i + 1;
            return is_text ? WRAPPER_TEXT : WRAPPER_FILE;
        }
        if (p[1] == '\0')
            return WRAPPER_NOTHING;
        for (p += p[1] == '-' ? strlen(p) : 1; *p; p++)
            if (strchr(row->values, *p)) {
                i += p[1] == '\0';
                break;
            } else if (strchr(row->inlined, *p)) {
                is_text = true;
                if (!is_shell && found != WRAPPER_MODULE)
                    return WRAPPER_NOTHING;
            } else if (is_shell && *p == 's') {
                return WRAPPER_NOTHING;
            } else if (*p == 'm' && !is_shell) {
                if (p[1] == '\0' && i + 1 == argc)
                    return WRAPPER_NOTHING;
                *word = p[1] ? p + 1 : argv[++i];
                *at = i + 1;
                found = WRAPPER_MODULE;
                /* mpi4py runs what stands behind it. */
                if (!text_after(*word, "mpi4py"))
                    return found;
                break;
            }
    }
    return found;
}
