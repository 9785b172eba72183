#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# html.sh - the pages of make html: all manuals are there, each link leads somewhere, no
# macro and no path of this machine shows, and the search finds options without a network
set -u
: "${srcdir:=$(cd "$(dirname "$0")" && pwd)}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE:?}" "${STAGE_TOPOMAP:?}"
command -v mandoc >/dev/null || skip_all "no mandoc"
python=${PYTHON:-python3}
"$python" -c '' 2>/dev/null || skip_all "no python3"
top=$(cd "$srcdir/.." && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-html.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

pages() { "$python" "$top/contrib/html/make.py" "$top" "$@"; }

if said=$(umask 077 && pages "$work/html" "$STAGE_TOPOMAP" 2>&1); then
    ok "the pages are made"
else
    not_ok "the pages are made" "$said"
    finish
    exit
fi
equal "nothing else is left in the folder around them" html "$(ls -A "$work")"
equal "each manual has a page" "$(cd "$top" && find libmapcore profiles tools plugin contrib/libtopomap-cart \
    -name '*.[1-8]' -exec basename {} \; | sort)" \
    "$(cd "$work/html" && printf '%s\n' *.[1-8].html | sed 's/\.html$//' | sort)"
equal "each has a line in the first page" "" \
    "$(cd "$work/html" && for page in *.[1-8].html; do
        grep -q "^<dt><a href=\"$page\">.*</a></dt><dd>..*</dd>" index.html || echo "$page"
    done)"

judged() { "$python" "$srcdir/html_pages.py" "$1" "$top" "$STAGE" "$work" "${TREE:-$STAGE}"; }
judged "$work/html" >"$work/wrong" || not_ok "the judge of the pages ends well"
while read -r kind name; do
    equal "$name" "" "$(grep "^$kind: " "$work/wrong")"
done <<'KINDS'
form the pages are well formed, and ids stand once
link all links and what the search finds are there
macro no macro shows
quote quotes are closed in their sentence
path no path of this machine shows
KINDS

# The judge sees what it is there for.
mkdir "$work/bad"
cp "$work"/html/*.js "$work/bad"
cat >"$work/bad/index.html" <<BAD
<p>As in .Xr topomap 1 and ‘app:16, ‘name.<h2 id="a">Heading</h2></p><b>
<a href="none.html">$top</a> <a href="#b">b</a> <i id="a">i</i>
BAD
equal "a bad page would be seen" "form form form link link macro path quote" \
    "$(judged "$work/bad" | sed -n 's/^\([a-z]*\): index.html:.*/\1/p' | sort | tr '\n' ' ' | sed 's/ $//')"

# Without mandoc; into a folder of somebody else's.
mkdir "$work/empty" "$work/others"
touch "$work/others/file"
real=$("$python" -c 'import sys; print(sys.executable)')
said=$(PATH=$work/empty "$real" "$top/contrib/html/make.py" "$top" "$work/none" "$STAGE_TOPOMAP" 2>&1)
equal "without mandoc one line says so" \
    "1 make html: mandoc, which reads the manuals, is not installed (Debian: mandoc)" "$? $said"
said=$(pages "$work/others" "$STAGE_TOPOMAP" 2>&1)
equal "a folder of others stays" \
    "1 make html: $work/others is there, and is not of make html: it stays as it is" "$? $said"
said=$(pages "$work/html" /bin/false 2>&1)
equal "a topomap that draws nothing is an error" "1 make html: topomap draw matrix" \
    "$? $(printf '%s' "$said" | cut -c1-30)"
equal "and none of them changes anything" "bad empty html others others/file wrong" \
    "$(cd "$work" && echo * others/* | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')"

if command -v chromium >/dev/null; then
    HOME=$work timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" \
        --dump-dom "file://$work/html/news.html?q=tasks-per-node" >"$work/dom" 2>/dev/null
    contains "the search finds an option, and where it is described" \
        "$(tr '>' '\n' <"$work/dom")" '<a href="topomap-map.1.html#tasks-per-node"'
    if timeout 240 "$python" -B "$srcdir/programs/see_page.py" --layout "$work"/html/*.html "$work"/html/gallery/*.html \
        >"$work/laid" 2>&1; then
        equal "no page is wider than a phone" "" "$(cat "$work/laid")"
    else
        not_ok "no page is wider than a phone" "$(tail -n 3 "$work/laid")"
    fi
else
    skip "the search, and the layout" "no chromium"
fi
finish
