/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report_page.c - the page of a report, section by section */
#include "config.h"

#include "tools/draw/report/report_page.h"

#include "base/buffer.h"
#include "base/text.h"
#include "tools/draw/matrix/matrix_picture.h"
#include "tools/draw/network/network_picture.h"
#include "tools/draw/node_picture.h"
#include "tools/draw/profile_picture.h"
#include "tools/draw/report/report_tables.h"
#include "tools/draw/search_picture.h"
#include "tools/draw/svg/look.h"
#include "tools/draw/svg/svg.h"
#include "tools/draw/svg/xml_text.h"

#include <inttypes.h>
#include <string.h>

static const char style[] =
    "body{margin:0 auto;max-width:1180px;padding:1.2em;background:var(--ground);"
    "color:var(--ink);font:15px/1.5 system-ui,'DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.6em;line-height:1.2;margin:.2em 0}h2{font-size:1.2em;"
    "margin:1.8em 0 .4em;border-bottom:1px solid var(--faint)}"
    "p.lead{font-size:1.1em}small,footer,.soft{color:var(--soft)}\n"
    "figure{margin:.6em 0;overflow-x:auto}figure svg{min-width:640px}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:.8em 0}"
    "caption{text-align:left;font-weight:600;padding:.2em 0}"
    "th,td{text-align:left;padding:.2em .9em .2em 0;border-bottom:1px solid "
    "var(--faint);font-weight:normal}thead th{font-weight:600}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
    "small{display:block;line-height:1.1}code{font-size:.95em;"
    "overflow-wrap:anywhere}a{color:inherit}\n"
    ".skip{position:absolute;left:-99em}.skip:focus{left:1em}"
    "nav a{margin-right:1.2em}\n"
    "@media print{body{max-width:none;padding:0}nav,.skip{display:none}"
    "section,figure,tr{break-inside:avoid}}\n";

static void put_head(FILE *file, const struct draw_subject *subject)
{
    fputs(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
        "lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
        "name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        /* Nothing is fetched, whatever a name tried. */
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        "img-src data:\"/>\n<title>",
        file);
    xml_text_write(file, draw_subject_name(subject));
    fputs(" - topomap</title>\n<style>", file);
    look_write(file);
    fputs(style, file);
    fputs("</style>\n</head>\n<body>\n"
          "<a class=\"skip\" href=\"#main\">To the figures</a>\n",
          file);
}

static void put_recording(FILE *file, const struct profile *profile)
{
    fputs("<p class=\"soft\">Recorded ", file);
    xml_text_write(file, profile->recorded);
    if (profile->job) {
        fputs(", job ", file);
        xml_text_write(file, profile->job);
    }
    if (profile->hosts > 0)
        fprintf(file, ", on %" PRIu32 " node%s", profile->hosts,
                text_plural(profile->hosts));
    if (profile->tasks_recorded > 0)
        fprintf(file, ", of %" PRIu32 " of %" PRIu32 " ranks",
                profile->tasks_recorded, profile->ntasks);
    if (profile->mpi) {
        fputs("; ", file);
        xml_text_write(file, profile->mpi);
    }
    fputs(".</p>\n", file);
}

/* What becomes of the slowest link. */
static void put_slowest(FILE *file, double share)
{
    if (share == 1)
        fputs("; the slowest link carries as much", file);
    else
        fprintf(file, "; the slowest link carries %.0f%% %s",
                100 * (share < 1 ? 1 - share : share - 1),
                share < 1 ? "less" : "more");
}

/* The one sentence that everybody wants. */
static void put_lead(FILE *file, const struct draw_subject *subject)
{
    const struct eval_mapping *first = subject->side, *last = first;
    const double share =
        subject->profile ? profile_mpi_share(subject->profile) : -1;

    if (subject->nsides > 0)
        last += subject->nsides - 1;
    fputs("<p class=\"lead\">", file);
    if (subject->nsides == 0) {
        fputs("No network was named: see who talks with whom.", file);
    } else if (subject->nsides == 1) {
        fputs("Placed by ", file);
        xml_text_write(file, first->title);
        fprintf(file, ", a byte crosses %.3g links on average.",
                first->metrics.hops_per_byte);
    } else {
        fputs("Placed by ", file);
        xml_text_write(file, last->title);
        fprintf(file, ", a byte crosses %.3g links instead of %.3g (",
                last->metrics.hops_per_byte, first->metrics.hops_per_byte);
        xml_text_write(file, first->title);
        fputs(")", file);
        if (first->metrics.max_link_time > 0)
            put_slowest(file, last->metrics.max_link_time /
                                  first->metrics.max_link_time);
        fputs(".", file);
    }
    if (share >= 0)
        fprintf(file, " MPI is %.0f%% of this program's time.", 100 * share);
    fputs("</p>\n", file);
}

