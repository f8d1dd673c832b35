import { useEffect, useMemo, useState } from 'preact/hooks'
import { download, gone, neighbours, type Answer, type Schema } from './api'
import { Details, useExpansion } from './details'
import { Funnel } from './funnel'
import { GraphView } from './graph'
import { Plan } from './plan'
import { Table } from './table'
import { Panel, Tabs } from './tabs'
import { caption, count, each, elements, marks, millis, type Elements } from './values'

const views = ['rows and picture', 'candidates', 'plan', 'JSON'] as const
const formats = ['svg', 'png', 'gexf', 'csv', 'json', 'html', 'dot']

type Props = { answer?: Answer; busy: boolean; schema?: Schema; row: number; onRow(i: number): void; say(s: string): void }

// Result shows an answer in four views. The picture is drawn once the answer is whole.
export function Result({ answer, busy, schema, row, onRow, say }: Props) {
  const [view, setView] = useState<(typeof views)[number]>(views[0])
  const rows = answer?.rows.length ?? 0
  const plan = answer?.summary?.plan
  const save = async (format: string) => {
    say(`Running the query again for the ${format} file.`)
    try {
      const notes = await download(format, answer!.text, answer!.params)
      say([`Saved the ${format} file.`, ...notes].join(' '))
    } catch (e) {
      say(gone(e))
    }
  }
  return <section class="wide" aria-label="answer">
    <Tabs label="views of the answer" of={views} on={view} choose={(v) => setView(v)}>
      <span class="grow" />
      <Stepper rows={rows} row={row} onRow={onRow} />
      <span class="soft">{answer && took(answer, busy)}</span>
      <label>save as <select disabled={!answer || busy} value="" onChange={(e) => { const f = e.currentTarget.value; e.currentTarget.value = ''; if (f) save(f) }}>
        <option value="">…</option>{formats.map((f) => <option value={f}>{f}</option>)}</select></label>
    </Tabs>
    {answer && <Notes answer={answer} />}
    <Panel of={view}>
      {!answer ? <p class="note">Ctrl-Enter runs the query.</p>
        : view === 'rows and picture' ? <Rows answer={answer} busy={busy} schema={schema} row={row} onRow={onRow} say={say} />
          : view === 'JSON' ? <JSONView answer={answer} />
            : !plan ? <p class="note">{busy ? 'The plan comes when the query has ended.' : 'There is no plan, because the query did not end.'}</p>
              : view === 'plan' ? <Plan plan={plan} /> : <Funnel plan={plan} />}
    </Panel>
  </section>
}

function took(a: Answer, busy: boolean) {
  const n = count(a.rows.length) + (a.rows.length === 1 ? ' row' : ' rows')
  if (a.stopped) return `${n}, stopped`
  if (a.summary && !a.error) return `${n} in ${millis(a.summary.ms)}`
  return busy ? n + ' so far' : n
}

function Stepper({ rows, row, onRow }: { rows: number; row: number; onRow(i: number): void }) {
  return <span class="stepper"><button disabled={row < 0} onClick={() => onRow(row - 1)} aria-label="previous match" title="p">◀</button>
    <span>{row < 0 ? 'all matches' : `match ${count(row + 1)} of ${count(rows)}`}</span>
    <button disabled={row + 1 >= rows} onClick={() => onRow(row + 1)} aria-label="next match" title="n">▶</button></span>
}

function Notes({ answer: a }: { answer: Answer }) {
  const s = a.summary
  return <>
    {a.error && <pre class="fault" role="alert">{a.error.pretty || a.error.message}{!a.error.pretty && a.error.hint ? '\n' + a.error.hint : ''}</pre>}
    {s?.limit && <p class="note limit" role="note">{s.limit.message} {s.limit.hint}</p>}
    {s?.warnings?.map((w) => <p class="note">{w.message}{w.hint && `; ${w.hint}`}</p>)}
    {s?.changes && <p class="note">{s.changes}</p>}
  </>
}

type RowsProps = { answer: Answer; busy: boolean; schema?: Schema; row: number; onRow(i: number): void; say(s: string): void }

