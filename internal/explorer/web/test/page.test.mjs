// Tests of the page against the real engine: MOTIF is the binary. With MOTIF_SHOTS, a folder, they keep pictures of the page; the docs show these.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, before, describe, it } from 'node:test'
import { browser, explore, grid, open, run, shot, text, write } from './harness.mjs'

const triangle = `MATCH DISTINCT SUBGRAPHS (a:Person)-[:KNOWS]->(b:Person), (a)-[:WORK_AT]->(c:Company), (b)-[:WORK_AT]->(c)
RETURN a, b, c LIMIT 40`

let b, server, page
before(async () => { b = await browser(); server = await explore('--rows', '2000000') })
after(async () => { await b?.close(); await server?.stop() })

// each test has a page of its own, which may complain of nothing and ask no other machine.
const test = (name, f, options) => it(name, async () => {
  page = await open(b, server.url, options)
  await f(page)
  assert.deepEqual(page.faults, [])
})
afterEach(async () => { await page?.context().close(); page = undefined })

const node = (page, name) => page.locator('svg[aria-label=pattern]').getByRole('button', { name: new RegExp(`^node ${name}\\b`) })
const has = (page, part) => page.waitForFunction((p) => document.querySelector('.editor').shadowRoot.querySelector('.cm-content').textContent.includes(p), part)
const drawn = (page, n) => page.locator(n ? `.canvas[data-drawn="${n}"]` : '.canvas[data-drawn]').waitFor()
const current = (page) => page.locator('tr[aria-current=true]')
const middle = async (l) => { const r = await l.locator('circle').boundingBox(); return [r.x + r.width / 2, r.y + r.height / 2, r.width / 2] }
// settled returns the middles of nodes once they stay where they are: a busy page moves them long after it was told to.
async function settled(page, ...names) {
  for (let before = ''; ;) {
    const now = await Promise.all(names.map((name) => middle(node(page, name))))
    if (JSON.stringify(now) === before) return now
    before = JSON.stringify(now)
    await page.waitForTimeout(500)
  }
}

describe('queries', () => {
  test('a query runs, and its rows and picture come', async (page) => {
    await run(page, triangle)
    assert.match(await page.getByRole('status').innerText(), /^\d+ rows\.$/)
    assert.ok((await page.locator('table.rows tbody tr').count()) > 5)
    await drawn(page)
  })
  test('one row is a row, and a warning keeps its hint apart', async (page) => {
    await run(page, "MATCH (p:Person) WHERE p.nam = 'x' RETURN count(*) AS n")
    assert.equal(await page.getByRole('status').innerText(), '1 row.')
    await page.getByText('does not occur in the graph; did you mean .name?').waitFor()
  })
  test('a mistake is told, and does not end the page', async (page) => {
    await run(page, 'MATCH (a:Person) RETURN b')
    await page.getByRole('alert').waitFor()
    await run(page, 'RETURN 1 AS one')
    assert.equal(await page.getByRole('alert').count(), 0)
  })
  test('an answer of a million rows is stopped', async (page) => {
    await write(page, 'UNWIND range(1, 1000000) AS x RETURN x, x + 1 AS y')
    await page.keyboard.press('Control+Enter')
    await page.locator('table.rows tbody tr').nth(5).waitFor()
    const ms = await page.evaluate(() => new Promise((done) => {
      const began = performance.now()
      const stop = [...document.querySelectorAll('button')].find((o) => o.textContent === 'Stop')
      const see = () => (stop.disabled ? done(performance.now() - began) : requestAnimationFrame(see))
      dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
      see()
    }))
    console.log(`# stopped after ${ms.toFixed(0)} ms`)
    assert.ok(ms < 2000, `${ms} ms`)
    assert.match(await page.getByRole('status').innerText(), /^Stopped after \d+ rows/)
    await run(page, 'RETURN 1 AS one') // the page and the engine go on
  })
  test('parameters have a form', async (page) => {
    await write(page, 'RETURN $n + 1 AS m')
    await page.getByLabel('$n').fill('41')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('cell', { name: '42' }).first().waitFor()
  })
})

