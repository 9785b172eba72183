/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scene.c - writes the scene, and has it drawn: pictures are Python's, numbers
 * are made here */
#include "config.h"

#include "tools/draw/scene.h"

#include "base/array.h"
#include "tools/common/script.h"
#include "tools/draw/network_scene.h"
#include "tools/draw/node_rows.h"
#include "json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_PAIRS = 10 }; /* in a report's table */

static bool is(const struct scene *scene, const char *picture)
{
    return strcmp(scene->picture, picture) == 0 ||
           strcmp(scene->picture, "report") == 0;
}

/* Whole numbers without a point: they are most, and cheaper. */
static void put_value(struct json_writer *writer, const char *key, double value)
{
    if (value >= 0 && value < 1e15 && value <= (double)(uint64_t)value)
        json_put_u64(writer, key, (uint64_t)value);
    else
        json_put_double(writer, key, value);
}

/* Both tasks and what they exchange, pair by pair. */
static void put_traffic(struct json_writer *writer,
                        const struct traffic *traffic)
{
    json_begin_array(writer, "traffic");
    for (size_t i = 0; traffic && i < traffic->n; i++) {
        json_put_u64(writer, NULL, traffic->pair[i].a);
        json_put_u64(writer, NULL, traffic->pair[i].b);
        put_value(writer, NULL, traffic->pair[i].value);
    }
    json_end_array(writer);
}

static void put_metrics(struct json_writer *writer,
                        const struct mapcore_metrics *metrics)
{
    json_begin_object(writer, "metrics");
    json_put_double(writer, "hops_per_byte", metrics->hops_per_byte);
    json_put_u64(writer, "off_node_bytes", metrics->off_node_bytes);
    put_value(writer, "max_hop_bytes", metrics->max_hop_bytes);
    put_value(writer, "max_link_bytes", metrics->max_link_bytes);
    json_put_double(writer, "max_link_time", metrics->max_link_time);
    json_end_object(writer);
}

static void put_side(struct json_writer *writer,
                     const struct scene *scene,
                     const struct eval_mapping *side)
{
    const struct mapcore_mapping *mapping = side->mapping;

    json_begin_object(writer, NULL);
    json_put_string(writer, "title", side->title);
    put_metrics(writer, &side->metrics);
    json_put_numbers(writer, "host", mapping->host, mapping->ntasks);
    json_put_numbers(writer, "slot", mapping->slot, mapping->ntasks);
    if (is(scene, "nodes"))
        node_rows_put_flows(writer, scene->subject, mapping);
    json_begin_array(writer, "load");
    for (uint32_t l = 0; is(scene, "network") &&
                         l < mapcore_topo_nlinks(scene->subject->inputs.topo);
         l++)
        put_value(writer, NULL, side->load[l]);
    json_end_array(writer);
    json_end_object(writer);
}

static void put_hosts(struct json_writer *writer,
                      const struct mapcore_alloc *alloc)
{
    const uint32_t n = alloc ? mapcore_alloc_nhosts(alloc) : 0;
    char name[DRAW_HOST_NAME];

    json_put_u64(writer, "nslots", alloc ? mapcore_alloc_nslots(alloc) : 0);
    json_begin_array(writer, "hosts");
    for (uint32_t h = 0; h < n; h++)
        json_put_string(writer, NULL, draw_host_name(name, alloc, h));
    json_end_array(writer);
    json_begin_array(writer, "host_numbers");
    for (uint32_t h = 0; h < n; h++)
        json_put_u64(writer, NULL, mapcore_alloc_host(alloc, h));
    json_end_array(writer);
}

static void put_type(struct json_writer *writer,
                     const struct profile_type *type)
{
    const struct profile_span *span = &type->task_seconds;

    json_begin_object(writer, NULL);
    json_put_string(writer, "name", type->name);
    json_put_double(writer, "seconds", type->seconds);
    json_put_u64(writer, "calls", type->calls);
    json_put_u64(writer, "bytes", type->bytes);
    if (span->is_known) {
        json_begin_object(writer, "span");
        json_put_double(writer, "max", span->max);
        json_put_double(writer, "min", span->min);
        json_put_u64(writer, "max_task", span->max_task);
        json_put_u64(writer, "min_task", span->min_task);
        json_end_object(writer);
    } else {
        json_put_null(writer, "span");
    }
    json_end_object(writer);
}

