/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* look.c - colours, style and script of pictures. The scale is viridis (van der
 * Walt and Smith, 2015), whose lightness alone orders it, so that colour-blind
 * people and grey printers tell its steps apart; what is most stands out from
 * the ground, hence it is turned round in the dark. */
#include "config.h"

#include "tools/draw/svg/look.h"

#include <math.h>

const char *const look_fill[LOOK_STEPS] = {
    "c0", "c1", "c2",  "c3",  "c4",  "c5",  "c6",  "c7",
    "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15"};
const char *const look_stroke[LOOK_STEPS] = {
    "l0", "l1", "l2",  "l3",  "l4",  "l5",  "l6",  "l7",
    "l8", "l9", "l10", "l11", "l12", "l13", "l14", "l15"};

static const char *const viridis[LOOK_STEPS] = {
    "fde725", "d2e21b", "a5db36", "7ad151", "54c568", "35b779",
    "22a884", "1f988b", "23888e", "2a788e", "31688e", "39568c",
    "414487", "472f7d", "481a6c", "440154"};

/* Without the darkest fifth, which would not be seen there. */
static const char *const viridis_in_the_dark[LOOK_STEPS] = {
    "3f4888", "39568c", "33648e", "2d718e", "287e8e", "228a8e",
    "1f978b", "21a386", "2baf7f", "3ebb74", "57c666", "74cf54",
    "96d740", "b8de2a", "dbe31d", "fde725"};

static void write_scale(FILE *file, const char *const scale[LOOK_STEPS])
{
    for (int i = 0; i < LOOK_STEPS; i++)
        fprintf(file, "--c%d:#%s;", i, scale[i]);
}

void look_write(FILE *file)
{
    fputs("\n:root{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;"
          "--soft:#57606a;--faint:#d8dee4;--mark:#bf3989;--bar:#2a788e;",
          file);
    write_scale(file, viridis);
    fputs("}\n@media (prefers-color-scheme:dark){:root{--ground:#14181d;"
          "--ink:#e6edf3;--soft:#9da7b1;--faint:#343b44;--mark:#ff80bf;"
          "--bar:#35b7a9;",
          file);
    write_scale(file, viridis_in_the_dark);
    /* Paper is white whatever the screen is. */
    fputs("}}\n@media print{:root{--ground:#fff;--ink:#000;--soft:#333;"
          "--faint:#ccc;--mark:#a0146a;--bar:#2a788e;",
          file);
    write_scale(file, viridis);
    fputs(
        "}}\n.picture{font-family:system-ui,'DejaVu Sans',sans-serif;"
        "font-size:12px;fill:var(--ink);max-width:100%;height:auto}\n"
        ".ground{fill:var(--ground)}.paper{fill:var(--ground);"
        "stroke:var(--soft)}.none{fill:none}\n"
        ".head{font-size:15px;font-weight:600}.sub,.tick{fill:var(--soft)}"
        ".tick{font-size:11px}.end{text-anchor:end}.mid{text-anchor:middle}"
        ".small,.tiny{font-size:10px;fill:var(--soft)}.tiny{font-size:8px}\n"
        ".frame{fill:none;stroke:var(--soft)}.axis{stroke:var(--soft);"
        "fill:none}.grid{stroke:var(--faint);fill:none}"
        ".idle{stroke:var(--faint);fill:none}"
        ".box{fill:var(--ground);stroke:var(--soft)}"
        ".host{fill:var(--ink)}.empty{fill:var(--faint);"
        "stroke:var(--soft)}.free{fill:var(--faint)}"
        ".bar{fill:var(--bar)}.curve{stroke:var(--bar);fill:none}"
        "circle{stroke:var(--ground);stroke-width:.7}.mark{stroke:var(--mark);fill:none}.cells path{fill:none;"
        "stroke-width:1;shape-rendering:crispEdges}"
        ".hit{fill:transparent;pointer-events:all}"
        ".hit:focus{outline:none;stroke:var(--mark);stroke-width:2px}\n"
        "rect[class^=c]:hover,path[class^=l]:hover,circle[class^=c]:hover"
        "{stroke:var(--mark);stroke-opacity:1}\n",
        file);
    for (int i = 0; i < LOOK_STEPS; i++)
        fprintf(file, ".c%d{fill:var(--c%d)}.l%d{stroke:var(--c%d);fill:none}",
                i, i, i, i);
    putc('\n', file);
}

/* Cells of the upper triangle are `gap value` in base 36, row by row; it is
 * what svg_cells of matrix_cells.c writes. */
static const char script[] =
    "\n<script>//<![CDATA[\n"
    "(function(){'use strict';\n"
    "function amount(v,u){var p=['','k','M','G','T','P','E'],i=0;\n"
    " if(u==='s'){v/=1e9;return v<1e-3?(v*1e6).toPrecision(3)+' \\u00b5s':"
    "v<1?(v*1e3).toPrecision(3)+' ms':v.toPrecision(3)+' s'}\n"
    " while(v>=999.5&&i<6){v/=1000;i++}\n"
    " return Number(v.toPrecision(3))+' '+p[i]+(u==='B'?'B':' messages')}\n"
    "document.querySelectorAll('.cells').forEach(function(g){\n"
    " var hit=g.querySelector('.hit'),out=g.querySelector('.told'),"
    "mark=g.querySelector('.mark'),n=+g.dataset.n,size=+g.dataset.size,"
    "unit=g.dataset.unit,labels=g.dataset.labels.split('|'),rows=null,x=0,y=0;\n"
    " function read(){rows=g.dataset.cells.split(';').map(function(r){"
    "var m={},at=-1;if(r)r.split(',').forEach(function(c){var w=c.split(' ');"
    "at+=parseInt(w[0],36);m[at]=parseInt(w[1],36)});return m})}\n"
    " function tell(){if(!rows)read();var a=Math.min(x,y),b=Math.max(x,y),"
    "v=rows[a]&&rows[a][b]||0;\n"
    "  mark.setAttribute('x',x);mark.setAttribute('y',y);"
    "mark.removeAttribute('visibility');\n"
    "  out.textContent=labels[y]+(a===b?', inside':' with '+labels[x])+': '+"
    "(v?amount(v,unit):'nothing')}\n"
    " hit.addEventListener('mousemove',function(e){"
    "var r=hit.getBoundingClientRect();\n"
    "  x=Math.max(0,Math.min(n-1,Math.floor((e.clientX-r.left)/r.width*n)));"
    "y=Math.max(0,Math.min(n-1,Math.floor((e.clientY-r.top)/r.height*n)));"
    "tell()});\n"
    " hit.addEventListener('keydown',function(e){var d={ArrowLeft:[-1,0],"
    "ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[e.key];if(!d)return;\n"
    "  x=Math.max(0,Math.min(n-1,x+d[0]));y=Math.max(0,Math.min(n-1,y+d[1]));"
    "tell();e.preventDefault()});\n"
    " hit.addEventListener('focus',tell)})})();\n"
    "//]]></script>\n";

void look_write_script(FILE *file)
{
    fputs(script, file);
}

static unsigned bound(double step)
{
    return step >= LOOK_STEPS ? LOOK_STEPS - 1 : step > 0 ? (unsigned)step : 0;
}

unsigned look_log_step(double value, double least, double most)
{
    return most <= least
               ? LOOK_STEPS - 1
               : bound(LOOK_STEPS * log(value / least) / log(most / least));
}

unsigned look_even_step(double value, double most)
{
    return most <= 0 ? 0 : bound(LOOK_STEPS * value / most);
}
