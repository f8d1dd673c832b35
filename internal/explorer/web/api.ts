// What the page and the engine say to each other. The places in texts are UTF-16 units, as browsers count.

import { LocalEngine } from './local'

export type NodeValue = { id: number; labels: string[]; properties: Record<string, Value>; bare?: boolean }
export type RelValue = { id: number; type: string; start: number; end: number; properties: Record<string, Value>; bare?: boolean }
export type Value = null | boolean | number | string | Value[] | { [k: string]: Value } | NodeValue | RelValue

// path is the name of the path that an element is a part of; back says that the path crosses an edge from to to from.
export type DrawnNode = { name: string; labels: string; props: string; where: string; path?: string }
export type DrawnEdge = { from: number; to: number; name: string; types: string; directed: boolean; length: string; quantifier?: boolean; props: string; where: string; path?: string; back?: boolean }
export type Drawing = { mode: string; nodes: DrawnNode[]; edges: DrawnEdge[] }
export type Pattern = Drawing & { from: number; to: number; whole: boolean; clause?: number; clauses?: number }
export type Diagnostic = { from: number; to: number; severity: 'error' | 'warning'; message: string; hint?: string }
export type Checked = { diagnostics: Diagnostic[]; pattern: Pattern | null; reason?: string; params: string[] | null; writes: boolean; mode: string }

type Count = { name: string; count: number }
export type Limits = { rows: number; seconds: number; memory: number; layoutNodes: number; pictureNodes: number; neighbours: number }
export type Schema = {
  name: string; sample: boolean; write: boolean; version: string; nodes: number; relationships: number; labels: Count[]; types: Count[]
  connections: { from: string; type: string; to: string; count: number }[]; nodeKeys: string[]; relationshipKeys: string[]; limits: Limits
}

export type Match = { nodes: (number | null)[]; relationships: (number | number[] | null)[] }
export type Row = { values: Value[]; nodes: number[]; relationships: number[]; match?: Match }
export type Funnel = {
  kernel: string; device: string; runs: number; partialMatches: number; filterMs: number; searchMs: number; order: number[]
  nodes: { name: string; labels: string; given: boolean; tiers: { name: string; candidates: number }[]; visited: number; expected: number }[]
  edges: { from: number; to: number; types: string; directed: boolean }[]
}
export type PlanNode = { operator: string; detail: string; expected: number; actual: number | null; ms: number; notes?: string[]; match?: Funnel; children?: PlanNode[] }
export type Summary = {
  rows: number; limit: { what: string; message: string; hint?: string } | null; ms: number; stages: { name: string; ms: number; share: number }[]; partialMatches: number; peakMemory: number
  warnings: { message: string; hint?: string }[] | null; changes: string; techniques: { name: string; unit: string; uses: number }[] | null; plan: PlanNode | null
}
export type Fault = { message: string; hint?: string; from?: number; to?: number; pretty?: string; code?: string }
export type Params = Record<string, Value>
export type Saved = { name: string; text: string; params: { name: string; type: string }[] | null }
export type Neighbours = { nodes: NodeValue[]; relationships: RelValue[]; more: number[] | null }
export type Shells = { kind: string; levels: { level: number; nodes: number }[]; nodes: { level: number; node: NodeValue }[]; relationships: RelValue[]; shown: number; total: number }

// Refused is what the engine answers when it does not do what was asked.
export class Refused extends Error {
  constructor(readonly fault: Fault, readonly status: number) { super(fault.hint ? fault.message + '\n' + fault.hint : fault.message) }
}

async function refusal(r: Response): Promise<Refused> {
  const text = await r.text()
  try {
    return new Refused(JSON.parse(text).error, r.status)
  } catch {
    return new Refused({ message: text || r.statusText }, r.status)
  }
}

const script = document.documentElement.dataset.engine // of the playground
export const playground = script ? new LocalEngine(script) : undefined

const post = (path: string, body?: string, signal?: AbortSignal) =>
  fetch('/api/' + path, body === undefined ? { signal } : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal })

async function send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const r = await (playground ? playground.ask(path, text, signal) : post(path, text, signal))
  if (!r.ok) throw await refusal(r)
  return r
}

