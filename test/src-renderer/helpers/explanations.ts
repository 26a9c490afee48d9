import type { Label } from '#shared/api/answers.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Explanation, NamedValue } from '#shared/reports/explain.ts'
import type { ExplainAnswer, ExplainedDimension } from '#shared/reports/explain-answer.ts'
import type { Instant } from '#shared/values/ids.ts'

const side = (count: number, base: number) => ({ count, base })

/** A value that was bad in `before[0]` of `before[1]` requests, with its part of a change. */
export const valueOf = (
  name: string | Label,
  before: readonly [number, number],
  now: readonly [number, number],
  [mix, rate]: readonly [mix: number, rate: number],
): NamedValue => ({
  label: typeof name === 'string' ? { kind: 'text', text: name } : name,
  ...{ before: side(...before), now: side(...now), total: mix + rate, mix, rate },
})

/** Bad rose from 1,000 to 4,573 of 20,000 requests each, by a value and all others. */
export function explanationOf(changes: Partial<Explanation> = {}): Explanation {
  const named = changes.named ?? [valueOf('Comcast', [500, 5000], [2948, 8000], [400, 2048])]
  const told = named.reduce((sum, { total }) => sum + total, 0)
  return {
    ...{
      by: 'count',
      scale: 1,
      shape: 'few',
      against: null,
      rest: 0,
      unknown: 0,
      gross: 3573,
      paradox: null,
      focus: null,
    },
    ...{ whole: { before: side(1000, 20_000), now: side(4573, 20_000) }, change: 3573, named },
    others: { values: 12, total: 3573 - told, mix: 0, rate: 3573 - told },
    sums: { total: 3573, mix: 400, rate: 3173 },
    ...changes,
  }
}

export const explainedAs = (
  dimension: Dimension,
  explanation: Explanation = explanationOf(),
  changes: Partial<Extract<ExplainedDimension, { kind: 'explained' }>> = {},
): ExplainedDimension => ({
  ...{ kind: 'explained', dimension, explanation, compared: null, doubt: null, agrees: true },
  fetchedAt: Date.parse('2026-11-20T09:00:00Z') as Instant,
  ...changes,
})

/** What a service answers that has networks stored, and nothing else. */
export function explainAnswer(
  { query, before }: Pick<CallArgument<'reports/explain'>, 'query' | 'before'>,
  changes: Partial<ExplainAnswer> = {},
): ExplainAnswer {
  return {
    periods: { kind: 'periods', now: query.range, before, leftOut: [] },
    figure: {
      sides: explanationOf().whole,
      compared: null,
      fetchedAt: Date.parse('2026-11-20T09:00:00Z') as Instant,
      doubt: null,
    },
    dimensions: [explainedAs('networks')],
    ...{ due: [], failures: [], obstacle: null },
    ...changes,
  }
}
