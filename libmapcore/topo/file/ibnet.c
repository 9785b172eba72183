/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ibnet.c - an InfiniBand network as ibnetdiscover(8) prints it */
#include "config.h"

#include "base/array.h"
#include "base/buffer.h"
#include "topo/file/cables.h"
#include "topo/file/readers.h"
#include "topo/topo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A switch or router ("S-...", "R-..."), or a channel adapter ("H-..."). */
struct device {
    char *description; /* NULL: not seen yet */
};

struct wire {
    uint32_t a, b; /* devices */
    double rate;   /* bytes per second, 0: not printed */
};

struct ibnet_reader {
    struct text *text;
    struct mapcore_error *err;
    struct name_set ids; /* of devices */
    struct device *device;
    size_t ndevices; /* capacity */
    struct wire *wire;
    size_t nwires, capacity;
    uint32_t current; /* device whose ports are listed */
};

bool topo_is_ibnetdiscover(const char *first_line)
{
    static const char *const words[] = {
        "vendid=", "devid=",  "sysimgguid=", "sysimageguid=", "switchguid=",
        "caguid=", "rtguid=", "Non-Chassis", "Chassis "};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(first_line, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static void clear(struct ibnet_reader *r)
{
    for (size_t i = 0; i < r->ids.n; i++)
        free(r->device[i].description);
    name_set_clear(&r->ids);
    free(r->device);
    free(r->wire);
}

/* The next text in quotes, ended by NUL; *p moves behind it. */
static char *take_quoted(char **p)
{
    char *begin = strchr(*p, '"'), *end;

    /* Behind # stands what is only told about it. */
    if (!begin || memchr(*p + 1, '#', (size_t)(begin - *p)))
        return NULL;
    end = strchr(++begin, '"');
    if (!end)
        return NULL;
    *end = '\0';
    *p = end + 1;
    return begin;
}

static int add_device(struct ibnet_reader *r,
                      uint32_t *out,
                      const char *id,
                      const char *description)
{
    size_t before = r->ids.n;
    struct device *device;
    int error;

    if ((error = array_reserve(&r->device, &r->ndevices, before + 1,
                               sizeof(*r->device), r->err)) < 0 ||
        (error = name_set_add(out, &r->ids, id, r->err)) < 0)
        return error;
    device = &r->device[*out];
    if (r->ids.n > before)
        *device = (struct device){0};
    if (device->description || !description)
        return 0;
    device->description =
        array_copy(description, strlen(description) + 1, 1, r->err);
    return device->description ? 0 : MAPCORE_ENOMEM;
}

/* What is left of a link after its coding, bytes per second a lane: 8b/10b up
 * to QDR, 64b/66b from FDR10 on; from EDR on the round figures of the
 * InfiniBand Trade Association's roadmap. */
static double lane_rate(const char *speed, size_t n)
{
    static const struct {
        const char *name;
        double gigabits;
    } speeds[] = {{"SDR", 2},    {"DDR", 4},       {"QDR", 8},
                  {"FDR10", 10}, {"FDR", 13.6364}, {"EDR", 25},
                  {"HDR", 50},   {"NDR", 100},     {"XDR", 200}};

    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
        if (strlen(speeds[i].name) == n &&
            strncmp(speed, speeds[i].name, n) == 0)
            return speeds[i].gigabits * 1e9 / 8;
    return 0;
}

/* "4xEDR" among the words behind the description, or 0. */
static double take_rate(char *rest)
{
    char *word;

    while ((word = text_take_word(&rest))) {
        size_t digits = strspn(word, "0123456789");
        char *speed = word + digits + 1;
        uint64_t width;

        if (digits == 0 || word[digits] != 'x')
            continue;
        word[digits] = '\0';
        if (text_parse_u64(word, &width) && width > 0 && width <= 64)
            return (double)width * lane_rate(speed, strlen(speed));
    }
    return 0;
}

/* `Switch 36 "S-..." # "description" ...`, behind the first word. */
static int read_device(struct ibnet_reader *r, char *cursor)
{
    char *id = take_quoted(&cursor), *description;

    if (!id)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a switch or adapter without an identifier");
    cursor += strcspn(cursor, "#");
    description = take_quoted(&cursor);
    return add_device(r, &r->current, id, description ? description : "");
}

/* `[1] "H-..."[1](...) # "description" lid 5 4xEDR`. A link stands at both its
 * ends: those to adapters are taken from the switch, those between switches
 * from the end that comes first by identifier, then by port. */
static int read_port(struct ibnet_reader *r, char *line)
{
    char *cursor = line, *id = take_quoted(&cursor), *description, *end;
    unsigned long port = strtoul(line + 1, NULL, 10), far = 0;
    const char *mine;
    uint32_t peer;
    int error, order;

    if (r->current == MAPCORE_NONE || !id)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a port of no switch or adapter, or to none");
    mine = r->ids.name[r->current];
    if (*cursor == '[')
        far = strtoul(cursor + 1, &end, 10);
    if (mine[0] == 'H' && id[0] != 'H')
        return 0;
    if (mine[0] == 'H')
        return text_error(r->text, r->err, MAPCORE_ENOTSUP,
                          "adapters %.40s and %.40s are joined without a "
                          "switch",
                          mine, id);
    cursor += strcspn(cursor, "#");
    description = take_quoted(&cursor);
    if ((error = add_device(r, &peer, id, description)) < 0)
        return error;
    mine = r->ids.name[r->current];
    order = strcmp(mine, id);
    if (id[0] != 'H' && (order > 0 || (order == 0 && port >= far)))
        return 0;
    if (peer == r->current) /* a cable from a switch to itself */
        return 0;
    if ((error = array_reserve(&r->wire, &r->capacity, r->nwires + 1,
                               sizeof(*r->wire), r->err)) < 0)
        return error;
    r->wire[r->nwires++] = (struct wire){r->current, peer, take_rate(cursor)};
    return 0;
}

static int read_lines(struct ibnet_reader *r)
{
    char *line, *cursor;
    int error;

    r->current = MAPCORE_NONE;
    while ((error = text_line(r->text, &line, r->err)) == 0 && line) {
        cursor = line;
        if (line[0] == '[') {
            error = read_port(r, line);
        } else if (strncmp(line, "Switch", 6) == 0 ||
                   strncmp(line, "Ca", 2) == 0 || strncmp(line, "Rt", 2) == 0) {
            text_take_word(&cursor);
            error = read_device(r, cursor);
        }
        if (error < 0)
            return error;
    }
    return error;
}

/* A name for a switch: the one inside "MF0;name:type/U1" if it is new, else its
 * identifier. */
static int add_switch(const struct ibnet_reader *r,
                      struct cables *cables,
                      uint32_t *out,
                      uint32_t device)
{
    const char *begin = r->device[device].description;
    char name[64];
    bool is_new;

    if (begin && strncmp(begin, "MF0;", 4) == 0) {
        size_t n = strcspn(begin + 4, ": ");

        if (n > 0 && n < sizeof(name)) {
            memcpy(name, begin + 4, n);
            name[n] = '\0';
            int error = cables_add_switch(cables, out, name, &is_new, r->err);
            if (error < 0 || is_new)
                return error;
        }
    }
    return cables_add_switch(cables, out, r->ids.name[device], &is_new, r->err);
}

/* Where a name ends that stands for a host in Slurm, too: before its domain. An
 * address has none. */
static size_t short_length(const char *name, size_t n)
{
    size_t i = name[0] >= '0' && name[0] <= '9' ? n : strcspn(name, ".");

    return i > 0 && i < n ? i : n;
}

/* The host of an adapter is the first word of its description, without a domain
 * unless another host has that name in another one; further words tell the
 * adapters of one host apart. */
static int add_host(const struct ibnet_reader *r,
                    struct cables *cables,
                    struct name_set *words,
                    uint32_t *out,
                    const char *description)
{
    size_t before = words->n, n = strcspn(description, " ");
    char name[256], whole[256];
    uint32_t word;
    bool is_new, word_is_new;
    int error;

    snprintf(whole, sizeof(whole), "%.*s", (int)n, description);
    snprintf(name, sizeof(name), "%.*s", (int)short_length(whole, n), whole);
    if ((error = name_set_add(&word, words, whole, r->err)) < 0)
        return error;
    word_is_new = words->n > before;
    if (!word_is_new && name_set_find(&cables->hosts, whole) != MAPCORE_NONE)
        return cables_add_host(cables, out, whole, MAPCORE_NONE, &is_new,
                               r->err);
    error = cables_add_host(cables, out, name, MAPCORE_NONE, &is_new, r->err);
    if (error == 0 && word_is_new && !is_new)
        error =
            cables_add_host(cables, out, whole, MAPCORE_NONE, &is_new, r->err);
    return error;
}

/* A node that was never booted, or whose driver names nothing: no description,
 * the adapter's own, or one that others have as well. */
static bool is_unnamed(const struct ibnet_reader *r,
                       const struct name_set *descriptions,
                       const uint32_t *count,
                       uint32_t device)
{
    const char *text = r->device[device].description;
    size_t n = strcspn(text, " ");

    return n == 0 || n >= 256 || strstr(text, "Mellanox Technologies") ||
           count[name_set_find(descriptions, text)] > 1;
}

static bool is_adapter(const struct ibnet_reader *r, uint32_t device)
{
    const char *text = r->device[device].description;

    return r->ids.name[device][0] == 'H' &&
           (!text || !strstr(text, "Aggregation Node"));
}

/* How many adapters have each description. */
static int count_descriptions(const struct ibnet_reader *r,
                              struct name_set *descriptions,
                              uint32_t *count)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < r->ids.n; i++) {
        const char *text = r->device[i].description;
        uint32_t number;

        if (!is_adapter(r, i))
            continue;
        error = name_set_add(&number, descriptions, text ? text : "", r->err);
        if (error == 0)
            count[number]++;
    }
    return error;
}

