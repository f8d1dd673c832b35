// The engine of the playground is WebAssembly in a worker of this page. It takes the requests that go to motif explore elsewhere, and answers alike.
// It has one thread, and hears nothing while it searches. So to stop a query is to end the worker; another takes its place.

type Pending = { path: string; body?: string; head(r: Response): void; fail(e: unknown): void; out?: ReadableStreamDefaultController<Uint8Array>; timer?: number }

const grace = 150 // ms that a query has to end by itself
const longest = 21_000 // ms for a query, a little more than the engine gives it
const long = ['run', 'export', 'shells', 'neighbours']

const fault = (message: string, hint?: string) => JSON.stringify({ type: 'error', error: { message, hint } }) + '\n'

export class LocalEngine {
  private worker?: Worker
  private ready = false
  private module?: Promise<WebAssembly.Module>
  private pending = new Map<number, Pending>()
  private ending = new Set<number>() // requests that were dropped, and whose end the worker has not told
  private next = 0
  private again = false

  constructor(private script: string) {}

  // lost says once that the worker was replaced, and what that means.
  lost() {
    const was = this.again
    this.again = false
    return was ? 'The engine was started anew: changes of the graph are gone.' : ''
  }

  ask(path: string, body?: string, signal?: AbortSignal): Promise<Response> {
    return new Promise((head, fail) => {
      if (signal?.aborted) { fail(signal.reason); return }
      const id = this.next++
      this.pending.set(id, { path, body, head, fail })
      signal?.addEventListener('abort', () => this.drop(id, signal.reason))
      if (!this.worker) this.start() // which posts all that is pending
      else this.post(id)
    })
  }

  private start() {
    const w = (this.worker = new Worker(this.script))
    this.ready = false
    this.ending.clear()
    w.onmessage = ({ data }) => { if (w === this.worker) this.hear(data) }
    w.onerror = (e) => { if (w === this.worker) this.fail(e.message) }
    this.module ??= WebAssembly.compileStreaming(fetch('motif.wasm'))
    this.module.then((module) => w.postMessage({ module }), (e) => { this.module = undefined; this.fail(String(e)) })
    for (const id of this.pending.keys()) this.post(id)
  }

  private post(id: number) {
    const p = this.pending.get(id)!
    this.worker!.postMessage({ id, path: p.path, body: p.body })
    if (this.ready) this.limit(id, p)
  }

  // limit bounds a query in time: the clock of the engine may stand still while it searches.
  private limit(id: number, p: Pending) {
    if (!long.includes(p.path)) return
    p.timer = window.setTimeout(() => {
      this.finish(id, fault('The query was stopped after 20 s; there may be more rows.', 'Add LIMIT or a condition.'))
      this.replace()
    }, longest)
  }

  private hear(m: any) {
    if (m.ready) {
      this.ready = true
      for (const [id, p] of this.pending) this.limit(id, p)
      return
    }
    if (m.gone) { this.fail(m.gone); return }
    if (m.end) this.ending.delete(m.id)
    const p = this.pending.get(m.id)
    if (!p) return
    if (m.status) p.head(new Response(new ReadableStream({ start: (out) => { p.out = out } }), { status: m.status, headers: m.headers }))
    else if (m.chunk) p.out!.enqueue(m.chunk)
    else if (m.end) this.finish(m.id)
  }

  // finish ends the answer to a request, after a last line if there is one.
  private finish(id: number, line = '') {
    const p = this.pending.get(id)!
    this.pending.delete(id)
    clearTimeout(p.timer)
    if (p.out && line) p.out.enqueue(new TextEncoder().encode(line))
    if (p.out) p.out.close()
    else p.head(new Response(line, { status: 503 }))
  }

  private drop(id: number, reason: unknown) {
    const p = this.pending.get(id)
    if (!p) return
    this.pending.delete(id)
    clearTimeout(p.timer)
    p.fail(reason)
    p.out?.error(reason)
    this.worker?.postMessage({ id, cancel: true })
    if (!long.includes(p.path)) return
    this.ending.add(id)
    setTimeout(() => { if (this.ending.has(id)) this.replace() }, grace)
  }

  // replace ends the worker with what it does. Requests that it has not begun to answer go to the next one.
  private replace() {
    this.worker?.terminate()
    this.again = true
    for (const [id, p] of this.pending) {
      clearTimeout(p.timer)
      if (p.out) this.finish(id, fault('The query was stopped, because another one was.', 'Run it again.'))
    }
    this.start()
  }

  // fail tells all requests that the engine has gone. The next request starts another.
  private fail(why: string) {
    this.worker?.terminate()
    this.worker = undefined
    this.again = true
    for (const id of [...this.pending.keys()]) this.finish(id, fault('The engine has ended: ' + why, 'Run the query again, or one that needs less memory.'))
  }
}
