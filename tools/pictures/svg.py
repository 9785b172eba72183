# SPDX-License-Identifier: LGPL-2.1-or-later
"""Elements of SVG, amounts with their units, and the scale of colours.

What a picture looks like is said by classes: look.css has the colours by light,
in the dark and on paper. The scale is viridis (van der Walt and Smith, 2015),
whose lightness alone orders it: colour-blind people and grey printers tell its
steps apart. What is most stands out from the ground, hence it is turned round in
the dark.
"""
import math
import os

READABLE = 0.75  # of its size a picture in a page has at least; beyond, it scrolls
STEPS = 16  # of the scale: classes c0 (least) to c15 fill, l0 to l15 draw lines
LEGEND_HEIGHT, LEGEND_BAR, LEGEND_MARKS = 256, 16, 4
LEGEND_CLEAR = 0.05  # of its height, around the ends, has no other value
RATE_LEAST = 1e6  # a capacity below is a number by which links compare
TEN_HOURS = 36000

VIRIDIS = ("fde725", "d2e21b", "a5db36", "7ad151", "54c568", "35b779", "22a884", "1f988b",
           "23888e", "2a788e", "31688e", "39568c", "414487", "472f7d", "481a6c", "440154")
# Without the darkest fifth, which would not be seen there.
VIRIDIS_IN_THE_DARK = ("3f4888", "39568c", "33648e", "2d718e", "287e8e", "228a8e", "1f978b",
                       "21a386", "2baf7f", "3ebb74", "57c666", "74cf54", "96d740", "b8de2a",
                       "dbe31d", "fde725")


def beside(name):
    """The text of a file beside this one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, encoding="utf-8") as file:
        return file.read()


def look():
    """The style of all pictures."""
    def scale(colours):
        return "".join(f"--c{i}:#{colour};" for i, colour in enumerate(colours))
    steps = "".join(f".c{i}{{fill:var(--c{i})}}.l{i}{{stroke:var(--c{i});fill:none}}"
                    for i in range(STEPS))
    return "\n" + beside("look.css").replace("/*light*/", scale(VIRIDIS)).replace(
        "/*dark*/", scale(VIRIDIS_IN_THE_DARK)) + steps + "\n"


def script():
    """Tells what is pointed at in a matrix whose cells are too many for a title
    each."""
    return f"\n<script>//<![CDATA[\n{beside('cells.js')}//]]></script>\n"


# --- text and amounts

ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def shown(character):
    """Not control characters, those that turn the direction of text, surrogates,
    and what XML 1.0 has no place for."""
    point = ord(character)
    return (point >= 0x20 and not 0x7f <= point <= 0x9f and not 0x200e <= point <= 0x200f
            and not 0x2028 <= point <= 0x202e and not 0x2066 <= point <= 0x2069
            and not 0xd800 <= point <= 0xdfff and point & 0xfffe != 0xfffe)


def escape(text):
    """Text of others as that of XML or HTML: shown, and never obeyed."""
    if text.isascii() and text.isalnum():
        return text
    return "".join(ESCAPES.get(c) or (c if shown(c) else "?") for c in text)


def quantity(value, units, zero):
    """Three digits and the largest unit that leaves some before the point."""
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0" + zero
    size, name = units[0]
    for larger in units[1:]:
        if abs(value) >= 0.9995 * larger[0]:
            size, name = larger
    return f"{value / size:.3g}{name}"


def powers(names):
    return [(1000.0 ** i, name) for i, name in enumerate(names)]


BYTES = powers((" B", " kB", " MB", " GB", " TB", " PB", " EB"))
COUNTS = powers(("", " k", " M", " G", " T", " P", " E"))
SECONDS = [(1e-9, " ns"), (1e-6, " us"), (1e-3, " ms"), (1.0, " s")]


def amount(value, unit):
    """value in bytes, messages, seconds, or plain numbers, as people write it."""
    if unit == "bytes":
        return quantity(value, BYTES, " B")
    if unit != "seconds":
        return quantity(value, COUNTS, "")
    if math.isfinite(value) and value >= TEN_HOURS:
        return f"{value / 3600:.0f} h"
    if math.isfinite(value) and value >= 999.5:
        return f"{value:.0f} s"
    return quantity(value, SECONDS, " s")


def plural(n):
    return "" if n == 1 else "s"


# --- colours

def bound(step):
    return STEPS - 1 if step >= STEPS else int(step) if step > 0 else 0


def log_step(value, least, most):
    """The step of a value on a scale from least (> 0) to most, logarithmically."""
    if most <= least:
        return STEPS - 1
    return bound(STEPS * math.log(value / least) / math.log(most / least))


def even_step(value, most):
    """The same from 0 to most, evenly."""
    return 0 if most <= 0 else bound(STEPS * value / most)


# --- ticks

def ticks(most, n, unit=None):
    """At most n round numbers, 1, 2 or 5 times a power of ten apart, from 0 (left out) to
    most. Bytes and messages are whole."""
    if not 0 < most < math.inf:
        return []
    if unit in ("bytes", "messages"):
        n = max(1, min(n, int(most)))
    step = 10.0 ** math.floor(math.log10(most / n))
    step *= next(factor for factor in (1, 2, 5, 10, 20) if factor * step * (n + 1) > most)
    return [i * step for i in range(1, n + 1) if i * step <= most * (1 + 1e-9)]


def log_ticks(least, most):
    """Powers of ten between the ends, at most LEGEND_MARKS + 1; within less than two of them
    also 2 and 5 times such."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    apart = -(-(last - first) // (LEGEND_MARKS + 1))
    factors = (1, 2, 5) if most < 100 * least else (1,)
    return [factor * 10.0 ** i for i in range(first, last + 1, apart) for factor in factors
            if least < factor * 10.0 ** i < most]