const ask = async <T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> => (await send(path, body, signal)).json()

export const schema = () => ask<Schema>('schema')
export const check = (text: string, signal?: AbortSignal) => ask<Checked>('check', { text }, signal)
export const draw = (text: string, pattern: Drawing) => ask<{ from: number; to: number; insert: string }>('text', { text, pattern })
export const saved = () => ask<{ queries: Saved[] | null }>('saved')
export const save = (name: string, text: string, params: Params) => ask('save', { name, text, params })
export const forget = (name: string) => ask('forget', { name })
export const neighbours = (nodes: number[], skip: number, limit: number, signal?: AbortSignal) => ask<Neighbours>('neighbours', { nodes, skip, limit }, signal)
export const shells = (kind: string, signal?: AbortSignal) => ask<Shells>('shells', { kind }, signal)

export async function layout(n: number, edges: [number, number][], signal?: AbortSignal): Promise<[number, number][]> {
  return (await ask<{ places: [number, number][] }>('layout', { n, edges }, signal)).places
}

export async function complete(text: string, cursor: number) {
  const r = await ask<{ from: number; to: number; options: { text: string; kind: string; about?: string }[] | null }>('complete', { text, cursor })
  return { from: r.from, to: r.to, options: (r.options ?? []).map((o) => ({ label: o.text, type: o.kind, detail: o.about || o.kind })) }
}

// download runs the query again and saves the answer as a file. It returns what the file leaves out.
export async function download(format: string, text: string, params: Params): Promise<string[]> {
  const r = await send('export', { format, text, params })
  const a = document.createElement('a')
  a.href = URL.createObjectURL(await r.blob())
  a.download = /filename="?([^";]+)/.exec(r.headers.get('Content-Disposition') ?? '')?.[1] ?? 'motif.' + format
  a.click()
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000)
  const notes = r.headers.get('X-Motif-Notes')
  return notes ? JSON.parse(notes) ?? [] : []
}

// Answer grows while the rows come.
export type Answer = {
  text: string; params: Params; columns: string[]; rows: Row[]; nodes: Map<number, NodeValue>; rels: Map<number, RelValue>; pattern: Pattern | null; reason: string
  summary?: Summary; error?: Fault; stopped?: boolean
}

const breath = () => new Promise((done) => setTimeout(done))

// run reads the answer line by line while it comes, and tells of it at most ten times a second. Between, it lets the page take keys.
export async function run(text: string, params: Params, signal: AbortSignal, tell: (a: Answer) => void): Promise<Answer> {
  const a: Answer = { text, params, columns: [], rows: [], nodes: new Map(), rels: new Map(), pattern: null, reason: '' }
  try {
    const r = await send('run', { text, params, match: true }, signal)
    const reader = r.body!.pipeThrough(new TextDecoderStream()).getReader()
    let rest = '', told = 0, busy = performance.now()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop()!
      for (const l of lines) {
        take(a, JSON.parse(l))
        if (performance.now() - busy < 30) continue
        await breath()
        signal.throwIfAborted()
        busy = performance.now()
      }
      if (performance.now() - told > 100) { tell(a); told = performance.now() }
    }
    if (!a.summary && !a.error) a.error = { message: 'The answer ended before its end. Has motif explore been stopped?' }
  } catch (e) {
    if (signal.aborted) a.stopped = true
    else a.error = e instanceof Refused ? e.fault : { message: gone(e) }
  }
  return a
}

export const gone = (e: unknown) => (e instanceof Refused ? e.message : 'Motif does not answer. Has motif explore been stopped? ' + String(e))

function take(a: Answer, x: any) {
  switch (x.type) {
    case 'columns': a.columns = x.columns ?? []; a.pattern = x.pattern ?? null; a.reason = x.reason ?? ''; break
    case 'elements':
      for (const n of x.nodes ?? []) a.nodes.set(n.id, { ...n, labels: n.labels ?? [], properties: n.properties ?? {} })
      for (const r of x.relationships ?? []) a.rels.set(r.id, r)
      break
    case 'rows': for (const r of x.rows ?? []) a.rows.push(r); break
    case 'end': a.summary = x.summary; break
    case 'error': a.error = x.error; a.summary = x.summary
  }
}
