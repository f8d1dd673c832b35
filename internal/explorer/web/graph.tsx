import Graph from 'graphology'
import Sigma from 'sigma'
import { drawStraightEdgeLabel } from 'sigma/rendering'
import { useEffect, useRef, useState } from 'preact/hooks'
import { layout, type NodeValue } from './api'
import { caption, type Elements } from './values'

const light = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#8C6D00', '#666666']
const dark = ['#56B4E9', '#E69F00', '#2CC79A', '#F0E442', '#E39CC5', '#4FA3FF', '#FF8A4C', '#B5BCC4']

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches

// colourOf gives each label its colour, in the order in which labels are first met.
function colourOf(labels: string[], n: NodeValue, night: boolean) {
  const i = Math.max(0, labels.indexOf(n.labels[0] ?? ''))
  return (night ? dark : light)[i % 8]
}

type Props = { all: Elements; mark?: Set<string>; labels: string[]; onNode(id: number): void; onFail(e: unknown): void }

// GraphView draws elements. The engine's own layout gives the places, before anything is shown. What is in mark stays bright, the rest goes pale.
export function GraphView({ all, mark, labels, onNode, onFail }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const sigma = useRef<Sigma | undefined>(undefined)
  const marked = useRef(mark)
  const [places, setPlaces] = useState<{ of: Elements; at: [number, number][] }>()
  marked.current = mark
  useEffect(() => {
    const stop = new AbortController()
    const index = new Map(all.nodes.map((n, i) => [n.id, i]))
    layout(all.nodes.length, all.rels.map((r) => [index.get(r.start)!, index.get(r.end)!]), stop.signal)
      .then((at) => setPlaces({ of: all, at }))
      .catch((e) => { if (!stop.signal.aborted) onFail(e) })
    return () => stop.abort()
  }, [all])
  useEffect(() => {
    if (!places || places.of !== all) return
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const draw = () => {
      sigma.current?.kill()
      sigma.current = start(host.current!, all, places.at, labels, marked)
      host.current!.dataset.drawn = String(all.nodes.length) // the tests wait for it
      sigma.current.on('clickNode', ({ node }) => onNode(Number(node)))
    }
    draw()
    scheme.addEventListener('change', draw)
    const sized = new ResizeObserver(() => sigma.current?.resize().scheduleRender())
    sized.observe(host.current!)
    return () => { sized.disconnect(); scheme.removeEventListener('change', draw); sigma.current?.kill(); sigma.current = undefined }
  }, [places])
  useEffect(() => { sigma.current?.refresh({ skipIndexation: true }) }, [mark])
  return <div class="canvas" ref={host} tabindex={0} role="img" aria-label={`graph of ${all.nodes.length} nodes and ${all.rels.length} relationships; the table has the same`} onKeyDown={(ev) => keys(ev, sigma.current)} />
}

// keys move the camera: plus, minus and 0, and arrows with Shift.
function keys(ev: KeyboardEvent, s?: Sigma) {
  if (!s || ev.ctrlKey || ev.metaKey) return
  const camera = s.getCamera()
  const { x, y, ratio } = camera.getState()
  const by = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, number[]>)[ev.key]
  if (ev.key === '+' || ev.key === '=') camera.setState({ ratio: ratio / 1.3 })
  else if (ev.key === '-') camera.setState({ ratio: ratio * 1.3 })
  else if (ev.key === '0') camera.setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 })
  else if (by && ev.shiftKey) camera.setState({ x: x + by[0] * 0.1 * ratio, y: y + by[1] * 0.1 * ratio })
  else return
  ev.preventDefault()
  ev.stopPropagation()
}

function start(host: HTMLElement, all: Elements, at: [number, number][], labels: string[], marked: { current?: Set<string> }): Sigma {
  const css = getComputedStyle(document.body)
  const night = isDark()
  const ink = night ? '#e8ebee' : '#1d2127', paper = night ? '#15181c' : '#ffffff'
  const pale = night ? '#454e59' : '#c6cdd5', line = night ? '#77808b' : '#8a929b', paleLine = night ? '#39414b' : '#d8dde3', hot = night ? '#ff8a4c' : '#d55e00'
  const size = all.nodes.length > 2000 ? 2 : all.nodes.length > 100 ? 4 : all.nodes.length > 30 ? 6 : 9
  const g = new Graph({ multi: true, allowSelfLoops: true })
  all.nodes.forEach((n, i) => g.addNode(String(n.id), { x: at[i][0], y: -at[i][1], size, label: caption(n), color: colourOf(labels, n, night) }))
  const types = together(all)
  for (const r of all.rels) g.addEdgeWithKey('r' + r.id, String(r.start), String(r.end), { size: all.nodes.length > 100 ? 0.8 : 1.6, color: line, label: types.get(r.id) ?? '', type: all.rels.length > 3000 ? 'line' : 'arrow' })
  const labelled = labeller(ink, paper, marked)
  const sigma = new Sigma(g, host, {
    defaultDrawNodeLabel: labelled.draw, defaultDrawEdgeLabel: labelled.line,
    allowInvalidContainer: true, zIndex: true, labelColor: { color: ink }, labelFont: css.fontFamily || 'system-ui, sans-serif', labelRenderedSizeThreshold: 5, edgeLabelColor: { color: ink },
    renderEdgeLabels: all.rels.length <= 60, hideEdgesOnMove: all.rels.length > 5000, stagePadding: 36, minEdgeThickness: 0.6,
    defaultDrawNodeHover: (context, data, settings) => {
      if (typeof data.label !== 'string') return
      context.font = `600 ${settings.labelSize}px ${settings.labelFont}`
      const w = context.measureText(data.label).width
      context.fillStyle = paper
      context.fillRect(data.x + data.size, data.y - 11, w + 10, 22)
      context.fillStyle = ink
      context.fillText(data.label, data.x + data.size + 4, data.y + settings.labelSize / 3)
    },
    nodeReducer: (id, d) => (!marked.current ? d : marked.current.has('n' + id) ? { ...d, forceLabel: true, size: d.size * 1.4, zIndex: 1 } : { ...d, color: pale, label: all.nodes.length > 60 ? '' : d.label, zIndex: 0 }),
    edgeReducer: (id, d) => (!marked.current ? d : marked.current.has(id) ? { ...d, color: hot, size: 3, zIndex: 1 } : { ...d, color: paleLine, label: '', zIndex: 0 }),
  })
  sigma.on('beforeRender', () => labelled.begin(sigma))
  sigma.scheduleRender() // the first one came before it knew where the dots are
  return sigma
}

