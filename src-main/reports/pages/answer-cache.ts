import type { AccountStore, DataScopeClient } from '#main/accounts/account-store.ts'
import type { AnswerToStore, StoredText } from '#main/database/cache/answers-repository.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Label, TableAnswer } from '#shared/api/answers.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Provisional } from '#shared/reports/provisional.ts'
import { dayToWire } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'

/**
 * A computed table as the service would write it (specification: table), so that kept answers have one form. Null where it
 * has what that form does not tell apart: texts among its cells, or an aggregate among its rows.
 */
export function writeAnswer({ total, table, chart, query }: TableAnswer): string | null {
  const { headers, all, rows } = table
  const isPlain = rows.every(
    ({ label, cells }) => label.kind !== 'all' && cells.every((cell) => typeof cell !== 'string'),
  )
  if (!isPlain || all?.cells.some((cell) => typeof cell === 'string')) return null
  return JSON.stringify({
    total,
    table: {
      headers: headers.map(encodeURIComponent),
      all: all && [aggregateCell(all.label), ...all.cells],
      rows: rows.map(({ label, cells }) => [labelCell(label), ...cells]),
    },
    ...(chart && {
      chart: [
        ['Date', ...chart.series.map(({ header }) => header)],
        ...chart.days.map((day, place) => [
          dayToWire(day),
          ...chart.series.map(({ values }) => values[place] ?? null),
        ]),
      ],
    }),
    query: { results: query.results, pages: query.pages },
  })
}

function labelCell(label: Label): string {
  switch (label.kind) {
    case 'text':
      return encodeURIComponent(label.text)
    case 'instance':
      return encodeURIComponent(JSON.stringify({ id: label.id, name: label.name }))
    case 'all':
      return encodeURIComponent(label.name ?? '')
  }
}

const aggregateCell = (label: Label): string | false =>
  label.kind === 'all' && label.name !== null
    ? encodeURIComponent(JSON.stringify({ name: label.name }))
    : false

/** The longest answer that is kept as it came, in characters. A page of 1,000 rows is far shorter. */
const maxCached = 1_000_000

/** How many answers that the store refuses are held in memory. */
const maxInMemory = 50

/**
 * Where answers are kept and found again. It never fails: what the store refuses is held in memory, so that an
 * answer can be shown though it cannot be kept.
 */
export class AnswerCache {
  readonly #store: Store
  readonly #events: Emitter
  readonly #unstored = new Map<string, StoredText>()
  #warned = false

  constructor(store: Store, events: Emitter) {
    this.#store = store
    this.#events = events
  }

  async save(answer: AnswerToStore): Promise<void> {
    // Read again it would hold the main loop: what it tells is kept as tables.
    if (answer.text.length > maxCached) return
    const id = placeOf(answer.owner, answer.key)
    try {
      await this.#store.run('answers/keep', answer)
      this.#unstored.delete(id)
      this.#warned = false
    } catch (error) {
      this.#hold(id, answer)
      this.#warn(failureOf(error).message)
    }
  }

  /** The answer to a question; null where there is none. */
  async read(owner: DataScopeId, key: string): Promise<StoredText | null> {
    // What the store refused came after what it has.
    return this.#unstored.get(placeOf(owner, key)) ?? (await this.#stored(owner, key))
  }

  /** The newest answers of one endpoint, the newest first; none where the store refuses. Of these days, where a range is given. */
  async newest(
    owner: DataScopeId,
    path: EndpointPath,
    max: number,
    range?: DayRange,
  ): Promise<readonly StoredText[]> {
    try {
      return await this.#store.run('answers/newest', { owner, path, max, ...(range && { range }) })
    } catch {
      return []
    }
  }

  /** Whether any answer waits for a check of its owner's instances; true where nobody can tell. */
  async holdUnconfirmed(owner: DataScopeId): Promise<boolean> {
    if (this.#unstored.size > 0) return true
    return await this.#store.run('answers/wait', owner).catch(() => true)
  }

  /** Lets the kept pages of tables go; what the store refuses to forget stays. */
  async forgetTables(owner: DataScopeId): Promise<void> {
    for (const id of this.#unstored.keys()) if (id.startsWith(owner)) this.#unstored.delete(id)
    await this.#store.run('answers/forget-tables', { owner }).catch(() => null)
  }

  /** What is held in memory may be of other instances than were thought. */
  forgetUnstored(): void {
    this.#unstored.clear()
  }

  /** The owner has gone, and what is held in memory for it goes too. */
  forget(owner: DataScopeId): void {
    for (const id of this.#unstored.keys()) if (id.startsWith(owner)) this.#unstored.delete(id)
  }

  /** Lets all answers of an owner go. @throws DeskFailure where the store refuses; then those on the disk stay */
  async forgetAll(owner: DataScopeId): Promise<void> {
    this.forget(owner)
    await this.#store.run('answers/forget', owner)
  }

  async #stored(owner: DataScopeId, key: string): Promise<StoredText | null> {
    try {
      return await this.#store.run('answers/read', { owner, key })
    } catch {
      return null
    }
  }

  #hold(id: string, { key, fetchedAt, text, madeOf }: AnswerToStore): void {
    this.#unstored.delete(id)
    this.#unstored.set(id, { key, fetchedAt, text, madeOf })
    const [oldest] = this.#unstored.keys()
    if (this.#unstored.size > maxInMemory && oldest !== undefined) this.#unstored.delete(oldest)
  }

  #warn(text: string): void {
    if (this.#warned) return
    this.#warned = true
    const notice = {
      id: 'answers-unkept',
      tone: 'trouble',
      title: 'New answers are not saved',
      text,
    } as const
    this.#events.emit({ kind: 'notice/shown', notice })
  }
}

/** Under which check something is kept that a client has just brought. */
export function provisionalBy({ provisional }: Pick<DataScopeClient, 'provisional'>): {
  readonly provisional?: Provisional
} {
  const under = provisional()
  return under ? { provisional: under } : {}
}

const placeOf = (owner: DataScopeId, key: string) => `${owner} ${key}`

/** Whether an account's figures are this owner's still: what came for another one is not kept. */
export function isStillDataScope(
  accounts: Pick<AccountStore, 'dataScopeOf'>,
  account: AccountId,
  owner: DataScopeId,
): boolean {
  try {
    return accounts.dataScopeOf(account) === owner
  } catch {
    return false
  }
}
