import { expect, it } from 'vitest'
import type { Day } from '#shared/values/day.ts'
import type { ScheduleEntry, ScheduleId, ScheduleRule } from '#shared/watch/schedules.ts'
import type { Weekday } from '#shared/views/period.ts'
import { occurrencesBetween } from '#main/lib/occurrence.ts'
import { runsOf, seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { entryWith } from '#test/src-main/database/state/watch.ts'
import { ScheduledDesk } from '#test/src-main/watch/schedules/scheduled-desk.ts'

const lives = runsOf(300)
const aDay = 86_400_000
const anHour = 3_600_000
const zones = ['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Australia/Lord_Howe']
/** Before clocks go on or back in one of the zones, and at the end of months. */
const starts = [
  '2026-10-20T12:00:00Z',
  '2026-03-24T12:00:00Z',
  '2026-11-26T12:00:00Z',
  '2027-02-24T12:00:00Z',
]

type Random = () => number
const whole = (random: Random, below: number) => Math.floor(random() * below)
const oneOf = <T>(random: Random, all: readonly T[], otherwise: T): T =>
  all[whole(random, all.length)] ?? otherwise

function ruleOf(random: Random): ScheduleRule {
  const all: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7]
  const some = all.filter(() => random() < 0.6)
  const days: ScheduleRule['days'] =
    random() < 0.15
      ? { kind: 'month', day: 28 + whole(random, 4) }
      : { kind: 'week', weekdays: some.length === 0 ? [1] : some }
  const hour = random() < 0.3 ? 2 : whole(random, 24)
  return { days, hour, minute: 30, zone: oneOf(random, zones, 'UTC') }
}

/** What became due while the clock went right, and whether it may have been missed: a later day came with it. */
class Dues {
  readonly must = new Set<Day>()
  readonly may = new Set<Day>()
  readonly first: number
  rule: ScheduleRule
  since: number

  constructor(rule: ScheduleRule, since: number) {
    this.rule = rule
    this.since = since
    this.first = since
  }

  note(before: number, now: number): void {
    for (const [nth, { day }] of occurrencesBetween(this.rule, {
      since: Math.max(before, this.since),
      now,
    }).entries())
      if (!this.must.has(day) && !this.may.has(day)) (nth === 0 ? this.must : this.may).add(day)
  }
}

async function startInThePast(desk: ScheduledDesk): Promise<void> {
  const now = desk.clock.now()
  await desk.clock.move(-now)
  await desk.restart()
  await desk.clock.move(now)
  desk.schedules.wake()
  await desk.settle()
}

/** Schedules that are due at the same time, with what their files begin with. */
type Two = readonly (readonly [id: ScheduleId, beginning: string])[]
type Life = { readonly desk: ScheduledDesk; readonly dues: Dues; readonly two: Two }

