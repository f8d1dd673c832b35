import type { Answer, NodeValue, RelValue, Row, Value } from './api'

// Elements are the nodes and relationships of a picture. Every relationship joins two of the nodes.
export type Elements = { nodes: NodeValue[]; rels: RelValue[]; left: number }

const isNode = (v: any): v is NodeValue => v && typeof v === 'object' && typeof v.id === 'number' && Array.isArray(v.labels) && v.properties
const isRel = (v: any): v is RelValue => v && typeof v === 'object' && typeof v.id === 'number' && typeof v.type === 'string' && 'start' in v && v.properties

export function caption(n: NodeValue): string {
  const p = n.properties
  const named = p.name ?? p.title ?? p.firstName ?? p.label ?? Object.values(p).find((v) => typeof v === 'string')
  return named === undefined || named === null || typeof named === 'object' ? '#' + n.id : String(named)
}

const shown = (v: Value): string => (typeof v === 'string' ? `'${v}'` : cell(v).text)

const inside = (p: Record<string, Value>) => Object.entries(p).map(([k, v]) => `${k}: ${shown(v)}`).join(', ')

// cell is a value as the table shows it, on one line.
export function cell(v: Value | undefined): { text: string; kind: string } {
  const c = whole(v)
  return c.text.length > 300 ? { ...c, text: c.text.slice(0, 300) + '…' } : c
}

function whole(v: Value | undefined): { text: string; kind: string } {
  if (v === null || v === undefined) return { text: 'null', kind: 'null' }
  if (typeof v === 'number') return { text: String(v), kind: 'number' }
  if (typeof v === 'string') return { text: v, kind: 'text' }
  if (typeof v === 'boolean') return { text: String(v), kind: 'number' }
  if (isNode(v)) return { text: `(${[v.labels.map((l) => ":" + l).join(""), caption(v)].filter(Boolean).join(" ")})`, kind: 'element' }
  if (isRel(v)) return { text: `[:${v.type}${Object.keys(v.properties).length ? ' {' + inside(v.properties) + '}' : ''}]`, kind: 'element' }
  const p = v as any
  if (Array.isArray(p.nodes) && Array.isArray(p.relationships) && p.nodes.every(isNode)) return { text: path(p.nodes, p.relationships), kind: 'element' }
  if (Array.isArray(v)) return { text: '[' + v.slice(0, 50).map(shown).join(', ') + (v.length > 50 ? ', …' : '') + ']', kind: 'text' }
  return { text: '{' + inside(v as Record<string, Value>) + '}', kind: 'text' }
}

function path(nodes: NodeValue[], rels: RelValue[]) {
  return nodes.map((n, i) => (i ? (rels[i - 1].start === nodes[i - 1].id ? `-[:${rels[i - 1].type}]->` : `<-[:${rels[i - 1].type}]-`) : '') + cell(n).text).join('')
}

// each visits the elements of a row: those of its values and of its match.
export function each(r: Row, node: (id: number) => void, rel: (id: number) => void) {
  r.nodes?.forEach(node)
  r.relationships?.forEach(rel)
  for (const n of r.match?.nodes ?? []) if (n !== null) node(n)
  for (const e of r.match?.relationships ?? []) if (Array.isArray(e)) e.forEach(rel); else if (e !== null) rel(e)
}

// elements lists what a picture of the rows holds, at most limit nodes. left counts the nodes beyond.
export function elements(a: Answer, limit: number): Elements {
  const nodes = new Map<number, NodeValue>(), beyond = new Set<number>(), rels = new Map<number, RelValue>()
  const add = (id: number) => {
    if (nodes.has(id)) return
    if (nodes.size >= limit) beyond.add(id)
    else nodes.set(id, a.nodes.get(id) ?? { id, labels: [], properties: {} })
  }
  const join = (id: number) => {
    const r = rels.has(id) ? undefined : a.rels.get(id)
    if (!r) return
    add(r.start)
    add(r.end)
    rels.set(id, r)
  }
  if (a.nodes.size) for (const row of a.rows) each(row, add, join)
  return { nodes: [...nodes.values()], rels: [...rels.values()].filter((r) => nodes.has(r.start) && nodes.has(r.end)), left: beyond.size }
}

// marks are the keys of a row's elements in a picture.
export function marks(a: Answer, row: Row): Set<string> {
  const out = new Set<string>()
  each(row, (n) => out.add('n' + n), (id) => {
    out.add('r' + id)
    const r = a.rels.get(id)
    if (r) out.add('n' + r.start).add('n' + r.end)
  })
  return out
}

export const count = (n: number) => (n >= 1000 ? Math.round(n).toLocaleString('en') : Number.isInteger(n) ? String(n) : n.toPrecision(2))

export const millis = (ms: number) => (ms >= 1000 ? (ms / 1000).toFixed(2) + ' s' : ms >= 100 ? ms.toFixed(0) + ' ms' : ms.toFixed(ms < 1 ? 2 : 1) + ' ms')

// quoted is a name as the language writes it.
export const quoted = (name: string) => (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : '`' + name.replaceAll('`', '``') + '`')
