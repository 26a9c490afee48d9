import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { engineLimits, openEngine } from '#main/analytics/engine-database.ts'
import type { EngineFolders } from '#main/analytics/engine-database.ts'
import { Engines } from '#main/analytics/engine-server.ts'
import { figuresOperations } from '#main/reports/engine/table-operations.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { engineForAll } from './engine-thread.ts'
import { asked, dayOf, directHeaders, figuresOf, written } from './tables.ts'
import type { Day, Row } from './tables.ts'

const { engine, history, end } = engineForAll()
afterAll(end)

/** Engines whose uses are noted. One of them has a memory limit of its own. */
class NotedEngines extends Engines {
  readonly uses: string[] = []
  readonly #sorting: string

  constructor(folders: EngineFolders, sorting: string) {
    super(folders)
    this.#sorting = sorting
  }

  override open(use: Parameters<Engines['open']>[0]): ReturnType<Engines['open']> {
    this.uses.push(use)
    if (use !== 'sorting') return super.open(use)
    const opened = openEngine(this.folders, { ...engineLimits.sorting, memory_limit: this.#sorting })
    onTestFinished(async () => (await opened).close())
    return opened
  }
}

/** A table of more cells than parallel threads may sum. */
const columns = 60
const size = 16_000
const headers = [...directHeaders, ...Array.from({ length: columns }, (_, nth) => `Extra ${nth}`)]
const rows = Array.from({ length: size }, (_, nth): Row => [
  `row ${(nth * 7919) % size}`,
  ...headers.slice(1).map(() => nth),
])
const large = (days: string, given: readonly Row[] = rows): Day =>
  dayOf(days, { headers, perPage: 1000, rows: given })

async function snapshotOf(days: readonly Day[], sorting: string = engineLimits.sorting.memory_limit) {
  const tables = []
  for (const day of days) tables.push(await written(engine, day))
  const engines = new NotedEngines({ history, temporary: temporaryFolder() }, sorting)
  onTestFinished(() => engines.close())
  const { snapshot } = figuresOperations(engines)
  const about = { query: asked({ rates: false }), columns: ['Browser', 'Requests'], form: 'comma' } as const
  const request = { ...about, tables, beside: null, standardOnly: false }
  const { path, rows: count } = figuresOf(await snapshot(request, new AbortController().signal))
  const [first] = readFileSync(path, 'utf8').split('\r\n')
  return { first, count, uses: engines.uses.filter((use) => use !== 'figures') }
}

describe('a snapshot of a large table', () => {
  const label = `row ${((size - 1) * 7919) % size}`

  it('is sorted with little memory, since it needs no grouping', async () => {
    expect(await snapshotOf([large('2026-11-01')])).toEqual({
      first: `"${label}",${size - 1}`,
      count: size,
      uses: ['sorting'],
    })
  })

  it('is taken with more memory if that is too little', async () => {
    expect(await snapshotOf([large('2026-11-01')], '1MB')).toEqual({
      first: `"${label}",${size - 1}`,
      count: size,
      uses: ['sorting', 'large'],
    })
  })

  it('is grouped if labels may repeat', async () => {
    const repeated = [...rows, ...rows.slice(-1)]
    const doubled = { first: `"${label}",${2 * (size - 1)}`, count: size, uses: ['large'] }
    expect(await snapshotOf([large('2026-11-01', repeated)])).toEqual(doubled)
    expect(await snapshotOf([large('2026-11-01'), large('2026-11-02')])).toEqual(doubled)
  })
})
