(function(){'use strict';
function amount(v,u){var p=['','k','M','G','T','P','E'],i=0;
 if(u==='s'){v/=1e9;return v<1e-3?(v*1e6).toPrecision(3)+' \u00b5s':v<1?(v*1e3).toPrecision(3)+' ms':v.toPrecision(3)+' s'}
 while(v>=999.5&&i<6){v/=1000;i++}
 return Number(v.toPrecision(3))+' '+p[i]+(u==='B'?'B':' messages')}
document.querySelectorAll('.cells').forEach(function(g){
 var hit=g.querySelector('.hit'),out=g.querySelector('.value'),mark=g.querySelector('.mark'),n=+g.dataset.n,size=+g.dataset.size,unit=g.dataset.unit,labels=g.dataset.labels.split('|'),rows=null,x=0,y=0;
 function read(){rows=g.dataset.cells.split(';').map(function(r){var m={},at=-1;if(r)r.split(',').forEach(function(c){var w=c.split(' ');at+=parseInt(w[0],36);m[at]=parseInt(w[1],36)});return m})}
 function tell(){if(!rows)read();var a=Math.min(x,y),b=Math.max(x,y),v=rows[a]&&rows[a][b]||0;
  mark.setAttribute('x',x);mark.setAttribute('y',y);mark.removeAttribute('visibility');
  out.textContent=labels[y]+(a===b?', inside':' with '+labels[x])+': '+(v?amount(v,unit):'nothing')}
 hit.addEventListener('mousemove',function(e){var r=hit.getBoundingClientRect();
  x=Math.max(0,Math.min(n-1,Math.floor((e.clientX-r.left)/r.width*n)));y=Math.max(0,Math.min(n-1,Math.floor((e.clientY-r.top)/r.height*n)));tell()});
 hit.addEventListener('keydown',function(e){var d={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[e.key];if(!d)return;
  x=Math.max(0,Math.min(n-1,x+d[0]));y=Math.max(0,Math.min(n-1,y+d[1]));tell();e.preventDefault()});
 hit.addEventListener('focus',tell)})})();
