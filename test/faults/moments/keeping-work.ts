import { randomFrom } from '#test/helpers/random.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import { daysBetween } from '#shared/values/day.ts'
import { daysKept, firstDay, openHistory, place, publishTo, tableOf } from './histories.ts'
import type { Fetched } from './histories.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** What such a process works on. */
export type KeepingOrders = {
  readonly kind: 'compaction' | 'restatement' | 'publishing'
  /** The profile folder. */
  readonly folder: string
  /** Where it publishes. */
  readonly share: string
  /** When the first of its tables is fetched; the next comes `step` milliseconds later. */
  readonly from: number
  readonly step: number
  readonly seed: number
}

/** Keeps days again and again; compacts, restates or publishes them in the moments in which it is to be killed. */
await workUntilKilled<KeepingOrders>(({ kind, folder, share, from, step, seed }) => {
  const { history, store, root, close } = openHistory(folder, () => (kind === 'restatement' ? 'UTC' : null))
  const random = randomFrom(seed)
  const { signal } = new AbortController()
  let fetchedAt = from

  async function keep(table: Omit<Fetched, 'fetchedAt'>): Promise<void> {
    const fetched = { ...table, fetchedAt }
    fetchedAt += step
    // Where the disk refused from the beginning on, nothing can be kept at all.
    if ((await history.save(tableOf(fetched))) !== null) sayStored(fetched)
  }

  /** The count of a day now, so that it can be fetched again without a difference. */
  async function countOf(number: number): Promise<number | undefined> {
    const tables = await history.list(place)
    const table = tables.find(({ range }) => daysBetween(firstDay, range.start) === number)
    const count = table && readHead(table.head)?.total['suspect']
    return typeof count === 'number' ? count : undefined
  }

  async function storeSome(round: number): Promise<void> {
    const some = Array.from({ length: round === 0 ? 3 : 2 }, () => Math.floor(random() * daysKept))
    for (const day of some) await keep({ day, count: fetchedAt })
  }

  const compact = () => history.compact(() => () => true, signal, 2)

  switch (kind) {
    case 'compaction':
      return {
        prepare: storeSome,
        work: async () => {
          await compact()
          return true
        },
        close,
      }
    case 'restatement':
      return {
        prepare: async (round) => {
          if (round > 0 && random() < 0.2) await compact()
        },
        work: async () => {
          const number = Math.floor(random() * daysKept)
          const before = random() < 0.3 ? await countOf(number) : undefined
          await keep({ day: number, count: before ?? fetchedAt })
          return true
        },
        close,
      }
    case 'publishing':
      return {
        prepare: async (round) => {
          await storeSome(round)
          if (random() < 0.3) await compact()
          await history.rewriteReplaced(place.dataScope)
        },
        work: async () => {
          await publishTo({ folder, share }, { store, root, thorough: random() < 0.5 })
          return true
        },
        close,
      }
  }
})
