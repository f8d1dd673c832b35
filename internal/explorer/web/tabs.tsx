import type { ComponentChildren } from 'preact'

type Props<T extends string> = { label: string; of: readonly T[]; on: T; choose(t: T): void; children?: ComponentChildren }

// Tabs is a list of tabs, by the keys that such lists have everywhere: arrows, Home and End.
export function Tabs<T extends string>({ label, of, on, choose, children }: Props<T>) {
  const keys = (ev: KeyboardEvent) => {
    const i = of.indexOf(on)
    const to = ({ ArrowRight: (i + 1) % of.length, ArrowLeft: (i + of.length - 1) % of.length, Home: 0, End: of.length - 1 } as Record<string, number>)[ev.key]
    if (to === undefined) return
    ev.preventDefault()
    ev.stopPropagation()
    choose(of[to])
    ;(ev.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=tab]')[to].focus()
  }
  return <div class="bar">
    <div role="tablist" aria-label={label} onKeyDown={keys}>
      {of.map((t) => <button role="tab" id={tabID(t)} aria-controls={panelID(t)} aria-selected={t === on} tabindex={t === on ? 0 : -1} onClick={() => choose(t)}>{t}</button>)}
    </div>
    {children}
  </div>
}

const slug = (t: string) => t.replaceAll(/\W+/g, '-')
export const tabID = (t: string) => 'tab-' + slug(t)
export const panelID = (t: string) => 'panel-' + slug(t)

export function Panel({ of, children }: { of: string; children: ComponentChildren }) {
  return <div class="panel" role="tabpanel" tabindex={0} id={panelID(of)} aria-labelledby={tabID(of)}>{children}</div>
}