describe('matches', () => {
  test('keys step through the matches', async (page) => {
    await run(page, triangle)
    await page.locator('[aria-label=rows]').focus()
    await page.keyboard.press('n')
    await page.getByText('match 1 of').waitFor()
    await page.keyboard.press('ArrowRight')
    assert.equal(await current(page).getAttribute('aria-rowindex'), '3')
    await page.waitForTimeout(800)
    await shot(page, 'match')
    await page.keyboard.press('p')
    await page.keyboard.press('ArrowLeft')
    await page.getByText('all matches').waitFor()
    await page.keyboard.press('End')
    const last = /match (\d+) of (\d+)/.exec(await page.locator('.stepper').innerText())
    assert.equal(last[1], last[2])
  })
  test('candidates and plan', async (page) => {
    await run(page, triangle)
    await page.getByRole('tab', { name: 'candidates' }).click()
    await page.locator('table.funnel tbody tr').nth(2).waitFor()
    await shot(page, 'candidates')
    await page.getByRole('tab', { name: 'plan' }).click()
    await page.locator('table.plan tbody tr').first().waitFor()
    await shot(page, 'plan')
    await page.getByRole('tab', { name: 'JSON' }).click()
    assert.match(await page.locator('pre.json').innerText(), /"labels"/)
  })
})

describe('large', () => {
  it('10,000 nodes are drawn', async () => {
    const big = grid()
    const engine = await explore(big.store, '--rows', '2000000')
    try {
      page = await open(b, engine.url)
      await write(page, 'MATCH (a)-[r]->(b) RETURN a, r, b')
      const began = performance.now()
      await page.keyboard.press('Control+Enter')
      await drawn(page, 10000)
      const ms = performance.now() - began
      console.log(`# 10,000 nodes and 19,800 relationships drawn after ${ms.toFixed(0)} ms`)
      assert.ok(ms < 30_000, `${ms} ms`)
      assert.deepEqual(page.faults, [])
    } finally {
      await engine.stop()
      big.remove()
    }
  })
})

describe('files', () => {
  for (const [format, starts] of [['svg', /^<svg/], ['gexf', /^<\?xml/], ['csv', /^"a","b","c"/], ['png', /^\uFFFDPNG/]])
    test(`an answer is saved as ${format}`, async (page) => {
      await run(page, triangle)
      const file = page.waitForEvent('download')
      await page.getByLabel('save as').selectOption(format)
      assert.match(readFileSync(await (await file).path(), 'utf8'), starts)
      await page.getByRole('status').filter({ hasText: 'Saved the ' + format }).waitFor()
    })
})

describe('tools', () => {
  test('a label of the schema goes into the pattern', async (page) => {
    await write(page, 'MATCH (a:Person) RETURN *')
    await page.getByRole('tab', { name: 'schema' }).click()
    await page.getByRole('button', { name: 'put a node of Company into the pattern' }).click()
    await has(page, '(x:Company)')
    await shot(page, 'schema')
  })
  test('shells stand in each other', async (page) => {
    await page.getByRole('tab', { name: 'shells' }).click()
    await page.locator('svg.rings circle.dot').nth(5).waitFor()
    await shot(page, 'shells')
    await page.getByRole('combobox', { name: 'shells' }).selectOption('truss')
    await page.locator('svg.rings circle.dot').nth(5).waitFor()
  })
  test('the history brings a query back', async (page) => {
    await run(page, 'RETURN 1 AS one')
    await run(page, 'RETURN 2 AS two')
    await page.getByRole('tab', { name: 'history' }).click()
    await page.getByRole('button', { name: 'RETURN 1 AS one' }).click()
    assert.equal(await text(page), 'RETURN 1 AS one')
  })
  test('a node shows its properties and more neighbours', async (page) => {
    await run(page, triangle)
    await page.keyboard.press('Alt+r')
    await page.keyboard.press('n')
    await drawn(page)
    await page.getByRole('combobox', { name: 'node', exact: true }).selectOption({ index: 1 })
    await page.getByRole('group', { name: 'chosen node' }).getByText('name').waitFor()
    await page.getByRole('button', { name: '10 more neighbours' }).click()
    await page.getByRole('status').filter({ hasText: 'nodes more' }).waitFor()
  })
})

