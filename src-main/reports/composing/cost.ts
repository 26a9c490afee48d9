import { handful } from '#shared/reports/composed.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { Failure, LookCost } from '#shared/api/failure.ts'
import type { Day } from '#shared/values/day.ts'
import { assumed } from '../sync/estimate.ts'

/** So many calls run at the same time. */
export const callsAtOnce = 4

/** Whether so many calls are made without asking the person. */
export const isCheap = (calls: number): boolean => calls <= handful

/**
 * Who agreed to what a look costs: nobody; a person who asks by hand, and was told before what it takes, if it is much; or a
 * person who wants it kept, to whatever it takes.
 */
export type Agreed = 'not' | 'by-hand' | 'to-all'

/** A look as far as its cost goes: at which subject of whom, and at which of its days. */
export type Look = { readonly id: string; readonly days: readonly Day[] }

type Agreement = { readonly days: ReadonlySet<Day>; readonly calls: number }

/** So many agreements are remembered for a subject. */
const maxRemembered = 50

/** What persons were told of costs in this session, and have agreed to: each agreement holds for these days and so many calls. */
export class Agreements {
  readonly #said = new Map<string, number>()
  readonly #agreed = new Map<string, readonly Agreement[]>()

  /** A person is told that a look takes so many calls. */
  say({ id, days }: Look, calls: number): void {
    this.#said.set(nameOf(id, days), calls)
  }

  /**
   * A person asks by hand: that agrees to so many calls, unless fewer were said.
   * @returns whether it does
   */
  agree({ id, days }: Look, calls: number): boolean {
    const said = this.#said.get(nameOf(id, days))
    if (said !== undefined && calls > said) return false
    const before = (this.#agreed.get(id) ?? []).slice(1 - maxRemembered)
    this.#agreed.set(id, [...before, { days: new Set(days), calls }])
    return true
  }

  /** Whether a look is part of one that was agreed to. */
  covers({ id, days }: Look, calls: number): boolean {
    const isPart = (agreement: Agreement) =>
      calls <= agreement.calls && days.every((day) => agreement.days.has(day))
    return this.#agreed.get(id)?.some(isPart) ?? false
  }
}

const nameOf = (id: string, days: readonly Day[]): string => `${id} ${days.join(' ')}`

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
  const sum = (select: (cost: LookCost) => number) => costs.reduce((all, cost) => all + select(cost), 0)
  return failureOver({
    calls: sum(({ calls }) => calls),
    milliseconds: sum(({ milliseconds }) => milliseconds),
    more: Math.max(...costs.map(({ more }) => more)),
  })
}
