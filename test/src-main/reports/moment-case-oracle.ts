import type { CaseFindings, CaseSide } from '#shared/cases/case.ts'
import { addDays, daysOf, lengthOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { countedOf } from './growing-counts.ts'
import type { Counted, Levels, Part } from './growing-counts.ts'
import type { MadeCase } from './moment-cases.ts'
import { isSame, subsetsOf, sumOf } from './moment-oracle.ts'
import type { Oracle, Scope } from './moment-oracle.ts'

const valueOf = (side: CaseSide, header: string) =>
  side.figures.find((figure) => figure.header === header)?.value ?? null

/** What a side counts; null where it is not known. */
function countedIn(side: CaseSide | null): Counted | null {
  const [good, bad] = side ? [valueOf(side, 'Good'), valueOf(side, 'Bad')] : [null, null]
  return good === null || bad === null ? null : { good, bad }
}

const earlier = (range: DayRange): DayRange => ({
  start: addDays(range.start, -lengthOf(range)),
  end: addDays(range.start, -1),
})

const without = (whole: Counted, part: Counted): Counted => ({
  good: whole.good - part.good,
  bad: whole.bad - part.bad,
})

/** What a case says of its parts, and whether it says that they do not belong together. */
class CaseOracle {
  readonly #oracle: Oracle
  readonly #made: CaseFindings
  readonly #range: DayRange
  readonly #own: Part
  readonly #wide: Part

  constructor(oracle: Oracle, { entry, made }: MadeCase) {
    const { source, instances, range } = entry.scope
    const [only] = instances.kind === 'some' ? instances.list : []
    const instance = only ? { instance: only.id } : {}
    this.#oracle = oracle
    this.#made = made
    this.#range = range
    this.#own = { ...instance, ...(source !== null && { source }) }
    this.#wide = entry.about === 'instance' ? {} : instance
  }

  /** What is wrong where all figures were of this scope. */
  wrongOf(scope: Scope): string | null {
    const { now, before, days } = this.#made
    if (!this.#areSides(scope)) return 'now and others are of no moment'
    const then = countedIn(before)
    if (
      before &&
      then &&
      !this.#isSide(scope, earlier(this.#range), before, (of) => isSame(of(this.#own), then))
    )
      return 'the days before are of no moment'
    const own = countedIn(now)
    if (own && days.length > 0 && !this.#says('By day', 'These days') && !isSame(sumOf(this.#ofDays()), own))
      return 'days do not add up'
    if (!this.#ofDays().every((counted, place) => this.#isDay(scope, days[place]?.day, counted)))
      return 'a day is of no moment'
    return own && !this.#says('By instance', 'These days') ? this.#wrongInInstances(scope, own) : null
  }

  #says(...names: readonly string[]): boolean {
    return this.#made.lacks.some(({ what }) => names.includes(what))
  }

  #areSides(scope: Scope): boolean {
    const { now, others } = this.#made
    const [own, rest] = [countedIn(now), countedIn(others)]
    const isNow = (of: Reader) => own === null || this.#says('These days') || isSame(of(this.#own), own)
    if (now && !this.#isSide(scope, this.#range, now, isNow)) return false
    const isSaid = this.#made.lacks.some(
      ({ what, failure }) => what === 'The others' && failure.message.includes('another time'),
    )
    if (!now || !others || rest === null || isSaid) return true
    const isBoth = (of: Reader) =>
      isSame(without(of(this.#wide), of(this.#own)), rest) && (now.missing !== others.missing || isNow(of))
    return this.#isSide(scope, this.#range, others, isBoth)
  }

  /** Whether figures are of so many days as their side has, each at one of its levels since its oldest figure was fetched. */
  #isSide(
    scope: Scope,
    range: DayRange,
    { missing, fetchedAt }: CaseSide,
    isOf: (of: Reader) => boolean,
  ): boolean {
    const days = daysOf(range)
    return subsetsOf(days)
      .filter((some) => some.length === days.length - missing)
      .some((some) => {
        const choices = some.map((day) => [day, this.#oracle.counts.levelsOf(day, fetchedAt)] as const)
        const isRight = (_: Scope, levels: Levels) => isOf((part) => countedOf(scope, levels, part))
        return this.#oracle.find(choices, isRight, [scope]) !== null
      })
  }

  /** What each day counts; days that are not known count nothing. */
  #ofDays(): readonly Counted[] {
    const { headers, days } = this.#made
    const [good, bad] = [headers.indexOf('Good'), headers.indexOf('Bad')]
    return days.map(({ values }) => ({ good: values[good] ?? 0, bad: values[bad] ?? 0 }))
  }

  #isDay(scope: Scope, day: Day | undefined, counted: Counted): boolean {
    if (day === undefined || isSame(counted, { good: 0, bad: 0 })) return true
    const levels = this.#oracle.counts.levelsOf(day, -Infinity)
    return levels.some((level) => isSame(countedOf(scope, new Map([[day, level]]), this.#own), counted))
  }

  #wrongInInstances(scope: Scope, own: Counted): string | null {
    const { instances, now } = this.#made
    if (instances.length === 0 || instances.some(({ requests }) => requests === null)) return null
    const sum = instances.reduce((all, { requests }) => all + (requests ?? 0), 0)
    if (sum !== own.good + own.bad) return 'instances do not add up'
    const isOf = (of: Reader) =>
      instances.every(({ id, requests }) => {
        const { good, bad } = of({ ...this.#own, instance: id })
        return good + bad === requests
      })
    return now && this.#isSide(scope, this.#range, now, isOf) ? null : 'instances are of no moment'
  }
}

type Reader = (part: Part) => Counted

/** What is wrong with a case; null where all that it says is of one scope and of one moment, missing, or said to be other. */
export function wrongInCase(oracle: Oracle, made: MadeCase): string | null {
  const { range } = made.entry.scope
  const checked = new CaseOracle(oracle, made)
  const found = oracle.scopes().map((scope) => checked.wrongOf(scope))
  if (found.includes(null)) return null
  return oracle.isExcused([...daysOf(range), ...daysOf(earlier(range))]) ? null : found.join('; ')
}
