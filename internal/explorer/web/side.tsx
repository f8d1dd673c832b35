import { useEffect, useState } from 'preact/hooks'
import { forget, gone, save, saved, type Params, type Saved, type Schema, type Value } from './api'

// parse reads what is typed for a parameter: JSON, or else text.
export function parse(text: string): Value {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type ParamsProps = { names: string[]; texts: Record<string, string>; onText(name: string, text: string): void }

export function ParamsForm({ names, texts, onText }: ParamsProps) {
  if (!names.length) return null
  return <div class="bar form" role="group" aria-label="parameters">{names.map((n) =>
    <label>${n} <input value={texts[n] ?? ''} size={12} placeholder={'3, "text", [1, 2]'} onInput={(e) => onText(n, e.currentTarget.value)} /></label>)}</div>
}

export type Past = { store: string; text: string; texts: Record<string, string>; at: number; rows: number; ms: number; error?: boolean }

const key = 'motif-history'

export function pastOf(): Past[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '[]')
  } catch {
    return []
  }
}

// keep puts a query in front of the history. The same text stands there once for each store; the history keeps 200.
export function keep(p: Past): Past[] {
  const all = [p, ...pastOf().filter((o) => o.text !== p.text || o.store !== p.store)].slice(0, 200)
  try {
    localStorage.setItem(key, JSON.stringify(all))
  } catch { /* a browser that stores nothing has no history */ }
  return all
}

type Take = (text: string, texts?: Record<string, string>) => void

export function History({ past, take }: { past: Past[]; take: Take }) {
  if (!past.length) return <p class="note">Queries that you run on this store are listed here. This browser keeps them.</p>
  return <ul class="list">{past.map((p) => <li><button class="text" onClick={() => take(p.text, p.texts)}><code>{p.text}</code>
    <span class="soft">{new Date(p.at).toLocaleString()} · {p.error ? 'failed' : `${p.rows} rows in ${p.ms.toFixed(1)} ms`}</span></button></li>)}</ul>
}

type SavedProps = { schema?: Schema; text: string; params: Params; take: Take; say(s: string): void }

export function SavedQueries({ schema, text, params, take, say }: SavedProps) {
  const [all, setAll] = useState<Saved[]>()
  const [name, setName] = useState('')
  const load = () => saved().then((r) => setAll(r.queries ?? []), (e) => say(gone(e)))
  useEffect(() => { load() }, [])
  const act = (done: Promise<unknown>, told: string) => done.then(() => (say(told), load()), (e) => say(gone(e)))
  return <>
    {schema?.write ? <form class="bar form" onSubmit={(e) => { e.preventDefault(); if (name) act(save(name, text, params), `Saved as ${name}.`) }}>
      <label>name <input value={name} onInput={(e) => setName(e.currentTarget.value)} /></label><button disabled={!name}>Save the query</button></form>
      : <p class="note">This store is open for reading. Start with --write to save queries.</p>}
    {all && !all.length && <p class="note">There are no saved queries.</p>}
    <ul class="list">{all?.map((q) => <li><button class="text" onClick={() => take(q.text)}><b>{q.name}</b> {q.params?.map((p) => `$${p.name} ${p.type}`).join(', ')}<code>{q.text}</code></button>
      {schema?.write && <button aria-label={'delete ' + q.name} onClick={() => act(forget(q.name), `Deleted ${q.name}.`)}>delete</button>}</li>)}</ul>
  </>
}

const help: [string, string][] = [
  ['Ctrl-Enter', 'run the query'], ['Esc', 'stop the query'], ['n, → and p, ←', 'next and previous match, when the focus is not in a text'], ['Home, End', 'all matches; the last match'],
  ['Ctrl-Space', 'complete in the editor'], ['Ctrl-Shift-M', 'list mistakes in the editor'], ['Alt-E, Alt-R, Alt-D', 'go to the editor, the rows, the drawing'],
  ['in the drawing: Tab, Enter', 'choose a node or relationship'], ['a', 'add a node'], ['c', 'connect the chosen node'], ['d', 'turn the chosen relationship'], ['arrows', 'move the chosen node'], ['Delete', 'remove what is chosen'],
  ['in the picture: +, -, 0', 'zoom in, zoom out, all of it'], ['Shift-arrows', 'move the picture'],
]

export function Help() {
  return <><table class="help"><thead><tr><th scope="col">key</th><th scope="col">does</th></tr></thead><tbody>{help.map(([k, d]) => <tr><th scope="row"><kbd>{k}</kbd></th><td>{d}</td></tr>)}</tbody></table>
    <p class="note">The page uses <a href="/licences.txt">software of others</a>.</p></>
}
