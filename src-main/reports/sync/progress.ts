import type { Need } from '../coverage/stored-tables.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { Progress } from './gathering.ts'

/**
 * Progress of several needs as one: the days of those before count as done, those after as not yet.
 * @returns who listens to the need with an index
 */
export function progressOver(
  needs: readonly Need[],
  onProgress: (progress: Progress) => void,
): (index: number) => (progress: Progress) => void {
  const days = needs.map(({ range }) => lengthOf(range))
  const sum = (some: readonly number[]) => some.reduce((all, value) => all + value, 0)
  return (index) => (progress) => {
    if (needs.length === 1 || progress.unit !== 'days') return onProgress(progress)
    onProgress({ unit: 'days', done: sum(days.slice(0, index)) + progress.done, of: sum(days) })
  }
}
