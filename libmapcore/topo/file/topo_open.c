/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topo_open.c - a network that a person names: a word, or a file whose first
 * line tells of what kind it is */
#include "config.h"

#include "topo/topo.h"

#include "base/text.h"
#include "topo/file/readers.h"
#include "topo/spec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What other tools write, tools/network-readers.py reads. */
static bool is_foreign(const char *line)
{
    static const char *const words[] = {
        "---", "- ", "{", "Chassis ", "Non-Chassis", "SLURM_TOPOLOGY_ADDR"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

int topo_read(struct mapcore_topo **out, struct text *text)
{
    char kinds[TOPO_SPEC_WORDS];
    char *line;
    int error = text_words_line(text, &line);

    if (error < 0)
        return error;
    if (!line)
        return text_error_line(text, 0, MAPCORE_EPARSE, "no topology in it");
    if (topo_spec_begins(line))
        return topo_read_spec(out, text, line);
    if (!is_foreign(line) && memchr(line, '=', strcspn(line, " \t:")))
        return topo_read_slurm(out, text, line);
    if (strcspn(line, " \t\r\v\f") == strlen("links") &&
        text_after(line, "links"))
        return topo_read_links(out, text, line + strlen("links"));
    if (is_foreign(line))
        return text_error(text, MAPCORE_ENOTSUP,
                          "another tool's network: `topomap topology links' "
                          "writes it as a list of links");
    topo_spec_words(kinds);
    return text_error(text, MAPCORE_EPARSE,
                      "'%.40s' begins no topology: %s, links, SwitchName= and "
                      "--- do",
                      text_take_word(&line), kinds);
}

int mapcore_topo_open(struct mapcore_topo **out,
                      const char *spec,
                      struct mapcore_error *err)
{
    char kinds[TOPO_SPEC_WORDS];
    struct topo_spec parsed;
    struct text *text;
    int error;

    if (topo_spec_begins(spec)) {
        error = topo_spec_parse(&parsed, spec, err);
        return error < 0 ? error : topo_spec_create(out, &parsed, NULL, err);
    }
    topo_spec_words(kinds);
    if (!strchr(spec, '/') && access(spec, F_OK) < 0)
        return error_set(err, MAPCORE_EIO,
                         "%.200s: %s, and no word such as torus:8x8x4: there "
                         "are %s",
                         spec, strerror(errno), kinds);
    error = text_open(&text, spec, err);
    if (error < 0)
        return error;
    error = topo_read(out, text);
    text_close(text);
    return error;
}
