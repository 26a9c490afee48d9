import type { Failure } from '#shared/api/failure.ts'
import type { Day } from '#shared/values/day.ts'
import type { ViewOfAccount } from '#main/database/state/views-repository.ts'

/** A view's turn in the queue: one band of its days (bands.ts). The next one follows when every other view had this one. */
export type Turn = ViewOfAccount & {
  readonly band: number
  /** The day that it was at its account when its first band began: it decides which days the view shows. */
  readonly day: Day | null
  /** Why something of the bands before could not be kept, the first reason. */
  readonly failure: Failure | null
  /** Subjects that were refused: they are not asked for again in this round. */
  readonly refused: ReadonlySet<string>
}

export const firstTurn = (found: ViewOfAccount): Turn => ({
  ...found,
  band: 0,
  day: null,
  failure: null,
  refused: new Set(),
})

/**
 * A queue with one more in it. The newest days of all views come first; within a band whoever came first, unless a person
 * waits for it.
 */
export function queued(queue: readonly Turn[], turn: Turn, byPerson = false): readonly Turn[] {
  const place = queue.findIndex(({ band }) => (byPerson ? band >= turn.band : band > turn.band))
  return place < 0 ? [...queue, turn] : queue.toSpliced(place, 0, turn)
}
