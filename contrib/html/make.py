#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""make.py - README, manuals, NEWS, SECURITY and HACKING as pages of HTML that link one
another, a gallery of what topomap draws (the file gallery), and an index for search.js

usage: make.py SOURCES FOLDER TOPOMAP

SOURCES is the top of the sources, FOLDER is made anew, TOPOMAP is the topomap of an
installation. Nothing comes from a network, neither here nor in a reader's browser.
"""
import html
import html.parser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOMS = "libmapcore profiles tools plugin contrib/libtopomap-cart".split()
SECTIONS = {"1": "Commands", "3": "Libraries", "5": "Files", "7": "Background and administration", "8": "The plugin"}
TEXTS = {"news": "NEWS", "security": "SECURITY", "hacking": "contrib/HACKING"}  # and README
NAVIGATION = {"index.html": "topomap", "index.html#Manuals": "Manuals", "gallery.html": "Gallery"}
NAVIGATION.update((f"{name}.html", name.title()) for name in TEXTS)
LOWER = {"h1": "h2", "h2": "h3"}
# Headings of every manual, which are no use in a search.
COMMON = "NAME SYNOPSIS DESCRIPTION EXIT_STATUS EXAMPLES SEE_ALSO FILES ENVIRONMENT".split()


def fail(sentence):
    sys.exit(f"make html: {sentence}")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(text, *path):
    with open(os.path.join(*path), "w", encoding="utf-8") as out:
        out.write(text)


def run(words, folder=None):
    """Runs a command, with nothing of the user's settings of topomap."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("TOPOMAP")}
    return subprocess.run(words, cwd=folder, env=ours, capture_output=True, check=False, encoding="utf-8")


def plain(text):
    return " ".join(text.split())


def shorten(text):
    return text if len(text) <= 100 else text[:100].rsplit(" ", 1)[0] + " ..."


class Page:
    """A page's body, its table of contents, and what it adds to the index."""

    def __init__(self, name, title, about=""):
        self.name, self.title, self.about = name, title, about
        self.body, self.contents, self.found, self.ids = [], [], [], set()

    def add(self, text):
        self.body.append(text)

    def heading(self, level, text):
        name = self.new_id(text)
        self.add(f'<h{level} id="{name}">{html.escape(text)}</h{level}>\n')
        self.contents.append((level, name, text))
        self.found.append([text, "", name])

    def new_id(self, text):
        base = re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")[:40] or "item"
        name, n = base, 1
        while name in self.ids:
            n += 1
            name = f"{base}-{n}"
        self.ids.add(name)
        return name

    def whole(self, version):
        links = "".join(f'<a href="{where}">{word}</a>\n' for where, word in NAVIGATION.items())
        links = links.replace(f'"{self.name}.html"', f'"{self.name}.html" aria-current="page"')
        contents = "".join(
            f'<li class="l{level}"><a href="#{name}">{html.escape(text)}</a></li>\n'
            for level, name, text in self.contents
        )
        contents = f'<details class="toc" open>\n<summary>On this page</summary>\n<ul>\n{contents}</ul>\n</details>\n'
        contents *= len(self.contents) > 3  # few need no list
        about = f'<p class="about">{html.escape(self.about)}</p>\n' if self.about else ""
        title = html.escape(self.title)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}{'' if self.name == 'index' else ' - topomap'}</title>\n"
            '<link rel="stylesheet" href="style.css">\n<script src="search.js" defer></script>\n</head>\n'
            f'<body>\n<header>\n<nav aria-label="Pages">\n{links}</nav>\n<div id="site-search" role="search"></div>\n'
            f'</header>\n<div class="sides">\n{contents}<main>\n<h1>{title}</h1>\n{about}{"".join(self.body)}'
            f"</main>\n</div>\n<footer>topomap {html.escape(version)}</footer>\n</body>\n</html>\n"
        )