# --- elements

def number(value):
    """With at most a decimal, as coordinates are written."""
    return f"{math.copysign(math.floor(abs(value) * 10 + 0.5) / 10, value):.7g}"


class Svg:
    """Pictures, element by element. on_page: they stand in a page of HTML, which
    has the style and the script. Lengths are pixels; a tip is text that is shown
    where one points."""

    def __init__(self, on_page=False):
        self.on_page, self.out, self.npictures, self.has_script = on_page, [], 0, False

    def put(self, text):
        self.out.append(text)

    def begin(self, width, height, title, description):
        self.npictures += 1
        self.has_script = False
        i, w, h = self.npictures, number(width), number(height)
        least = f' style="min-width:{number(READABLE * width)}px"' if self.on_page else ""
        self.put(f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="img" '
                 f'aria-labelledby="t{i} d{i}" viewBox="0 0 {w} {h}" width="{w}" height="{h}"'
                 f'{least}>\n'
                 f'<title id="t{i}">{escape(title)}</title>\n'
                 f'<desc id="d{i}">{escape(description)}</desc>\n')
        if not self.on_page:
            self.put(f"<style>{look()}</style>\n")
            self.rect(0, 0, width, height, "ground")

    def end(self):
        if self.has_script and not self.on_page:
            self.put(script())
        self.put("</svg>\n")

    def group(self, x, y):
        """Until end_group all stands that far to the right and down."""
        self.put(f'<g transform="translate({number(x)} {number(y)})">\n')

    def end_group(self):
        self.put("</g>\n")

    def shape(self, element, attributes, look_class, tip):
        end = "/>\n" if tip is None else f"><title>{escape(tip)}</title></{element}>\n"
        self.put(f'<{element} {attributes} class="{look_class}"{end}')

    def rect(self, x, y, width, height, look_class, tip=None):
        self.shape("rect", f'x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                   f'height="{number(height)}"', look_class, tip)

    def circle(self, x, y, radius, look_class, tip=None):
        self.shape("circle", f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"',
                   look_class, tip)

    def line(self, x1, y1, x2, y2, width, look_class, tip=None):
        self.shape("path", f'd="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" '
                   f'stroke-width="{number(width)}"', look_class, tip)

    def bow(self, x1, x2, y, rise, width, look_class, tip):
        """A curve over a level line, half as high as rise."""
        self.shape("path", f'd="M{number(x1)} {number(y)}Q{number((x1 + x2) / 2)} '
                   f'{number(y - rise)} {number(x2)} {number(y)}" '
                   f'stroke-width="{number(width)}"', look_class, tip)

    def text(self, x, y, look_class, text):
        self.put(f'<text x="{number(x)}" y="{number(y)}" class="{look_class}">'
                 f'{escape(text)}</text>\n')

    def legend(self, title, least, most, unit, is_log=False):
        """The steps with round values beside them, and least and most at the ends."""
        step = LEGEND_HEIGHT / STEPS
        lines = title.split("/ ")
        for i, line in enumerate(lines):
            self.text(0, -9 - 14 * (len(lines) - 1 - i), "sub", f"/ {line}" if i else line)
        if most <= 0 or (is_log and most <= least):
            self.rect(0, 0, LEGEND_BAR, step, f"c{STEPS - 1}" if most > 0 else "free")
            self.text(LEGEND_BAR + 8, step - 3, "tick", amount(most, unit))
            return
        for i in range(STEPS):
            self.rect(0, LEGEND_HEIGHT - (i + 1) * step, LEGEND_BAR, step + 0.2, f"c{i}")
        ends = [least, most] if is_log else [0, most]
        marks = log_ticks(least, most) if is_log else ticks(most, LEGEND_MARKS, unit)
        for i, value in enumerate(ends + marks):
            share = math.log(value / least) / math.log(most / least) if is_log else value / most
            if i > 1 and not LEGEND_CLEAR < share < 1 - LEGEND_CLEAR:
                continue
            y = LEGEND_HEIGHT * (1 - share)
            self.line(LEGEND_BAR, y, LEGEND_BAR + 4, y, 1, "axis")
            self.text(LEGEND_BAR + 8, y + 4, "tick", amount(value, unit))
        self.text(0, LEGEND_HEIGHT + 20, "small", "logarithmic scale" if is_log else "")
