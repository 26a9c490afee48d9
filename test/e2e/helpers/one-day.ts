import { setTimeout as pause } from 'node:timers/promises'

/** The longest file took six minutes on a machine that had much else to do. In milliseconds. */
const longestFile = 6 * 60_000
const day = 24 * 60 * 60_000

// What the app shows is held against figures of a day that has begun when a file is loaded: where that day (in UTC, as the
// service's) ends before the file does, the file is of the next one.
const left = day - (Date.now() % day)
if (left < longestFile) {
  console.log(`Waits ${Math.ceil(left / 60_000)} minutes for the next day in UTC.`)
  await pause(left)
}
