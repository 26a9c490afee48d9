import { handful } from '../../../src-shared/reports/composed.ts'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { Failure, LookCost } from '../../../src-shared/service/failure.ts'
import { assumed } from '../sync/estimate.ts'

/** So many calls run at the same time. */
export const callsAtOnce = 4

/** Whether so many calls are made without asking the person. */
export const isCheap = (calls: number): boolean => calls <= handful

/**
 * Says what a look would cost, before it is spent.
 * @param request how long a call takes, in milliseconds; null where nobody knows
 * @param more how many sources or campaigns would be left for another look
 */
export function costly(calls: number, request: number | null, more: number): DeskFailure {
  const milliseconds = Math.round((calls * (request ?? assumed.request)) / callsAtOnce)
  return new DeskFailure(failureOver({ calls, milliseconds, more }))
}

function failureOver(cost: LookCost): Failure {
  const seconds = Math.max(1, Math.round(cost.milliseconds / 1000))
  const message = `This asks the service ${cost.calls} times, about ${seconds} s.`
  return { kind: 'costly', message, cost }
}

/** The first of several failures of one question; where all of them are costs, what it costs together. Null where none is. */
export function firstOrCost(failures: readonly Failure[]): Failure | null {
  const costs = failures.flatMap(({ cost }) => cost ?? [])
  if (costs.length < 2 || costs.length < failures.length) return failures[0] ?? null
  const sum = (of: (cost: LookCost) => number) => costs.reduce((all, cost) => all + of(cost), 0)
  return failureOver({
    calls: sum(({ calls }) => calls),
    milliseconds: sum(({ milliseconds }) => milliseconds),
    more: Math.max(...costs.map(({ more }) => more)),
  })
}
