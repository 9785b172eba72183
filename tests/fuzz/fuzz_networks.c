/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_networks.c - what slurmctld has said of its network, on its way from
 * srun and as it is kept beside a user's own catalogue; what is made of the
 * lines is fuzz_topology.c's */
#include "config.h"

#include "fuzz.h"

#include "base/fnv.h"
#include "launch/wire.h"
#include "tools/plan/cluster_cache.h"

#include <inttypes.h>

#define OF   "one:10.0.0.1:6817:9728:109 batch"
#define HEAD "topomap-network 1 "

/* No mutation hits a checksum: all but the first line with the right one. */
static void take_with_checksum(const char *text)
{
    const char *body = strchr(text, '\n'), *lines;
    size_t room = strlen(text) + sizeof(HEAD) + 20, n;
    char *whole = malloc(room);

    EXPECT(whole != NULL);
    body = body ? body + 1 : text;
    n = (size_t)snprintf(whole, room, HEAD "%016" PRIx64 "\n%s",
                         fnv1a(body, strlen(body)), body);
    if ((lines = network_cache_parse(whole, n, OF))) {
        EXPECT(strncmp(body, "of " OF "\n", strlen("of " OF "\n")) == 0);
        EXPECT(strcmp(lines, body + strlen("of " OF "\n")) == 0);
        EXPECT(!network_cache_parse(whole, n, OF "2"));
        whole[sizeof(HEAD) - 1] = whole[sizeof(HEAD) - 1] == '0' ? '1' : '0';
        EXPECT(!network_cache_parse(whole, n, OF));
    }
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), *lines = NULL;
    const char *kept = network_cache_parse(text, size, OF);

    EXPECT(!kept || (kept > text && kept <= text + size));
    take_with_checksum(text);
    if (facts_parse_answer(&lines, text, size, NULL) == 0)
        EXPECT(!lines || strlen(lines) <= size);
    free(lines);
    free(text);
    return 0;
}
