import { useEffect, useRef, useState } from 'preact/hooks'
import type { Drawing, DrawnEdge, DrawnNode } from './api'
import { curve, mutate, place, pressed, removed, type Place } from './drawing'

const W = 600
const H = 280
const R = 22

type Chosen = { kind: 'node' | 'edge'; at: number }
type Drag = { at: number; link: boolean; x: number; y: number; moved: boolean }
type Props = { drawing?: Drawing; locked: string; note: string; labels: string[]; types: string[]; onChange(d: Drawing): void }

// PatternCanvas draws a pattern and lets people change it, with the mouse and with keys. It says what has changed; the engine writes the text.
export function PatternCanvas({ drawing, locked, note, labels, types, onChange }: Props) {
  const svg = useRef<SVGSVGElement>(null)
  const places = useRef(new Map<string, Place>())
  const [drag, setDrag] = useState<Drag>()
  const [on, setOn] = useState<Chosen>()
  const [link, setLink] = useState<number>()
  const d = drawing ?? { mode: '', nodes: [], edges: [] }
  const at = place(d.nodes, places.current, W, H)
  useEffect(() => { if (on && !(on.kind === 'node' ? d.nodes : d.edges)[on.at]) setOn(undefined) })
  const edit = !locked
  const change = (f: (c: Drawing) => void) => { if (edit) onChange(mutate(d, f)) }
  const addNode = (x?: number, y?: number) => change((c) => {
    const name = fresh(c)
    places.current.set(name, { x: x ?? W / 2 + 180 * Math.cos(c.nodes.length * 2.4), y: y ?? H / 2 + 80 * Math.sin(c.nodes.length * 2.4) })
    c.nodes.push({ name, labels: '', props: '', where: '' })
    setOn({ kind: 'node', at: c.nodes.length - 1 })
  })
  const connect = (from: number, to: number) => change((c) => {
    for (const i of [from, to]) name(c, i, places.current, at[i])
    c.edges.push({ from, to, name: '', types: '', directed: true, props: '', where: '', length: '' })
    setOn({ kind: 'edge', at: c.edges.length - 1 })
  })
  const drop = () => { if (on) { change((c) => removed(c, on)); setOn(undefined) } }
  const choose = (c: Chosen) => {
    if (link !== undefined && c.kind === 'node') { connect(link, c.at); setLink(undefined) } else setOn(c)
  }
  const point = (ev: MouseEvent) => {
    const q = new DOMPoint(ev.clientX, ev.clientY).matrixTransform(svg.current!.getScreenCTM()!.inverse())
    return { x: Math.min(W - R, Math.max(R, q.x)), y: Math.min(H - R, Math.max(R, q.y)) }
  }
  const under = (q: Place) => at.findIndex((p) => Math.hypot(p.x - q.x, p.y - q.y) < R + 6)
  const up = (ev: PointerEvent) => {
    if (!drag) return
    const to = under(point(ev))
    if (drag.link) { if (to >= 0 && (to !== drag.at || drag.moved)) connect(drag.at, to) } else if (drag.moved) keep(drag.at, point(ev))
    setDrag(undefined)
  }
  const keep = (i: number, q: Place) => { places.current.set(key(d.nodes[i], i), q); setOn({ kind: 'node', at: i }) }
  const keys = (ev: KeyboardEvent) => {
    const step = ({ ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] } as Record<string, number[]>)[ev.key]
    if (ev.key === 'Escape' && (link !== undefined || on)) { setLink(undefined); setOn(undefined); ev.stopPropagation() }
    else if (ev.ctrlKey || ev.metaKey || ev.altKey) return
    else if (ev.key === 'Delete' || ev.key === 'Backspace') drop()
    else if (ev.key === 'a') addNode()
    else if (ev.key === 'c' && on?.kind === 'node') setLink(on.at)
    else if (ev.key === 'd' && on?.kind === 'edge') change((c) => turn(c.edges[on.at]))
    else if (step && on?.kind === 'node') keep(on.at, { x: at[on.at].x + step[0], y: at[on.at].y + step[1] })
    else return
    ev.preventDefault()
  }
  return <>
    <div class="bar">
      <label>mode <select value={d.mode} disabled={!edit || !d.nodes.length} onChange={(e) => { const mode = e.currentTarget.value; change((c) => { c.mode = mode }) }}>
        {modes.map((m) => <option value={m}>{m || 'different relationships'}</option>)}{!modes.includes(d.mode) && <option value={d.mode}>{d.mode}</option>}</select></label>
      <span class="grow" />
      <button disabled={!edit} onClick={() => addNode()} title="double click, or a">+ node</button>
      <button disabled={!edit || on?.kind !== 'node'} aria-pressed={link !== undefined} onClick={() => setLink(link === undefined ? on!.at : undefined)} title="drag from rim to rim, or c">connect</button>
      <button disabled={!edit || !on} onClick={drop} title="Delete">remove</button>
    </div>
    <svg ref={svg} class={'pattern' + (link !== undefined ? ' linking' : '')} viewBox={`0 0 ${W} ${H}`} role="group" aria-label="pattern" tabindex={0} onKeyDown={keys}
      onDblClick={(ev) => { const q = point(ev); if (under(q) < 0 && ev.target === svg.current) addNode(q.x, q.y) }}
      onPointerDown={(ev) => ev.target === svg.current && setOn(undefined)}
      onPointerMove={(ev) => drag && setDrag({ ...drag, ...point(ev), moved: true })} onPointerUp={up} onPointerLeave={() => setDrag(undefined)}>
      <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 1L8 4L0 7z" fill="context-stroke" /></marker></defs>
      {d.edges.map((e, i) => <Edge key={'e' + i} e={e} ends={d.nodes} line={curve(d.edges, i, at, R)} on={on?.kind === 'edge' && on.at === i} onChoose={() => choose({ kind: 'edge', at: i })} />)}
      {drag?.link && drag.moved && <line class="e new" x1={at[drag.at].x} y1={at[drag.at].y} x2={drag.x} y2={drag.y} />}
      {d.nodes.map((n, i) => <Node key={'n' + i} n={n} at={drag && !drag.link && drag.at === i && drag.moved ? drag : at[i]} on={on?.kind === 'node' && on.at === i} onChoose={() => choose({ kind: 'node', at: i })}
        onDown={(ev) => { const q = point(ev); setDrag({ at: i, ...q, moved: false, link: edit && Math.hypot(q.x - at[i].x, q.y - at[i].y) > R * 0.55 }) }} />)}
      {!d.nodes.length && !locked && <text class="soft" x={W / 2} y={H / 2}>Double click here to draw a node.</text>}
    </svg>
    {note && <p class="note">{note}</p>}
    {locked ? <p class="bar note" role="note">{locked}</p>
      : link !== undefined ? <p class="bar note" role="note">Choose the other node: click it, or Tab to it and press Enter. Escape ends.</p>
        : on && <Inspector key={on.kind + on.at} d={d} on={on} labels={labels} types={types} change={change} rename={(n, i, to) => { n.name = to; places.current.set(key(n, i), at[i]) }} />}
  </>
}

