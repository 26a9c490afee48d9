import { say, step } from '../common/say.mjs'
import { lastLine, sum } from './tally.mjs'

/** @typedef {{ title: string, run: () => Promise<import('./parts.mjs').Outcome> }} Runnable */

/**
 * Runs parts, stage by stage: those of a stage at once. A part that fails does not keep the next from running. At the
 * end, each part is said with its count; what failed is named last, for the end may be all of a long run that is kept.
 *
 * @param {readonly (readonly Runnable[])[]} stages
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runParts(stages) {
  const outcomes = []
  for (const stage of stages.filter(({ length }) => length > 0))
    outcomes.push(...(await step(titleOf(stage), () => allOf(stage))))
  const failedLast = outcomes.sort((a, b) => Math.sign(a.tally.failed) - Math.sign(b.tally.failed))
  for (const { part, tally, failures } of failedLast) {
    say(`${tally.failed > 0 ? 'FAILED' : 'ok    '}  ${part.title}: ${lastLine(tally)}`)
    for (const failure of failures) say(`        ${failure}`)
  }
  return sum(outcomes.map(({ tally }) => tally))
}

/** @param {readonly Runnable[]} parts */
const allOf = (parts) => Promise.all(parts.map(async (part) => ({ part, ...(await part.run()) })))

/** @param {readonly Runnable[]} parts */
const titleOf = (parts) => parts.map(({ title }) => title).join(', ')
