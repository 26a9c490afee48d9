import { relative, sep } from 'node:path'
import { checkout } from '../common/checkout.mjs'

/** A reason longer than this is cut: it stands in full further up, where the test ran. In characters. */
const REASON_AT_MOST = 300

/**
 * A test that failed. `file` is its path in the checkout, with slashes; `reason` one line.
 *
 * @typedef {{ file: string, test: string, reason: string }} FailedTest
 */

/**
 * Which tests failed and why, from Vitest's JSON report. A file that did not run to its end (its process was lost, or what
 * it does before its tests failed) counts as one test.
 *
 * @param {string | undefined} report
 * @returns {readonly FailedTest[]}
 */
export function failuresIn(report) {
  return filesIn(report).flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length > 0)
      return failed.map(({ fullName, failureMessages }) => failedTest(name, fullName, failureMessages[0]))
    return message ? [failedTest(name, 'the file as a whole', message)] : []
  })
}

/**
 * @param {string | undefined} report
 * @returns {readonly { name: string, message: string, assertionResults: readonly { status: string, fullName: string, failureMessages: readonly string[] }[] }[]}
 */
function filesIn(report) {
  try {
    return JSON.parse(report ?? '').testResults ?? []
  } catch {
    return []
  }
}

/**
 * @param {string} path
 * @param {string} test
 * @param {string} [message]
 * @returns {FailedTest}
 */
function failedTest(path, test, message = 'no reason given') {
  const reason = message.split('\n', 1)[0] ?? ''
  return {
    file: relative(checkout, path).replaceAll(sep, '/'),
    test,
    reason: reason.slice(0, REASON_AT_MOST),
  }
}
