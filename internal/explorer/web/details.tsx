import { useState } from 'preact/hooks'
import { gone, neighbours, type NodeValue } from './api'
import { caption, cell, type Elements } from './values'

const STEP = 10

// useExpansion adds neighbours to a picture, a few at a time.
export function useExpansion(base: Elements | undefined, say: (s: string) => void) {
  const [grown, setGrown] = useState<{ of: Elements; it: Elements; skip: Map<number, number> }>()
  const now = grown && grown.of === base ? grown : undefined
  const grow = async (n: NodeValue) => {
    if (!base) return
    const from = now?.it ?? base
    const skip = now?.skip.get(n.id) ?? 0
    try {
      const r = await neighbours([n.id], skip, STEP)
      const nodes = new Map(from.nodes.map((o) => [o.id, o])), rels = new Map(from.rels.map((e) => [e.id, e]))
      const before = nodes.size
      for (const o of r.nodes) if (!nodes.has(o.id)) nodes.set(o.id, o)
      for (const e of r.relationships) if (nodes.has(e.start) && nodes.has(e.end)) rels.set(e.id, e)
      setGrown({ of: base, it: { nodes: [...nodes.values()], rels: [...rels.values()], left: from.left }, skip: new Map(now?.skip).set(n.id, skip + STEP) })
      say(`${nodes.size - before} nodes more. ${r.more?.includes(n.id) ? caption(n) + ' has further neighbours.' : 'All neighbours of ' + caption(n) + ' are drawn.'}`)
    } catch (e) {
      say(gone(e))
    }
  }
  return { shown: now?.it ?? base, grow }
}

type Props = { n: NodeValue; grow(n: NodeValue): void; find(id: number): void; close(): void }

// Details has what the engine says of a node.
export function Details({ n, grow, find, close }: Props) {
  return <div class="details" role="group" aria-label="chosen node">
    <div class="bar"><b>{cell(n).text}</b><span class="soft">id {n.id}</span><span class="grow" />
      <button onClick={() => grow(n)}>{STEP} more neighbours</button><button onClick={() => find(n.id)}>first match with it</button><button onClick={close} aria-label="close">×</button></div>
    <dl tabindex={0}>{Object.entries(n.properties).map(([k, v]) => <div><dt>{k}</dt><dd>{cell(v).text}</dd></div>)}{!Object.keys(n.properties).length && <div><dt>no properties</dt><dd /></div>}</dl>
  </div>
}
