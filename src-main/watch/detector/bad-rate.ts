import { countAt } from './figures.ts'
import { judgedDays } from './judge.ts'
import type { JudgedRow } from './judge.ts'
import type { JudgedMeasure, Sign, SignOptions } from './measure.ts'

/** Minimum requests of a baseline day: below, one bad request is 5 points. */
const minRequests = 20
/** Minimum requests of a day that says what all rows share: counting noise would hide it. */
const minSharedRequests = 100
/**
 * Threshold in standard deviations for 300 rows, measured to give about one false alarm a month, and its growth: for
 * ten times the rows it rises by 1.2, because more rows vary by chance.
 */
const threshold = { base: 4.5, growth: 0.53, rows: 300, min: 3, max: 5.4 }
/** Day-to-day swing has heavier tails than counting. One day of pure swing needs this much more than the threshold. */
const swingTail = 3
/** A run grows by what each day exceeds. Swing often lasts for days, so a day of pure swing has to exceed more. */
const runAllowance = { counting: 1, swing: 1.3 }
/** Limit of one day's part in a run: no single day makes one. */
const maxRunDay = 5
/** Least effect: smaller changes are real but of no use to an account manager. */
const minFactor = 1.2
const minMoreBad = 10

/** Keeps log odds finite. */
const tiny = 1e-6

const sinSquared = (angle: number): number => Math.sin(angle) ** 2

export const badRateThreshold = (rows: number): number => {
  const { base, growth, rows: usual, min, max } = threshold
  return Math.min(max, Math.max(min, base + growth * Math.log(Math.max(1, rows) / usual)))
}

/**
 * Bad requests per request, on the arcsine scale: counting noise is 1/(4n) there for any rate (Anscombe's form). A day
 * alone is tested, and every run of up to 14 days that leans the same way (CUSUM).
 */
export const badRate: JudgedMeasure = {
  name: 'bad-rate',
  worse: 1,
  heldUntilSettled: true,
  toLog: (rate) => Math.log(Math.max(rate, tiny) / Math.max(1 - rate, tiny)),
  // From log odds to the arcsine scale: √(p(1 − p))/2.
  slope: (value) => Math.sin(2 * value) / 4,
  toFigure: (value) => (value <= 0 ? 0 : value >= Math.PI / 2 ? 1 : sinSquared(value)),
  figureOf: (row, first, last) => {
    let [requests, bad] = [0, 0]
    for (let index = first; index <= last; index += 1) {
      if (Number.isNaN(badRate.dayOf(row, index).value)) continue
      requests += countAt(row.requests, index)
      bad += countAt(row.bad, index)
    }
    return bad / requests
  },
  threshold: badRateThreshold,
  dayOf: (row, index) => {
    const [requests, bad] = [countAt(row.requests, index), countAt(row.bad, index)]
    const isKnown = requests > 0 && bad <= requests
    return {
      value: isKnown ? Math.asin(Math.sqrt((bad + 3 / 8) / (requests + 3 / 4))) : NaN,
      variance: isKnown ? 1 / (4 * requests) : NaN,
      isBaseline: isKnown && requests >= minRequests,
      // Parts of a whole move against each other: what they share is no change of the whole.
      isShared: isKnown && row.isPart !== true && requests >= minSharedRequests,
    }
  },
  signOf: (row, judged, start, { threshold: limit, over }) => {
    let [run, zs, days, bad, requests, expected] = [0, 0, 0, 0, 0, 0]
    let best = limit
    let sign: Sign | null = null
    for (let place = judgedDays - 1; place >= 0 && start + place >= (over?.from ?? -Infinity); place -= 1) {
      const isLast = place === judgedDays - 1
      const count = countAt(row.requests, start + place)
      const compared = over ? liftedDay(judged, place, over, count) : dayOfRow(judged, place, count)
      if (!Number.isFinite(compared.z)) {
        if (isLast) return null
        continue
      }
      const { z, rate, swingShare } = compared
      run += Math.min(z, maxRunDay) - runAllowance.counting - runAllowance.swing * swingShare
      zs += z
      days += 1
      requests += count
      bad += countAt(row.bad, start + place)
      expected += count * rate
      const strength = Math.max(run, isLast ? z - swingTail * swingShare : -Infinity)
      const isEnough = bad >= (over?.factor ?? minFactor) * expected && bad - expected >= minMoreBad
      if (strength < best || !isEnough) continue
      best = strength
      sign = {
        ...{ kind: 'bad-rate', from: start + place, z: zs / Math.sqrt(days) },
        ...{ usual: expected / requests, now: bad / requests },
      }
    }
    return sign
  },
}

/** A day against an expected rate; `swingShare` is the part of its variance that is not counting. */
type ComparedDay = { readonly z: number; readonly rate: number; readonly swingShare: number }

function dayOfRow({ usual, z, baseline }: JudgedRow, place: number, requests: number): ComparedDay {
  const swingShare = baseline.swing / (baseline.swing + 1 / (4 * requests))
  return { z: z[place] ?? NaN, rate: sinSquared(usual[place] ?? NaN), swingShare }
}

/** The same against a usual that is higher by an earlier change. Swing grows with the rate, as log odds do. */
function liftedDay(
  { usual, deviations, z, baseline }: JudgedRow,
  place: number,
  { lift, days }: NonNullable<SignOptions['over']>,
  requests: number,
): ComparedDay {
  const [value, deviation] = [usual[place] ?? NaN, deviations[place] ?? NaN]
  const rate = 1 / (1 + Math.exp(-badRate.toLog(sinSquared(value)) - lift))
  const lifted = Math.asin(Math.sqrt(rate))
  const growth = Math.max(1, badRate.slope(lifted) / badRate.slope(value)) ** 2
  const swing = baseline.swing * growth * (1 + 1 / days) + baseline.levelVariance
  const counting = 1 / (4 * requests)
  const above = (z[place] ?? NaN) * deviation - (lifted - value)
  return { z: above / Math.sqrt(counting + swing), rate, swingShare: swing / (swing + counting) }
}
