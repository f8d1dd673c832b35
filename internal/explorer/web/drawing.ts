import type { Drawing, DrawnEdge, DrawnNode } from './api'

export type Place = { x: number; y: number }

// mutate returns a changed copy.
export function mutate(d: Drawing, f: (c: Drawing) => void): Drawing {
  const c = structuredClone(d)
  f(c)
  return c
}

// removed takes a node with its relationships, or a relationship, out of a drawing.
export function removed(d: Drawing, what: { kind: 'node' | 'edge'; at: number }) {
  if (what.kind === 'edge') { d.edges.splice(what.at, 1); return }
  d.nodes.splice(what.at, 1)
  const after = (i: number) => i - +(i > what.at)
  d.edges = d.edges.filter((e) => e.from !== what.at && e.to !== what.at).map((e) => ({ ...e, from: after(e.from), to: after(e.to) }))
}

// place gives each node its place: the one that it had under its name, else one on an ellipse.
export function place(nodes: DrawnNode[], kept: Map<string, Place>, w: number, h: number): Place[] {
  return nodes.map((n, i) => {
    const key = n.name || '#' + i
    let p = kept.get(key)
    if (!p) {
      const a = (2 * Math.PI * i) / nodes.length - (nodes.length === 2 ? Math.PI : Math.PI / 2)
      p = free({ x: w / 2 + (nodes.length > 1 ? w * 0.34 * Math.cos(a) : 0), y: h / 2 - 8 + (nodes.length > 1 ? h * 0.33 * Math.sin(a) : 0) }, nodes, kept)
      kept.set(key, p)
    }
    return p
  })
}

// free moves a new place away from the nodes that have theirs already.
function free(p: Place, nodes: DrawnNode[], kept: Map<string, Place>): Place {
  const taken = nodes.map((n, i) => kept.get(n.name || '#' + i)).filter((q): q is Place => !!q)
  for (let turn = 0; turn < 12; turn++) {
    const q = { x: p.x + turn * 14 * Math.cos(turn * 2.4), y: p.y + turn * 9 * Math.sin(turn * 2.4) }
    if (taken.every((t) => Math.hypot(t.x - q.x, t.y - q.y) > 60)) return q
  }
  return p
}

// curve is the line of an edge from rim to rim. Edges between the same two nodes bend away from each other; a loop stands above its node.
export function curve(edges: DrawnEdge[], i: number, at: Place[], r: number): { path: string; mid: Place } {
  const e = edges[i]
  const a = at[e.from], b = at[e.to]
  const pair = (o: DrawnEdge) => (o.from === e.from && o.to === e.to) || (o.from === e.to && o.to === e.from)
  const all = edges.map((o, k) => ({ o, k })).filter(({ o }) => pair(o))
  const rank = all.findIndex(({ k }) => k === i)
  if (e.from === e.to) {
    const up = 44 + 20 * rank
    return { path: `M${a.x - r * 0.6} ${a.y - r * 0.8}C${a.x - 34} ${a.y - r - up} ${a.x + 34} ${a.y - r - up} ${a.x + r * 0.6} ${a.y - r * 0.8}`, mid: { x: a.x, y: a.y - r - up * 0.72 } }
  }
  const l = Math.hypot(b.x - a.x, b.y - a.y) || 1
  const flip = e.from < e.to ? 1 : -1
  const bend = (rank - (all.length - 1) / 2) * 46 * flip
  const c = { x: (a.x + b.x) / 2 - ((b.y - a.y) / l) * bend, y: (a.y + b.y) / 2 + ((b.x - a.x) / l) * bend }
  const rim = (from: Place) => {
    const m = Math.hypot(c.x - from.x, c.y - from.y) || 1
    return `${from.x + ((c.x - from.x) / m) * (r + 2)} ${from.y + ((c.y - from.y) / m) * (r + 2)}`
  }
  return { path: `M${rim(a)}Q${c.x} ${c.y} ${rim(b)}`, mid: { x: (a.x + b.x) / 4 + c.x / 2, y: (a.y + b.y) / 4 + c.y / 2 } }
}

// pressed reports whether a key presses a button that is drawn.
export function pressed(ev: KeyboardEvent): boolean {
  if ((ev.key !== 'Enter' && ev.key !== ' ') || ev.ctrlKey || ev.metaKey || ev.altKey) return false
  ev.preventDefault()
  return true
}
