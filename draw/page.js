'use strict';
const $ = id => document.getElementById(id), svg = $('picture'), view = $('view');
const data = JSON.parse($('data').textContent), whole = svg.viewBox.baseVal;
const first = {x: whole.x, y: whole.y, w: whole.width, h: whole.height};
let box = {...first}, row = -1;
$('title').textContent = data.title;
function show() { svg.setAttribute('viewBox', [box.x, box.y, box.w, box.h].join(' ')); }
function zoom(by, cx = box.x + box.w / 2, cy = box.y + box.h / 2) {
  const w = Math.min(first.w * 4, Math.max(first.w / 40, box.w * by));
  by = w / box.w;
  box = {x: cx - (cx - box.x) * by, y: cy - (cy - box.y) * by, w, h: box.h * by};
  show();
}
function fit() { box = {...first}; show(); }
function place(e) { const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse()); return [p.x, p.y]; }
view.addEventListener('wheel', e => { e.preventDefault(); zoom(Math.exp(e.deltaY * (e.deltaMode ? 0.03 : 0.0015)), ...place(e)); }, {passive: false});
let held = null, moved = false;
view.addEventListener('pointerdown', e => { held = place(e); moved = false; });
view.addEventListener('pointermove', e => {
  if (!held || !e.buttons) return;
  const [x, y] = place(e);
  if (Math.hypot(x - held[0], y - held[1]) * svg.getScreenCTM().a > 3) { moved = true; view.setPointerCapture(e.pointerId); }
  if (moved) { box.x -= x - held[0]; box.y -= y - held[1]; show(); }
});
view.addEventListener('pointerup', () => { held = null; });
function pick(g) {
  svg.querySelector('.picked')?.classList.remove('picked');
  g?.classList.add('picked');
  $('about').hidden = !g;
  if (g) $('about').textContent = g.querySelector('title').textContent;
  side();
}
view.addEventListener('click', e => { if (!moved) pick(e.target.closest('g[id]')); });
function side() { $('side').classList.toggle('empty', !data.rows.length && $('about').hidden); }
function step(i) {
  row = i < 0 || !data.rows.length ? -1 : i % data.rows.length;
  for (const g of svg.querySelectorAll('g.on')) g.classList.remove('on');
  for (const tr of document.querySelectorAll('tr.on')) tr.classList.remove('on');
  svg.classList.toggle('step', row >= 0);
  $('which').textContent = row < 0 ? data.rows.length + ' rows' : 'row ' + (row + 1) + ' of ' + data.rows.length;
  if (row < 0) return;
  const [nodes, edges] = data.rows[row];
  for (const n of nodes ?? []) $('n' + n)?.classList.add('on');
  for (const e of edges ?? []) $('e' + e)?.classList.add('on');
  const tr = document.querySelectorAll('tbody tr')[row];
  tr?.classList.add('on');
  tr?.scrollIntoView({block: 'nearest'});
}
const next = () => step(row + 1), previous = () => step(row < 0 ? data.rows.length - 1 : row ? row - 1 : data.rows.length - 1), all = () => { step(-1); pick(null); };
function table() {
  if (!data.rows.length) return;
  const t = document.createElement('table'), head = t.createTHead().insertRow(), body = t.createTBody();
  for (const c of data.columns) { const th = document.createElement('th'); th.textContent = c; head.append(th); }
  data.rows.forEach((r, i) => {
    const tr = body.insertRow();
    for (const v of r[2] ?? []) { const td = tr.insertCell(); td.textContent = td.title = v; }
    tr.addEventListener('click', () => step(i));
  });
  $('table').append(t);
  $('steps').hidden = false;
}
$('in').onclick = () => zoom(0.8); $('out').onclick = () => zoom(1.25); $('fit').onclick = fit;
$('next').onclick = next; $('prev').onclick = previous; $('all').onclick = all;
const pan = (dx, dy) => { box.x += dx * box.w; box.y += dy * box.h; show(); };
const keys = {n: next, j: next, p: previous, k: previous, Escape: all, '+': () => zoom(0.8), '=': () => zoom(0.8), '-': () => zoom(1.25), '0': fit,
  ArrowLeft: () => pan(-0.1, 0), ArrowRight: () => pan(0.1, 0), ArrowUp: () => pan(0, -0.1), ArrowDown: () => pan(0, 0.1)};
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key] || e.key.startsWith('Arrow') && document.activeElement !== view && document.activeElement !== document.body) return;
  e.preventDefault();
  keys[e.key]();
});
table(); step(-1); side();
