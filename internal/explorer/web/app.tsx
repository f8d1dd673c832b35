import { render } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { draw, gone, playground, run, schema as fetchSchema, type Answer, type Checked, type Drawing, type Params, type Schema } from './api'
import { Editor, type Handle } from './editor'
import { PatternCanvas } from './pattern'
import { Result } from './result'
import { SchemaView } from './schema'
import { ShellsView } from './shells'
import { Help, History, keep, ParamsForm, parse, pastOf, SavedQueries } from './side'
import { Panel, Tabs } from './tabs'
import { quoted } from './values'
import './app.css'

const sides = ['pattern', 'schema', 'shells', 'saved', 'history', 'keys'] as const

const sample = `MATCH DISTINCT SUBGRAPHS (a:Person)-[:KNOWS]->(b:Person), (a)-[:WORK_AT]->(c:Company), (b)-[:WORK_AT]->(c)
RETURN a, b, c LIMIT 40`

// starter is a query that has an answer in every graph.
const starter = (s: Schema) => (s.sample ? sample : s.types.length ? `MATCH (a)-[r:${quoted(s.types[0].name)}]->(b)\nRETURN a, r, b LIMIT 100` : 'MATCH (a)\nRETURN a LIMIT 100')

function App() {
  const editor = useRef<Handle | undefined>(undefined)
  const [schema, setSchema] = useState<Schema>()
  const [text, setText] = useState('')
  const [status, say] = useState(playground ? 'The engine is loading.' : '')
  const [side, setSide] = useState<(typeof sides)[number]>('pattern')
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [past, setPast] = useState(pastOf)
  const [row, setRow] = useState(-1)
  const board = useDrawing(editor, say)
  const names = board.checked?.params ?? []
  const params: Params = Object.fromEntries(Object.keys(texts).filter((n) => names.includes(n)).map((n) => [n, parse(texts[n])]))
  const runner = useRun(schema?.name ?? '', editor, params, texts, say, setPast, setRow)
  const { answer, busy } = runner

  useEffect(() => {
    fetchSchema().then((s) => {
      setSchema(s)
      say('')
      document.title = s.name + ' – Motif'
      if (!editor.current!.text()) editor.current!.replace(pastOf().find((p) => p.store === s.name)?.text ?? starter(s))
    }, (e) => say(gone(e)))
  }, [])
  const step = useCallback((to: number) => setRow(Math.min((answer?.rows.length ?? 0) - 1, Math.max(-1, to))), [answer])
  useKeys({ run: runner.go, stop: runner.stop, step: (by) => step(row + by), end: (last) => step(last ? Infinity : -1), busy, editor })
  const put = (label: string) => {
    const d: Drawing = structuredClone(board.drawing ?? { mode: '', nodes: [], edges: [] })
    if (board.locked) { editor.current!.insert(`(:${quoted(label)})`); return }
    let name = 'x'
    for (let i = 1; d.nodes.some((n) => n.name === name) || d.edges.some((e) => e.name === name); i++) name = 'x' + i
    d.nodes.push({ name, labels: quoted(label), props: '', where: '' })
    board.change(d)
    say(`Put (${name}:${label}) into the pattern.`)
  }
  const take = (t: string, given?: Record<string, string>) => { editor.current!.replace(t); if (given) setTexts({ ...texts, ...given }); editor.current!.focus() }
  const told = status || (busy ? `${answer?.rows.length ?? 0} rows so far` : '')
  return <>
    <header>
      <h1>Motif</h1>{schema && <span class="soft">{schema.name} – {schema.nodes.toLocaleString('en')} nodes, {schema.relationships.toLocaleString('en')} relationships{schema.write ? ', may be changed' : ''}</span>}
      <span class="grow" /><span role="status" class="soft">{told}</span>
      <button class="go" onClick={runner.go} title="Ctrl-Enter">Run</button><button disabled={!busy} onClick={runner.stop} title="Esc">Stop</button>
    </header>
    <main>
    <div class="top">
      <section aria-label="query">
        <Editor text={text} onReady={(h) => { editor.current = h }} onText={(t) => { setText(t); say('') }} onChecked={board.follow} onRun={() => runner.go()} onStop={runner.stop} onFail={(e) => say(gone(e))} />
        <ParamsForm names={names} texts={texts} onText={(n, t) => setTexts({ ...texts, [n]: t })} />
      </section>
      <section aria-label="tools">
        <Tabs label="tools" of={sides} on={side} choose={(s) => setSide(s)} />
        <Panel of={side}>
          {side === 'pattern' ? <PatternCanvas drawing={board.drawing} locked={board.locked} note={board.note} labels={schema?.labels.map((l) => quoted(l.name)) ?? []} types={schema?.types.map((t) => quoted(t.name)) ?? []} onChange={board.change} />
            : side === 'schema' ? schema && <SchemaView schema={schema} put={put} say={say} />
              : side === 'shells' ? <ShellsView say={say} />
                : side === 'saved' ? <SavedQueries schema={schema} text={text} params={params} take={take} say={say} />
                  : side === 'history' ? <History past={past.filter((p) => p.store === schema?.name)} take={take} /> : <Help />}
        </Panel>
      </section>
    </div>
    <Result answer={answer} busy={busy} schema={schema} row={row} onRow={step} say={say} />
    </main>
  </>
}

type Ref<T> = { current: T | undefined }

