import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'preact/hooks'
import { check, complete, type Checked } from './api'

const keywords =
  /^(?:match|optional|where|return|with|unwind|create|merge|set|remove|delete|detach|order|by|asc|desc|skip|limit|distinct|induced|subgraphs|different|nodes|relationships|repeatable|elements|call|yield|union|all|any|shortest|as|and|or|not|xor|in|is|null|true|false|explain|profile|exists|count|case|when|then|else|end|starts|ends|contains|foreach|load|csv|from)\b/i

// The highlighter needs no grammar: the engine itself says what is wrong.
const language = StreamLanguage.define({
  token(s) {
    if (s.eatSpace()) return null
    if (s.match(/^\/\/.*/)) return 'comment'
    if (s.match(/^'(?:[^'\\]|\\.)*'?|^"(?:[^"\\]|\\.)*"?/)) return 'string'
    if (s.match(/^`[^`]*`?/)) return 'variableName'
    if (s.match(/^\d+(\.\d+)?/)) return 'number'
    if (s.match(/^\$\w+/)) return 'atom'
    if (s.match(/^:\s*[A-Za-z_]\w*/)) return 'typeName'
    if (s.match(keywords)) return 'keyword'
    if (s.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) return 'variableName'
    s.next()
    return null
  },
})

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--key)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--kind)' },
  { tag: [tags.string, tags.number, tags.atom], color: 'var(--value)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
])

// The editor stands in a shadow tree, where its styles are adopted sheets: the page's policy allows no style elements.
const theme = EditorView.theme({
  '&': { height: '100%', background: 'var(--bg)', color: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { font: '14px/1.5 ui-monospace, monospace', overflow: 'auto' },
  '.cm-gutters': { background: 'var(--panel)', color: 'var(--soft)', border: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--select)' },
  '.cm-tooltip': { background: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--blue)', color: '#fff' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: '#fff' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '.cm-matchingBracket': { background: 'var(--select)', color: 'inherit' },
  '.cm-panel': { background: 'var(--panel)', color: 'var(--ink)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap' },
  // The default squiggles and markers are images in data URLs, which the policy refuses.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--hot)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-lint-marker-error': { content: '"●"', color: 'var(--hot)' },
  '.cm-lint-marker-warning': { content: '"▲"', color: 'var(--warn)' },
})

export type Change = { from: number; to: number; insert: string; of: string }

// Handle is what the page may do with the editor, which owns its text.
export type Handle = { text(): string; change(c: Change): boolean; replace(text: string): void; insert(text: string): void; focus(): void }

type Props = { text: string; onReady(h: Handle): void; onText(t: string): void; onChecked(c: Checked, of: string): void; onRun(): void; onStop(): void; onFail(e: unknown): void }

export function Editor(p: Props) {
  const host = useRef<HTMLDivElement>(null)
  const props = useRef(p)
  props.current = p
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: p.text, extensions: extensions(props) }) })
    props.current.onReady(handle(view))
    return () => view.destroy()
  }, [])
  return <div class="editor" ref={host} />
}

function handle(view: EditorView): Handle {
  return {
    text: () => view.state.doc.toString(),
    // change replaces a part of the text that it was made for. It refuses when the text has changed since.
    change(c) {
      if (view.state.doc.toString() !== c.of) return false
      view.dispatch({ changes: { from: c.from, to: c.to, insert: c.insert }, userEvent: 'input.draw' })
      return true
    },
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: text.length }, userEvent: 'input.replace' })
    },
    insert: (text) => view.dispatch(view.state.replaceSelection(text)),
    focus: () => view.focus(),
  }
}

function extensions(props: { current: Props }) {
  const source = linter(
    async (v) => {
      const of = v.state.doc.toString()
      try {
        const c = await check(of)
        if (v.state.doc.toString() === of) props.current.onChecked(c, of)
        ;(v.root as ShadowRoot).host.setAttribute('data-checked', String(of.length)) // the tests wait for it
        const end = v.state.doc.length
        return c.diagnostics.map((d) => ({ from: Math.min(d.from, end), to: Math.min(Math.max(d.to, d.from), end), severity: d.severity, message: d.hint ? d.message + '\n' + d.hint : d.message }))
      } catch (e) {
        props.current.onFail(e)
        return []
      }
    },
    { delay: 150 },
  )
  const run = (v: EditorView) => (closeCompletion(v), props.current.onRun(), true)
  return [
    lineNumbers(), history(), drawSelection(), closeBrackets(), bracketMatching(), language, syntaxHighlighting(colours), lintGutter(), source, theme,
    autocompletion({ override: [completions], icons: false }), EditorView.lineWrapping, EditorView.contentAttributes.of({ 'aria-label': 'query', spellcheck: 'false' }),
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
    keymap.of([{ key: 'Tab', run: acceptCompletion }, ...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap, { key: 'Escape', run: () => (props.current.onStop(), true) }]),
    EditorView.updateListener.of((u) => u.docChanged && props.current.onText(u.state.doc.toString())),
  ]
}

async function completions(x: CompletionContext): Promise<CompletionResult | null> {
  const text = x.state.doc.toString()
  if (!x.explicit && !/[\w:.$]$/.test(text.slice(0, x.pos))) return null
  try {
    const r = await complete(text, x.pos)
    if (x.aborted || !r.options.length) return null
    return { from: r.from, options: r.options, validFor: /^\w*$/ }
  } catch {
    return null // the next check tells that the engine is gone
  }
}
