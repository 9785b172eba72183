#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""see_page.py [--layout] FILE.html... - what a page is to those who do not look at it on a white
screen: a line for each thing that Chromium tells a screen reader, "ax ROLE NAME";
"contrast SCHEME RATIO TEXT" of the text that is hardest to read in light, in dark and
on paper; "scale SCHEME yes" where the colours of amounts go from light to dark without
turning back, so that they are distinct without hue; "focus N", what the keyboard
reaches; "pages N" of a PDF, which becomes FILE.html.pdf; "layout NAME WIDTH FAULT" where,
on a phone or a desk, the page is wider than the screen, or texts of a picture lie over one
another or outside it (--layout: that alone). By Chromium's DevTools over two pipes: no port
is opened."""
import base64
import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

JUDGE = """(() => {
  const light = c => { const [r, g, b] = c.map(v => { v /= 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const rgb = text => (text.match(/[0-9.]+/g) || [0, 0, 0]).slice(0, 3).map(Number);
  const ground = light(rgb(getComputedStyle(document.body).backgroundColor));
  let worst = [99, ''];
  for (const e of document.querySelectorAll('svg text, h1, h2, p, td, th, caption, small, a, code')) {
    if (!e.textContent.trim() || !e.getClientRects().length) continue;
    const s = getComputedStyle(e);
    const l = light(rgb(e.closest('svg') ? s.fill : s.color));
    const ratio = (Math.max(l, ground) + 0.05) / (Math.min(l, ground) + 0.05);
    if (ratio < worst[0]) worst = [ratio, e.textContent.trim().slice(0, 30)];
  }
  const scale = [];
  for (let i = 0; ; i++) {
    const e = document.createElement('i');
    e.style.color = `var(--c${i})`;
    document.body.append(e);
    const set = getComputedStyle(document.documentElement).getPropertyValue(`--c${i}`);
    if (set) scale.push(light(rgb(getComputedStyle(e).color)));
    e.remove();
    if (!set) break;
  }
  const up = scale.every((v, i) => i == 0 || v > scale[i - 1]);
  const down = scale.every((v, i) => i == 0 || v < scale[i - 1]);
  return [worst[0].toFixed(1), worst[1], scale.length > 2 && (up || down) ? 'yes' : 'no'];
})()"""
# Texts may touch by a quarter of their height, which letters leave free.
LAYOUT = """(() => {
  const faults = [], wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) {
    const cause = [...document.body.querySelectorAll('*')].find(e =>
      e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('figure, .wide, pre, .picture'));
    faults.push(`${wide} pixels wide: ${cause ? cause.outerHTML.slice(0, 60) : ''}`);
  }
  for (const svg of document.querySelectorAll('svg')) {
    const all = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')]
      .filter(e => e.textContent.trim()).map(e => [e.textContent, e.getBoundingClientRect()]);
    texts.forEach(([text, a], i) => {
      if (a.left < all.left - 1 || a.right > all.right + 1 || a.bottom > all.bottom + 1)
        faults.push(`outside: ${text}`);
      for (const [other, b] of texts.slice(i + 1))
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > a.height / 4)
          faults.push(`over one another: ${text} / ${other}`);
    });
  }
  return faults.map(fault => fault.replace(/\\s+/g, ' '));
})()"""
WIDTHS = 375, 1180
FOCUS = "[...document.querySelectorAll('a[href], [tabindex]')].filter(e => e.tabIndex >= 0).length"


class Browser:
    """Chromium as a child that reads requests from 3 and answers on 4."""

    def __init__(self, home):
        there, self.requests = os.pipe()
        self.answers, back = os.pipe()

        def give():
            # Neither may be where the other one goes.
            high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (there, back)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.child = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
             "--remote-debugging-pipe", f"--user-data-dir={home}", "about:blank"],
            preexec_fn=give, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=home))
        os.close(there)
        os.close(back)
        self.number, self.session, self.rest = 0, None, b""

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 16)
            if not more:
                sys.exit("chromium has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            message = self.read()
            if message.get("id") == self.number:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]

    def wait(self, event):
        while self.read().get("method") != event:
            pass

    def open(self, url):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression,
                        returnByValue=True)["result"]["value"]

    def end(self):
        self.session = None
        self.ask("Browser.close")
        self.child.wait()


def lay_out(browser, path):
    """The faults of the layout of the page that is open."""
    for width in WIDTHS:
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=800,
                    deviceScaleFactor=1, mobile=False)
        for fault in browser.value(LAYOUT):
            print("layout", os.path.basename(path), width, fault)
    browser.ask("Emulation.clearDeviceMetricsOverride")


def see(browser, path):
    for node in browser.ask("Accessibility.getFullAXTree")["nodes"]:
        name = node.get("name", {}).get("value", "")
        if not node.get("ignored") and name:
            print("ax", node["role"]["value"], " ".join(name.split()))
    for scheme, media in (("light", "screen"), ("dark", "screen"), ("dark", "print")):
        browser.ask("Emulation.setEmulatedMedia", media=media,
                    features=[{"name": "prefers-color-scheme", "value": scheme}])
        ratio, text, ordered = browser.value(JUDGE)
        print("contrast", media if media == "print" else scheme, ratio, text)
        print("scale", media if media == "print" else scheme, ordered)
    print("focus", browser.value(FOCUS))
    pdf = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    pathlib.Path(path + ".pdf").write_bytes(pdf)
    print("pages", len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)))


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    seen = Browser(folder)
    layout_alone = "--layout" in sys.argv
    for name in sys.argv[2 if layout_alone else 1:]:
        seen.open(pathlib.Path(name).resolve().as_uri())
        lay_out(seen, name)
        if not layout_alone:
            see(seen, name)
    seen.end()