function Rows({ answer, busy, schema, row, onRow, say }: RowsProps) {
  const limit = schema?.limits.pictureNodes ?? 10_000
  const all = useMemo(() => (busy ? undefined : elements(answer, limit)), [answer, busy])
  const [around, setAround] = useState(true)
  const near = useNeighbours(answer, around ? row : -1, schema?.limits.neighbours ?? 50, say)
  const mark = useMemo(() => (row >= 0 && answer.rows[row] ? marks(answer, answer.rows[row]) : undefined), [answer, row])
  const labels = useMemo(() => [...(schema?.labels.map((l) => l.name) ?? []), ''], [schema]) // a label has the same colour in each answer
  const picture = useExpansion(near ?? all, say)
  const [chosen, setChosen] = useState<number>()
  if (!all || !all.nodes.length) return <>{answer.columns.length > 0 && <Table columns={answer.columns} rows={answer.rows} count={answer.rows.length} row={row} onRow={onRow} />}
    {all && <p class="note">This answer holds no nodes, so there is no picture.</p>}</>
  const found = chosen === undefined ? undefined : picture.shown!.nodes.find((n) => n.id === chosen)
  const toRow = (id: number) => { const i = answer.rows.findIndex((r) => { let has = false; each(r, (n) => { has ||= n === id }, () => undefined); return has }); if (i >= 0) onRow(i) }
  return <div class="split">
    <Table columns={answer.columns} rows={answer.rows} count={answer.rows.length} row={row} onRow={onRow} />
    <div class="picture">
      <GraphView all={picture.shown!} mark={mark} labels={labels} onNode={setChosen} onFail={(e) => say(gone(e))} />
      {found && <Details n={found} grow={picture.grow} find={toRow} close={() => setChosen(undefined)} />}
      <div class="bar under">
        <Legend all={picture.shown!} labels={labels} /><span class="grow" />
        {mark && <label>node <select value={found && mark.has('n' + found.id) ? String(found.id) : ''} onChange={(e) => setChosen(Number(e.currentTarget.value))}>
          <option value="" disabled>…</option>{picture.shown!.nodes.filter((n) => mark.has('n' + n.id)).map((n) => <option value={String(n.id)}>{caption(n)}</option>)}</select></label>}
        <label><input type="checkbox" checked={around} onChange={(e) => setAround(e.currentTarget.checked)} /> only a match and its neighbours</label>
        <span class="soft">{near ? near.left ? `more than ${schema?.limits.neighbours} neighbours at ${near.left} nodes; the others are not drawn` : 'all neighbours drawn'
          : all.left ? `${count(all.nodes.length)} nodes drawn; ${count(all.left)} further ones are in the table only` : `${count(all.nodes.length)} nodes of all rows drawn`}</span>
      </div>
    </div>
  </div>
}

// useNeighbours fetches what surrounds the match of a row.
function useNeighbours(answer: Answer, row: number, limit: number, say: (s: string) => void): Elements | undefined {
  const [near, setNear] = useState<{ row: number; of: Answer; it: Elements }>()
  const values = row >= 0 ? answer.rows[row] : undefined
  useEffect(() => {
    if (!values) return
    const stop = new AbortController()
    const inner = elements({ ...answer, rows: [values] }, 100)
    neighbours(inner.nodes.map((n) => n.id), 0, limit, stop.signal).then((r) => {
      const nodes = new Map(inner.nodes.map((n) => [n.id, n])), rels = new Map(inner.rels.map((e) => [e.id, e]))
      for (const n of r.nodes) if (!nodes.has(n.id)) nodes.set(n.id, n)
      for (const e of r.relationships) if (nodes.has(e.start) && nodes.has(e.end)) rels.set(e.id, e)
      setNear({ row, of: answer, it: { nodes: [...nodes.values()], rels: [...rels.values()], left: r.more?.length ?? 0 } })
    }, (e) => { if (!stop.signal.aborted) say(gone(e)) })
    return () => stop.abort()
  }, [answer, row])
  return values && near?.of === answer ? near.it : undefined
}

function Legend({ all, labels }: { all: Elements; labels: string[] }) {
  const used = new Set(all.nodes.map((n) => n.labels[0] ?? ''))
  return <span class="legend">{labels.filter((l) => used.has(l)).slice(0, 8).map((l) => <span><i class={'c' + (labels.indexOf(l) % 8)} />{l || 'no label'}</span>)}</span>
}

const most = 200

function JSONView({ answer }: { answer: Answer }) {
  const text = useMemo(() => answer.rows.slice(0, most).map((r) => JSON.stringify(Object.fromEntries(answer.columns.map((c, i) => [c, r.values[i]])), null, 1)).join('\n'), [answer])
  return <>{answer.rows.length > most && <p class="note">The first {most} of {count(answer.rows.length)} rows; save as json for all.</p>}
    <pre class="scroll json" tabindex={0} role="region" aria-label="rows as JSON">{text}</pre></>
}