// together gives the first relationship between two nodes the types of all of them: their lines cover each other.
function together(all: Elements): Map<number, string> {
  const first = new Map<string, number>(), types = new Map<number, Set<string>>()
  for (const r of all.rels) {
    const pair = r.start < r.end ? r.start + ' ' + r.end : r.end + ' ' + r.start
    if (!first.has(pair)) first.set(pair, r.id)
    const id = first.get(pair)!
    types.set(id, (types.get(id) ?? new Set()).add(r.type))
  }
  return new Map([...types].map(([id, t]) => [id, [...t].join(', ')]))
}

type EdgeLabel = Parameters<typeof drawStraightEdgeLabel>
type Box = { x: number; y: number; w: number; h: number }

const apart = (b: Box) => (o: Box) => b.x >= o.x + o.w || b.x + b.w <= o.x || b.y >= o.y + o.h || b.y + b.h <= o.y

// labeller writes each caption at one of eight places beside its node, where no dot and no other caption is and the picture does not end. A caption
// that finds no place is left out, unless its node is marked: then it may cover dots that are not. A type is left out where it would cover a caption.
function labeller(ink: string, paper: string, marked: { current?: Set<string> }) {
  let captions: Box[] = [], bright: Box[] = [], dots: Box[] = [], width = 0, height = 0
  return {
    begin(sigma: Sigma) {
      captions = []
      bright = []
      dots = []
      ;({ width, height } = sigma.getDimensions())
      const g = sigma.getGraph()
      if (g.order > 300) return
      g.forEachNode((id) => {
        const d = sigma.getNodeDisplayData(id)
        if (!d) return
        const p = sigma.framedGraphToViewport(d), r = sigma.scaleSize(d.size)
        ;(marked.current?.has('n' + id) ? bright : dots).push({ x: p.x - r, y: p.y - r, w: 2 * r, h: 2 * r })
      })
    },
    draw(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label: string | null; forceLabel?: boolean }, settings: { labelSize: number; labelFont: string }) {
      if (!data.label) return
      const h = settings.labelSize + 2, r = data.size + 2, c = r * 0.75
      context.font = `${settings.labelSize}px ${settings.labelFont}`
      const w = context.measureText(data.label).width
      const at = [[-w / 2, r], [-w / 2, -r - h], [r, -h / 2], [-r - w, -h / 2], [c, c], [c, -c - h], [-c - w, c], [-c - w, -c - h]].map(([x, y]) => ({ x: data.x + x, y: data.y + y, w, h }))
      const inside = at.filter((b) => b.x >= 0 && b.y >= 0 && b.x + b.w <= width && b.y + b.h <= height)
      const free = (...others: Box[][]) => inside.find((b) => others.every((o) => o.every(apart(b))))
      const box = free(captions, bright, dots) ?? (data.forceLabel ? free(captions, bright) ?? free(captions) ?? at[0] : undefined)
      if (!box) return
      captions.push(box)
      context.lineWidth = 4
      context.lineJoin = 'round'
      context.strokeStyle = paper
      context.strokeText(data.label, box.x, box.y + h - 4)
      context.fillStyle = ink
      context.fillText(data.label, box.x, box.y + h - 4)
    },
    line(context: CanvasRenderingContext2D, data: EdgeLabel[1], a: EdgeLabel[2], b: EdgeLabel[3], settings: EdgeLabel[4]) {
      if (!data.label) return
      context.font = `${settings.edgeLabelSize}px ${settings.edgeLabelFont}`
      const l = Math.hypot(b.x - a.x, b.y - a.y), size = settings.edgeLabelSize, w = context.measureText(data.label).width
      if (w > l - a.size - b.size) return
      const pieces = Math.ceil(w / size), above = ((size * 0.6) / l) * (b.x < a.x ? -1 : 1)
      for (let i = 0; i < pieces; i++) {
        const t = 0.5 + (((i + 0.5) / pieces - 0.5) * w) / l
        const x = a.x + (b.x - a.x) * t + (b.y - a.y) * above, y = a.y + (b.y - a.y) * t - (b.x - a.x) * above
        if (!captions.every(apart({ x: x - size / 2, y: y - size / 2, w: size, h: size }))) return
      }
      drawStraightEdgeLabel(context, { ...data, size: -2 * size - 6 }, a, b, settings) // above the line: captions are below their dots
    },
  }
}
