import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type {
  KnownReportList,
  KnownReport,
  ListToStore,
} from '#main/database/state/raw-reports-repository.ts'
import type { Announcement, AnnouncementKind } from '#shared/raw/settings.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { LivedService } from './lived-service.ts'

/** An account at a service, from when it is added until it is removed, and what is due to be announced of it. */
export class Holding {
  readonly id: AccountId
  readonly service: LivedService
  removed = false
  /** Reports that were over when the account came, or when the desk first saw them in a list that is taken as a first one. */
  readonly #over = new Set<string>()
  /** Reports that ran, as far as the desk knew, when they were removed from here. */
  readonly #removedRunning = new Set<string>()
  /** Reports that any list of this account had, or that were asked for from here. */
  readonly #seen = new Set<string>()
  /** Reports that went while the desk knew them. */
  readonly missed = new Set<string>()
  readonly shown: Pick<Announcement, 'report' | 'kind'>[] = []

  constructor(id: AccountId, service: LivedService) {
    this.id = id
    this.service = service
    const over = [...service.fake.rows.values()].filter((row) => !isRunning(lifeOf(row).state))
    for (const { id: old } of over) this.#over.add(old)
  }

  /** A list is going to be kept over what was known. @returns to be called once it is */
  keeping(list: ListToStore, before: KnownReportList): () => void {
    const known = new Set(before.reports.map(({ id }) => id))
    const toldGone = new Set(
      before.reports.filter(({ announced: told }) => told.includes('disappeared')).map(({ id }) => id),
    )
    const isFirst = before.fetchedAt === null || before.anew
    return () => {
      for (const row of list.rows) {
        this.#seen.add(row.id)
        if (isFirst && !known.has(row.id) && !isRunning(lifeOf(row).state)) this.#over.add(row.id)
      }
      this.service.stored(list)
      // What went before a file was rescued is not told of: nobody knows what else it had forgotten.
      for (const id of list.dropped) if (!toldGone.has(id)) this.missed.delete(id)
    }
  }

  /** A report was asked for from here, and is known to run. */
  expecting(id: string): void {
    this.#seen.add(id)
  }

  /** The person removes a report of which the desk knows this. */
  removing({ id, state }: KnownReport): void {
    if (isRunning(state)) this.#removedRunning.add(id)
    else this.#removedRunning.delete(id)
  }

  /** What is wrong with what was shown of this account, in words. */
  wrong(): string[] {
    return [...this.service.fates.keys()].flatMap((id) => {
      const shown = this.shown.filter(({ report }) => report === id).map(({ kind }) => kind)
      const expiries = shown.filter((kind) => kind.startsWith('expires'))
      const told = shown.filter((kind) => !kind.startsWith('expires')).join()
      const twice = new Set(expiries).size < expiries.length
      const right = [...this.#right(id), ...(this.removed ? [''] : [])]
      if (right.includes(told) && !twice) return []
      const fate = this.service.fates.get(id)
      return [`${this.id} ${id} (${fate}): "${shown.join()}" instead of "${right.join('" or "')}"`]
    })
  }

  /** What may have been announced of a report; more than one only where it was removed here while it still ran. */
  #right(id: string): readonly (AnnouncementKind | '' | 'nothing that can be said')[] {
    const fate = this.service.fates.get(id)
    const found = this.service.fake.rows.get(id)
    if (fate === 'old' || this.#over.has(id)) return ['']
    if (!found && !this.#seen.has(id)) return ['']
    if (!found && fate === 'vanishes') return [this.missed.has(id) ? 'disappeared' : '']
    const state = found ? lifeOf(found).state : this.service.removed.get(id)
    if (state === undefined) return ['nothing that can be said']
    // Nobody else cancels a report of another fate.
    if (isRunning(state) || (state === 'cancelled' && fate !== 'cancelled')) return ['']
    return this.#removedRunning.has(id) && !found
      ? ['', state as AnnouncementKind]
      : [state as AnnouncementKind]
  }
}
