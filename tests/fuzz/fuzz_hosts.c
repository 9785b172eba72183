/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_hosts.c - the file of --nodefile, by number, by name and by coordinates
 */
#include "config.h"

#include "fuzz.h"

#include "alloc/file/hosts_file.h"
#include "topo/topo.h"

static const char *const names[] = {"n0", "n1", "n2", "n3"};

static void read_for(const struct mapcore_topo *topo, const char *path)
{
    uint32_t *host = NULL, n = 0;
    unsigned seen = 0;

    if (hosts_file_read(&host, &n, topo, path, NULL) < 0) {
        EXPECT(!host);
        return;
    }
    EXPECT(n > 0 && n <= mapcore_topo_nhosts(topo));
    for (uint32_t i = 0; i < n; i++) {
        EXPECT(host[i] < mapcore_topo_nhosts(topo));
        EXPECT((seen & 1u << host[i]) == 0);
        seen |= 1u << host[i];
    }
    free(host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const words[] = {"flat:4", "torus:2x3/2"};
    struct mapcore_topo *topo;
    struct fuzz_file file;

    fuzz_file_open(&file, data, size);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        EXPECT(mapcore_topo_open(&topo, words[i], NULL) == 0);
        read_for(topo, file.path);
        mapcore_topo_destroy(topo);
    }
    EXPECT(mapcore_topo_create_torus(
               &topo,
               &(struct mapcore_torus){.ndims = 2,
                                       .dims = (uint32_t[]){2, 2},
                                       .hosts_per_router = 1,
                                       .names = names},
               NULL) == 0);
    read_for(topo, file.path);
    mapcore_topo_destroy(topo);
    fuzz_file_close(&file);
    return 0;
}
