/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_plan.c - what travels between topomap plan, srun and slurmstepd: plans,
 * facts, slots, runs; all that is accepted is whole, and formats back */
#include "config.h"

#include "fuzz.h"

#include "base/fnv.h"
#include "base/text.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/runs.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/handoff_file.h"
#include "tools/plan/plan_file.h"

#include <inttypes.h>

enum { NTASKS = 8, NHOSTS = 3 };
static const uint32_t counts[NHOSTS] = {3, 1, 4};

static void expect_plan(const struct mapcore_plan *plan)
{
    struct mapcore_plan *again = NULL;
    bool taken[NHOSTS][4] = {{false}};
    char *text = NULL;

    for (uint32_t r = 0; plan->outcome == MAPCORE_PLAN_PLACED && r < NTASKS;
         r++) {
        EXPECT(plan->host[r] < NHOSTS);
        EXPECT(plan->slot[r] < counts[plan->host[r]]);
        EXPECT(!taken[plan->host[r]][plan->slot[r]]);
        taken[plan->host[r]][plan->slot[r]] = true;
    }
    EXPECT(mapcore_plan_format(&text, plan, NULL) == 0);
    EXPECT(mapcore_plan_complete(text, strlen(text)) == strlen(text));
    EXPECT(mapcore_plan_parse(&again, text, strlen(text), NTASKS, NHOSTS,
                              counts, NULL) == 0);
    EXPECT(again->outcome == plan->outcome);
    mapcore_plan_destroy(again);
    free(text);
}

static void expect_facts(const struct mapcore_facts *facts)
{
    struct mapcore_facts *again = NULL;
    char *text = NULL;

    for (uint32_t r = 0; r < facts->ntasks; r++)
        EXPECT(facts->baseline[r] < facts->nhosts);
    EXPECT(mapcore_facts_format(&text, facts, NULL) == 0);
    EXPECT(mapcore_facts_parse(&again, "w", text, strlen(text), NULL) == 0);
    EXPECT(again->ntasks == facts->ntasks && again->nhosts == facts->nhosts);
    mapcore_facts_destroy(again);
    free(text);
}

static void take_words(const char *text, size_t size)
{
    struct handoff travel;
    uint32_t values[NTASKS], slot[4];
    char *formatted = NULL;

    if (runs_parse(values, NTASKS, text, NULL) == 0) {
        uint32_t again[NTASKS];

        EXPECT(runs_format(&formatted, values, NTASKS, NULL) == 0);
        EXPECT(runs_parse(again, NTASKS, formatted, NULL) == 0);
        EXPECT(memcmp(again, values, sizeof(values)) == 0);
        free(formatted);
    }
    if (slot_text_parse(slot, 4, text, size, NHOSTS, 2, NULL) == 0) {
        unsigned seen = 0;

        for (uint32_t i = 0; i < 4; i++) {
            EXPECT(slot[i] < 4);
            seen |= 1u << slot[i];
        }
        EXPECT(seen == 15);
    }
    handoff_parse(&travel, text, 12, 3);
    free(text_value(text, "reason"));
}

static void take_plan(const char *bytes, size_t size)
{
    struct mapcore_plan *plan = NULL;

    if (mapcore_plan_parse(&plan, bytes, size, NTASKS, NHOSTS, counts, NULL) ==
        0)
        expect_plan(plan);
    mapcore_plan_destroy(plan);
}

/* No mutation hits a checksum: the same once more with the right one, in place
 * of the plan's last line, and behind what may be slots. */
static void take_with_checksum(const char *text)
{
    const char *end = strstr(text, "\nend ");
    size_t body = end ? (size_t)(end - text) + 1 : strlen(text);
    size_t room = strlen(text) + 40, n;
    char *whole = malloc(room);
    uint32_t slot[4];

    EXPECT(whole != NULL);
    n = (size_t)snprintf(whole, room, "%.*send %016" PRIx64 "\n", (int)body,
                         text, fnv1a(text, body));
    take_plan(whole, n);
    end = strrchr(text, ' ');
    body = end ? (size_t)(end - text) : strlen(text);
    n = (size_t)snprintf(whole, room, "%.*s %016" PRIx64, (int)body, text,
                         fnv1a(text, body));
    slot_text_parse(slot, 4, whole, n, NHOSTS, 2, NULL);
    free(whole);
}

/* With the right checksum of the head: all that stands before a line `end`. */
static void take_file(const char *text)
{
    const char *end = strstr(text, "\nend\n");
    size_t head = end ? (size_t)(end - text) + 5 : 0;
    size_t room = strlen(text) + 80, n;
    struct mapcore_facts *facts = NULL;
    struct mapcore_plan *plan = NULL;
    char *whole = malloc(room);

    EXPECT(whole != NULL);
    n = (size_t)snprintf(whole, room, "topomap-plan-file 1 %016" PRIx64 "\n%s",
                         fnv1a(text, head), text);
    if (plan_file_parse(&plan, &facts, "f", whole, n, NULL) == 0)
        EXPECT(plan->ntasks == facts->ntasks && plan->nhosts == facts->nhosts);
    mapcore_plan_destroy(plan);
    mapcore_facts_destroy(facts);
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mapcore_facts *facts = NULL;
    struct mapcore_plan *plan = NULL;
    const char *bytes = (const char *)data;
    char *text = fuzz_string(data, size);

    EXPECT(mapcore_plan_complete(bytes, size) <= size);
    take_plan(bytes, size);
    take_with_checksum(text);
    take_file(text);
    if (plan_file_parse(&plan, &facts, "f", bytes, size, NULL) == 0) {
        mapcore_plan_destroy(plan);
        mapcore_facts_destroy(facts);
        facts = NULL;
    }
    if (mapcore_facts_parse(&facts, "f", bytes, size, NULL) == 0)
        expect_facts(facts);
    mapcore_facts_destroy(facts);
    take_words(text, size);
    free(text);
    return 0;
}
