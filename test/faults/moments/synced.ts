import { expect, onTestFinished } from 'vitest'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import { openSession } from '#main/database/store-session.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { figuresOf } from '#test/src-main/reports/engine/tables.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { engineChannelOf, rootIn } from './histories.ts'
import type { Said } from './killing.ts'
import { dataScope, toSync } from './syncing.ts'
import type { SyncOrders } from './syncing.ts'

type Stored = { readonly subject: string; readonly start: Day; readonly fetchedAt: number }

/** What the service says, day by day. */
export class Oracle {
  readonly #client
  readonly #known = new Map<string, Promise<readonly TableRow[]>>()

  constructor(running: RunningSandbox) {
    this.#client = running.client()
  }

  rowsOf({ family, dimension }: TableQuery, on: Day): Promise<readonly TableRow[]> {
    const path = `${family}/${dimension}` as const
    const known = this.#known.get(`${path} ${on}`)
    if (known) return known
    const asking = this.#client
      .call(path as 'script/browsers', { start: on, end: on, limit: 1000 })
      .then(({ answer }) => inOrder(answer.table.rows))
    this.#known.set(`${path} ${on}`, asking)
    return asking
  }
}

const inOrder = (rows: readonly TableRow[]) =>
  [...rows].sort((one, other) => (JSON.stringify(one.label) < JSON.stringify(other.label) ? -1 : 1))

/** A profile whose days are kept by processes that are killed, and compared with what the service says. */
export class SyncedProfile {
  readonly folder: string
  readonly #running: RunningSandbox
  readonly #oracle: Oracle
  readonly #engine
  readonly #said: Stored[] = []

  constructor(running: RunningSandbox, oracle: Oracle, folder = temporaryFolder()) {
    this.folder = folder
    this.#running = running
    this.#oracle = oracle
    const root = rootIn(folder)
    this.#engine = startEngine({ open: () => engineChannelOf(root), idle: 600_000 })
    onTestFinished(() => this.#engine.close())
  }

  get orders(): SyncOrders {
    const { address, tokens } = this.#running.sandbox
    return { folder: this.folder, address, token: tokens.admin }
  }

  /**
   * Each table that is kept is the service's, and none of those is lost that were said to be kept.
   * @returns how many of the days are there
   */
  async check({ stored, refused }: Pick<Said, 'stored' | 'refused'>): Promise<number> {
    for (const { failure } of refused) expect(failure).toBe('disk')
    // The process that wrote it has its type.
    this.#said.push(...stored.map((text) => JSON.parse(text) as Stored))
    const session = openSession(this.folder)
    expect(session.opening).toEqual({ kind: 'ready', news: null })
    let days = 0
    for (const query of toSync) {
      const subject = subjectOf(query)
      const tables = session.run('tables/list', { dataScope, subject }).filter(({ whole }) => whole)
      for (const table of tables) {
        expect(table.range.start).toBe(table.range.end)
        const computed = await this.#engine.call('table', { tables: [table], query })
        const rows = inOrder(figuresOf(computed).table.rows)
        expect(rows).toEqual(await this.#oracle.rowsOf(query, table.range.start))
      }
      days += tables.length
      const said = this.#said.filter((each) => each.subject === subject).map(({ start }) => start)
      expect(tables.map(({ range }) => range.start)).toEqual(expect.arrayContaining([...new Set(said)]))
    }
    session.close()
    return days
  }
}

/** How many days there are, of all tables. */
export const daysToSync = toSync.reduce((sum, { range }) => sum + daysOf(range).length, 0)