static void put_profile(struct json_writer *writer,
                        const struct profile *profile)
{
    json_begin_object(writer, "profile");
    json_put_string(writer, "program", profile->program);
    json_put_string(writer, "recorded", profile->recorded);
    json_put_string(writer, "job", profile->job);
    json_put_string(writer, "mpi", profile->mpi);
    json_put_u64(writer, "ntasks", profile->ntasks);
    json_put_u64(writer, "hosts", profile->hosts);
    json_put_u64(writer, "tasks_recorded", profile->tasks_recorded);
    json_put_double(writer, "seconds", profile->seconds);
    json_put_double(writer, "mpi_share", profile_mpi_share(profile));
    json_begin_array(writer, "types");
    for (size_t i = 0; i < profile->ntypes; i++)
        put_type(writer, &profile->types[i]);
    json_end_array(writer);
    json_end_object(writer);
}

/* Messages by size, which an imported profile lacks. */
static int put_sizes(struct json_writer *writer,
                     const struct scene *scene,
                     struct mapcore_error *err)
{
    double sizes[TRAFFIC_SIZES];
    int error = traffic_read_sizes(sizes, scene->traffic->ntasks,
                                   scene->subject->folder, err);

    json_begin_array(writer, "sizes");
    for (int i = 0; error == 0 && i < TRAFFIC_SIZES; i++)
        put_value(writer, NULL, sizes[i]);
    json_end_array(writer);
    return error == MAPCORE_EIO ? 0 : error;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct traffic_pair *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                        : (x->b > y->b) - (x->b < y->b);
}

/* Those that exchange most, and where each mapping has them. */
static int put_pairs(struct json_writer *writer,
                     const struct scene *scene,
                     struct mapcore_error *err)
{
    const struct draw_subject *subject = scene->subject;
    const size_t n = scene->traffic->n;
    struct traffic_pair *pair =
        array_copy(scene->traffic->pair, n, sizeof(*pair), err);

    if (!pair)
        return MAPCORE_ENOMEM;
    qsort(pair, n, sizeof(*pair), compare_pairs);
    json_begin_array(writer, "pairs");
    for (size_t i = 0; i < n && i < MOST_PAIRS; i++) {
        json_begin_array(writer, NULL);
        json_put_u64(writer, NULL, pair[i].a);
        json_put_u64(writer, NULL, pair[i].b);
        put_value(writer, NULL, pair[i].value);
        json_begin_array(writer, NULL);
        for (size_t s = 0; s < subject->nsides; s++) {
            const uint32_t *host = subject->side[s].mapping->host;
            const uint32_t a = host[pair[i].a], b = host[pair[i].b];
            const uint32_t place[] = {
                a, b, mapcore_alloc_distance(subject->inputs.alloc, a, b)};

            json_put_numbers(writer, NULL, place, 3);
        }
        json_end_array(writer);
        json_end_array(writer);
    }
    json_end_array(writer);
    free(pair);
    return 0;
}

