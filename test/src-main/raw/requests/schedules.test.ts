import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeOf } from '#main/lib/occurrence.ts'
import type { Store } from '#main/database/open-store.ts'
import type { RawEvery, RawPeriod, RawScheduleId, RawTemplateId } from '#shared/raw/requests.ts'
import { dayAt, daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { firstId, secondId, sessionFor, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { refusalOf } from '#test/src-main/saved-views/helpers.ts'
import { AskedService } from './asked-service.ts'
import { draft } from './drafts.ts'
import { TickingClock } from './ticking-clock.ts'
import { settled, harnessWith } from './harness.ts'
import type { Harness } from './harness.ts'

const account = firstId
const hour = 3_600_000
const { type, instance, name, standard, additional, filters, email } = draft
const bare = { type, instance, name, standard, additional, filters, email }
const entry = { name: 'Weekly bad traffic', draft: bare, period: 'last-week' as RawPeriod, save: true }
const nobody = '99999999-9999-4999-8999-999999999999'

async function scheduled(harness: Harness, when: RawEvery, changes: Partial<typeof entry> = {}) {
  const { id } = await harness.asking.saveTemplate({
    account,
    template: null,
    entry: { ...entry, ...changes },
  })
  const schedule = { template: id, when, paused: false }
  return await harness.asking.saveSchedule({ account, schedule: null, entry: schedule })
}

const mondayAt8: RawEvery = { kind: 'week', weekday: 1, hour: 8 }

describe('templates', () => {
  it('are kept under names of their own, changed and removed', async () => {
    const { asking } = await harnessWith()
    const save = (name: string, template: RawTemplateId | null = null) =>
      asking.saveTemplate({ account, template, entry: { ...entry, name } })
    const first = await save('  B \n one ')
    expect(first).toEqual({ ...entry, id: first.id, name: 'B one' })
    const second = await save('a')
    expect((await asking.templates({ account })).map(({ name }) => name)).toEqual(['a', 'B one'])
    expect(await refusalOf(save('a'))).toMatchObject({ kind: 'invalid', field: 'name' })
    expect(await refusalOf(save('a', first.id))).toMatchObject({ kind: 'invalid', field: 'name' })
    for (const name of ['', ' \n', 'x'.repeat(201)]) {
      expect(await refusalOf(save(name))).toMatchObject({ kind: 'invalid', field: 'name' })
    }
    await save('a', second.id)
    await asking.removeTemplate({ account, template: second.id })
    expect((await asking.templates({ account })).map(({ name }) => name)).toEqual(['B one'])
    expect(await refusalOf(save('c', second.id))).toMatchObject({ kind: 'invalid', field: 'template' })
  })

  it('are checked like drafts, but may leave the instance open', async () => {
    const { asking } = await harnessWith()
    const save = (changes: Partial<typeof bare>) =>
      asking.saveTemplate({ account, template: null, entry: { ...entry, draft: { ...bare, ...changes } } })
    expect(await refusalOf(save({ standard: [] }))).toMatchObject({ kind: 'invalid', field: 'standard' })
    const filters = [{ column: 'page', operator: 'equals' as const, value: 'x' }]
    expect(await refusalOf(save({ filters }))).toMatchObject({ kind: 'invalid', field: 'filters' })
    const open = await save({ instance: null })
    const schedule = { template: open.id, when: mondayAt8, paused: false }
    const refused = asking.saveSchedule({ account, schedule: null, entry: schedule })
    expect(await refusalOf(refused)).toMatchObject({ kind: 'invalid', field: 'template' })
  })

  it('are known by the reports that were asked for by them', async () => {
    const { asking, service, store } = await harnessWith()
    const template = await asking.saveTemplate({ account, template: null, entry })
    const asked = await asking.request({ account, draft, template: template.id })
    if (asked.kind !== 'report') throw new Error('It was to be sent')
    expect(await store.run('raw-templates/of-report', { account, report: asked.report })).toEqual(template)
    expect(await store.run('raw-templates/of-report', { account: secondId, report: asked.report })).toBeNull()
    await asking.request({ account, draft, template: nobody as RawTemplateId })
    const [, other] = service.reports
    expect(other && (await store.run('raw-templates/of-report', { account, report: other.id }))).toBeNull()
    await asking.removeTemplate({ account, template: template.id })
    expect(await store.run('raw-templates/of-report', { account, report: asked.report })).toBeNull()
  })

  it('come back as the same ones where removing them is undone: with their schedules, reports and requests', async () => {
    const harness = await harnessWith()
    const { asking, service, store, clock, pass } = harness
    const made = await scheduled(harness, mondayAt8)
    const [template] = await asking.templates({ account })
    if (!template) throw new Error('It was to be saved')
    const asked = await asking.request({ account, draft, template: template.id })
    if (asked.kind !== 'report') throw new Error('It was to be sent')
    await pass(Date.parse('2026-11-23T08:00:00Z') - clock.time)
    service.limits = { ...service.limits, minutes_available: 0 }
    await pass(7 * 24 * hour)
    const before = async () => ({
      templates: await asking.templates({ account }),
      schedules: await asking.schedules({ account }),
      requests: (await asking.queue({ account })).requests,
      report: await store.run('raw-templates/of-report', { account, report: asked.report }),
    })
    const known = await before()
    expect(known).toMatchObject({
      templates: [{ id: template.id }],
      schedules: [{ id: made.id, lastOccurrence: '2026-11-30' }],
      requests: [{ template: template.id, schedule: made.id }],
      report: { save: true },
    })
    const which = { account, template: template.id }
    await asking.removeTemplate(which)
    expect(await before()).toMatchObject({
      ...{ templates: [], schedules: [], report: null },
      requests: [{ template: null, schedule: null }],
    })
    expect(await refusalOf(asking.undoRemoveTemplate({ ...which, account: secondId }))).toMatchObject({
      field: 'template',
    })
    await asking.undoRemoveTemplate(which)
    await asking.atRest()
    expect(await before()).toEqual(known)
    expect(await refusalOf(asking.undoRemoveTemplate(which))).toMatchObject({ field: 'template' })
    service.limits = { ...service.limits, minutes_available: 9 }
    await pass(7 * 24 * hour)
    expect(service.requests).toHaveLength(4)
  })

  it('do not come back over another one of their name', async () => {
    const { asking } = await harnessWith()
    const save = () => asking.saveTemplate({ account, template: null, entry })
    const first = await save()
    await asking.removeTemplate({ account, template: first.id })
    const second = await save()
    const undo = () => asking.undoRemoveTemplate({ account, template: first.id })
    expect(await refusalOf(undo())).toMatchObject({ kind: 'invalid', field: 'name' })
    await asking.removeTemplate({ account, template: second.id })
    await undo()
    expect(await asking.templates({ account })).toEqual([first])
  })
})

describe('a schedule', () => {
  it('asks for its template’s days at each turn', async () => {
    const harness = await harnessWith()
    const { id, nextOccurrence } = await scheduled(harness, mondayAt8)
    expect(nextOccurrence).toBe(Date.parse('2026-11-23T08:00:00Z'))
    await harness.pass(2 * 24 * hour)
    expect(harness.service.requests).toEqual([])
    await harness.pass(24 * hour)
    expect(harness.service.requests).toMatchObject([
      { name: 'Weekly', start: '2026-11-16', end: '2026-11-22' },
    ])
    expect(await harness.asking.schedules({ account })).toMatchObject([
      { id, lastOccurrence: '2026-11-23', nextOccurrence: Date.parse('2026-11-30T08:00:00Z') },
    ])
  })

  it('catches up once on what was missed while the app was closed, the latest turn alone', async () => {
    const first = await harnessWith()
    await scheduled(first, { kind: 'day', hour: 6 }, { period: 'yesterday' })
    await first.asking.stop()
    first.clock.move(4 * 24 * hour + 3 * hour)
    const second = await harnessWith(first)
    expect(second.service.requests.map(({ start }) => start)).toEqual(['2026-11-23'])
    await second.asking.stop()
    await harnessWith(second)
    expect(second.service.requests).toHaveLength(1)
  })

  it('asks for nothing while it is paused, and not for what was missed meanwhile', async () => {
    const harness = await harnessWith()
    const { id, template } = await scheduled(harness, { kind: 'day', hour: 6 })
    const save = (paused: boolean) =>
      harness.asking.saveSchedule({
        account,
        schedule: id,
        entry: { template, when: { kind: 'day', hour: 6 }, paused },
      })
    expect(await save(true)).toMatchObject({ nextOccurrence: null })
    await harness.pass(30 * hour)
    await save(false)
    await harness.asking.atRest()
    expect(harness.service.requests).toEqual([])
    await harness.pass(24 * hour)
    expect(harness.service.requests).toHaveLength(1)
  })

  it('rests while the person wants quiet, as the queue does, and is caught up with afterwards, once', async () => {
    const harness = await harnessWith()
    await scheduled(harness, { kind: 'day', hour: 6 }, { period: 'yesterday' })
    harness.service.limits = { ...harness.service.limits, minutes_available: 0 }
    await harness.relist()
    await harness.ask({ name: 'Waits' })
    expect(await harness.queue()).toEqual(['Waits: minutes'])
    harness.asking.pause(true)
    harness.service.limits = { ...harness.service.limits, minutes_available: 360 }
    await harness.relist()
    harness.asking.retryNow()
    await harness.pass(3 * 24 * hour)
    expect(harness.service.requests).toEqual([])
    expect(harness.clock.nextAlarm()).toBe(Infinity)
    harness.asking.pause(false)
    await harness.pass(0)
    expect(harness.service.requests.map(({ name, start }) => [name, start])).toEqual([
      ['Waits', '2026-11-14'],
      ['Weekly', '2026-11-22'],
    ])
  })

  it('keeps nobody from asking by hand while the person wants quiet', async () => {
    const harness = await harnessWith()
    harness.asking.pause(true)
    expect(await harness.ask({ name: 'By hand' })).toMatchObject({ kind: 'report' })
  })

  it('asks for no turn from before it was made', async () => {
    const harness = await harnessWith()
    await scheduled(harness, { kind: 'day', hour: 11 })
    await harness.asking.atRest()
    expect(harness.service.requests).toEqual([])
  })

  it('shows in the queue what cannot be sent', async () => {
    const harness = await harnessWith()
    const { template } = await scheduled(harness, mondayAt8)
    const open = { ...entry, draft: { ...bare, instance: null } }
    await harness.asking.saveTemplate({ account, template, entry: open })
    await harness.pass(3 * 24 * hour)
    expect(await harness.queue()).toEqual(['Weekly: refused'])
  })

  it('goes with its template, and cannot be changed once it is gone', async () => {
    const harness = await harnessWith()
    const { id, template } = await scheduled(harness, mondayAt8)
    await harness.asking.removeTemplate({ account, template })
    expect(await harness.asking.schedules({ account })).toEqual([])
    const save = (schedule: RawScheduleId | null) =>
      harness.asking.saveSchedule({ account, schedule, entry: { template, when: mondayAt8, paused: false } })
    expect(await refusalOf(save(id))).toMatchObject({ kind: 'invalid', field: 'template' })
    expect(await refusalOf(save(null))).toMatchObject({ kind: 'invalid', field: 'template' })
    const other = await scheduled(harness, mondayAt8)
    await harness.asking.removeSchedule({ account, schedule: other.id })
    expect(await harness.asking.schedules({ account })).toEqual([])
  })

  it('goes on when the clock, once far ahead, is right again', async () => {
    const first = await harnessWith()
    await scheduled(first, { kind: 'day', hour: 6 })
    await first.pass(3 * 365 * 24 * hour)
    expect(first.service.requests).toHaveLength(1)
    await first.asking.stop()
    const clock = new TickingClock(Date.parse('2026-11-21T07:00:00Z'))
    const second = await harnessWith({ ...first, clock })
    expect(second.service.requests).toHaveLength(2)
    await second.asking.stop()
    await harnessWith({ ...first, clock })
    expect(first.service.requests).toHaveLength(2)
  })
})

describe('turns through random lives of the app', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Pacific/Apia'] as const
  const steps = fc.array(
    fc.record({
      /** Hours until the next step, and whether the app runs meanwhile or is killed before it. */
      hours: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 1500 })),
      killed: fc.boolean(),
      /** After how many operations of the store it is killed once it has begun again. */
      after: fc.integer({ min: 0, max: 14 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  const whens: fc.Arbitrary<RawEvery> = fc.oneof(
    fc.record({ kind: fc.constant('day' as const), hour: fc.integer({ min: 0, max: 23 }) }),
    fc.constant(mondayAt8),
    fc.record({
      kind: fc.constant('month' as const),
      day: fc.constantFrom(1, 30, 31),
      hour: fc.constant(2),
    }),
  )

  it('are asked for once each, and the latest always is', { timeout: 120_000 }, async () => {
    await checkAsyncProperty(
      'turns through random lives',
      fc.asyncProperty(whens, fc.constantFrom(...zones), steps, async (when, zone, lives) => {
        const clock = new TickingClock(Date.parse('2026-03-20T12:30:00Z'))
        const service = new AskedService(clock)
        const session = sessionFor(temporaryFolder())
        const store: Store = {
          opened: Promise.resolve(session.opening),
          run: (name, argument) => new Promise((resolve) => resolve(session.run(name, argument))),
          close: () => Promise.resolve(),
        }
        const live = (operations?: number) =>
          harnessWith({
            ...{ store, clock, service, zone },
            ...(operations !== undefined && { operations, hearsLast: operations % 2 === 0 }),
          })
        let harness = await live()
        try {
          await scheduled(harness, when, { period: 'today' })
          const made = clock.time
          for (const { hours, killed, after } of lives) {
            if (killed) {
              harness.abandon()
              clock.move(hours * hour)
              const brief = await live(after)
              for (let turn = 0; turn < 50; turn += 1) await settled()
              brief.abandon()
              harness = await live()
            } else await harness.pass(hours * hour)
            const { requests } = await harness.asking.queue({ account })
            const asked = [...service.requests, ...requests.map((each) => each.draft)].map(
              ({ start }) => start,
            )
            const due = turnDays(when, zone, made, clock.time)
            expect(new Set(asked).size).toBe(asked.length)
            expect(asked.filter((each) => !due.includes(each))).toEqual([])
            expect(asked.includes(due.at(-1) ?? draft.start)).toBe(due.length > 0)
          }
        } finally {
          harness.abandon()
          session.close()
        }
      }),
      60,
    )
  })
})

/** The days of all turns between two moments, day by day. */
function turnDays(when: RawEvery, zone: string, from: number, to: number): Day[] {
  const days = daysOf({ start: dayAt(from, zone), end: dayAt(to, zone) })
  return days.filter((each) => {
    const date = new Date(each)
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    const isTurn =
      when.kind === 'day' ||
      (when.kind === 'week' && date.getUTCDay() === when.weekday % 7) ||
      (when.kind === 'month' && date.getUTCDate() === Math.min(when.day, last))
    const at = timeOf(each, { hour: when.hour, zone })
    return isTurn && at > from && at <= to
  })
}
