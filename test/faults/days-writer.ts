import { writeSync } from 'node:fs'
import { generation, historyIn } from './kept-generations.ts'

/**
 * Keeps one generation after the other until it is killed, says the number of each once it is kept, and writes the days into
 * one file now and then.
 */
const { history } = historyIn(process.argv[2] ?? '')
const awake = setInterval(() => undefined, 60_000)
try {
  for (let number = Number(process.argv[3]); ; number += 1) {
    await history.keep(generation(number))
    writeSync(1, `${number}\n`)
    if (number % 3 === 0) await history.compact(() => () => true, new AbortController().signal, 2)
  }
} finally {
  clearInterval(awake)
}