/** Some weeks, in which the computer sleeps, the app is killed, and clock, zone, figures and folder change. */
async function live(random: Random): Promise<Life> {
  const desk = await ScheduledDesk.open(oneOf(random, starts, '2026-11-20T12:00:00Z'))
  desk.hasLinks = random() < 0.5
  const rule = ruleOf(random)
  const entryOf = (beginning: string): Partial<ScheduleEntry> => ({
    ...{ rule: dues.rule, patience: 168, fileNames: `${beginning} {name} {day}` },
  })
  const dues = new Dues(rule, desk.clock.now())
  const two: [ScheduleId, string][] = []
  for (const beginning of ['One', 'Two']) two.push([await desk.add(entryOf(beginning)), beginning])
  desk.schedules.start()
  await desk.settle()
  const pass = async (milliseconds: number) => {
    const before = desk.clock.now()
    await desk.pass(milliseconds)
    dues.note(before, desk.clock.now())
  }
  const die = (below: number) => desk.killAfter({ steps: 1 + whole(random, below), doesLast: random() < 0.5 })
  const events = [
    () => pass(aDay),
    () => pass(aDay),
    // Asleep, and woken in time or a little late.
    async () => {
      await pass((2 + whole(random, 8)) * aDay)
      desk.schedules.wake()
    },
    // Killed at one of the steps of a day, maybe again when it starts.
    async () => {
      die(60)
      await pass(aDay)
      if (random() < 0.4) {
        await desk.restart()
        die(40)
        desk.schedules.wake()
        await desk.settle()
      }
      await desk.restart()
    },
    // A clock that runs ahead for a while.
    async () => {
      const jump = (random() < 0.5 ? 365 : 3) * aDay
      await desk.pass(jump)
      if (random() < 0.3) die(40)
      desk.schedules.wake()
      await desk.settle()
      await desk.clock.move(-jump)
      if (random() < 0.5) await desk.restart()
      desk.schedules.wake()
      await desk.settle()
      await desk.restart()
    },
    // A clock that goes back within the year, or to the one before, for a while.
    async () => {
      const jump = (random() < 0.5 ? 200 : 2) * aDay
      await desk.clock.move(-jump)
      if (random() < 0.5) await desk.restart()
      desk.schedules.wake()
      await desk.settle()
      await desk.clock.move(jump)
      desk.schedules.wake()
      await desk.settle()
    },
    // A clock that starts in the past, until it is set.
    () => startInThePast(desk),
    // The account's days, and the schedule's clock.
    async () => {
      if (desk.account) desk.account = { ...desk.account, dayZone: oneOf(random, zones, 'UTC') }
      dues.rule = { ...dues.rule, zone: oneOf(random, zones, 'UTC') }
      for (const [id, beginning] of two)
        await desk.schedules.save({ account: firstId, id, entry: entryWith(entryOf(beginning)) })
      dues.since = desk.clock.now()
    },
    // Figures, or the folder, that come later.
    async () => {
      desk.figures = 'missing'
      await pass(aDay)
      if (random() < 0.5) await desk.restart()
      desk.figures = 'stored'
      await desk.pass(0)
    },
    async () => {
      desk.failure = Object.assign(new Error('Full'), { code: 'ENOSPC' })
      await pass(aDay / 2)
      desk.failure = null
      await pass(anHour)
    },
  ]
  for (let step = 0; step < 10; step += 1) {
    await events[whole(random, events.length)]?.()
    if (random() < 0.8) await desk.settle()
  }
  // In the end all that still waits is tried.
  await pass(anHour)
  desk.schedules.wake()
  await desk.settle()
  return { desk, dues, two }
}

/** Each has a limit of its own, and is lived again with its own seed. */
const seeds = Array.from({ length: lives }, (_, nth) => seed + nth)

it.each(seeds)('makes exactly one file for each due day in the life of PROPERTY_SEED=%d', async (own) => {
  const { desk, dues, two } = await live(randomFrom(own))
  const names = desk.fileNames()
  for (const [id, beginning] of two) {
    const runs = await desk.allRuns(id)
    for (const { day, state } of runs) {
      const files = names.filter((name) => name.startsWith(beginning) && name.includes(day))
      const expected = ['View 1', 'View 2'].map((view) => `${beginning} ${view} ${day}.csv`)
      if (state.kind === 'made') expect(files, day).toEqual(expected)
      else expect([...files, state.kind], day).toEqual(['missed'])
    }
    const made = runs.filter(({ state }) => state.kind === 'made').map(({ day }) => day)
    const known = new Set(runs.map(({ day }) => day))
    expect([...dues.must].filter((day) => !made.includes(day))).toEqual([])
    expect([...dues.may].filter((day) => !known.has(day))).toEqual([])
    // Nothing was due before the schedule was there, whatever the clock said.
    expect(runs.filter(({ dueAt }) => dueAt < dues.first)).toEqual([])
  }
  // Days that were made by a clock that ran ahead are made once, too.
  expect(names.filter((name) => /\(\d+\)/.test(name))).toEqual([])
  await desk.schedules.stop()
})