describe('writing', () => {
  test('a page that reads changes nothing, and says so', async (page) => {
    await run(page, "CREATE (:Person {name: 'nobody'})")
    await page.getByRole('alert').waitFor()
    await run(page, "MATCH (p:Person {name: 'nobody'}) RETURN count(p) AS n")
    await page.getByRole('cell', { name: '0' }).first().waitFor()
    await page.getByRole('tab', { name: 'saved' }).click()
    await page.getByText('open for reading').waitFor()
  })
  it('a page that writes changes the graph and saves queries', async () => {
    const engine = await explore('--write')
    try {
      page = await open(b, engine.url)
      await run(page, "CREATE (:Person {name: 'somebody'})")
      await page.locator('.note').filter({ hasText: 'created' }).waitFor()
      await write(page, 'MATCH (p:Person) WHERE p.name = $name RETURN p')
      await page.getByLabel('$name').fill('somebody')
      await page.getByRole('tab', { name: 'saved' }).click()
      await page.getByLabel('name', { exact: true }).fill('by_name')
      await page.getByRole('button', { name: 'Save the query' }).click()
      await page.getByRole('button', { name: 'delete by_name' }).waitFor()
      await write(page, 'RETURN 1 AS one')
      await page.getByRole('button', { name: /^by_name/ }).click()
      assert.match(await text(page), /p\.name = \$name/)
      await page.getByRole('button', { name: 'delete by_name' }).click()
      await page.getByText('no saved queries').waitFor()
      assert.deepEqual(page.faults, [])
    } finally {
      await engine.stop()
    }
  })
})

describe('editor', () => {
  test('a mistake has a squiggle', async (page) => {
    await write(page, 'MATCH (a:Person) RETRUN a')
    await page.locator('.cm-lintRange-error').waitFor()
    await write(page, 'MATCH (a:Person) RETURN a')
    await page.locator('.cm-lintRange-error').waitFor({ state: 'detached' })
  })
  test('completion knows the labels of the graph', async (page) => {
    await write(page, '')
    await page.keyboard.type('MATCH (a:Per', { delay: 20 })
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'Person' }).waitFor()
    await page.waitForTimeout(200) // the editor takes no key for a list that has just come
    await page.keyboard.press('Tab')
    assert.match(await text(page), /^MATCH \(a:Person/)
  })
  test('200 fast keys while checks take 500 ms', async (page) => {
    await page.route('**/api/check', async (route) => { await new Promise((d) => setTimeout(d, 500)); await route.continue() })
    await page.locator('.cm-content').focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await page.evaluate(() => { window.gap = 0; let at = performance.now(); setInterval(() => { const now = performance.now(); window.gap = Math.max(window.gap, now - at); at = now }, 10) })
    const typed = 'some letters of no query '.repeat(8)
    assert.equal(typed.length, 200)
    for (let i = 0; i < typed.length; i++) { await page.keyboard.type(typed[i]); if (i % 40 === 39) await page.waitForTimeout(200) }
    await page.waitForTimeout(1500)
    assert.equal(await text(page), typed)
    const gap = await page.evaluate(() => window.gap)
    console.log(`# the page was deaf for ${gap.toFixed(0)} ms at most`)
    assert.ok(gap < 5000, `${gap} ms`)
  })
})

