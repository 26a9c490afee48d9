import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import { openStore } from '#main/database/open-store.ts'
import type { Store } from '#main/database/open-store.ts'
import type { Computed } from '#main/reports/engine/table-calls.ts'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import { overviewFrom, trendFrom } from '#main/reports/engine/totals.ts'
import type { History } from '#main/reports/history/history.ts'
import { normalise } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { checkAsyncProperty, runsOf, seed } from '#test/helpers/properties.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { folderForAll, workerFile } from '#test/src-main/database/helpers.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { engineForAll } from './engine-thread.ts'
import { askService, dataScope, StoredDays, unrounded } from './kept-days.ts'
import { overviewQuestion, questionAbout, subject } from './questions.ts'
import { historyOver } from '../history/history-over.ts'

const questions = 2000
/** So many different subjects, each of them asked about often: what is kept is then of use to several questions. */
const subjects = fc.sample(subject, { numRuns: 120, seed })
const question = fc.constantFrom(...subjects).chain(questionAbout)
/** After so many questions, months are written into one file: from then on they are asked with single days beside them. */
const compactEvery = runsOf(300)

let sandbox: RunningSandbox
let client: ServiceClient
let store: Store
let history: History
let stored: StoredDays
let engine: Engine
let endEngine: () => Promise<void>

beforeAll(async () => {
  sandbox = await runningSandbox()
  client = sandbox.client()
  store = withDataScopes(openStore({ folder: folderForAll(), worker: workerFile }), dataScope)
  const { engine: started, history: folder, end } = engineForAll()
  engine = started
  endEngine = end
  history = historyOver({ store, engine, historyFolder: folder })
  stored = new StoredDays(client, history)
})
afterAll(async () => {
  await endEngine()
  await store.close()
  await sandbox.close()
})

function figuresOf<F>(computed: Computed<F>): F {
  if (computed.kind === 'lacking') throw new Error(`Lacking ${computed.tables.join(', ')}`)
  return computed.figures
}

const compact = () => history.compact(() => () => true, new AbortController().signal, 2)

it('equals the service, member for member, whatever is asked of kept days', async () => {
  let asked = 0
  const property = fc.asyncProperty(question, async ({ query, pieces }) => {
    if ((asked += 1) % compactEvery === 0) await compact()
    const [sent, tables] = await Promise.all([
      askService(client, query),
      stored.tablesOf(normalise(query), pieces),
    ])
    const said = unrounded(sent, query)
    const computed = figuresOf(await engine.call('table', { tables, query: normalise(query), bases: null }))
    expect(computed.table).toEqual(said.table)
    expect(computed.total).toEqual(said.total)
    expect({ ...computed.query, echo: {} }).toEqual({ ...said.query, echo: {} })
    const daily = pieces.every(({ start, end }) => start === end)
    expect(computed.chart).toEqual(daily ? said.chart : null)
  })
  await checkAsyncProperty('tables equal the service', property, questions)
  console.log(`${stored.fetched} whole tables were fetched for it`)
}, 300_000)

it('finds rows by their labels as the service has them', async () => {
  const property = fc.asyncProperty(question, async ({ query, pieces }) => {
    const plain = { ...query, search: null, startsWith: false, page: 1, limit: 1000 }
    const said = unrounded(await askService(client, plain), plain)
    const tables = await stored.tablesOf(normalise(query), pieces)
    const rows = said.table.rows.filter((_, place) => place % 3 === 0)
    const labels = [...rows.map(({ label }) => labelKey(label)), 'text never seen']
    expect(
      figuresOf(await engine.call('rowsOf', { tables, query: normalise(query), labels, bases: null })),
    ).toEqual({
      headers: said.table.headers,
      all: said.table.all?.cells,
      rows: [...rows.map(({ cells }) => cells), null],
    })
  })
  await checkAsyncProperty('rows of labels equal the service', property, 100)
}, 60_000)

it('adds overviews up to what the service says, with its chart', async () => {
  const property = fc.asyncProperty(overviewQuestion, async ({ query, pieces }) => {
    const said = await askService(client, query)
    const tables = await stored.tablesOf(query, pieces)
    const computed = figuresOf(overviewFrom(tables, query))
    expect(computed.total).toEqual(said.total)
    const daily = pieces.every(({ start, end }) => start === end)
    expect(computed.chart).toEqual(daily ? said.chart : null)
    if (daily && query.chart) expect(figuresOf(trendFrom(tables, query))).toEqual(said.chart)
  })
  await checkAsyncProperty('overviews equal the service', property, 150)
}, 60_000)
