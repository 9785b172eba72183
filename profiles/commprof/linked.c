/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linked.c - when what is linked into a program records */
#include "config.h"

#include "commprof/linked.h"

#include "commprof/front/line.h"
#include "commprof/next_mpi.h"
#include "commprof/write/report.h"

#include "base/text.h"
#include "profiles/program/mpi_abi.h"

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
    if (strncmp(name, RECORDER, strlen(RECORDER)) == 0)
        loaded->has_recorder = true;
    if (mpi_abi_of_library(name) != MPI_ABI_NONE)
        loaded->has_mpi = true;
    return 0;
}

bool linked_is_asked(void)
{
    const char *preload = getenv("LD_PRELOAD");
    struct linked_loaded loaded = {false, false};

    if (!preload || !strstr(preload, RECORDER))
        return false;
    dl_iterate_phdr(look_at, &loaded);
    return !loaded.has_recorder || !loaded.has_mpi;
}

bool linked_mpi_is_known(void)
{
    char said[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
#ifdef OPEN_MPI
    const bool wanted = true;
#else
    const bool wanted = false;
#endif

    if (next_mpi.Get_library_version(said, &length) != MPI_SUCCESS ||
        (strstr(said, "Open MPI") != NULL) == wanted)
        return true;
    if (line_is_first_task())
        report_failure(
            "the recorder that is linked into this program is that of "
            "another MPI");
    return false;
}