/* Devices to nodes, vertex[ids.n]; MAPCORE_NONE for the aggregation nodes that
 * switches have inside, and for adapters that no host can be told by, which
 * *left_out counts. */
static int name_devices(const struct ibnet_reader *r,
                        struct cables *cables,
                        uint32_t *vertex,
                        uint32_t *left_out)
{
    struct name_set descriptions = {0}, words = {0};
    uint32_t *count = array_alloc(r->ids.n, sizeof(*count), r->err);
    int error =
        count ? count_descriptions(r, &descriptions, count) : MAPCORE_ENOMEM;

    for (uint32_t i = 0; error == 0 && i < r->ids.n; i++) {
        const char *text = r->device[i].description;
        uint32_t number;

        vertex[i] = MAPCORE_NONE;
        if (r->ids.name[i][0] != 'H') {
            error = add_switch(r, cables, &number, i);
            vertex[i] = cables_switch(number);
        } else if (is_adapter(r, i) &&
                   (!text || is_unnamed(r, &descriptions, count, i))) {
            ++*left_out;
        } else if (is_adapter(r, i)) {
            error = add_host(r, cables, &words, &number, text);
            vertex[i] = cables_host(number);
        }
    }
    name_set_clear(&descriptions);
    name_set_clear(&words);
    free(count);
    return error;
}