static void put_header(FILE *file,
                       const struct draw_subject *subject,
                       uint32_t ntasks)
{
    fputs("<header>\n<h1>", file);
    xml_text_write(file, draw_subject_name(subject));
    fprintf(file, ", %" PRIu32 " rank%s</h1>\n", ntasks, text_plural(ntasks));
    put_lead(file, subject);
    if (subject->profile)
        put_recording(file, subject->profile);
    if (subject->inputs.topo) {
        fputs("<p class=\"soft\">Network: ", file);
        xml_text_write(file, mapcore_topo_describe(subject->inputs.topo));
        fprintf(file, "; %" PRIu32 " of its nodes, %" PRIu32 " slots.</p>\n",
                mapcore_alloc_nhosts(subject->inputs.alloc),
                mapcore_alloc_nslots(subject->inputs.alloc));
    }
    fputs("</header>\n<nav aria-label=\"Sections\">", file);
    if (subject->nsides > 0)
        fputs("<a href=\"#figures\">Figures</a> ", file);
    fputs("<a href=\"#matrix\">Matrix</a> ", file);
    if (subject->nsides > 0)
        fputs("<a href=\"#network\">Network</a> ", file);
    if (subject->profile)
        fputs("<a href=\"#calls\">Calls</a> ", file);
    if (subject->search.n > 0)
        fputs("<a href=\"#search\">Search</a>", file);
    fputs("</nav>\n<main id=\"main\">\n", file);
}

static void begin_section(FILE *file, const char *id, const char *title)
{
    fprintf(file,
            "<section id=\"%s\" aria-labelledby=\"%s-title\">\n"
            "<h2 id=\"%s-title\">%s</h2>\n",
            id, id, id, title);
}

static int put_matrix(struct svg *svg,
                      const struct draw_subject *subject,
                      const struct traffic *traffic,
                      struct mapcore_error *err)
{
    const struct matrix_picture picture = {.subject = subject,
                                           .traffic = traffic,
                                           .most_strokes = MATRIX_STROKES_PAGE};
    int error;

    begin_section(svg->file, "matrix", "Who talks with whom");
    fputs("<figure>", svg->file);
    error = matrix_picture_write(svg, &picture, err);
    fputs("</figure>\n", svg->file);
    if (error == 0)
        error = report_table_pairs(svg->file, subject, traffic, err);
    fputs("</section>\n", svg->file);
    return error;
}

static int put_network(struct svg *svg,
                       const struct draw_subject *subject,
                       struct mapcore_error *err)
{
    int error;

    begin_section(svg->file, "network", "What the network carries");
    fputs("<figure>", svg->file);
    error = network_picture_write(svg, subject, err);
    fputs("</figure>\n", svg->file);
    report_table_links(svg->file, subject);
    if (error == 0) {
        fputs("<figure>", svg->file);
        error = node_picture_write(svg, subject, err);
        fputs("</figure>\n", svg->file);
    }
    fputs("</section>\n", svg->file);
    return error;
}

static void put_search(struct svg *svg, const struct draw_subject *subject)
{
    begin_section(svg->file, "search", "The search");
    fputs("<figure>", svg->file);
    search_picture_write(svg, &subject->search,
                         subject->side[0].metrics.hops_per_byte);
    fputs("</figure>\n</section>\n", svg->file);
}

static int put_calls(struct svg *svg,
                     const struct draw_subject *subject,
                     const struct traffic *traffic,
                     struct mapcore_error *err)
{
    int error;

    begin_section(svg->file, "calls", "What the program does in MPI");
    fputs("<figure>", svg->file);
    error = profile_picture_write(svg, subject->profile, subject->folder,
                                  traffic, err);
    fputs("</figure>\n", svg->file);
    report_table_types(svg->file, subject->profile);
    fputs("</section>\n", svg->file);
    return error;
}

/* In quotes where a shell would see more in it than a word. */
static void put_word(FILE *file, const char *word)
{
    struct buffer text = {0};

    if (shell_quote(&text, NULL, word, strlen(word)) == 0 &&
        buffer_append(&text, NULL, "", 1) == 0)
        xml_text_write(file, text.bytes);
    buffer_clear(&text);
}

static void put_foot(FILE *file, char *const *command)
{
    fputs("</main>\n<footer><p>Made by topomap " PACKAGE_VERSION, file);
    for (char *const *word = command; word && *word; word++) {
        fputs(word == command ? ": <code>topomap " : " ", file);
        put_word(file, *word);
    }
    fputs(command ? "</code></p></footer>\n" : "</p></footer>\n", file);
    look_write_script(file);
    fputs("</body>\n</html>\n", file);
}

int report_page_write(FILE *file,
                      const struct draw_subject *subject,
                      const struct traffic *traffic,
                      char *const *command,
                      struct mapcore_error *err)
{
    struct svg svg = {.file = file, .is_page = true};
    int error = 0;

    put_head(file, subject);
    put_header(file, subject, traffic->ntasks);
    if (subject->nsides > 0) {
        begin_section(file, "figures", "Figures");
        report_table_metrics(file, subject);
        fputs("</section>\n", file);
    }
    error = put_matrix(&svg, subject, traffic, err);
    if (error == 0 && subject->nsides > 0)
        error = put_network(&svg, subject, err);
    if (error == 0 && subject->profile)
        error = put_calls(&svg, subject, traffic, err);
    if (error == 0 && subject->search.n > 0)
        put_search(&svg, subject);
    put_foot(file, command);
    return error;
}
