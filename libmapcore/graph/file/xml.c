/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xml.c - XML through expat: a chunk at a time, so that a document of any
 * length takes little memory */
#include "config.h"

#include "graph/file/xml.h"

#include <string.h>

const char *xml_attribute(const struct xml_element *element, const char *name)
{
    for (const char *const *at = element->attribute; *at; at += 2)
        if (strcmp(at[0], name) == 0)
            return at[1];
    return NULL;
}

#if HAVE_EXPAT

#include <expat.h>
#include <stdint.h>

enum {
    CHUNK = 1 << 16,
    TEXT_MOST = 1 << 12,
    DEPTH_MOST = 1 << 8,
    /* A comment, or an element with its attributes. Expat has all of one in
     * memory, and older releases read it anew with each chunk. */
    TOKEN_MOST = 1 << 20,
};

struct xml_state {
    XML_Parser parser;
    const struct stream *stream;
    const struct xml_handler *handler;
    void *arg;
    struct mapcore_error *err;
    int error;
    unsigned depth;
    int64_t given, token; /* bytes; where the last token that is seen begins */
    char text[TEXT_MOST];
    size_t ntext;
};

/* Newer releases of Expat warn of the older name, older ones lack the newer. */
#if HAVE_DECL_XML_GETCURRENTLINENUMBER64
#define current_line XML_GetCurrentLineNumber64
#else
#define current_line XML_GetCurrentLineNumber
#endif

static struct edge_place here(const struct xml_state *state)
{
    return (struct edge_place){state->stream->name,
                               current_line(state->parser)};
}

static void stop(struct xml_state *state, int error)
{
    if (state->error == 0 && error < 0) {
        state->error = error;
        (void)XML_StopParser(state->parser, XML_FALSE);
    }
}

static const char *local_name(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon + 1 : name;
}

static void XMLCALL begin(void *arg, const XML_Char *name, const XML_Char **at)
{
    struct xml_state *state = arg;
    const struct xml_element element = {local_name(name),
                                        (const char *const *)at, here(state)};

    if (state->error < 0)
        return;
    state->ntext = 0;
    if (++state->depth > DEPTH_MOST)
        stop(state, edge_place_error(&element.place, state->err, MAPCORE_EPARSE,
                                     "more than %d elements in one another",
                                     DEPTH_MOST));
    else
        stop(state, state->handler->begin(state->arg, &element, state->err));
}

static void XMLCALL end(void *arg, const XML_Char *name)
{
    struct xml_state *state = arg;
    const struct edge_place place = here(state);

    if (state->error < 0)
        return;
    state->depth--;
    state->text[state->ntext] = '\0';
    stop(state, state->handler->end(state->arg, local_name(name), state->text,
                                    &place, state->err));
    state->ntext = 0;
}

static void XMLCALL add_text(void *arg, const XML_Char *text, int length)
{
    struct xml_state *state = arg;
    size_t n = (size_t)length, room = TEXT_MOST - 1 - state->ntext;

    if (n > room)
        n = room;
    memcpy(state->text + state->ntext, text, n);
    state->ntext += n;
}

/* Entities may stand for others, and so a few lines for gigabytes. */
static void XMLCALL refuse_entity(void *arg,
                                  const XML_Char *name,
                                  int is_parameter,
                                  const XML_Char *value,
                                  int length,
                                  const XML_Char *base,
                                  const XML_Char *system,
                                  const XML_Char *public_id,
                                  const XML_Char *notation)
{
    struct xml_state *state = arg;
    const struct edge_place place = here(state);

    (void)is_parameter, (void)value, (void)length, (void)base, (void)system;
    (void)public_id, (void)notation;
    if (state->error == 0)
        stop(state, edge_place_error(&place, state->err, MAPCORE_EPARSE,
                                     "it declares the entity '%.40s': such "
                                     "files are not read",
                                     name));
}

/* Errors: EPARSE where what is read last is all one token. */
static int check_token(struct xml_state *state, size_t n)
{
    const struct edge_place place = here(state);
    int64_t at = XML_GetCurrentByteIndex(state->parser);

    state->given += (int64_t)n;
    if (at >= 0)
        state->token = at;
    return state->given - state->token <= TOKEN_MOST
               ? 0
               : edge_place_error(&place, state->err, MAPCORE_EPARSE,
                                  "a comment, element or other token of more "
                                  "than %d bytes",
                                  TOKEN_MOST);
}

static int read_chunks(struct xml_state *state, struct stream *stream)
{
    size_t got = CHUNK;

    while (got == CHUNK) {
        void *chunk = XML_GetBuffer(state->parser, CHUNK);
        int error;

        if (!chunk)
            return error_set(state->err, MAPCORE_ENOMEM, "out of memory");
        error = stream_read(&got, stream, chunk, CHUNK, state->err);
        if (error < 0)
            return error;
        if (XML_ParseBuffer(state->parser, (int)got, got < CHUNK) !=
            XML_STATUS_OK) {
            const struct edge_place place = here(state);

            return state->error < 0
                       ? state->error
                       : edge_place_error(
                             &place, state->err, MAPCORE_EPARSE, "not XML: %s",
                             XML_ErrorString(XML_GetErrorCode(state->parser)));
        }
        if ((error = check_token(state, got)) < 0)
            return error;
    }
    return state->error;
}

int xml_read(struct stream *stream,
             const struct xml_handler *handler,
             void *arg,
             struct mapcore_error *err)
{
    struct xml_state state = {.parser = XML_ParserCreate(NULL),
                              .stream = stream,
                              .handler = handler,
                              .arg = arg,
                              .err = err};
    int error;

    if (!state.parser)
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    XML_SetUserData(state.parser, &state);
    XML_SetElementHandler(state.parser, begin, end);
    XML_SetCharacterDataHandler(state.parser, add_text);
    XML_SetEntityDeclHandler(state.parser, refuse_entity);
    error = read_chunks(&state, stream);
    XML_ParserFree(state.parser);
    return error;
}

#else

int xml_read(struct stream *stream,
             const struct xml_handler *handler,
             void *arg,
             struct mapcore_error *err)
{
    (void)handler, (void)arg;
    return error_set(err, MAPCORE_ENOTSUP,
                     "%s: it is XML, and this topomap was built without expat, "
                     "which reads it",
                     stream->name);
}

#endif
