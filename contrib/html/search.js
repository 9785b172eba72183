// SPDX-License-Identifier: LGPL-2.1-or-later
// search.js - looks through INDEX, which stands above in the pages' copy of this file:
// [page, its title, heading or word, what it says, its id]
"use strict";
const MOST = 40;

const split = (text) => text.toLowerCase().split(/[^\w.@=-]+/).filter(Boolean);

// How well an entry fits; 0 if it lacks one of the words. Dashes need not be typed.
function score([, title, word, says], wanted) {
  const label = word.toLowerCase();
  const words = split(word);
  const rest = `${title} ${says}`.toLowerCase();
  let sum = says ? 6 : 0;
  for (const one of wanted) {
    const bare = (other) => other === one || other.replace(/^-+/, "") === one;
    const at = words.findIndex(bare);
    if (bare(label)) sum += 16;
    else if (at >= 0) sum += at === 0 ? 12 : 8;
    else if (words.some((other) => other.startsWith(one))) sum += 4;
    else if (label.includes(one)) sum += 2;
    else if (rest.includes(one)) sum += 1;
    else return 0;
  }
  return sum;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function show(found, text) {
  found.replaceChildren();
  const wanted = split(text);
  if (wanted.length === 0) return;
  const fit = INDEX.map((entry, i) => [score(entry, wanted), i])
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  for (const [, i] of fit.slice(0, MOST)) {
    const [page, title, word, says, id] = INDEX[i];
    const link = element("a", "");
    link.href = `${page}.html${id && "#" + id}`;
    link.append(element("span", word === title ? "" : title), element("b", word), element("small", says));
    found.append(link);
  }
  if (fit.length === 0) found.append(element("p", "Nothing has all of these words."));
  else if (fit.length > MOST) found.append(element("p", `${fit.length - MOST} more`));
}

const box = document.createElement("input");
const found = document.createElement("div");
box.type = "search";
box.placeholder = "Search options, keys, headings ( / )";
box.setAttribute("aria-label", "Search options, keys and headings");
found.id = "site-found";
found.setAttribute("aria-live", "polite");
document.getElementById("site-search").append(box, found);
box.value = new URLSearchParams(location.search).get("q") ?? "";
show(found, box.value);
box.addEventListener("input", () => show(found, box.value));
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
});
found.addEventListener("click", () => found.replaceChildren());
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "Escape") show(found, (box.value = ""));
});

const contents = document.querySelector(".toc");
if (contents && innerWidth < 1088) contents.open = false;
