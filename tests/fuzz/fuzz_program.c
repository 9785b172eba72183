/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_program.c - executables, whose ELF offsets are not to be believed */
#include "config.h"

#include "fuzz.h"

#include "profiles/program/elffile.h"
#include "profiles/program/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char identity[IDENTITY_MAX];
    struct elffile_dynamic dynamic;
    enum program_kind kind;
    struct fuzz_file file;
    struct elffile elf;

    fuzz_file_open(&file, data, size);
    if (identity_of_file(identity, file.path, NULL) == 0)
        EXPECT(strlen(identity) >= 2 && strlen(identity) < IDENTITY_MAX);
    if (elffile_open(&elf, file.path, NULL) == 0) {
        if (elffile_dynamic(&dynamic, &elf) == 0)
            elffile_dynamic_clear(&dynamic);
        elffile_close(&elf);
    }
    program_classify(&kind, file.path, NULL);
    fuzz_file_close(&file);
    return 0;
}
