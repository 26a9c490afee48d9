import type { StoredRecount, Recount } from '#shared/archives/answers.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { SavedArchive } from '#main/raw/downloads/downloads.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { DayCount, ReadRows } from './engine/calls.ts'
import { recount } from './recount.ts'
import type { RecountParts } from './recount.ts'

/** What is older is left to the person: they may have let its rows go, or never wanted them. In milliseconds. */
const lately = 7 * 86_400_000

export type RecountingParts = RecountParts & {
  readonly state: Pick<Store, 'run'>
  readonly now: () => number
  /** The zone in which an account's days begin. */
  readonly zoneOf: (account: AccountId) => string
  /** Rows of a file by day of a zone and by result. */
  readonly days: (account: AccountId, read: ReadRows, zone: string) => Promise<readonly DayCount[]>
  readonly changed: (account: AccountId) => void
}

/** Counts rows against the tables, and keeps what that comes to. */
export class Recounting {
  readonly #parts: RecountingParts

  constructor(parts: RecountingParts) {
    this.#parts = parts
  }

  /**
   * @param zone by whose days rows are counted; a recount by another zone than the account's is not kept
   * @throws DeskFailure where the rows cannot be counted; a recount that cannot be kept is answered all the same
   */
  async run(
    account: AccountId,
    read: ReadRows,
    zone: string = this.#parts.zoneOf(account),
  ): Promise<Recount> {
    const { entry } = read
    const days = await this.#parts.days(account, read, zone)
    const made = await recount({ account, entry, days, zone }, this.#parts)
    if (zone !== this.#parts.zoneOf(account)) return made
    const { report, readAt } = entry
    const before = report === null ? null : await this.of(account, report).catch(() => null)
    // One that came to nothing, because nobody answered, takes no other one's place.
    if (
      report === null ||
      (made.failure !== null && before?.readAt === readAt && before.recount.failure === null)
    )
      return made
    const stored = { at: this.#parts.now() as Instant, readAt, recount: made }
    await this.#parts.state.run('recounts/keep', { account, report, stored }).catch(() => undefined)
    this.#parts.changed(account)
    return made
  }

  of(account: AccountId, report: RawReportId): Promise<StoredRecount | null> {
    return this.#parts.state.run('recounts/of', { account, report })
  }

  /** Archives of the last days that are to be read in or counted again; the newest first. */
  async due(
    account: AccountId,
    saved: readonly SavedArchive[],
    readIn: () => Promise<ReadonlyMap<RowsFileId, ReadRows>>,
    idOf: (report: RawReportId) => RowsFileId,
  ): Promise<readonly RowsFileId[]> {
    const since = this.#parts.now() - lately
    const due: RowsFileId[] = []
    for (const { report } of saved.filter(({ addedAt }) => addedAt >= since)) {
      const id = idOf(report)
      const entry = (await readIn()).get(id)?.entry
      const stored = await this.of(account, report)
      // Rows that were counted and let go stay gone.
      const isOfThese = stored !== null && (!entry || stored.readAt === entry.readAt)
      if (!isOfThese || stored.recount.failure !== null) due.push(id)
    }
    return due
  }
}