export const modes = ['', 'DISTINCT SUBGRAPHS', 'SUBGRAPHS', 'DISTINCT INDUCED SUBGRAPHS', 'INDUCED SUBGRAPHS', 'DIFFERENT NODES', 'REPEATABLE ELEMENTS']

const key = (n: DrawnNode, i: number) => n.name || '#' + i

const title = (n: DrawnNode) => `node ${n.name || 'without a name'}${n.labels ? ', ' + n.labels : ''}`

function fresh(d: Drawing) {
  const used = new Set([...d.nodes, ...d.edges].map((o) => o.name))
  for (let i = 0; ; i++) {
    const n = String.fromCharCode(97 + (i % 26)) + (i > 25 ? Math.floor(i / 26) : '')
    if (!used.has(n)) return n
  }
}

// name gives a node a name, so that several paths can meet in it.
function name(d: Drawing, i: number, places: Map<string, Place>, at: Place) {
  if (d.nodes[i].name) return
  d.nodes[i].name = fresh(d)
  places.set(d.nodes[i].name, at)
}

// turn goes through the three directions: to the other end, back, either. A path goes on through the same nodes in the same order.
function turn(e: DrawnEdge) {
  if (!e.directed) { e.directed = true; return }
  if (e.from > e.to) e.directed = false
  ;[e.from, e.to] = [e.to, e.from]
  if (e.path) e.back = !e.back
}

