import type { PlanNode } from './api'
import { count, millis } from './values'

type Line = { p: PlanNode; depth: number }

function lines(p: PlanNode, depth = 0, out: Line[] = []): Line[] {
  out.push({ p, depth })
  for (const c of p.children ?? []) lines(c, depth + 1, out)
  return out
}

// wrong says by which factor an estimate missed; 1 is exact.
export function wrong(p: PlanNode): number {
  if (p.actual === null) return 1
  const a = Math.max(1, p.actual), e = Math.max(1, p.expected)
  return Math.max(a / e, e / a)
}

// Plan lists the operators with bars of their time. It marks the worst estimate, if that is wrong by more than a factor of two.
export function Plan({ plan }: { plan: PlanNode }) {
  const all = lines(plan)
  const total = all.reduce((t, { p }) => t + p.ms, 0) || 1
  const worst = all.reduce((a, b) => (wrong(b.p) > wrong(a.p) ? b : a))
  const ran = all.some(({ p }) => p.actual !== null)
  return <div class="scroll" tabindex={0} role="region" aria-label="plan"><table class="plan">
    <thead><tr><th scope="col">operator</th><th scope="col" class="number">expected</th><th scope="col" class="number">rows</th><th scope="col">time</th></tr></thead>
    <tbody>{all.map((l) => <Operator {...l} total={total} ran={ran} worst={l === worst && wrong(l.p) > 2} />)}</tbody>
  </table></div>
}

function Operator({ p, depth, total, ran, worst }: Line & { total: number; ran: boolean; worst: boolean }) {
  return <tr class={worst ? 'worst' : undefined}>
    <th scope="row" style={{ paddingLeft: 8 + depth * 18 + 'px' }}>{p.operator} <span class="soft">{p.detail}</span>
      {(p.notes ?? []).map((n) => <div class="soft note">{n}</div>)}</th>
    <td class="number">{count(p.expected)}</td>
    <td class="number">{p.actual === null ? '' : count(p.actual)}{worst && <div class="mark">worst estimate, {count(wrong(p))} times off</div>}</td>
    <td>{ran && <><svg class="bar-of" viewBox="0 0 120 10" width="120" height="10" aria-hidden="true"><rect width={Math.max(1, (120 * p.ms) / total)} height="10" /></svg> {millis(p.ms)}</>}</td>
  </tr>
}
