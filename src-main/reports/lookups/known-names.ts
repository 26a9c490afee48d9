import { dimensionNames, familyNames } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import type { TablePath } from '#shared/api/endpoints.ts'
import { SharedNames } from '#shared/api/instance-names.ts'
import type { StoredNames } from '#shared/bridge/calls.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { ReportsContext } from '../reports-context.ts'
import type { Lookups } from './lookups.ts'

/** The newest tables of a subject contain most of its names. */
const MAX_TABLES = 4
/** Maximum number of tables to read per dimension, and of names to return. */
const MAX_READ = 24
const MAX_NAMES = 5000
/** Maximum number of pages per table, and of characters per page, because decoding blocks the event loop. */
const MAX_PAGES = 4
const LONGEST_PAGE = 200_000

/** Names in stored look-ups and tables, so that the user can find everything ever loaded, even offline. */
export class KnownNames {
  readonly #context: ReportsContext
  readonly #lookups: Lookups

  constructor(context: ReportsContext, lookups: Lookups) {
    this.#context = context
    this.#lookups = lookups
  }

  /** Returns the known names of an account. Sends no requests and skips everything unreadable. */
  async list(account: AccountId): Promise<StoredNames> {
    const [listed, tables] = await Promise.all([
      this.#lookups.stored(account),
      this.#tablesOf(account).catch(() => new Map<Dimension, readonly StoredTable[]>()),
    ])
    const names: Partial<Record<Dimension, readonly string[]>> = {}
    for (const dimension of dimensionNames) {
      const known = dimension === 'sources' || dimension === 'campaigns' ? listed[dimension] : []
      const found = await this.#namesIn(tables.get(dimension) ?? [])
      const seen = await this.#namesOnPages(account, dimension)
      const all = new Set([...known, ...found, ...seen])
      all.delete('')
      all.delete(otherLabel)
      if (all.size > 0) names[dimension] = [...all].slice(0, MAX_NAMES)
    }
    const shared = new SharedNames(listed.instances)
    return { instances: listed.instances.map(({ id, name }) => shared.marked({ id, name })), names }
  }

  async #tablesOf(account: AccountId): Promise<ReadonlyMap<Dimension, readonly StoredTable[]>> {
    const dataScope = this.#context.accounts.dataScopeOf(account)
    const tables = await this.#context.store.run('tables/newest', { dataScope, max: MAX_TABLES })
    const byDimension = new Map<Dimension, readonly StoredTable[]>()
    for (const { subject, ...table } of tables) {
      const [family, name] = subject.slice(0, subject.indexOf('?')).split('/')
      const dimension = dimensionNames.find((dimensionName) => dimensionName === name)
      // Rows of instances have ids; the names come from the list of instances.
      if (dimension === undefined || dimension === 'sessions' || !familyNames.some((item) => item === family))
        continue
      const others = byDimension.get(dimension) ?? []
      if (others.length < MAX_READ) byDimension.set(dimension, [...others, table])
    }
    return byDimension
  }

  async #namesIn(tables: readonly StoredTable[]): Promise<readonly string[]> {
    if (tables.length === 0) return []
    const read = () => this.#context.engine.call('names', { tables, max: MAX_NAMES })
    const computed = await this.#context.history.holding(tables, read).catch(() => null)
    if (computed?.kind !== 'lacking') return computed?.figures ?? []
    const sound = tables.filter(({ id }) => !computed.tables.includes(id))
    return sound.length < tables.length ? this.#namesIn(sound) : []
  }

  /** Names on stored pages of the service, which may be the only stored part of a table. */
  async #namesOnPages(account: AccountId, dimension: Dimension): Promise<readonly string[]> {
    const dataScope = this.#context.accounts.dataScopeOf(account)
    const names: string[] = []
    for (const family of familyNames) {
      const path = dimension === 'sessions' ? undefined : tablePath(family, dimension)
      if (path === undefined) continue
      for (const { text } of await this.#context.answers.newest(dataScope, path, MAX_PAGES)) {
        if (text.length > LONGEST_PAGE) continue
        names.push(...namesOf(path, text))
        // Yields to the event loop, because decoding a page takes a while.
        await new Promise(setImmediate)
      }
    }
    return names
  }
}

function namesOf(path: TablePath, text: string): readonly string[] {
  try {
    return decodeAnswer(path, text).table.rows.flatMap(({ label }) =>
      label.kind === 'text' ? [label.text] : [],
    )
  } catch {
    return []
  }
}