describe('drawing', () => {
  test('text becomes a drawing', async (page) => {
    await write(page, 'MATCH (x:Person)-[:KNOWS]->(y) RETURN x')
    await node(page, 'x').waitFor()
    await page.getByRole('button', { name: 'relationship :KNOWS from x to y' }).waitFor()
    await write(page, 'MATCH (x:Person)-[:KNOWS]->(y)-[:WORK_AT]->(z) RETURN x')
    await node(page, 'z').waitFor()
  })
  test('a drawing becomes text', async (page) => {
    await write(page, 'MATCH (x:Person) RETURN *')
    await node(page, 'x').waitFor()
    const box = await page.locator('svg[aria-label=pattern]').boundingBox()
    await page.mouse.dblclick(box.x + box.width * 0.75, box.y + box.height * 0.3)
    await node(page, 'a').waitFor()
    await has(page, '(a)')
    await page.locator(`.editor[data-checked="${(await text(page)).length}"]`).waitFor() // its warnings move what is below them
    const [[x, y, r], [u, v]] = await settled(page, 'x', 'a')
    await page.mouse.move(x + r * 0.85, y)
    await page.mouse.down()
    await page.mouse.move((x + u) / 2, (y + v) / 2)
    await page.mouse.move(u, v)
    await page.mouse.up()
    await has(page, '->(a)')
    assert.equal(await text(page), 'MATCH (x:Person)-->(a) RETURN *')
    await page.getByLabel('types').fill('KNOWS')
    await page.keyboard.press('Enter')
    await has(page, 'KNOWS')
    assert.equal(await text(page), 'MATCH (x:Person)-[:KNOWS]->(a) RETURN *')
    await shot(page, 'drawing')
  })
  test('what is typed in a field stays when a check comes', async (page) => {
    await write(page, 'MATCH (x:Person)-->(y) RETURN *')
    await page.getByRole('button', { name: 'relationship of any type from x to y' }).focus()
    await page.keyboard.press('Enter')
    await page.route('**/api/check', async (r) => { await new Promise((done) => setTimeout(done, 500)); await r.continue() })
    await page.keyboard.press('Alt+e')
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.insertText(' LIMIT 5')
    const types = page.getByLabel('types')
    await types.focus()
    await page.keyboard.insertText('KNO')
    await page.locator(`.editor[data-checked="${(await text(page)).length}"]`).waitFor()
    assert.equal(await types.inputValue(), 'KNO')
    await page.keyboard.insertText('WS')
    await page.keyboard.press('Enter')
    await has(page, 'KNOWS')
    assert.equal(await text(page), 'MATCH (x:Person)-[:KNOWS]->(y) RETURN * LIMIT 5')
  })
  test('a turned relationship stays in its path', async (page) => {
    await write(page, 'MATCH p = (x:Person)-[:KNOWS]->(y) RETURN p')
    await page.getByRole('button', { name: 'relationship :KNOWS from x to y' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('d')
    await has(page, '<-')
    assert.equal(await text(page), 'MATCH p = (x:Person)<-[:KNOWS]-(y) RETURN p')
    await page.keyboard.press('d')
    await has(page, ')-[:KNOWS]-(y)')
    await page.keyboard.press('d')
    await has(page, '->(y)')
    assert.equal(await text(page), 'MATCH p = (x:Person)-[:KNOWS]->(y) RETURN p')
  })
  test('what cannot be drawn locks the drawing, and says why', async (page) => {
    await write(page, 'MATCH p = ALL SHORTEST (x:Person)-[:KNOWS]-+(y:Person) RETURN p LIMIT 1')
    await page.getByText('cannot be drawn').waitFor()
    assert.ok(await page.getByRole('button', { name: '+ node' }).isDisabled())
  })
})

describe('for everyone', () => {
  test('by keyboard only', async (page) => {
    await page.keyboard.press('Alt+e')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('MATCH (x:Person) RETURN *')
    await node(page, 'x').waitFor()
    await page.waitForTimeout(400)
    await page.keyboard.press('Alt+d')
    await page.keyboard.press('a')
    await has(page, '(a)')
    await page.waitForTimeout(400)
    await page.keyboard.press('Enter')
    await page.keyboard.press('c')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await has(page, '->(a)')
    await page.waitForTimeout(400)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('status').filter({ hasText: /\d rows?\./ }).waitFor()
    await page.keyboard.press('Alt+r')
    await page.keyboard.press('n')
    await page.getByText('match 1 of').waitFor()
    const at = () => page.evaluate(() => document.activeElement.getAttribute('role') + ' ' + document.activeElement.textContent)
    for (let i = 0; i < 60 && (await at()) !== 'tab rows and picture'; i++) await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowRight')
    await page.locator('table.funnel').waitFor()
  })
  for (const colorScheme of ['light', 'dark'])
    test(`axe finds nothing, ${colorScheme}`, async (page) => {
      await run(page, triangle)
      await page.keyboard.press('Alt+r')
      await page.keyboard.press('n')
      await page.waitForTimeout(800)
      if (colorScheme === 'dark') await shot(page, 'dark')
      await page.evaluate(readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'))
      const look = async () => {
        const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }))
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html + ' ' + n.failureSummary).join('; ')}`), [])
      }
      await look()
      for (const tab of ['candidates', 'plan', 'JSON', 'schema', 'shells', 'saved', 'history', 'keys']) {
        await page.getByRole('tab', { name: tab }).click()
        await page.waitForTimeout(300)
        await look()
      }
    }, { colorScheme })
})