class Manual(html.parser.HTMLParser):
    """mandoc's fragment into a page: without its head and foot, headings one level down,
    links only to what is there, an id for each item of a list of tags."""

    def __init__(self, page, headings):
        super().__init__()
        self.page, self.headings = page, headings
        self.dropped = 0  # depth of tables in head or foot
        self.texts = []  # of open headings, items and ids: [tag, id, text, of a <dt> or <dd>: which]
        self.item = None  # of the index, which the next <dd> explains
        self.links = []  # what ends each open <a>

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        if self.dropped or (tag == "table" and given.get("class") in ("head", "foot")):
            self.dropped += tag == "table"
            return
        if given.get("id"):
            self.texts.append([tag, given["id"], "", None])
        elif tag in ("dt", "dd"):
            self.texts.append([tag, None, "", len(self.page.body) if tag == "dt" else self.item])
            self.item = None
        if tag == "a":
            given["href"] = self.target(given.get("href", ""))
            if not given["href"]:
                del given["href"]
                tag = "span"
            self.links.append(tag)
        words = "".join(f' {name}="{html.escape(value)}"' for name, value in given.items())
        self.page.add(f"<{LOWER.get(tag, tag)}{words}>")

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        if self.dropped:
            self.dropped -= tag == "table"
            return
        if self.texts and self.texts[-1][0] == tag:
            self.named(*self.texts.pop())
        tag = self.links.pop() if tag == "a" else LOWER.get(tag, tag)
        self.page.add(f"</{tag}>")

    def target(self, to):
        """Where a link leads: also to a section of another manual, if only one has it."""
        page, _, name = to.partition("#")
        if not page and name in self.page.ids:
            return to
        if page:
            return to if page[: -len(".html")] in self.headings[""] else ""
        others = self.headings.get(name, [])
        return f"{others[0]}.html{to}" if len(others) == 1 else ""

    def named(self, tag, name, text, of):
        text = plain(text)
        if self.texts:
            self.texts[-1][2] += f" {text} "
        if tag == "dd":
            if of:
                of[1] = shorten(text)
            return
        if tag in ("h1", "h2"):
            self.page.contents.append((2 if tag == "h1" else 3, name, text))
            if name in COMMON:
                return
        if tag == "dt" and not name and text:
            name = self.page.new_id(text)
            self.page.body[of] = f'<dt id="{name}">'
        if tag in ("p", "li"):  # has the id of the word that it explains
            self.page.found.append([name.split("~")[0], shorten(text), name])
        elif text:
            self.page.found.append([text, "", name])
            if tag == "dt":
                self.item = self.page.found[-1]

    def handle_data(self, data):
        if not self.dropped:
            self.page.add(html.escape(data, quote=False))
            if self.texts:
                self.texts[-1][2] += data


def manual_files(sources):
    """Manuals and where they are, by section: {"topomap-draw.1": path}."""
    found = {}
    for room in ROOMS:
        for folder, _, files in os.walk(os.path.join(sources, room)):
            found.update((file, os.path.join(folder, file)) for file in files if re.search(r"\.[1-8]$", file))
    return dict(sorted(found.items(), key=lambda item: (item[0][-1], item[0])))


def manual_pages(files):
    made, headings = {}, {"": list(files)}
    for name, file in files.items():
        ran = run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", file])
        if ran.returncode not in (0, 1, 2) or not ran.stdout:  # 1, 2: -T lint would warn
            fail(f"mandoc cannot read {file}: {plain(ran.stderr)}")
        made[name] = ran.stdout
        for heading in re.findall(r'<h[12] class="S[hs]" id="(.*?)"', ran.stdout):
            headings.setdefault(heading, []).append(name)
    for name, text in made.items():
        # The heading of the page says what NAME would.
        about = re.search(r'<span class="Nd">(.*?)</span>', text, re.DOTALL)
        text = re.sub(r'<section class="Sh">\s*<h1 class="Sh" id="NAME">.*?</section>', "", text, 1, re.DOTALL)
        page = Page(name, f"{name[:-2]}({name[-1]})", plain(html.unescape(about[1])) if about else "")
        page.ids.update(html.unescape(one) for one in re.findall(r' id="(.*?)"', text))
        page.found.append([page.title, page.about, ""])
        reader = Manual(page, headings)
        reader.feed(text)
        reader.close()
        yield page


def text_page(name, text, names):
    """A plain text: headings stand at the margin; lines in columns, or further in, stay as
    they are; the rest flows."""
    blocks = [block.split("\n") for block in re.split(r"\n\s*\n", text.rstrip())]
    title, _, about = blocks.pop(0)[0].partition(" - ")
    page = Page(name, title, about)
    margin = 0
    for lines in blocks:
        if len(lines) == 1 and re.match(r"[A-Z]{2}", lines[0]) and lines[0].split("(")[0].isupper():
            page.heading(2, lines.pop().capitalize())
        elif len(lines) > 1 and lines[0][0] != " " and re.match(r"  |- ", lines[1]):
            page.heading(2, lines.pop(0))
            margin = len(lines[0]) - len(lines[0].lstrip())
        flow(page, [line[margin:] if line[:margin].isspace() else line for line in lines], names)
    return page


