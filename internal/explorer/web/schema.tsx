import { useEffect, useState } from 'preact/hooks'
import { gone, layout, type Schema } from './api'
import { curve, pressed, type Place } from './drawing'
import { count } from './values'

const W = 600, H = 300, R = 20, MOST = 30, NAMED = 10

type Props = { schema: Schema; put(label: string): void; say(s: string): void }

// SchemaView draws labels as nodes and connections as edges. A label that is clicked goes into the pattern.
export function SchemaView({ schema, put, say }: Props) {
  const labels = [...schema.labels].sort((a, b) => b.count - a.count).slice(0, MOST)
  const index = new Map(labels.map((l, i) => [l.name, i]))
  const joined = schema.connections.filter((c) => index.has(c.from) && index.has(c.to)).sort((a, b) => b.count - a.count)
  const edges = joined.slice(0, 60).map((c) => ({ ...c, a: index.get(c.from)!, b: index.get(c.to)! }))
  const [at, setAt] = useState<Place[]>()
  useEffect(() => {
    layout(labels.length, edges.filter((e) => e.a !== e.b).map((e) => [e.a, e.b])).then((p) => setAt(fit(p)), (e) => say(gone(e)))
  }, [schema])
  const lines = edges.map((e) => ({ from: e.a, to: e.b, name: '', types: e.type, directed: true, length: '', props: '', where: '' }))
  const less = [labels.length < schema.labels.length && `${labels.length} of ${schema.labels.length} labels`, edges.length < schema.connections.length && `${edges.length} of ${schema.connections.length} connections`].filter(Boolean)
  return <>
    {at && <svg class="pattern" viewBox={`0 0 ${W} ${H}`} role="group" aria-label="schema">
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse"><path d="M0 1L8 4L0 7z" fill="context-stroke" /></marker></defs>
      {edges.map((e, i) => { const l = curve(lines, i, at, R); return <g class="edge thin"><title>{`(:${e.from})-[:${e.type}]->(:${e.to}): ${count(e.count)}`}</title><path class="e" d={l.path} marker-end="url(#tip)" />
        {i < NAMED && <text class="soft" x={l.mid.x} y={l.mid.y + 3}>{e.type} {count(e.count)}</text>}</g> })}
      {labels.map((l, i) => <g class="node" role="button" tabindex={0} aria-label={`put a node of ${l.name} into the pattern; there are ${l.count}`} onClick={() => put(l.name)} onKeyDown={(ev) => pressed(ev) && put(l.name)}>
        <circle cx={at[i].x} cy={at[i].y} r={R} /><text x={at[i].x} y={at[i].y + 4}>{l.name}</text><text class="soft" x={at[i].x} y={at[i].y + R + 13}>{count(l.count)}</text></g>)}
    </svg>}
    <p class="note">Choose a label to put a node of it into the pattern.{edges.length > NAMED && ` The ${NAMED} most frequent connections have their names; point at the others.`}{less.length > 0 && ` Drawn: ${less.join(', ')}; the most frequent ones.`}</p>
  </>
}

// fit scales places into the picture.
function fit(places: [number, number][]): Place[] {
  const xs = places.map((p) => p[0]), ys = places.map((p) => p[1])
  const x0 = Math.min(...xs), y0 = Math.min(...ys), w = Math.max(1, Math.max(...xs) - x0), h = Math.max(1, Math.max(...ys) - y0)
  const level = h < 60 ? H / 2 : 46 // labels in one row stand in the middle: lines bend away to both sides
  return places.map(([x, y]) => ({ x: 60 + ((x - x0) / w) * (W - 120), y: h < 60 ? level : level + ((y - y0) / h) * (H - 96) }))
}
