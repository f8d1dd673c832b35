// Tests of the playground, the page with the engine in WebAssembly. MOTIF_PLAYGROUND is its folder: go run ./cmd/playground -o FOLDER
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, before, it } from 'node:test'
import { constants, brotliCompressSync } from 'node:zlib'
import { browser, open, run, shot, statics, write } from './harness.mjs'

const folder = process.env.MOTIF_PLAYGROUND
let b, server, page
before(async () => { b = await browser(); server = await statics(folder) })
after(async () => { await b?.close(); await server?.stop() })
afterEach(async () => { await page?.context().close(); page = undefined })

const test = (name, f) => it(name, async () => {
  page = await open(b, server.url)
  await f(page)
  assert.deepEqual(page.faults, [])
})

const rows = (page) => page.locator('table.rows tbody tr').evaluateAll((trs) => trs.filter((tr) => !tr.getAttribute('aria-hidden')).map((tr) => [...tr.querySelectorAll('td')].map((td) => td.textContent.trim())))
const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
const queries = [...readme.matchAll(/```cypher\n([^`]*)```\s+```text\n([^`]*)```/g)].map(([, query, table]) => ({
  query: query.trim().replace(/;$/, ''), rows: table.split('\n').filter((l) => l.startsWith('│')).slice(1).map((l) => l.split('│').slice(1, -1).map((c) => c.trim())) }))

it('the engine has at most 6 MB', () => {
  const data = readFileSync(folder + '/motif.wasm')
  const packed = brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: data.length } }).length
  console.log(`# ${(data.length / 1e6).toFixed(1)} MB, ${(packed / 1e6).toFixed(2)} MB with brotli`)
  assert.ok(packed <= 6e6, `${packed} bytes`)
})

test('it answers the queries of the README', async (page) => {
  assert.ok(queries.length >= 2)
  for (const q of queries) {
    await run(page, q.query)
    assert.deepEqual((await rows(page)).map((r) => r.slice(-q.rows[0].length)), q.rows)
  }
  await shot(page, 'playground')
})

test('a pattern is drawn, matches are stepped through, and the graph may be changed', async (page) => {
  await run(page, "CREATE (:Person {name: 'somebody'})")
  await page.locator('.note').filter({ hasText: 'created' }).waitFor()
  await run(page, "MATCH (p:Person {name: 'somebody'}) RETURN p")
  await page.locator('svg[aria-label=pattern]').getByRole('button', { name: /^node p\b/ }).waitFor()
  await page.keyboard.press('Alt+r')
  await page.keyboard.press('n')
  await page.getByText('match 1 of 1').waitFor()
  await page.locator('.canvas[data-drawn]').waitFor()
})

const forever = 'MATCH REPEATABLE ELEMENTS (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE a.name + c.name + e.name + g.name = b.name RETURN count(*) AS n'

test('a search is stopped, and the page goes on', async (page) => {
  await write(page, forever)
  await page.keyboard.press('Control+Enter')
  await page.waitForTimeout(1500) // the search is deep in its loop
  const began = performance.now()
  await page.keyboard.press('Escape')
  await page.getByRole('status').filter({ hasText: 'Stopped after 0 rows.' }).waitFor()
  console.log(`# the page stopped after ${(performance.now() - began).toFixed(0)} ms`)
  await run(page, 'MATCH (p:Person) RETURN count(p) AS n')
  console.log(`# the next answer came ${(performance.now() - began).toFixed(0)} ms after the stop`)
  assert.ok(Number((await rows(page))[0].at(-1)) > 100)
})

test('an answer of a million rows is cut at the limit, and says so', async (page) => {
  await run(page, 'UNWIND range(1, 1000000) AS x RETURN x')
  await page.getByRole('note').filter({ hasText: 'more than 10000 rows' }).waitFor()
})

test('it works without a network', async (page) => {
  await page.context().setOffline(true)
  await run(page, 'RETURN 1 AS one')
  assert.equal((await rows(page))[0].at(-1), '1')
})
