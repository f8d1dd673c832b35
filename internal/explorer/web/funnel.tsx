import type { Funnel as FunnelOf, PlanNode } from './api'
import { count, millis } from './values'

// funnels lists the matches of a plan, the first to run first.
export function funnels(p: PlanNode | null | undefined, out: FunnelOf[] = []): FunnelOf[] {
  for (const c of p?.children ?? []) funnels(c, out)
  if (p?.match) out.push(p.match)
  return out
}

// Funnel shows how the candidates of each node shrink, from the nodes with its label to those that searches reached.
export function Funnel({ plan }: { plan: PlanNode }) {
  const all = funnels(plan)
  if (!all.length) return <p class="note">This query matched no pattern, so there are no candidates.</p>
  return <div class="scroll" tabindex={0} role="region" aria-label="candidates">{all.map((m, i) => <One m={m} nth={all.length > 1 ? `match ${i + 1}: ` : ''} />)}</div>
}

function One({ m, nth }: { m: FunnelOf; nth: string }) {
  const most = Math.max(2, ...m.nodes.flatMap((n) => [...n.tiers.map((t) => t.candidates), n.visited]))
  const order = m.order.length === m.nodes.length ? m.order : m.nodes.map((_, i) => i)
  const tiers = [...new Set(m.nodes.flatMap((n) => n.tiers.map((t) => t.name)))]
  return <table class="funnel"><caption>{nth}{m.kernel} on {m.device}; filter {millis(m.filterMs)}, search {millis(m.searchMs)}, {count(m.partialMatches)} partial matches. Nodes stand in the order in which they were matched. Bars are logarithmic.</caption>
    <thead><tr><th scope="col">node</th>{tiers.map((t) => <th scope="col" class="number">{t}</th>)}<th scope="col" class="number">reached</th></tr></thead>
    <tbody>{order.map((i) => {
      const n = m.nodes[i]
      return <tr><th scope="row">{n.name}{n.labels && <span class="soft">:{n.labels}</span>}{n.given && <span class="soft"> given by the row</span>}</th>
        {tiers.map((name) => <Bar n={n.tiers.find((t) => t.name === name)?.candidates} most={most} />)}<Bar n={n.visited < 0 ? undefined : n.visited} most={most} reached /></tr>
    })}</tbody></table>
}

function Bar({ n, most, reached }: { n?: number; most: number; reached?: boolean }) {
  if (n === undefined) return <td class="soft">–</td>
  const w = n > 0 ? Math.max(2, (110 * Math.log(1 + n)) / Math.log(1 + most)) : 0
  return <td class="number"><svg class={'bar-of' + (reached ? ' reached' : '')} viewBox="0 0 110 10" width="110" height="10" aria-hidden="true"><rect width={w} height="10" /></svg> {count(n)}</td>
}
