import type { Failure } from '../../../src-shared/service/failure.ts'
import { daysOf } from '../../../src-shared/values/day.ts'
import type { Need } from '../coverage/kept-tables.ts'

/** Why a question has no answer, and what would have to be kept for one: nothing is kept of any of the needs. */
export function nothingOf(needs: readonly Need[], failure: Failure | null): Failure {
  const why: Failure = failure ?? {
    kind: 'disk',
    message: 'The figures arrived but could not be saved. Only saved days can be combined.',
  }
  return lacksSomething(why) ? { ...why, message: `${why.message} ${wordsFor(needs)}` } : why
}

/** Where the service cannot be asked, only what is kept could answer: that is worth saying. */
const lacksSomething = ({ kind }: Failure): boolean =>
  kind === 'offline' || kind === 'refused-token' || kind === 'no-token' || kind === 'proxy-sign-in'

function wordsFor(needs: readonly Need[]): string {
  const days = new Set(needs.flatMap(({ range }) => daysOf(range))).size
  return days === 1 ? 'Nothing of this day is saved.' : `Nothing of these ${days} days is saved.`
}
