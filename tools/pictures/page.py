# SPDX-License-Identifier: LGPL-2.1-or-later
"""What pages of HTML are made of: the head, tables, figures. A page needs nothing beside
it, and is well-formed XML."""
from svg import escape

HEAD = """<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"/>
<title>{name} - topomap</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">To the figures</a>
"""


NUMBER = ' class="n"'


def put_table(svg, caption, head, rows):
    """head: (text, is_number) of each column; rows of cells of HTML."""
    svg.put(f'<div class="wide"><table><caption>{caption}</caption>\n<thead><tr>')
    for text, is_number in head:
        svg.put(f'<th scope="col"{NUMBER if is_number else ""}>{escape(text)}</th>')
    svg.put("</tr></thead><tbody>\n")
    for row in rows:
        svg.put(f"<tr>{''.join(row)}</tr>\n")
    svg.put("</tbody></table></div>\n")


def cell(text, is_number=False):
    return f"<td{NUMBER if is_number else ''}>{escape(text)}</td>"
