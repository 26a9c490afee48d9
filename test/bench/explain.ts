import { explain, ranked, rounded } from '#shared/reports/explain.ts'
import type { ExplainedValue } from '#shared/reports/explain.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { median, quantile } from './measure/figures.ts'

const DIMENSIONS = 9
const ROWS = 5_000
const RUNS = 40
/** The longest that all of it may take, in milliseconds. */
const REACH = 100

/** How long a change takes to be explained by nine dimensions of 5,000 rows each, by its number and by its rate. */
export function explained(): string {
  const random = randomFrom(1)
  const dimensions = Array.from({ length: DIMENSIONS }, () => valuesOf(random))
  const lines = (['count', 'rate'] as const).map((by) => {
    const times = Array.from({ length: RUNS }, () => timeOf(dimensions, by)).slice(RUNS / 4)
    const slow = quantile(times, 0.95)
    return `  by ${by.padEnd(5)} ${median(times).toFixed(1)} ms, 95 of 100 within ${slow.toFixed(1)} ms, to reach at most ${REACH} ms: ${slow <= REACH ? 'reached' : 'MISSED'}`
  })
  return [`What explains a change, ${DIMENSIONS} dimensions of ${ROWS} rows`, ...lines].join('\n')
}

function timeOf(dimensions: readonly (readonly ExplainedValue[])[], by: 'count' | 'rate'): number {
  const began = performance.now()
  const whole = { now: null, before: null }
  const lengths = { now: 7, before: 7 }
  const explanations = dimensions.flatMap((values) => explain(values, whole, { by, lengths }) ?? [])
  const shown = ranked(explanations.map((explanation) => ({ explanation: rounded(explanation) })))
  if (shown.length !== DIMENSIONS) throw new Error('Not everything was explained')
  return performance.now() - began
}

/** Few large values and many small ones, some of them new or gone. */
function valuesOf(random: () => number): ExplainedValue[] {
  const side = (place: number) => {
    const base = random() < 0.1 ? 0 : Math.ceil((2_000_000 * random()) / (place + 1))
    return { base, count: Math.floor(base * random() ** 3) }
  }
  return Array.from({ length: ROWS }, (_, place) => ({
    label: { kind: 'text', text: `Value ${place}` },
    now: side(place),
    before: side(place),
  }))
}
