/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_site.c - the site file, topomap.json(5), with its network */
#include "config.h"

#include "fuzz.h"

#include "base/error_set.h"

#include "tools/inputs/foreign.h"
#include "tools/inputs/partitions.h"
#include "tools/site/site.h"
#include "tools/site/site_ports.h"

/* Instead of those that start scontrol and python3. */
int foreign_network_open(struct mapcore_topo **out,
                         const char *spec,
                         struct mapcore_error *err)
{
    return mapcore_topo_open(out, spec, err);
}

int partitions_open_topology(struct mapcore_topo **out,
                             const char *partition,
                             double seconds,
                             struct mapcore_error *err)
{
    (void)out;
    (void)partition;
    (void)seconds;
    return error_set(err, MAPCORE_ENOENT, "no Slurm here");
}

static void expect_rates(const struct mapcore_port_rates *port)
{
    for (size_t i = 0; i < port->n; i++)
        EXPECT(port->rate[i] > 0 && port->rate[i] <= port->most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mapcore_topo *topo = NULL;
    struct site_file *site = NULL;
    struct site_ports ports = {0};
    struct fuzz_file file;

    fuzz_file_open(&file, data, size);
    if (site_read(&site, file.path, NULL) == 0) {
        size_t n = site->ncatalogues;
        const char *const *roots = site->catalogues;

        for (size_t i = 0; i < n; i++)
            EXPECT(roots[i][0] == '/');
        EXPECT(site->time_s >= 0);
        EXPECT(site->nic_rate >= 0 && site->memory_rate >= 0);
        if (site_ports_read(&ports, site, NULL) == 0)
            for (uint32_t i = 0; i < ports.n; i++)
                for (uint32_t k = 0; k < ports.level[i].ntypes; k++) {
                    expect_rates(&ports.level[i].type[k].out);
                    expect_rates(&ports.level[i].type[k].in);
                }
        if (site_open_topology(&topo, site, NULL) == 0 && topo)
            EXPECT(mapcore_topo_nhosts(topo) > 0);
    }
    site_ports_clear(&ports);
    mapcore_topo_destroy(topo);
    site_close(site);
    fuzz_file_close(&file);
    return 0;
}
