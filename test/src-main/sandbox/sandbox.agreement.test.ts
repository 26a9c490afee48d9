import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxInstances } from '#main/sandbox/events/catalogue.ts'
import { createEvents } from '#main/sandbox/events/events.ts'
import { eventRecords } from '#test/src-main/sandbox/events/event-records.ts'
import type { EventRecord } from '#test/src-main/sandbox/events/event-records.ts'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { addDays, day, dayToWire } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { ask, control, decode } from './asking.ts'
import type { AnsweredBody } from './asking.ts'
import { recount } from './recount.ts'
import type { Asked, Figures } from './recount.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'

const today = day('2026-11-20')
const restated = addDays(today, -2)
const events = createEvents(7, today)
const records = [...eventRecords(events, [restated])]
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7, today })
  await control(sandbox, '/days/restate', { days: [restated] })
})
afterAll(() => sandbox.close())

const tables = [
  ['sessions', 'instance', []],
  ['browsers', 'browser', ['browser', 'browser_version']],
  ['operating-systems', 'os', ['os', 'os_version']],
  ['devices', 'manufacturer', ['manufacturer', 'model']],
  ['device-types', 'type', ['type']],
  ['geography', 'country', ['country', 'region', 'city']],
  ['networks', 'network', ['network']],
  ['connections', 'connection', ['connection']],
  ['referrers', 'host', ['host', 'path']],
] as const

/** Under each header what a row has to show. */
const expected: Record<string, (figures: Figures) => number | null> = {
  Requests: (each) => each.requests,
  Responses: (each) => each.good + each.warning + each.bad,
  Good: (each) => each.good,
  Warning: (each) => each.warning,
  Bad: (each) => each.bad,
  'Non-Suspect': (each) => each.nonsuspect,
  Suspect: (each) => each.suspect,
  Mobile: (each) => each.mobile,
  'Ad Blocker': (each) => each.adblocker,
}

const figuresUnder = (headers: string[], figures: Figures) =>
  headers.map((header) => (expected[header] ?? ((each: Figures) => each.rules.get(header) ?? 0))(figures))

/** All pages of a table as one: rows by name, and what surrounds them. */
async function wholeTable(path: string, parameters: Record<string, unknown>, token: string) {
  const rows = new Map<string, unknown[]>()
  let body: AnsweredBody
  let page = 1
  do {
    body = (await ask(sandbox, path, { ...parameters, page, limit: 1000 }, { token })).body
    for (const [name, ...cells] of body.table.rows) {
      const text = decode(String(name))
      rows.set(path.endsWith('sessions') ? String((JSON.parse(text) as { id: unknown }).id) : text, cells)
    }
  } while (page++ < Number(body.query['pages']))
  return { rows, body, headers: body.table.headers.map(decode).slice(1) }
}

/** A question about a randomly taken event, so that most filters meet something. */
const question = fc.record({
  table: fc.constantFrom(...tables),
  about: fc.nat({ max: records.length - 1 }),
  before: fc.nat({ max: 9 }),
  after: fc.nat({ max: 9 }),
  depth: fc.nat({ max: 3 }),
  common: fc.subarray(['source', 'campaign'] as const),
  one: fc.boolean(),
  limited: fc.boolean(),
})

describe('every table', () => {
  it('says what a plain recount of the events says', async () => {
    const seen = sandboxInstances.map((each) => each.id)
    await checkAsyncProperty(
      'tables and events',
      fc.asyncProperty(question, async ({ table, about, before, after, depth, common, one, limited }) => {
        const record = records[about] as EventRecord
        const [suffix, by, own] = table
        const names = [...own.slice(0, depth), ...common].filter((name) => record[name] !== null)
        const filters = Object.fromEntries(names.map((name) => [name, record[name] as string]))
        const rights: InstanceId[] = limited ? ['4101' as InstanceId, '4189' as InstanceId] : seen
        const instance = one && rights.includes(record.instance) ? record.instance : undefined
        const family = suffix === 'connections' || suffix === 'referrers' ? 'script' : record.family
        const range = { start: addDays(record.day, -before), end: addDays(record.day, after) }
        const asked: Asked = { family, by, ...range, filters, instances: instance ? [instance] : rights }
        const { all, rows } = recount(records, asked)

        const parameters = {
          start: dayToWire(range.start),
          end: dayToWire(range.end),
          ...filters,
          ...(instance && { instance }),
          rules: true,
        }
        const token = limited ? sandbox.tokens.limited : sandbox.tokens.admin
        const answer = await wholeTable(`${family}/${suffix}`, parameters, token)
        const codes = answer.headers.filter((header) => !(header in expected))
        expect(new Set(codes)).toEqual(new Set(all.rules.keys()))
        expect(answer.body.table.all.slice(1)).toEqual(figuresUnder(answer.headers, all))
        const wanted = new Map([...rows].map(([name, each]) => [name, figuresUnder(answer.headers, each)]))
        expect(answer.rows).toEqual(wanted)
        for (const [name, total] of Object.entries(answer.body.total)) {
          expect([name, total]).toEqual([name, all[name as keyof Figures]])
        }
      }),
      60,
    )
  }, 120_000)

  it('has the totals of every other table of its family, and of the overview', async () => {
    const range = { start: dayToWire(addDays(today, -30)), end: dayToWire(today) }
    for (const family of ['direct', 'script'] as const) {
      const { total } = (await ask(sandbox, `${family}/overview`, range)).body
      const suffixes = tables.map(([suffix]) => suffix)
      const offered = suffixes.filter(
        (each) => family === 'script' || !['connections', 'referrers'].includes(each),
      )
      for (const suffix of offered) {
        const { body } = await ask(sandbox, `${family}/${suffix}`, { ...range, limit: 1 })
        const withoutDrops = Object.fromEntries(Object.entries(total).filter(([name]) => name !== 'drops'))
        expect([suffix, body.total]).toEqual([suffix, suffix === 'referrers' ? withoutDrops : total])
      }
    }
  })

  it('has rows that add up to the row for all, where nulls stay out of sums', async () => {
    const range = { start: dayToWire(addDays(today, -3)), end: dayToWire(today) }
    for (const path of ['script/sessions', 'script/networks', 'direct/geography', 'script/referrers']) {
      const { rows, body } = await wholeTable(path, range, sandbox.tokens.admin)
      const [, ...all] = body.table.all
      const sums = all.map((_, column) => {
        const known = [...rows.values()].map((cells) => cells[column]).filter((cell) => cell !== null)
        return known.reduce((sum: number, cell) => sum + Number(cell), 0)
      })
      expect(sums).toEqual(all)
    }
  })

  it('shows the same days in its chart as when it is asked for each day', async () => {
    const parameters = { instance: '4189', source: 'newsletter' }
    const days = [-4, -3, -2].map((ago) => addDays(today, ago))
    const range = { start: dayToWire(addDays(today, -4)), end: dayToWire(addDays(today, -2)), chart: true }
    const { chart } = (await ask(sandbox, 'script/browsers', { ...parameters, ...range })).body
    const [header, ...rows] = chart
    for (const [index, on] of days.entries()) {
      const one = { start: dayToWire(on), end: dayToWire(on), ...parameters }
      const { body } = await ask(sandbox, 'script/browsers', one)
      const titles = body.table.headers.map(decode)
      const wanted = (header ?? [])
        .slice(1)
        .map((title) => body.table.all[titles.indexOf(decode(String(title)))])
      expect(rows[index]).toEqual([String(dayToWire(on)), ...wanted])
    }
  })
})
