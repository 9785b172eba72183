/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report_tables.c - tables of a report */
#include "config.h"

#include "tools/draw/report/report_tables.h"

#include "base/array.h"
#include "tools/draw/network/busiest_links.h"
#include "tools/draw/svg/xml_text.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    MOST_PAIRS = 10,
};

static void begin(FILE *file, const char *caption)
{
    fprintf(file, "<div class=\"wide\"><table><caption>%s</caption>\n<thead>",
            caption);
}

static void end(FILE *file)
{
    fputs("</tbody></table></div>\n", file);
}

/* A cell whose text is of others. */
static void put_cell(FILE *file, const char *look, const char *text)
{
    fprintf(file, "<td%s>", look);
    xml_text_write(file, text);
    fputs("</td>", file);
}

#define NUMBER " class=\"n\""

enum figure {
    FIGURE_HOPS,
    FIGURE_OFF_NODE,
    FIGURE_LARGEST,
    FIGURE_LINK,
    FIGURE_LINK_TIME,
    NFIGURES,
};

static const struct {
    const char *name, *what;
    enum amount_unit unit;
} figures[] = {
    [FIGURE_HOPS] = {"Links a byte crosses", "on average", AMOUNT_PLAIN},
    [FIGURE_OFF_NODE] = {"Between nodes", "bytes that leave their node",
                         AMOUNT_BYTES},
    [FIGURE_LARGEST] = {"Largest task", "its bytes times the links they cross",
                        AMOUNT_BYTES},
    [FIGURE_LINK] = {"Busiest link", "bytes over it", AMOUNT_BYTES},
    [FIGURE_LINK_TIME] = {"Slowest link", "bytes of one direction by capacity",
                          AMOUNT_PLAIN /* the network says */},
};

static double figure_of(const struct mapcore_metrics *metrics,
                        enum figure figure)
{
    switch (figure) {
    case FIGURE_HOPS:
        return metrics->hops_per_byte;
    case FIGURE_OFF_NODE:
        return (double)metrics->off_node_bytes;
    case FIGURE_LARGEST:
        return metrics->max_hop_bytes;
    case FIGURE_LINK:
        return metrics->max_link_bytes;
    case FIGURE_LINK_TIME:
    case NFIGURES:
    default:
        return metrics->max_link_time;
    }
}

static void put_gain(FILE *file, double before, double after)
{
    if (before <= 0)
        fputs("<td class=\"n\">-</td>", file);
    else
        fprintf(file, "<td class=\"n\">%+.1f%%</td>",
                100 * (after - before) / before);
}

void report_table_metrics(FILE *file, const struct draw_subject *subject)
{
    const size_t n = subject->nsides;
    char text[AMOUNT_TEXT];

    begin(file, "What each mapping comes to");
    fputs("<tr><th scope=\"col\"></th>", file);
    for (size_t i = 0; i < n; i++) {
        fputs("<th scope=\"col\" class=\"n\">", file);
        xml_text_write(file, subject->side[i].title);
        fputs("</th>", file);
    }
    fprintf(file, "%s</tr></thead><tbody>\n",
            n > 1 ? "<th scope=\"col\" class=\"n\">last to first</th>" : "");
    for (int f = 0; f < NFIGURES; f++) {
        fprintf(file, "<tr><th scope=\"row\">%s <small>%s</small></th>",
                figures[f].name, figures[f].what);
        for (size_t i = 0; i < n; i++)
            put_cell(
                file, NUMBER,
                amount_text(
                    text, figure_of(&subject->side[i].metrics, (enum figure)f),
                    f == FIGURE_LINK_TIME ? busiest_unit(subject->inputs.topo)
                                          : figures[f].unit));
        if (n > 1)
            put_gain(file, figure_of(&subject->side[0].metrics, (enum figure)f),
                     figure_of(&subject->side[n - 1].metrics, (enum figure)f));
        fputs("</tr>\n", file);
    }
    end(file);
}

/* The link of that number among a mapping's busiest, or empty cells. */
static void put_link(FILE *file,
                     const struct draw_subject *subject,
                     const struct eval_mapping *side,
                     size_t number)
{
    const struct mapcore_topo *topo = subject->inputs.topo;
    uint32_t link[BUSIEST_LINKS];
    const size_t n = busiest_links_find(link, BUSIEST_LINKS, topo, side->load);
    char name[BUSIEST_NAME], text[AMOUNT_TEXT];

    if (number >= n) {
        fputs("<td></td><td></td>", file);
        return;
    }
    mapcore_topo_link_name(topo, link[number], name, sizeof(name));
    put_cell(file, "", name);
    put_cell(file, NUMBER,
             amount_text(text, side->load[link[number]], AMOUNT_BYTES));
}

