import { handful } from '../../../src-shared/reports/composed.ts'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
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
  const seconds = Math.max(1, Math.round(milliseconds / 1000))
  return new DeskFailure({
    kind: 'costly',
    message: `This asks the service ${calls} times, about ${seconds} s.`,
    cost: { calls, milliseconds, more },
  })
}
