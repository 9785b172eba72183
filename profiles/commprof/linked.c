/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linked.c - the recorder as part of a program (libcommprof-*.a): its wrappers
 * have the program's MPI_ names, and call the PMPI_ functions that it is linked
 * with. A note in the file tells topomap that it is there
 * (elffile_linked_recorder). */
#include "config.h"

#include "commprof/front/line.h"
#include "commprof/front/loaded_mpi.h"
#include "commprof/next_mpi.h"
#include "commprof/write/report.h"

#include RECORDER_CALLS

#include "base/text.h"
#include "profiles/program/elffile.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#define RECORDER "libcommprof"

/* What profiles/program/elffile.c looks for: name, type 1, one word. */
#ifdef OPEN_MPI
#define ABI "2"
#else
#define ABI "1"
#endif
__asm__(".pushsection .note.topomap, \"a\", %note\n"
        ".balign 4\n.long 8, 4, 1\n.asciz \"topomap\"\n.balign 4\n.long " ABI
        "\n.popsection");

struct linked_loaded {
    bool has_recorder, has_mpi;
};

static int look_at(struct dl_phdr_info *object, size_t size, void *data)
{
    struct linked_loaded *loaded = data;
    const char *name = text_last_part(object->dlpi_name);

    (void)size;
    if (text_after(name, RECORDER))
        loaded->has_recorder = true;
    if (mpi_abi_of_library(name) != MPI_ABI_NONE)
        loaded->has_mpi = true;
    return 0;
}

/* LD_PRELOAD names the recorder, as srun --topomap=profile has it, and the
 * dynamic linker has not already put that one between the program and a shared
 * MPI. */
bool next_mpi_is_asked(void)
{
    const char *preload = getenv("LD_PRELOAD");
    struct linked_loaded loaded = {false, false};

    if (!preload || !strstr(preload, RECORDER))
        return false;
    dl_iterate_phdr(look_at, &loaded);
    return !loaded.has_recorder || !loaded.has_mpi;
}

struct linked_function {
    const char *name;
    void *function;
};
#define ROW(NAME) {#NAME, (void *)(uintptr_t)PMPI_##NAME},

void *next_mpi_symbol(const char *name)
{
    static const struct linked_function functions[] = {
        CALL_NAMES(ROW) NEXT_MPI_FUNCTIONS(ROW)};
    const char *const call = name + (name[0] == 'P' ? 5 : 4);

    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (strcmp(functions[i].name, call) == 0)
            return functions[i].function;
    return NULL;
}

/* The program's calls come to its wrappers without having asked for them. */
__attribute__((constructor(101))) static void find_all(void)
{
#define FIND(NAME) RECORDER_FIND("MPI_" #NAME);
    CALL_NAMES(FIND)
}

/* The handles are used only after that question. */
static bool is_its_mpi(const struct next_mpi *out)
{
    char said[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
#ifdef OPEN_MPI
    const bool wanted = true;
#else
    const bool wanted = false;
#endif

    if (out->Get_library_version(said, &length) != MPI_SUCCESS ||
        (strstr(said, "Open MPI") != NULL) == wanted)
        return true;
    if (line_is_first_task())
        report_line(REPORT_FAILED
                    "the recorder that is linked into this program is that of "
                    "another MPI" REPORT_WELL);
    return false;
}

bool next_mpi_take_handles(struct next_mpi *out)
{
    if (!is_its_mpi(out))
        return false;
    NEXT_MPI_HANDLES(NEXT_MPI_CONSTANT)
    return true;
}