/* Where every mapping uses fewer than ten links, there are no more rows. */
static size_t count_rows(const struct draw_subject *subject)
{
    uint32_t link[BUSIEST_LINKS];
    size_t rows = 0;

    for (size_t i = 0; i < subject->nsides; i++) {
        const size_t n = busiest_links_find(
            link, BUSIEST_LINKS, subject->inputs.topo, subject->side[i].load);

        rows = n > rows ? n : rows;
    }
    return rows;
}

void report_table_links(FILE *file, const struct draw_subject *subject)
{
    const size_t rows = count_rows(subject);

    begin(file, "The ten busiest links, by what they carry and can carry");
    fputs("<tr><th scope=\"col\"></th>", file);
    for (size_t i = 0; i < subject->nsides; i++) {
        fputs("<th scope=\"col\">", file);
        xml_text_write(file, subject->side[i].title);
        fputs("</th><th scope=\"col\" class=\"n\">carries</th>", file);
    }
    fputs("</tr></thead><tbody>\n", file);
    for (size_t j = 0; j < rows; j++) {
        fprintf(file, "<tr><td class=\"n\">%zu</td>", j + 1);
        for (size_t i = 0; i < subject->nsides; i++)
            put_link(file, subject, &subject->side[i], j);
        fputs("</tr>\n", file);
    }
    end(file);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct traffic_pair *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                        : (x->b > y->b) - (x->b < y->b);
}

static void put_pair(FILE *file,
                     const struct draw_subject *subject,
                     const struct traffic_pair *pair)
{
    char text[2 * DRAW_HOST_NAME + 64], a[DRAW_HOST_NAME], b[DRAW_HOST_NAME];

    fprintf(file,
            "<tr><td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32
            "</td>",
            pair->a, pair->b);
    put_cell(file, NUMBER, amount_text(text, pair->value, AMOUNT_BYTES));
    for (size_t i = 0; i < subject->nsides; i++) {
        const struct mapcore_alloc *alloc = subject->inputs.alloc;
        const uint32_t *host = subject->side[i].mapping->host;
        const uint32_t links =
            mapcore_alloc_distance(alloc, host[pair->a], host[pair->b]);

        if (host[pair->a] == host[pair->b])
            snprintf(text, sizeof(text), "both on %s",
                     draw_host_name(a, alloc, host[pair->a]));
        else
            snprintf(text, sizeof(text), "%s and %s, %" PRIu32 " link%s",
                     draw_host_name(a, alloc, host[pair->a]),
                     draw_host_name(b, alloc, host[pair->b]), links,
                     links == 1 ? "" : "s");
        put_cell(file, "", text);
    }
    fputs("</tr>\n", file);
}

int report_table_pairs(FILE *file,
                       const struct draw_subject *subject,
                       const struct traffic *traffic,
                       struct mapcore_error *err)
{
    struct traffic_pair *pair =
        array_copy(traffic->pair, traffic->n, sizeof(*pair), err);

    if (!pair)
        return MAPCORE_ENOMEM;
    qsort(pair, traffic->n, sizeof(*pair), compare_pairs);
    begin(file, "The pairs of ranks that exchange most");
    fputs("<tr><th scope=\"col\" class=\"n\">Rank</th><th scope=\"col\" "
          "class=\"n\">Rank</th><th scope=\"col\" class=\"n\">Bytes</th>",
          file);
    for (size_t i = 0; i < subject->nsides; i++) {
        fputs("<th scope=\"col\">", file);
        xml_text_write(file, subject->side[i].title);
        fputs("</th>", file);
    }
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < traffic->n && i < MOST_PAIRS; i++)
        put_pair(file, subject, &pair[i]);
    end(file);
    free(pair);
    return 0;
}

void report_table_types(FILE *file, const struct profile *profile)
{
    char text[AMOUNT_TEXT];

    begin(file, "Calls by type");
    fputs("<tr><th scope=\"col\">Type</th><th scope=\"col\" class=\"n\">Calls"
          "</th><th scope=\"col\" class=\"n\">Sent</th><th scope=\"col\" "
          "class=\"n\">Time, all ranks</th></tr></thead><tbody>\n",
          file);
    for (size_t i = 0; i < profile->ntypes; i++) {
        const struct profile_type *type = &profile->types[i];

        fputs("<tr>", file);
        put_cell(file, "", type->name);
        fprintf(file, "<td class=\"n\">%" PRIu64 "</td>", type->calls);
        put_cell(file, NUMBER,
                 amount_text(text, (double)type->bytes, AMOUNT_BYTES));
        put_cell(file, NUMBER,
                 amount_text(text, type->seconds, AMOUNT_SECONDS));
        fputs("</tr>\n", file);
    }
    end(file);
}