// useDrawing keeps drawing and text in step. The drawing belongs to one text; a change of it is refused while the text has moved on.
function useDrawing(editor: Ref<Handle>, say: (s: string) => void) {
  const [checked, setChecked] = useState<Checked>()
  const [drawing, setDrawing] = useState<Drawing>()
  const base = useRef<string | undefined>(undefined)
  const waiting = useRef<Drawing | undefined>(undefined)
  const writing = useRef(false)
  const last = useRef<Drawing | undefined>(undefined)
  const missed = useRef<{ c: Checked; of: string } | undefined>(undefined) // a check that came while text was made
  const wrong = checked?.diagnostics.find((d) => d.severity === 'error')
  const locked = !checked ? 'The text is not checked yet.'
    : wrong ? 'The text has a mistake: ' + wrong.message
      : checked.pattern ? (checked.pattern.whole ? '' : checked.reason || 'The text says more than is drawn here, and drawing would lose it.') : checked.reason && editor.current?.text().trim() ? checked.reason : ''
  const follow = (c: Checked, of: string) => {
    setChecked(c)
    if (writing.current) { missed.current = { c, of }; return }
    base.current = of
    if (c.pattern || !c.diagnostics.some((d) => d.severity === 'error')) {
      last.current = c.pattern ?? undefined
      setDrawing(last.current)
    }
  }
  const write = async () => {
    if (writing.current) return
    writing.current = true
    try {
      while (waiting.current) {
        const d = waiting.current
        waiting.current = undefined
        const of = editor.current!.text()
        if (of !== base.current) { say('The text has changed meanwhile; the drawing follows it.'); break }
        const change = await draw(of, { mode: d.mode, nodes: d.nodes, edges: d.edges })
        if (waiting.current) continue // a newer drawing says all of it
        if (!editor.current!.change({ ...change, of })) { say('The text has changed meanwhile; the drawing follows it.'); break }
        base.current = editor.current!.text()
        last.current = d
      }
    } catch (e) {
      say(gone(e))
      setDrawing(last.current)
    } finally {
      waiting.current = undefined
      writing.current = false
      const m = missed.current
      missed.current = undefined
      if (m && m.of === editor.current!.text()) follow(m.c, m.of)
    }
  }
  const change = (d: Drawing) => {
    if (!writing.current && editor.current!.text() !== base.current) { say('The text is being checked; draw again in a moment.'); return }
    waiting.current = d
    setDrawing(d)
    write()
  }
  const clauses = checked?.pattern?.clauses ?? 1
  return { checked, drawing, locked, note: clauses > 1 ? `The drawing shows the first of ${clauses} MATCH clauses.` : '', follow, change }
}

function useRun(store: string, editor: Ref<Handle>, params: Params, texts: Record<string, string>, say: (s: string) => void, setPast: (p: ReturnType<typeof pastOf>) => void, setRow: (i: number) => void) {
  const [answer, setAnswer] = useState<Answer>()
  const [busy, setBusy] = useState(false)
  const stopper = useRef<AbortController | undefined>(undefined)
  const go = async () => {
    const text = editor.current!.text()
    if (!text.trim()) { say('There is no query to run.'); return }
    stopper.current?.abort()
    const mine = (stopper.current = new AbortController())
    setBusy(true)
    setRow(-1)
    say('')
    const a = await run(text, params, mine.signal, (x) => { if (stopper.current === mine) setAnswer({ ...x }) })
    if (stopper.current !== mine) return
    setAnswer({ ...a })
    setBusy(false)
    say([a.error ? 'The query failed.' : a.stopped ? `Stopped after ${a.rows.length} rows.` : `${a.rows.length} ${a.rows.length === 1 ? 'row' : 'rows'}.`, playground?.lost()].filter(Boolean).join(' '))
    if (!a.stopped) setPast(keep({ store, text, texts, at: Date.now(), rows: a.rows.length, ms: a.summary?.ms ?? 0, error: !!a.error }))
  }
  return { answer, busy, go, stop: () => stopper.current?.abort() }
}

type Keys = { run(): void; stop(): void; step(by: number): void; end(last: boolean): void; busy: boolean; editor: Ref<Handle> }

// useKeys listens to the keys of the whole page. What the focused control needs stays its own.
function useKeys(k: Keys) {
  const now = useRef(k)
  now.current = k
  useEffect(() => {
    const on = (ev: KeyboardEvent) => {
      const k = now.current
      const at = ev.target as HTMLElement
      if (ev.defaultPrevented) return
      if ((ev.ctrlKey || ev.metaKey) && ev.key === 'Enter') { ev.preventDefault(); k.run(); return }
      if (ev.key === 'Escape') { k.stop(); return }
      if (ev.altKey && !ev.ctrlKey && 'edr'.includes(ev.key)) {
        ev.preventDefault()
        if (ev.key === 'e') k.editor.current?.focus()
        else for (const at of ev.key === 'r' ? ['[aria-label=rows]'] : ['.pattern .node', '.pattern', '[aria-label=tools] [role=tab]']) {
          const found = document.querySelector<HTMLElement | SVGElement>(at)
          if (found) { found.focus(); break }
        }
        return
      }
      if (ev.ctrlKey || ev.metaKey || ev.altKey || at.closest('input, select, textarea, .editor')) return
      if (ev.key === 'n') k.step(1)
      else if (ev.key === 'p') k.step(-1)
      else if (at.closest('[role=tablist], .pattern, .top')) return
      else if (ev.key === 'ArrowRight') k.step(1)
      else if (ev.key === 'ArrowLeft') k.step(-1)
      else if (ev.key === 'Home') k.end(false)
      else if (ev.key === 'End') k.end(true)
      else return
      ev.preventDefault()
    }
    addEventListener('keydown', on)
    return () => removeEventListener('keydown', on)
  }, [])
}

render(<App />, document.getElementById('app')!)
