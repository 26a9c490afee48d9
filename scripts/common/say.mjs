/** @type {NodeJS.WriteStream} */
let stream = process.stdout

/** Sends all words to standard error, for scripts whose standard output is read by machines. */
export function sayOnStandardError() {
  stream = process.stderr
}

/** The stream number that a child's standard output goes to, so that it keeps company with our words. */
export function wordsDescriptor() {
  return stream === process.stderr ? 2 : 1
}

/**
 * One line for the person.
 *
 * @param {string} text
 */
export function say(text) {
  stream.write(`${text}\n`)
}

/** @param {number} since ms epoch */
export function elapsed(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}

/**
 * Does something long and says so: a line at the start, one every ten seconds, one at the end. Each says what it is of,
 * since two may run at once.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const began = Date.now()
  say(`${title} …`)
  const heartbeat = setInterval(() => say(`  still at it after ${elapsed(began)}: ${title}`), 10_000)
  heartbeat.unref()
  try {
    const result = await work()
    say(`  done in ${elapsed(began)}: ${title}`)
    return result
  } finally {
    clearInterval(heartbeat)
  }
}
