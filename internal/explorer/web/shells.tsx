import { useEffect, useState } from 'preact/hooks'
import { gone, shells, type Shells } from './api'
import { caption, count } from './values'

const S = 600, MID = S / 2

// ShellsView draws the densest shells as rings, the densest inside.
export function ShellsView({ say }: { say(s: string): void }) {
  const [kind, setKind] = useState('core')
  const [s, setS] = useState<Shells>()
  useEffect(() => {
    const stop = new AbortController()
    setS(undefined)
    shells(kind, stop.signal).then(setS, (e) => { if (!stop.signal.aborted) say(gone(e)) })
    return () => stop.abort()
  }, [kind])
  return <>
    <div class="bar form"><label>shells <select value={kind} onChange={(e) => setKind(e.currentTarget.value)}><option value="core">by core</option><option value="truss">by truss</option></select></label>
      {s && <span class="soft">{count(s.shown)} of {count(s.total)} nodes drawn, the densest inside{s.relationships.length > 2000 && ', and 2,000 of their relationships'}</span>}{!s && <span class="soft">looking for shells</span>}</div>
    {s && <Rings s={s} />}
  </>
}

// Rings puts the nodes on a spiral, the densest first, so that each has the same room. A ring ends each shell.
function Rings({ s }: { s: Shells }) {
  const nodes = [...s.nodes].sort((a, b) => b.level - a.level)
  const radius = (i: number) => 290 * Math.sqrt(i / nodes.length)
  const at = new Map(nodes.map((n, i) => [n.node.id, { x: MID + radius(i + 0.5) * Math.cos(i * 2.39996), y: MID + radius(i + 0.5) * Math.sin(i * 2.39996) }]))
  const ends = nodes.flatMap((n, i) => (nodes[i + 1]?.level === n.level ? [] : [i + 1]))
  const most = nodes[0]?.level || 1
  const lines = s.relationships.slice(0, 2000)
  return <div class="split"><svg class="rings" viewBox={`0 0 ${S} ${S}`} role="img" aria-label={`shells by ${s.kind}; the table has their sizes`}>
    {ends.map((i) => <circle class="ring" cx={MID} cy={MID} r={radius(i)} />)}
    {lines.map((r) => { const a = at.get(r.start), b = at.get(r.end); return a && b && <line class="pale" x1={a.x} y1={a.y} x2={b.x} y2={b.y} /> })}
    {nodes.map((n) => { const p = at.get(n.node.id)!; return <circle class="dot" cx={p.x} cy={p.y} r={nodes.length > 300 ? 4 : 6} fill-opacity={0.25 + (0.75 * n.level) / most}><title>{`${caption(n.node)}: ${n.level}`}</title></circle> })}
  </svg>
  <div class="scroll" tabindex={0} role="region" aria-label="sizes of the shells"><table class="help"><thead><tr><th scope="col">{s.kind} number</th><th scope="col">nodes</th></tr></thead>
    <tbody>{s.levels.map((l) => <tr><th scope="row">{l.level}</th><td class="number">{count(l.nodes)}</td></tr>)}</tbody></table></div></div>
}
