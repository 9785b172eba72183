# SPDX-License-Identifier: LGPL-2.1-or-later
"""html_pages.py FOLDER [TEXT...] - what is wrong with the pages that make html made, a
line each, with a word for its kind: form, link, macro, quote, path (a TEXT that stands in
a page)"""
import html.parser
import json
import os
import re
import sys

VOID = "area base br col embed hr img input link meta source track wbr".split()
# These end a paragraph inside any other element.
BLOCKS = "h1 h2 h3 p ul ol dl dt dd li pre table section div".split()
# Words of mdoc(7) that are no English.
MACROS = "Ar Bd Bl Cm Dl Dq Ed El Ev Fl Ic Nm Ns Oc Oo Op Pc Po Pp Pq Ql Sh Sq Ss Sx Xr".split()
LEAKS = re.compile(rf"(?<![\w.-])\.?({'|'.join(MACROS)})(?= [\w.,-]|$)|^\.[A-Z][a-z]\b|\\[a-z&(*]", re.MULTILINE)
folder, texts = sys.argv[1], sys.argv[2:]


class Reader(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.page, self.open, self.ids, self.links, self.said = page, [], set(), [], [""]

    def wrong(self, kind, what):
        print(f"{kind}: {self.page}:{self.getpos()[0]}: {what}")

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if len(given) != len(attrs):
            self.wrong("form", f"<{tag}> has an attribute twice")
        if "id" in given:
            if given["id"] in self.ids or not given["id"] or " " in given["id"]:
                self.wrong("form", f"id {given['id']!r}")
            self.ids.add(given["id"])
        if tag == "img" and not given.get("alt"):
            self.wrong("form", "<img> without alt")
        self.links += [(given[name], self.getpos()[0]) for name in ("href", "src") if name in given]
        if tag in BLOCKS:
            self.block()
            if any(one in ("p", "h1", "h2", "h3") for one in self.open):
                self.wrong("form", f"<{tag}> inside of {' '.join(self.open)}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong("form", f"</{tag}> closes what is not open")
        if tag in BLOCKS:
            self.block()

    def handle_data(self, data):
        if not {"pre", "script", "style"} & set(self.open):
            self.said[0] += data

    def block(self):
        """Judges the text since the last block began or ended."""
        text, self.said[0] = self.said[0], ""
        inside = False
        for mark in re.findall("[‘’]", text):
            if (mark == "‘") == inside:
                self.wrong("quote", " ".join(text.split())[:70])
                break
            inside = mark == "‘"
        for leak in LEAKS.finditer(text):
            self.wrong("macro", f"{leak[0]} in: " + " ".join(text.split())[:70])


pages = {}
for where, _, files in os.walk(folder):
    for file in files:
        page = os.path.relpath(os.path.join(where, file), folder)
        with open(os.path.join(folder, page), encoding="utf-8") as opened:
            whole = opened.read()
        for text in texts:
            if text in whole:
                print(f"path: {page}:1: {text}")
        pages[page] = reader = Reader(page)
        if page.endswith(".html"):
            reader.feed(whole)
            reader.close()
            if reader.open:
                reader.wrong("form", f"not closed: {' '.join(reader.open)}")
for page, reader in sorted(pages.items()):
    for link, line in reader.links:
        to, _, name = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), to)) if to else page
        if re.match(r"\w+:|/", to) or target not in pages or (name and name not in pages[target].ids):
            print(f"link: {page}:{line}: {link}")
with open(os.path.join(folder, "search.js"), encoding="utf-8") as opened:
    index = json.loads(opened.readline()[len("const INDEX = ") :].rstrip(";\n"))
for page, _, word, _, name in index:
    if f"{page}.html" not in pages or (name and name not in pages[f"{page}.html"].ids):
        print(f"link: search.js: {word}: {page}#{name}")
