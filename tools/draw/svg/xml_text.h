/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xml_text.h - text of others as the text, or an attribute, of XML and HTML */
#ifndef TOOLS_DRAW_XML_TEXT_H
#define TOOLS_DRAW_XML_TEXT_H

#include <stdio.h>

/* Writes it so that it is shown and never obeyed: markup is escaped; control
 * characters, those that turn the direction of text, bytes that are no UTF-8
 * and what XML 1.0 has no place for become a ?. */
void xml_text_write(FILE *file, const char *text);

#endif
