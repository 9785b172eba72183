/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elfimage.h - ELF files made by hand, so that a test says what they need; to
 * be included behind scratch.h */
#ifndef TESTS_UNIT_ELFIMAGE_H
#define TESTS_UNIT_ELFIMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A whole program: one PT_LOAD over all, an interpreter, a build-id note and
 * a dynamic section with up to two strings of each kind. */
struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment[4];
    struct {
        Elf64_Nhdr head;
        char name[4];
        unsigned char id[20];
    } note;
    char interpreter[28];
    Elf64_Dyn dynamic[8];
    char strings[512];
};

static inline void image_segment(struct image *image,
                                 int i,
                                 uint32_t type,
                                 size_t offset,
                                 size_t n)
{
    image->segment[i] = (Elf64_Phdr){.p_type = type,
                                     .p_offset = offset,
                                     .p_vaddr = 0x400000 + offset,
                                     .p_filesz = n,
                                     .p_memsz = n,
                                     .p_align = 4};
}

static inline void image_init(struct image *image)
{
    memset(image, 0, sizeof(*image));
    memcpy(image->header.e_ident, ELFMAG, SELFMAG);
    image->header.e_ident[EI_CLASS] = ELFCLASS64;
    image->header.e_ident[EI_DATA] =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    image->header.e_ident[EI_VERSION] = EV_CURRENT;
    image->header.e_type = ET_DYN;
    image->header.e_machine = EM_X86_64;
    image->header.e_phoff = offsetof(struct image, segment);
    image->header.e_phentsize = sizeof(Elf64_Phdr);
    image->header.e_phnum = 4;
    image_segment(image, 0, PT_LOAD, 0, sizeof(*image));
    image_segment(image, 1, PT_NOTE, offsetof(struct image, note),
                  sizeof(image->note));
    image_segment(image, 2, PT_INTERP, offsetof(struct image, interpreter),
                  sizeof(image->interpreter));
    image_segment(image, 3, PT_DYNAMIC, offsetof(struct image, dynamic),
                  sizeof(image->dynamic));
    image->note.head = (Elf64_Nhdr){4, sizeof(image->note.id), NT_GNU_BUILD_ID};
    memcpy(image->note.name, "GNU", 4);
    for (size_t i = 0; i < sizeof(image->note.id); i++)
        image->note.id[i] = (unsigned char)(i * 13);
    memcpy(image->interpreter, "/lib64/ld-linux-x86-64.so.2", 28);
    image->dynamic[0].d_tag = DT_STRTAB;
    image->dynamic[0].d_un.d_ptr = 0x400000 + offsetof(struct image, strings);
    image->dynamic[1].d_tag = DT_STRSZ;
    image->dynamic[1].d_un.d_val = sizeof(image->strings);
}

static inline void image_add(struct image *image,
                             Elf64_Sxword tag,
                             const char *text)
{
    size_t i = 0, n = 1;

    while (image->dynamic[i].d_tag != DT_NULL)
        i++;
    while (image->strings[n] != '\0')
        n += strlen(image->strings + n) + 1;
    image->dynamic[i].d_tag = tag;
    image->dynamic[i].d_un.d_val = n;
    memcpy(image->strings + n, text, strlen(text) + 1);
}

static inline void image_put(const struct image *image, const char *path)
{
    put_file(path, (const char *)image, sizeof(*image));
}

/* A library or program with one needed library and one search path. */
static inline void put_needing(const char *path,
                               const char *needed,
                               Elf64_Sxword tag,
                               const char *folders)
{
    struct image image;

    image_init(&image);
    if (needed)
        image_add(&image, DT_NEEDED, needed);
    if (folders)
        image_add(&image, tag, folders);
    image_put(&image, path);
}

#endif
