/**
 * `npm run test:days`: the tests on other days than this one. The window's begin at instants at which calendars go wrong; the
 * end-to-end tests run under faketime, which moves the time of every process: a month ahead, and across the end of a month.
 * With words behind `--` only the days whose titles hold one of them.
 */
import { main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { onLeaving } from './common/signals.mjs'
import { leaveSurroundings } from './desktop/surroundings.mjs'
import { prepare } from './setup/prepare.mjs'
import { endToEnd, unitTests } from './testing/parts.mjs'
import { runParts } from './testing/run-parts.mjs'
import { lastLine } from './testing/tally.mjs'

const DAY = 86_400_000

/** @type {readonly (readonly [title: string, instant: string, zone: string])[]} */
const instants = [
  ['the last minutes of a year', '2026-12-31T23:55:00Z', 'UTC'],
  ['29 February 2028', '2028-02-29T12:00:00Z', 'UTC'],
  ['the night of New York in which clocks go forward', '2027-03-14T06:58:00Z', 'America/New_York'],
  ['the night of New York in which clocks go back', '2027-11-07T05:58:00Z', 'America/New_York'],
  ['the night of Berlin in which clocks go forward', '2027-03-28T00:58:00Z', 'Europe/Berlin'],
  ['the night of Berlin in which clocks go back', '2027-10-31T00:58:00Z', 'Europe/Berlin'],
  ['the first of a month, 00:05', '2027-02-01T00:05:00Z', 'UTC'],
  ['a year from now', new Date(Date.now() + 365 * DAY).toISOString(), 'UTC'],
]

/** As faketime takes it: so many seconds until ten minutes before this month ends in UTC, so that time goes on past it. */
function toTheEndOfTheMonth() {
  const now = new Date()
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - 600_000
  return `+${Math.round((end - now.getTime()) / 1000)}s`
}

/** @param {readonly string[]} words */
async function partsFor(words) {
  const runtime = await prepare(['app', 'display', 'bus', 'keyring', 'tests', 'days'])
  const window = instants.map(([title, instant, zone]) => ({
    title: `The window, ${title}`,
    /** @param {readonly string[]} [files] */
    run: (files) =>
      unitTests(
        ['--project=window'],
        { filters: files ?? [], sideBySide: files === undefined },
        { TEST_INSTANT: instant, TEST_ZONE: zone },
      ),
  }))
  const offsets = [
    { title: 'End to end, 33 days ahead', offset: () => '+33d' },
    { title: 'End to end, across the end of a month', offset: toTheEndOfTheMonth },
  ]
  const whole = offsets.map(({ title, offset }) => ({
    title,
    /** @param {readonly string[]} [files] */
    run: (files) =>
      endToEnd({ runtime, filters: files ?? [], sideBySide: files === undefined }, [
        ...['faketime', '-f', offset()],
      ]),
  }))
  return [...window, ...whole].filter(
    ({ title }) => words.length === 0 || words.some((word) => title.includes(word)),
  )
}

await main(async () => {
  onLeaving(leaveSurroundings)
  const parts = await partsFor(process.argv.slice(2))
  const total = await runParts(parts.map((part) => [part]))
  say(lastLine(total))
  return total.failed === 0 ? 0 : 1
})
