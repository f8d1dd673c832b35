// The harness starts `motif explore` on a store, opens its page in Chromium and watches what the page asks for.
import { execFileSync, spawn } from 'node:child_process'
import { createReadStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { chromium } from 'playwright-core'

const motif = process.env.MOTIF ?? 'bin/motif'
export const shots = process.env.MOTIF_SHOTS

// explore starts the server and returns its address, with the token.
export async function explore(...args) {
  const server = spawn(motif, ['explore', '--no-browser', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let told = ''
  const url = await new Promise((done, fail) => {
    const read = (data) => {
      told += data
      const found = /http:\/\/\S+token=\S+/.exec(told)
      if (found) done(found[0])
    }
    server.stdout.on('data', read)
    server.stderr.on('data', read)
    server.on('exit', (code) => fail(new Error(`motif explore ended with ${code}: ${told}`)))
  })
  return { url, stop: () => new Promise((done) => { server.removeAllListeners('exit'); server.on('exit', done); server.kill() }) }
}

const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' }

// statics serves the files of a folder below a path, as any web server does.
export async function statics(folder) {
  const server = createServer((q, r) => {
    const name = new URL(q.url, 'http://x').pathname.replace(/^\/play\//, '') || 'index.html'
    const file = createReadStream(join(folder, name.replaceAll('/', '')))
    file.on('error', () => r.writeHead(404).end())
    file.on('open', () => { r.writeHead(200, { 'Content-Type': kinds[extname(name)] ?? 'text/plain' }); file.pipe(r) })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${server.address().port}/play/`, stop: () => { server.closeAllConnections(); return new Promise((done) => server.close(done)) } }
}

// grid makes a store of 10,000 nodes and 19,800 relationships.
export function grid() {
  const folder = mkdtempSync(join(tmpdir(), 'motif-explore-'))
  execFileSync(motif, ['gen', 'grid', '--width', '100', '--height', '100', '-o', join(folder, 'grid.txt')])
  execFileSync(motif, ['load', join(folder, 'grid.db'), join(folder, 'grid.txt')], { stdio: 'ignore' })
  return { store: join(folder, 'grid.db'), remove: () => rmSync(folder, { recursive: true }) }
}

// The browser finds no other machine, whatever the network of this one.
// One that dies while it starts says nothing of the page: it is started again, twice at most.
export async function browser() {
  for (let left = 2; ; left--) {
    try {
      return await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] })
    } catch (e) {
      if (left === 0) throw e
      console.log(`# Chromium did not start: ${e.message.split('\n')[0]}`)
    }
  }
}

// editing reports what Chromium says of its own: where text is typed over a selection, it tries to keep the style of what was there.
const editing = (m) => m.text().startsWith('Applying inline style') && !m.location().url.endsWith('.js')

const cookies = new Map() // by link: each works once, and gives a cookie

// open opens the page. What goes wrong in it, and each request to another machine, is listed in page.faults.
export async function open(b, url, options = {}) {
  const context = await b.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(Number(process.env.MOTIF_PATIENCE ?? 30_000))
  page.faults = []
  page.on('pageerror', (e) => page.faults.push(String(e)))
  page.on('console', (m) => { if (m.type() === 'error' && !/status of 4\d\d/.test(m.text()) && !editing(m)) page.faults.push(m.text()) })
  const home = new URL(url).host
  page.on('request', (r) => { const u = new URL(r.url()); if (u.protocol !== 'blob:' && u.host !== home) page.faults.push('foreign request: ' + r.url()) })
  if (cookies.has(url)) await context.addCookies(cookies.get(url))
  page.local = !url.includes('token=') // the engine is in the page
  await page.goto(cookies.get(url)?.length ? new URL('/', url).href : url)
  cookies.set(url, await context.cookies())
  await page.locator('.cm-content').waitFor()
  await page.getByRole('banner').getByText('nodes').waitFor()
  return page
}

export const text = (page) => page.evaluate(() => [...document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-line')].map((l) => l.textContent).join('\n'))

// write replaces the text, and waits until it is checked.
export async function write(page, query) {
  if ((await text(page)) === query) await write(page, query + ' ')
  const checked = !page.local && page.waitForResponse((r) => r.url().endsWith('/api/check') && r.request().postDataJSON().text === query)
  await page.locator('.cm-content').focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(query)
  await checked
  await page.locator(`.editor[data-checked="${query.length}"]`).waitFor()
}

// run runs a query and waits for its end.
export async function run(page, query) {
  await write(page, query)
  await page.keyboard.press('Control+Enter')
  await page.getByRole('status').filter({ hasText: /\d rows?\.|failed|Stopped/ }).waitFor()
}

export async function shot(page, name) {
  if (!shots) return
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: `${shots}/explorer-${name}.png` })
}
