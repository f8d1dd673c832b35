import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Row } from './api'
import { cell } from './values'

const H = 26
const MAX = 12_000_000 // pixels that every browser lays out

type Props = { columns: string[]; rows: Row[]; count: number; row: number; onRow(i: number): void }

// Table lays out only the rows that can be seen, however many there are.
export function Table({ columns, rows, count, row, onRow }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 400 })
  const full = (count + 1) * H
  const scale = full > MAX ? MAX / full : 1
  const measure = () => { const b = box.current; if (b) setView({ top: b.scrollTop, height: b.clientHeight }) }
  useEffect(() => {
    const seen = new ResizeObserver(measure)
    seen.observe(box.current!)
    return () => seen.disconnect()
  }, [])
  useLayoutEffect(() => { // the row that is stepped to is always in view
    const b = box.current!
    if (row < 0) return
    const y = row * H * scale
    if (y < b.scrollTop) b.scrollTop = y
    else if (y + 2 * H > b.scrollTop + b.clientHeight) b.scrollTop = y + 3 * H - b.clientHeight
  }, [row])
  const fit = Math.ceil(view.height / H) + 1
  const first = Math.max(0, Math.min(Math.floor(view.top / scale / H) - 4, count - fit))
  const shown = rows.slice(first, Math.min(count, first + fit + 8))
  const offset = scale === 1 ? first * H : Math.max(0, view.top - 4 * H)
  const widths = useRef<{ of: string[]; seen: number; w: number[] }>({ of: [], seen: 0, w: [] })
  if (widths.current.of !== columns || (widths.current.seen < 100 && count > widths.current.seen)) widths.current = { of: columns, seen: count, w: columns.map((c, i) => width(c, i, rows)) }
  return <div class="scroll" ref={box} onScroll={measure} tabindex={0} role="region" aria-label="rows">
    <div style={{ height: Math.min(full, MAX) + 'px', minWidth: widths.current.w.reduce((a, b) => a + b, 6) + 'ch' }}>
      <table class="rows" style={{ transform: `translateY(${offset}px)` }} aria-rowcount={count + 1}>
        <colgroup><col style={{ width: '6ch' }} />{widths.current.w.map((w) => <col style={{ width: w + 'ch' }} />)}</colgroup>
        <thead><tr aria-rowindex={1}><th scope="col">#</th>{columns.map((c) => <th scope="col">{c}</th>)}</tr></thead>
        <tbody>{shown.map((r, k) => {
          const i = first + k
          return <tr key={i} aria-rowindex={i + 2} aria-current={i === row ? 'true' : undefined} onClick={() => onRow(i)}>
            <th scope="row" class="soft">{i + 1}</th>{r.values.map((v) => { const c = cell(v); return <td class={c.kind} title={c.text}>{c.text}</td> })}</tr>
        })}</tbody>
      </table>
    </div>
  </div>
}

function width(column: string, i: number, rows: Row[]) {
  let w = column.length
  for (const r of rows.slice(0, 100)) w = Math.max(w, cell(r.values[i]).text.length)
  return Math.min(48, Math.max(6, w + 2))
}
