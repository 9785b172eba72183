/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* driver.c - runs a fuzz target on files, where no fuzzer is linked: each is
 * read whole and given to it once */
#include "config.h"

#include "fuzz.h"

#include <sys/stat.h>

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    uint8_t *data;
    struct stat st;

    if (!file || fstat(fileno(file), &st) < 0) {
        perror(path);
        exit(1);
    }
    data = malloc((size_t)st.st_size + 1);
    if (!data ||
        fread(data, 1, (size_t)st.st_size, file) != (size_t)st.st_size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    *size = (size_t)st.st_size;
    /* Of just that size, so that a sanitizer sees what reads beyond. */
    uint8_t *exact = malloc(*size > 0 ? *size : 1);
    if (!exact)
        exit(1);
    memcpy(exact, data, *size);
    free(data);
    return exact;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *data = read_file(argv[i], &size);

        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    fprintf(stderr, "%d files\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
