/**
 * How many checks passed, failed and were left out.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Tally
 */

/** A part that is one check: it passed or it failed. @param {number} exitCode @returns {Tally} */
export function tallyOfOne(exitCode) {
  return { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 }
}

/**
 * Reads Vitest's JSON report. A run that failed without a failed test (a file that cannot be loaded, an unhandled
 * rejection, no test found, no report at all) counts as one failure: it must never look like success.
 *
 * @param {string | undefined} report
 * @param {number} exitCode
 * @returns {Tally}
 */
export function tallyOfVitest(report, exitCode) {
  const counts = countsIn(report)
  const silentFailure = (exitCode !== 0 || counts === undefined) && !counts?.failed
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: 0, skipped: 0 }
  return { passed, failed: failed + (silentFailure ? 1 : 0), skipped }
}

/**
 * @param {string | undefined} report
 * @returns {Tally | undefined}
 */
function countsIn(report) {
  if (report === undefined) return undefined
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(report)
    const counts = { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests }
    return Object.values(counts).every(Number.isInteger) ? counts : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {readonly Tally[]} tallies
 * @returns {Tally}
 */
export function sum(tallies) {
  return tallies.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )
}

/** The line that a test run ends with. @param {Tally} tally */
export function lastLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
