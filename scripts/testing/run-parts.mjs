import { say, step } from '../common/say.mjs'
import { lastLine, sum } from './tally.mjs'

/** Where more tests than these are flaky, the run says nothing about the code: it counts them as failed. */
const FLAKY_AT_MOST = 3

/** Where tests failed in more files than these, the code is to blame, not the machine: nothing is run again. */
const FILES_AGAIN_AT_MOST = 12

/**
 * Something to run: as a whole, or only these of its files, by their paths in the checkout, one after the other.
 *
 * @typedef {{ title: string, run: (files?: readonly string[]) => Promise<import('./parts.mjs').Outcome> }} Runnable
 */

/**
 * A part that ran to its end, with the tests that failed at first and passed when they ran alone.
 *
 * @typedef {import('./parts.mjs').Outcome & { part: Runnable, flaky: readonly import('./failures.mjs').FailedTest[] }} Ended
 */

/**
 * Runs parts, stage by stage: those of a stage at once. A part that fails does not keep the next from running. When all
 * have ended, files of tests that failed run once more, with nothing beside them. At the end, each part is said with its
 * count; what failed and what was flaky is named last, for the end may be all of a long run that is kept.
 *
 * @param {readonly (readonly Runnable[])[]} stages
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runParts(stages) {
  /** @type {Ended[]} */
  const first = []
  for (const stage of stages.filter(({ length }) => length > 0))
    first.push(...(await step(titleOf(stage), () => allOf(stage))))
  const ended = await onceMore(first)
  const flaky = ended.flatMap((part) => part.flaky)
  const judged = flaky.length > FLAKY_AT_MOST ? ended : ended.map(withFlakyPassed)
  for (const one of judged.toSorted((a, b) => Math.sign(a.tally.failed) - Math.sign(b.tally.failed)))
    sayPart(one)
  if (flaky.length > FLAKY_AT_MOST) say(`More than ${FLAKY_AT_MOST} tests are flaky: they count as failed.`)
  for (const { file, test, reason } of flaky) say(`flaky: ${file} ${test} ${reason}`)
  return sum(judged.map(({ tally }) => tally))
}

/** @param {readonly Runnable[]} parts @returns {Promise<Ended[]>} */
const allOf = (parts) => Promise.all(parts.map(async (part) => ({ part, flaky: [], ...(await part.run()) })))

/** @param {readonly Runnable[]} parts */
const titleOf = (parts) => parts.map(({ title }) => title).join(', ')

/** @param {readonly Ended[]} parts @returns {Promise<Ended[]>} */
async function onceMore(parts) {
  const files = new Set(parts.flatMap(({ failed }) => failed.map(({ file }) => file)))
  if (files.size > FILES_AGAIN_AT_MOST) return [...parts]
  const again = []
  for (const one of parts) again.push(one.failed.length === 0 ? one : await partOnceMore(one))
  return again
}

/**
 * The tests of a file are flaky where the whole file passes now. Where any test of it fails, those that failed before
 * stay failed, whichever it is. A second run that failed without naming a test shows nothing.
 *
 * @param {Ended} ended
 * @returns {Promise<Ended>}
 */
async function partOnceMore(ended) {
  const files = [...new Set(ended.failed.map(({ file }) => file))]
  const second = await step(`${ended.part.title}, once more: ${files.join(', ')}`, () =>
    ended.part.run(files),
  )
  const nothingShown = second.tally.passed === 0 || second.tally.failed > second.failed.length
  const failedAgain = new Set(second.failed.map(({ file }) => file))
  return { ...ended, flaky: nothingShown ? [] : ended.failed.filter(({ file }) => !failedAgain.has(file)) }
}

/** @param {Ended} ended @returns {Ended} */
function withFlakyPassed(ended) {
  const { passed, failed, skipped } = ended.tally
  const { length } = ended.flaky
  return {
    ...ended,
    tally: { passed: passed + length, failed: failed - length, skipped },
    failed: ended.failed.filter((test) => !ended.flaky.includes(test)),
  }
}

/** @param {Ended} ended */
function sayPart({ part, tally, said, failed }) {
  say(`${tally.failed > 0 ? 'FAILED' : 'ok    '}  ${part.title}: ${lastLine(tally)}`)
  for (const { file, test, reason } of failed) say(`        ${file}: ${test}: ${reason}`)
  for (const line of said) say(`        ${line}`)
}
