import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Reckoned, ReckoningName, Reckonings } from '../../../../src-main/figures/engine/asking.ts'
import { Engine } from '../../../../src-main/figures/engine/engine.ts'
import { keptSource } from '../../../../src-main/figures/engine/kept-source.ts'
import { startReckoner } from '../../../../src-main/figures/engine/reckoner.ts'
import type { Reckoner } from '../../../../src-main/figures/engine/reckoner.ts'
import type { ServiceClient } from '../../../../src-main/service/client.ts'
import { openStore } from '../../../../src-main/store/open-store.ts'
import type { Store } from '../../../../src-main/store/open-store.ts'
import { labelKey } from '../../../../src-shared/reports/labels.ts'
import { normalise } from '../../../../src-shared/reports/query.ts'
import { seed } from '../../../helpers/properties.ts'
import { runningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../../helpers/running-sandbox.ts'
import { account, folderForAll, workerFile } from '../../store/helpers.ts'
import { reckonFile } from './blocks.ts'
import { askService, KeptDays } from './kept-days.ts'
import { overviewQuestion, questionAbout, subject } from './questions.ts'

const runs = 1000
/** So many different subjects, each of them asked about often: what is kept is then of use to several questions. */
const subjects = fc.sample(subject, { numRuns: 120, seed })
const question = fc.constantFrom(...subjects).chain(questionAbout)

let sandbox: RunningSandbox
let client: ServiceClient
let store: Store
let kept: KeptDays
let engine: Engine
let reckoner: Reckoner

beforeAll(async () => {
  const folder = folderForAll()
  sandbox = await runningSandbox()
  client = sandbox.client()
  store = openStore({ folder, worker: workerFile })
  await store.run('accounts/put', account())
  kept = new KeptDays(client, store)
  engine = new Engine(keptSource(folder))
  reckoner = startReckoner({ folder, worker: reckonFile })
})
afterAll(async () => {
  await reckoner.close()
  await store.close()
  await sandbox.close()
})

function figuresOf<N extends ReckoningName>(reckoned: Reckoned<N>): Reckonings[N]['figures'] {
  if (reckoned.kind === 'lacking') throw new Error(`Lacking ${reckoned.blocks.join(', ')}`)
  return reckoned.figures
}

async function check<T>(name: string, property: fc.IAsyncProperty<T>, numRuns: number): Promise<void> {
  console.log(`${name}: PROPERTY_SEED=${seed}, ${numRuns} runs`)
  await fc.assert(property, { seed, numRuns })
}

it('equals the service, member for member, whatever is asked of kept days', async () => {
  const property = fc.asyncProperty(question, fc.nat({ max: 9 }), async ({ query, pieces }, by) => {
    const [said, blocks] = await Promise.all([
      askService(client, query),
      kept.blocksOf(normalise(query), pieces),
    ])
    const asked = { blocks, query: normalise(query) }
    // One in ten by the thread, as the desk does it; the others here, where a failure shows its stack.
    const computed = figuresOf(by === 0 ? await reckoner.table(asked) : engine.reckon('table', asked))
    expect(computed.table).toEqual(said.table)
    expect(computed.total).toEqual(said.total)
    expect({ ...computed.query, echo: {} }).toEqual({ ...said.query, echo: {} })
    const daily = pieces.every(({ start, end }) => start === end)
    expect(computed.chart).toEqual(daily ? said.chart : null)
  })
  await check('tables equal the service', property, runs)
  console.log(`${kept.fetched} whole tables were fetched for it`)
}, 120_000)

it('finds rows by their labels as the service has them', async () => {
  const property = fc.asyncProperty(question, async ({ query, pieces }) => {
    const plain = { ...query, search: null, startsWith: false, page: 1, limit: 1000 }
    const said = await askService(client, plain)
    const blocks = await kept.blocksOf(normalise(query), pieces)
    const rows = said.table.rows.filter((_, place) => place % 3 === 0)
    const labels = [...rows.map(({ label }) => labelKey(label)), 'text never seen']
    expect(figuresOf(engine.reckon('rowsOf', { blocks, query: normalise(query), labels }))).toEqual({
      headers: said.table.headers,
      all: said.table.all?.cells,
      rows: [...rows.map(({ cells }) => cells), null],
    })
  })
  await check('rows of labels equal the service', property, 100)
}, 60_000)

it('adds overviews up to what the service says, with its chart', async () => {
  const property = fc.asyncProperty(overviewQuestion, async ({ query, pieces }) => {
    const said = await askService(client, query)
    const blocks = await kept.blocksOf(query, pieces)
    const computed = figuresOf(await reckoner.overview({ blocks, query }))
    expect(computed.total).toEqual(said.total)
    const daily = pieces.every(({ start, end }) => start === end)
    expect(computed.chart).toEqual(daily ? said.chart : null)
    if (daily && query.chart) expect(figuresOf(await reckoner.trend({ blocks, query }))).toEqual(said.chart)
  })
  await check('overviews equal the service', property, 150)
}, 60_000)