static void put_search(struct json_writer *writer,
                       const struct search_trace *trace)
{
    json_begin_object(writer, "search");
    json_put_double(writer, "seconds", trace->seconds);
    json_put_u64(writer, "work", trace->work);
    json_put_string(writer, "mapper", trace->mapper);
    json_begin_array(writer, "moments");
    for (size_t i = 0; i < trace->n; i++) {
        json_begin_array(writer, NULL);
        json_put_double(writer, NULL, trace->moment[i].seconds);
        json_put_u64(writer, NULL, trace->moment[i].work);
        json_put_double(writer, NULL, trace->moment[i].hops_per_byte);
        json_put_string(writer, NULL, trace->moment[i].mapper);
        json_end_array(writer);
    }
    json_end_array(writer);
    json_begin_array(writer, "lanes");
    for (size_t i = 0; i < trace->nlanes; i++) {
        const struct search_lane *lane = &trace->lane[i];

        json_begin_object(writer, NULL);
        json_put_string(writer, "mapper", lane->mapper);
        json_put_double(writer, "best", lane->best);
        json_begin_array(writer, "ticks");
        for (size_t k = 0; k < lane->nticks; k++) {
            json_begin_array(writer, NULL);
            json_put_double(writer, NULL, lane->tick[k].seconds);
            json_put_double(writer, NULL, lane->tick[k].hops_per_byte);
            json_end_array(writer);
        }
        json_end_array(writer);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_end_object(writer);
}

/* As a shell takes them, or null. */
static int put_command(struct json_writer *writer,
                       char *const *command,
                       struct mapcore_error *err)
{
    struct buffer text = {0};
    int error = command ? buffer_printf(&text, err, "topomap") : 0;

    for (size_t i = 0; error == 0 && command && command[i]; i++)
        if ((error = buffer_printf(&text, err, " ")) == 0)
            error = shell_quote(&text, err, command[i], strlen(command[i]));
    if (error == 0 && command)
        error = buffer_append(&text, err, "", 1);
    json_put_string(writer, "command", text.bytes);
    buffer_clear(&text);
    return error;
}

static int put_scene(struct json_writer *writer,
                     const struct scene *scene,
                     struct mapcore_error *err)
{
    static const char *const units[] = {[AMOUNT_BYTES] = "bytes",
                                        [AMOUNT_MESSAGES] = "messages",
                                        [AMOUNT_SECONDS] = "seconds"};
    const struct draw_subject *subject = scene->subject;
    const struct traffic *traffic = scene->traffic;
    int error = put_command(writer, scene->command, err);

    json_put_string(writer, "picture", scene->picture);
    json_put_string(writer, "version", PACKAGE_VERSION);
    json_put_string(writer, "name", draw_subject_name(subject));
    json_put_string(writer, "type", scene->type);
    json_put_string(writer, "unit", units[traffic ? traffic->unit : 0]);
    json_put_u64(writer, "ntasks", traffic ? traffic->ntasks : 0);
    json_put_bool(writer, "has_node", subject->inputs.hwnode != NULL);
    put_hosts(writer, subject->inputs.alloc);
    json_begin_array(writer, "sides");
    for (size_t i = 0; i < subject->nsides; i++)
        put_side(writer, scene, &subject->side[i]);
    json_end_array(writer);
    put_traffic(writer, traffic);
    if (subject->inputs.topo && is(scene, "network"))
        network_scene_put(writer, subject->inputs.topo);
    else
        json_put_null(writer, "network");
    if (subject->inputs.topo && is(scene, "nodes"))
        node_rows_put(writer, subject);
    if (subject->profile && is(scene, "profile"))
        put_profile(writer, subject->profile);
    else
        json_put_null(writer, "profile");
    if (error == 0 && subject->profile && is(scene, "profile"))
        error = put_sizes(writer, scene, err);
    if (error == 0 && is(scene, "report"))
        error = put_pairs(writer, scene, err);
    if (subject->search.n > 0 && is(scene, "search"))
        put_search(writer, &subject->search);
    else
        json_put_null(writer, "search");
    return error;
}

/* A file in memory, at its beginning. */
static int write_scene(int *fd,
                       const struct scene *scene,
                       struct mapcore_error *err)
{
    const int memory = memfd_create("scene", MFD_CLOEXEC);
    FILE *file = memory >= 0 ? fdopen(dup(memory), "w") : NULL;
    struct json_writer writer;
    int error;

    *fd = memory;
    if (!file)
        return error_set(err, MAPCORE_EIO, "memfd_create: %s", strerror(errno));
    json_writer_start_lines(&writer, file);
    json_begin_object(&writer, NULL);
    error = put_scene(&writer, scene, err);
    if (error == 0) {
        json_end_object(&writer);
        error = json_writer_end(&writer, err);
    }
    if ((fclose(file) != 0 || lseek(memory, 0, SEEK_SET) != 0) && error == 0)
        error = error_set(err, MAPCORE_ENOMEM, "out of memory");
    return error;
}

int scene_draw(struct buffer *out,
               const struct scene *scene,
               struct mapcore_error *err)
{
    char *const none[] = {NULL};
    int fd = -1, error = write_scene(&fd, scene, err);

    if (error == 0)
        error = script_filter(out, "pictures", none, fd, err);
    if (fd >= 0)
        close(fd);
    return error;
}
