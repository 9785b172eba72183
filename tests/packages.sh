#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# packages.sh - package recipes, by the rules of those they go to: Spack's and
# EasyBuild's files as Python, OpenHPC's spec file by the checks of its repository
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
command -v python3 >/dev/null || skip_all "no python3"
packages=$srcdir/../contrib/packages
[ -e "$packages/package.py.in" ] || skip_all "an installation has no recipes"

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for recipe in package.py topomap.eb openhpc/topomap.spec; do
    sed 's/@VERSION@/0.1.0/; s/@SHA256@/00/; s|@TARBALL_URL@|file:///topomap|' \
        "$packages/$recipe.in" >"$work/${recipe#*/}"
done

# What `eb --check-style' and the wiki of its style ask that can be seen in the text.
equal "EasyBuild: parameters that must be there, known ones, and lines of 120 letters" "" "$(python3 - "$work/topomap.eb" <<'END'
import ast
import sys
MUST = "easyblock name version homepage description toolchain sources checksums sanity_check_paths moduleclass"
KNOWN = MUST + " builddependencies dependencies configopts sanity_check_commands source_urls"
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
names = [node.targets[0].id for node in ast.parse(text).body if isinstance(node, ast.Assign)]
print(*sorted(set(MUST.split()) - set(names)), *sorted(set(names) - set(KNOWN.split())),
      *(n for n, line in enumerate(text.split("\n"), 1) if len(line) > 120 or line.rstrip() != line), sep="")
END
)"

# `spack style' is flake8 without F403, F405 and F821, at 99 letters.
if command -v flake8 >/dev/null; then
    equal "Spack: flake8 as spack style calls it" "" \
        "$(flake8 --isolated --extend-ignore F403,F405,F821 --max-line-length 99 "$work/package.py" 2>&1)"
else
    skip "Spack: flake8 as spack style calls it" "no flake8"
fi
equal "Spack: one class, of the name of its folder, with licence, version and the variants it asks for" \
    "Topomap license version variant variant depends_on" "$(python3 - "$work/package.py" <<'END'
import ast
import sys
with open(sys.argv[1], encoding="utf-8") as file:
    tree = ast.parse(file.read())
for node in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
    calls = [one.value.func.id for one in node.body
             if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
    print(node.name, *calls[:5])
END
)"

spec=$work/topomap.spec
equal "OpenHPC: nothing that its macros or its checks exclude" "" \
    "$(grep -nE '^(Source42|Source.*OHPC_macros|%changelog|DocDir|BuildRoot|%defattr)|%global.*PROJ_DELIM|[[:space:]]$' "$spec")"
equal "OpenHPC: macros, group and address are there" "1 2 1" \
    "$(grep -c '^%include %{_sourcedir}/OHPC_macros$' "$spec") $(grep -cE '^Group:.*%\{PROJ_NAME\}/rms$' "$spec") $(grep -c '^URL:' "$spec")"
if command -v rpmspec >/dev/null; then
    mkdir "$work/sources"
    cat >"$work/sources/OHPC_macros" <<'END'
%global PROJ_NAME ohpc
%global PROJ_DELIM -ohpc
%global OHPC_PUB /opt/ohpc/pub
%global OHPC_MODULES %{OHPC_PUB}/modulefiles
%global compiler_family gnu14
%global ohpc_setup_compiler :
%define PNAME TOPOMAP
END
    equal "OpenHPC: rpm reads it: two packages" "topomap-ohpc topomap-slurm-ohpc" \
        "$(rpmspec -q --qf '%{name}\n' --define "_sourcedir $work/sources" "$spec" 2>&1 | sort | xargs)"
else
    skip "OpenHPC: rpm reads it" "no rpmspec"
fi
{
    echo 'load() { :; }; source() { :; }'
    sed 's/^@test .* {$/t() {/' "$packages/openhpc/test"
} >"$work/test.sh"
equal "OpenHPC: the test is a script" "" "$(bash -n "$work/test.sh" 2>&1)"
equal "overrides for lintian say why" "" \
    "$(for file in "$packages"/debian/*.lintian-overrides "$packages"/debian/source/lintian-overrides; do
        head -n 1 "$file" | grep -q '^# ' || echo "$file"
    done)"
finish
