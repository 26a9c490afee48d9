import { basename } from 'node:path'

/** A reason longer than this is cut: it stands in full further up, where the test ran. In characters. */
const REASON_AT_MOST = 300

/**
 * Which tests failed and why, a line each, from Vitest's JSON report: said again at the end of a long run, which may be
 * all of it that is kept. A file that did not run to its end (its process was lost) is named with what it said.
 *
 * @param {string | undefined} report
 * @returns {readonly string[]}
 */
export function failuresIn(report) {
  return filesIn(report).flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length > 0)
      return failed.map(({ fullName, failureMessages }) => line(name, fullName, failureMessages[0]))
    return message ? [line(name, 'the file as a whole', message)] : []
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
 * @param {string} file
 * @param {string} test
 * @param {string | undefined} message
 */
function line(file, test, message = 'no reason given') {
  const reason = message.split('\n', 1)[0]?.slice(0, REASON_AT_MOST)
  return `${basename(file)}: ${test}: ${reason}`
}
