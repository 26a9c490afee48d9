import type { Failure } from '#shared/api/failure.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Need } from '../coverage/stored-tables.ts'
import { isDaily } from '../sync/table-catalogue.ts'

/** Why a question has no answer, and what would have to be kept for one: nothing is kept of any of the needs. */
export function nothingOf(needs: readonly Need[], failure: Failure | null): Failure {
  const why: Failure = failure ?? {
    kind: 'disk',
    message: 'The figures arrived but could not be saved. Only saved days can be combined.',
  }
  return lacksSomething(why) ? { ...why, message: `${why.message} ${wordsFor(needs)}` } : why
}

/**
 * Why days are missing.
 * @param unreadable how many of them are saved in files that cannot be read for now
 */
export function missingFor(needs: readonly Need[], failure: Failure | null, unreadable: number): Failure {
  if (unreadable === 0) return failure ?? nothingOf(needs, null)
  const days = unreadable === 1 ? 'one day' : `${unreadable} days`
  const words = `The saved figures of ${days} cannot be read at the moment. They are still in the profile folder: check that its disk is connected and may be read.`
  return failure ? { ...failure, message: `${failure.message} ${words}` } : { kind: 'disk', message: words }
}

/** Where the service cannot be asked, only what is kept could answer: that is worth saying. */
const lacksSomething = ({ kind }: Failure): boolean =>
  kind === 'offline' || kind === 'refused-token' || kind === 'no-token' || kind === 'proxy-sign-in'

function wordsFor(needs: readonly Need[]): string {
  const days = new Set(needs.flatMap(({ range }) => daysOf(range))).size
  // They may be saved as one.
  if (days > 1 && needs.every(({ catalogued }) => isDaily(catalogued.kind)))
    return `These ${days} days are not saved day by day.`
  return days === 1 ? 'Nothing of this day is saved.' : `Nothing of these ${days} days is saved.`
}
