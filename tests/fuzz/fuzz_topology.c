/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_topology.c - networks: what a person types, files, and Slurm's lines;
 * all that opens has distances, and routes that are as long */
#include "config.h"

#include "fuzz.h"

#include "alloc/alloc.h"

static void expect_pair(const struct mapcore_topo *topo,
                        uint32_t a,
                        uint32_t b,
                        uint32_t *links)
{
    uint32_t distance = mapcore_topo_distance(topo, a, b);
    uint32_t length = mapcore_topo_route(topo, a, b, links);

    EXPECT(distance == mapcore_topo_distance(topo, b, a));
    EXPECT(distance <= mapcore_topo_diameter(topo) && length == distance);
    for (uint32_t i = 0; i < length; i++)
        EXPECT(links[i] < mapcore_topo_nlinks(topo));
}

static void expect_network(const struct mapcore_topo *topo)
{
    uint32_t n = mapcore_topo_nhosts(topo);
    uint32_t *links;

    EXPECT(n > 0);
    EXPECT(mapcore_topo_describe(topo) != NULL);
    if (mapcore_topo_diameter(topo) > 1 << 20)
        return;
    links = malloc((mapcore_topo_diameter(topo) + 1) * sizeof(*links));
    EXPECT(links != NULL);
    for (uint32_t i = 0; i < 8 && i < n; i++) {
        const char *name = mapcore_topo_host_name(topo, i);
        uint32_t found;

        if (name)
            EXPECT(mapcore_topo_find_host(&found, topo, name, NULL) == 0 &&
                   found == i);
        EXPECT(mapcore_topo_distance(topo, i, i) == 0);
        for (uint32_t j = 0; j < 8 && j < n; j++)
            expect_pair(topo, i, n - 1 - j, links);
    }
    free(links);
}

/* An allocation computes its table in other ways. */
static void expect_table(const struct mapcore_topo *topo)
{
    uint32_t n =
        mapcore_topo_nhosts(topo) < 70 ? mapcore_topo_nhosts(topo) : 70;
    uint32_t slots[70] = {0};
    struct mapcore_alloc *alloc;

    EXPECT(mapcore_alloc_create(&alloc, topo, n, NULL, slots, NULL) == 0);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            EXPECT(mapcore_alloc_distance(alloc, a, b) ==
                   mapcore_topo_distance(topo, a, b));
    mapcore_alloc_destroy(alloc);
}

static void check(struct mapcore_topo *topo, int code)
{
    EXPECT((code == 0) == (topo != NULL));
    if (topo) {
        expect_network(topo);
        expect_table(topo);
    }
    mapcore_topo_destroy(topo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mapcore_topo *topo = NULL;
    struct fuzz_file file;
    int code;

    fuzz_file_open(&file, data, size);
    code = mapcore_topo_open(&topo, file.path, NULL);
    check(topo, code);
    fuzz_file_close(&file);
    /* As an argument; a path would be opened, of any file. */
    if (memchr(data, ':', size) && memchr(data, '/', size) != data) {
        char *spec = fuzz_string(data, size);

        topo = NULL;
        code = !strchr(spec, '\n') ? mapcore_topo_open(&topo, spec, NULL) : -1;
        check(topo, code);
        free(spec);
    }
    return 0;
}