static int make_links(const struct ibnet_reader *r,
                      struct cables *cables,
                      uint32_t *left_out)
{
    uint32_t *vertex = array_alloc(r->ids.n, sizeof(*vertex), r->err);
    int error;

    if (!vertex)
        return MAPCORE_ENOMEM;
    error = name_devices(r, cables, vertex, left_out);
    cables->has_capacities = r->nwires > 0;
    for (size_t i = 0; i < r->nwires; i++)
        if (r->wire[i].rate <= 0)
            cables->has_capacities = false;
    for (size_t i = 0; error == 0 && i < r->nwires; i++) {
        const struct wire *wire = &r->wire[i];

        if (vertex[wire->a] == MAPCORE_NONE || vertex[wire->b] == MAPCORE_NONE)
            continue;
        error = cables_add(cables, vertex[wire->a], vertex[wire->b],
                           cables->has_capacities ? wire->rate : 1, r->err);
    }
    free(vertex);
    return error;
}

static int tell_left_out(struct mapcore_topo *topo,
                         uint32_t left_out,
                         struct mapcore_error *err)
{
    struct buffer text = {0};
    int error = buffer_printf(&text, err,
                              "%s; %" PRIu32 " %s without a name of %s own "
                              "left out",
                              mapcore_topo_describe(topo), left_out,
                              left_out == 1 ? "adapter" : "adapters",
                              left_out == 1 ? "its" : "their");

    if (error == 0)
        topo_set_description(topo, buffer_steal(&text));
    buffer_clear(&text);
    return error;
}

int topo_read_ibnetdiscover(struct mapcore_topo **out,
                            struct text *text,
                            struct mapcore_error *err)
{
    struct ibnet_reader r = {.text = text, .err = err};
    struct cables cables = {0};
    struct mapcore_topo *topo = NULL;
    uint32_t left_out = 0;
    int error;

    if ((error = read_lines(&r)) == 0 &&
        (error = make_links(&r, &cables, &left_out)) == 0)
        error = cables_create(&topo, &cables, text_name(text), err);
    if (error == 0 && left_out > 0)
        error = tell_left_out(topo, left_out, err);
    if (error == 0)
        *out = topo;
    else
        mapcore_topo_destroy(topo);
    cables_clear(&cables);
    clear(&r);
    return error;
}