function Node({ n, at, on, onChoose, onDown }: { n: DrawnNode; at: Place; on: boolean; onChoose(): void; onDown(ev: PointerEvent): void }) {
  return <g class={'node' + (on ? ' on' : '')} tabindex={0} role="button" aria-pressed={on} aria-label={title(n)} onClick={onChoose} onPointerDown={onDown}
    onKeyDown={(ev) => pressed(ev) && onChoose()}>
    <circle cx={at.x} cy={at.y} r={R} /><text x={at.x} y={at.y + 4}>{n.name}</text>
    {(n.labels || n.props || n.where) && <text class="soft" x={at.x} y={at.y + R + 15}>{(n.labels && ':' + n.labels) + (n.props || n.where ? ' ' + short(n.props || 'WHERE ' + n.where) : '')}</text>}
  </g>
}

const short = (s: string) => (s.length > 28 ? s.slice(0, 27) + '…' : s)

function Edge({ e, ends, line, on, onChoose }: { e: DrawnEdge; ends: DrawnNode[]; line: { path: string; mid: Place }; on: boolean; onChoose(): void }) {
  const text = (e.name || '') + (e.types ? ':' + e.types : '') + (e.length || '') + (e.props || e.where ? ' ' + short(e.props || 'WHERE ' + e.where) : '')
  const says = `relationship ${text || 'of any type'} ${e.directed ? 'from' : 'between'} ${ends[e.from]?.name} ${e.directed ? 'to' : 'and'} ${ends[e.to]?.name}`
  return <g class={'edge' + (on ? ' on' : '')} tabindex={0} role="button" aria-pressed={on} aria-label={says} onClick={onChoose}
    onKeyDown={(ev) => pressed(ev) && onChoose()}>
    <path class="hit" d={line.path} /><path class="e" d={line.path} marker-end={e.directed ? 'url(#head)' : undefined} />
    {text && <text class="soft" x={line.mid.x} y={line.mid.y + 4}>{text}</text>}
  </g>
}

type InspectorProps = { d: Drawing; on: Chosen; labels: string[]; types: string[]; change(f: (c: Drawing) => void): void; rename(n: DrawnNode, i: number, to: string): void }

// Inspector is the form of what is chosen. A field is taken when it is left or Enter is pressed.
function Inspector({ d, on, labels, types, change, rename }: InspectorProps) {
  const n = on.kind === 'node' ? d.nodes[on.at] : undefined
  const e = on.kind === 'edge' ? d.edges[on.at] : undefined
  const field = (label: string, value: string, list: string | undefined, set: (c: Drawing, v: string) => void) =>
    <label>{label} <Input value={value} list={list} size={list ? 14 : label === 'name' ? 5 : 12} take={(v) => change((c) => set(c, v))} /></label>
  return <div class="bar form">
    {n && <>{field('name', n.name, undefined, (c, v) => { rename(c.nodes[on.at], on.at, v) })}{field('labels', n.labels, 'labels', (c, v) => { c.nodes[on.at].labels = v.replace(/^:/, '') })}
      {field('properties', n.props, undefined, (c, v) => { c.nodes[on.at].props = braces(v) })}{field('where', n.where, undefined, (c, v) => { c.nodes[on.at].where = v })}</>}
    {e && <>{field('name', e.name, undefined, (c, v) => { c.edges[on.at].name = v })}{field('types', e.types, 'types', (c, v) => { c.edges[on.at].types = v.replace(/^:/, '') })}
      <button onClick={() => change((c) => turn(c.edges[on.at]))} title="d">turn: {d.nodes[e.from]?.name} {e.directed ? '→' : '–'} {d.nodes[e.to]?.name}</button>
      {field('length', e.length, undefined, (c, v) => { c.edges[on.at].length = v; c.edges[on.at].quantifier = !v.startsWith('*') || v === '*' })}{field('properties', e.props, undefined, (c, v) => { c.edges[on.at].props = braces(v) })}{field('where', e.where, undefined, (c, v) => { c.edges[on.at].where = v })}</>}
    <datalist id="labels">{labels.map((l) => <option value={l} />)}</datalist><datalist id="types">{types.map((l) => <option value={l} />)}</datalist>
  </div>
}

// Input is a field that keeps what is being typed while the page around it is drawn again.
function Input({ value, list, size, take }: { value: string; list: string | undefined; size: number; take(v: string): void }) {
  const [typed, setTyped] = useState<string>()
  return <input value={typed ?? value} list={list} size={size} onInput={(ev) => setTyped(ev.currentTarget.value)}
    onChange={(ev) => { const v = ev.currentTarget.value.trim(); setTyped(undefined); if (v !== value) take(v) }} />
}

const braces = (v: string) => (v && !v.startsWith('{') && !v.startsWith('$') ? `{${v}}` : v)
