import { setImmediate } from 'node:timers/promises'
import { daysBetween, lengthOf } from '#shared/values/day.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import { totalLabel } from '#main/watch/judging/rule.ts'
import type { NamedFigures, NamedRow } from '#main/watch/judging/rule.ts'
import { judging } from '#main/watch/judging/task.ts'
import type { Judged, JudgeTask } from '#main/watch/judging/task.ts'
import type { JudgeParams, WatchedDays } from './table-calls.ts'
import { countIn } from './totals.ts'
import type { DayTotals } from './totals.ts'

/** Judges the totals of days, without the engine. */
export function judgeTotals(
  parts: readonly DayTotals[],
  { tasks, ...about }: Omit<JudgeParams, 'tables'>,
  signal: AbortSignal,
): Promise<readonly Judged[]> {
  const totals = totalsOf(parts, about)
  return judged(tasks, () => totals, signal)
}

/** Figures of the totals of days, as one row. */
export function totalsOf(
  parts: readonly DayTotals[],
  { days, family, header, base }: Omit<JudgeParams, 'tables' | 'tasks'>,
): NamedFigures {
  const row = { ...emptyRow(totalLabel, '', days), ...nothingKnown(days) }
  for (const { range, total } of parts) {
    const index = daysBetween(days.range.start, range.start)
    row.requests[index] = countIn(total, family, base) ?? null
    row.bad[index] = countIn(total, family, header) ?? null
  }
  return figuresOf(days, [row])
}

/** Does tasks on figures. Other work is done between two mornings. @throws DeskFailure `cancelled` */
export async function judged(
  tasks: readonly JudgeTask[],
  figuresFor: (task: JudgeTask) => NamedFigures,
  signal: AbortSignal,
): Promise<readonly Judged[]> {
  const done: Judged[] = []
  for (const task of tasks) {
    const steps = judging(figuresFor(task), task)
    let step = steps.next()
    for (; !step.done; step = steps.next()) {
      await setImmediate()
      throwIfCancelled(signal)
    }
    done.push(step.value)
  }
  return done
}

export const figuresOf = (
  { range, settled, settlesAfter }: WatchedDays,
  rows: readonly NamedRow[],
): NamedFigures => ({
  ...{ firstDay: range.start, settled, settlesAfter, rows },
})

/** A row whose cells are being filled. */
export type FilledRow = NamedRow & { readonly requests: (number | null)[]; readonly bad: (number | null)[] }

const nothingKnown = ({ range }: WatchedDays) => {
  const length = lengthOf(range)
  return {
    requests: new Array<number | null>(length).fill(null),
    bad: new Array<number | null>(length).fill(null),
  }
}

/** A row before its cells are known: a whole day without it says zero, any other day nothing. */
export const emptyRow = (label: string, text: string, days: WatchedDays): FilledRow => ({
  ...{ label, text, group: null },
  requests: days.whole.map((isWhole) => (isWhole ? 0 : null)),
  bad: days.whole.map((isWhole) => (isWhole ? 0 : null)),
})
