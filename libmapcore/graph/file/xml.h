/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xml.h - XML read element by element; expat stays behind this door */
#ifndef MAPCORE_GRAPH_XML_H
#define MAPCORE_GRAPH_XML_H

#include "graph/file/edges.h"
#include "graph/file/stream.h"

/* One element as it begins. Names are without the prefix of their namespace. */
struct xml_element {
    const char *name;
    const char *const *attribute; /* name, value, name, value, ..., NULL */
    struct edge_place place;
};
/* The value of an attribute, or NULL. */
const char *xml_attribute(const struct xml_element *element, const char *name);

/* What is done with it; each returns 0, or an error after which nothing more is
 * read. text: all of an element's own, cut off after some KiB, as it ends. */
struct xml_handler {
    int (*begin)(void *arg,
                 const struct xml_element *element,
                 struct mapcore_error *err);
    int (*end)(void *arg,
               const char *name,
               const char *text,
               const struct edge_place *place,
               struct mapcore_error *err);
};

/* Reads a whole document. Entities that it declares itself are refused.
 * Errors: EPARSE ("name:line: what"), those of the handler, EIO, ENOMEM;
 * ENOTSUP (built without expat). */
int xml_read(struct stream *stream,
             const struct xml_handler *handler,
             void *arg,
             struct mapcore_error *err);

#endif