def flow(page, lines, names):
    """A block of lines as paragraphs, items and what stays as it is."""
    parts = [("", [])]
    columns = any(re.match(r"\S.*([^ .:?] {2,}|\S {3,})\S", line) for line in lines)
    for line in lines:
        kind, before = parts[-1]
        item = re.match(r"(-|\d+\.) +(.*)", line)
        ended = kind == "p" and before[-1][-1] == "." and len(before[-1]) + len(line.split()[0]) < 76
        if item:
            parts.append(("ul" if item[1] == "-" else "ol", [item[2]]))
        elif kind in ("ul", "ol") and line[0] == " ":
            before.append(line.strip())
        elif columns or line[0] == " ":
            before.append(line) if kind == "pre" else parts.append(("pre", [line]))
        elif kind == "p" and not ended:
            before.append(line)
        else:
            parts.append(("p", [line]))
    for (last, _), (kind, content), (following, _) in zip(parts, parts[1:], parts[2:] + [("", [])]):
        if kind == "pre":
            indent = min(len(line) - len(line.lstrip()) for line in content)
            page.add(f"<pre>{inline(chr(10).join(line[indent:] for line in content), names, page)}</pre>\n")
        elif kind == "p":
            page.add(f"<p>{inline(' '.join(content), names, page)}</p>\n")
        else:
            begin, end = f"<{kind}>\n" * (last != kind), f"</{kind}>\n" * (following != kind)
            page.add(f"{begin}<li>{inline(' '.join(content), names, page)}</li>\n{end}")


def inline(text, names, page):
    """Text with its `words` marked, and its manuals and other texts linked."""

    def link(match):
        to = f"{match[1]}.{match[2]}" if match[1] else os.path.basename(match[0]).lower()
        return match[0] if to not in names or to == page.name else f'<a href="{to}.html">{match[0]}</a>'

    text = html.escape(text, quote=False)
    text = re.sub(r"\b([A-Za-z][\w.-]*)\(([1-8])\)|\b(?:contrib/HACKING|SECURITY|NEWS)\b", link, text)
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", text)


def add_manuals(page, manuals):
    page.heading(2, "Manuals")
    for number, heading in SECTIONS.items():
        page.heading(3, heading)
        page.add('<dl class="list">\n')
        for one in manuals:
            if one.name.endswith(number):
                page.add(f'<dt><a href="{one.name}.html">{one.title}</a></dt><dd>{html.escape(one.about)}</dd>\n')
        page.add("</dl>\n")


def gallery(sources, folder, topomap):
    """The pictures, each with the command that makes it."""
    page = Page("gallery", "Gallery", "what topomap draws, and the commands that draw it")
    page.add(
        "<p>Select a picture to see it alone: it then explains what is under the pointer. The recorded run is in"
        " the sources; its commands are for their folder <code>tests/recorded</code>.</p>\n"
    )
    os.mkdir(os.path.join(folder, "gallery"))
    blocks = re.sub("(?m)^#.*\n", "", read(HERE, "gallery")).strip().split("\n\n")
    for first, *seen, words in (block.split("\n") for block in blocks):
        file, heading = first.split(" ", 1)
        made = run([topomap, *shlex.split(words)], os.path.join(sources, "tests/recorded"))
        if made.returncode != 0:
            fail(f"topomap {words}: {plain(made.stderr)}")
        write(made.stdout, folder, "gallery", file)
        page.heading(2, heading)
        page.add(f"<p>{' '.join(seen)}</p>\n<pre>$ topomap {html.escape(words)} -o {file}</pre>\n")
        kind = "picture" if file.endswith(".svg") else "page"
        shown = f'<img src="gallery/{file}" alt="{heading}" loading="lazy">' if kind == "picture" else file
        page.add(f'<p class="{kind}"><a href="gallery/{file}">{shown}</a></p>\n')
    return page


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    sources, folder, topomap = (os.path.abspath(word) for word in sys.argv[1:])
    if not shutil.which("mandoc"):
        fail("mandoc, which reads the manuals, is not installed (Debian: mandoc)")
    if os.path.exists(folder) and not os.path.exists(os.path.join(folder, "search.js")):
        fail(f"{folder} is there, and is not of make html: it stays as it is")
    version = re.search(r"AC_INIT\(\[topomap\], \[(.*?)\]", read(sources, "configure.ac"))[1]
    files = manual_files(sources)
    names = {*files, *TEXTS, "gallery"}

    made = tempfile.mkdtemp(dir=os.path.dirname(folder), prefix=".html-")
    try:
        manuals = list(manual_pages(files))
        readme = text_page("index", read(sources, "README"), names)
        add_manuals(readme, manuals)
        pages = [text_page(name, read(sources, file), names) for name, file in TEXTS.items()]
        pages = [readme, gallery(sources, made, topomap), *pages, *manuals]
        for page in pages:
            write(page.whole(version), made, page.name + ".html")
        index = [[page.name, page.title, *entry] for page in pages for entry in page.found]
        table = f"const INDEX = {json.dumps(index, ensure_ascii=False)};\n"
        write(table + read(HERE, "search.js"), made, "search.js")
        shutil.copyfile(os.path.join(HERE, "style.css"), os.path.join(made, "style.css"))
        os.chmod(made, 0o755)
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(made, folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    print(f"{folder}: {len(pages)} pages")


if __name__ == "__main__":
    try:
        main()
    except OSError as cause:
        fail(f"{cause.filename}: {cause.strerror}" if cause.filename else cause.strerror)
