import { describe, expect, it } from 'vitest'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { RawRequestId, RawScheduleId, RawTemplate, RawTemplateId } from '#shared/raw/requests.ts'
import { day } from '#shared/values/day.ts'
import { afterRestore } from '#main/database/state/moving.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { Writer } from '#main/database/sqlite/database.ts'
import { draft } from '#test/src-main/raw/requests/drafts.ts'
import { account as anAccount, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'

const account = firstId
const template = '33333333-3333-4333-8333-333333333333' as RawTemplateId
const schedule = '44444444-4444-4444-8444-444444444444' as RawScheduleId
const at = (time: number) => time as Instant
const id = (number: number) => `55555555-5555-4555-8555-${String(number).padStart(12, '0')}` as RawRequestId

const request = (number: number, changes: Partial<StoredRequest> = {}): StoredRequest => ({
  ...{ id: id(number), account, draft: { ...draft, name: `R${number}` } },
  ...{ template: null, schedule: null, occurrence: null, madeAt: at(1000 + number), sentAt: null },
  state: { kind: 'waiting', for: 'turn' },
  ...changes,
})

const { type, instance, name, standard, additional, filters, email } = draft
const aTemplate: RawTemplate = {
  ...{ id: template, name: 'Weekly', period: 'last-week', save: true },
  draft: { type, instance, name, standard, additional, filters, email },
}
const aSchedule = {
  ...{ id: schedule, account, template, paused: false, since: at(5), lastOccurrence: null },
  when: { kind: 'day', hour: 6 },
} as const

function filled(folder: string): Writer {
  const { database } = openFor(folder)
  perform(database, 'accounts/put', anAccount())
  perform(database, 'accounts/put', anAccount({ id: secondId, name: 'Second' }))
  perform(database, 'raw-templates/put', { account, template: aTemplate, isNew: true })
  perform(database, 'raw-schedules/put', { schedule: aSchedule, isNew: true })
  return database
}

const open = (database: Writer, whose: AccountId = account) => perform(database, 'raw-requests/open', whose)
const occurrence = (number: number, of = day('2026-11-20')) => ({
  ...request(number),
  schedule,
  template,
  occurrence: of,
})

describe('the queue', () => {
  it('takes several at once in their order, or none of them', () => {
    const database = filled(temporaryFolder())
    perform(database, 'raw-requests/add-all', [request(1), request(2)])
    expect(open(database)).toEqual([request(1), request(2)])
    const gone = request(4, { account: '99999999-9999-4999-8999-999999999999' as AccountId })
    expect(() => perform(database, 'raw-requests/add-all', [request(3), gone])).toThrow('removed')
    expect(open(database)).toHaveLength(2)
  })

  it('keeps requests in their order, each with all that it is', () => {
    const database = filled(temporaryFolder())
    const failure = { kind: 'bad-request', message: 'No.', said: 'Never.', field: 'start' } as const
    const all = [
      request(1, { template }),
      request(2, { state: { kind: 'looking', since: at(7) }, sentAt: at(6) }),
      request(3, { state: { kind: 'refused', failure, fields: { start: 'Too old.' } } }),
    ]
    for (const each of all) perform(database, 'raw-requests/add', each)
    expect(open(database)).toEqual(all)
    expect(open(database, secondId)).toEqual([])
    perform(database, 'raw-requests/order', { account, ids: [id(3), id(99), id(3)] })
    expect(open(database).map((each) => each.id)).toEqual([id(3), id(1), id(2)])
    perform(database, 'raw-requests/order', { account: secondId, ids: [id(2)] })
    expect(open(database).map((each) => each.id)).toEqual([id(3), id(1), id(2)])
  })

  it('sends only what waits, and takes nothing away that is being sent', () => {
    const database = filled(temporaryFolder())
    perform(database, 'raw-requests/add', request(1))
    const { draft: asked } = request(1)
    const sending = (other = asked) =>
      perform(database, 'raw-requests/sending', { id: id(1), draft: other, sentAt: at(9) })
    expect(sending({ ...asked, name: 'Another by now' })).toBe(false)
    expect(sending()).toBe(true)
    expect(sending()).toBe(false)
    expect(open(database)).toMatchObject([{ state: { kind: 'sending' }, sentAt: 9 }])
    expect(perform(database, 'raw-requests/drop', { account, id: id(1) })).toBe(false)
    expect(perform(database, 'raw-requests/done', { id: id(1), report: 'r' as RawReportId })).toBe(true)
    expect(perform(database, 'raw-requests/done', { id: id(1), report: 's' as RawReportId })).toBe(false)
    expect(open(database)).toEqual([])
    expect(perform(database, 'raw-requests/reports', account)).toEqual(['r'])
    const state = { kind: 'waiting', for: 'turn' } as const
    expect(perform(database, 'raw-requests/state', { id: id(1), state, from: ['sending'] })).toBe(false)
  })

  it('changes what is asked for in its place, but not while it is sent or looked for', () => {
    const database = filled(temporaryFolder())
    const unclear = { kind: 'unclear', since: at(7) } as const
    perform(database, 'raw-requests/add', request(1, { state: unclear, sentAt: at(6) }))
    perform(database, 'raw-requests/add', request(2))
    const change = (whose: AccountId, which: RawRequestId) =>
      perform(database, 'raw-requests/change', {
        ...{ account: whose, id: which, template, draft: { ...draft, name: 'Changed' } },
      })
    expect(change(secondId, id(1))).toBe(false)
    expect(change(account, id(1))).toBe(true)
    expect(open(database)).toEqual([
      request(1, { template, draft: { ...draft, name: 'Changed' } }),
      request(2),
    ])
    for (const kind of ['sending', 'looking'] as const) {
      const state = kind === 'sending' ? { kind } : { kind, since: at(8) }
      perform(database, 'raw-requests/state', { id: id(1), state, from: ['waiting', 'sending'] })
      expect(change(account, id(1))).toBe(false)
    }
    expect(change(account, id(9))).toBe(false)
  })

  it('passes over what is no request', () => {
    const database = filled(temporaryFolder())
    for (const number of [1, 2, 3]) perform(database, 'raw-requests/add', request(number))
    database.write(`UPDATE raw_requests SET draft = '{"type":"response"' WHERE id = ?`, id(1))
    database.write(`UPDATE raw_requests SET state = '{"kind":"done"}' WHERE id = ?`, id(2))
    expect(open(database).map((each) => each.id)).toEqual([id(3)])
    const sending = { id: id(1), draft, sentAt: at(1) }
    expect(perform(database, 'raw-requests/sending', sending)).toBe(false)
  })

  it('forgets what became a report long ago, and nothing else', () => {
    const database = filled(temporaryFolder())
    for (const number of [1, 2, 3]) perform(database, 'raw-requests/add', request(number))
    perform(database, 'raw-requests/done', { id: id(1), report: 'r1' as RawReportId })
    perform(database, 'raw-requests/done', { id: id(3), report: 'r3' as RawReportId })
    perform(database, 'raw-requests/forget', at(1003))
    expect(perform(database, 'raw-requests/reports', account)).toEqual(['r3'])
    expect(open(database).map((each) => each.id)).toEqual([id(2)])
  })

  it('takes an occurrence once, and writes it down with its request', () => {
    const database = filled(temporaryFolder())
    expect(perform(database, 'raw-schedules/queue-occurrence', occurrence(1))).toBe(true)
    expect(perform(database, 'raw-schedules/queue-occurrence', occurrence(2))).toBe(false)
    expect(perform(database, 'raw-schedules/list', account)).toEqual([
      { ...aSchedule, lastOccurrence: '2026-11-20' },
    ])
    expect(open(database)).toHaveLength(1)
    perform(database, 'raw-templates/remove', { account, id: template })
    expect(perform(database, 'raw-schedules/queue-occurrence', occurrence(3, day('2026-11-21')))).toBe(false)
    expect(open(database)).toMatchObject([{ id: id(1), template: null, schedule: null }])
  })
})

describe('a backup', () => {
  it('gives templates, schedules and the queue back, but nothing that would be sent by itself', () => {
    const { database } = openFor(temporaryFolder())
    perform(database, 'accounts/put', anAccount())
    perform(database, 'raw-templates/put', { account, template: aTemplate, isNew: true })
    perform(database, 'raw-schedules/put', { schedule: aSchedule, isNew: true })
    perform(database, 'raw-schedules/queue-occurrence', occurrence(1))
    perform(database, 'raw-requests/add', request(2))
    perform(database, 'raw-requests/add', request(3, { template }))
    perform(database, 'raw-requests/done', { id: id(3), report: 'r3' as RawReportId })
    perform(database, 'raw-requests/order', { account, ids: [id(2)] })
    const failure = { kind: 'bad-request', message: 'No.' } as const
    perform(database, 'raw-requests/add', request(4, { state: { kind: 'refused', failure, fields: {} } }))
    afterRestore(database, 9_000)
    expect(perform(database, 'raw-templates/list', account)).toEqual([aTemplate])
    const [schedule] = perform(database, 'raw-schedules/list', account)
    expect(schedule).toMatchObject({ ...aSchedule, lastOccurrence: '2026-11-20', since: 9_000 })
    expect(open(database).map((each) => [each.id, each.state.kind, each.sentAt])).toEqual([
      [id(2), 'unclear', 1002],
      [id(1), 'unclear', 1001],
      [id(4), 'refused', null],
    ])
    expect(perform(database, 'raw-templates/of-report', { account, report: 'r3' as RawReportId })).toEqual(
      aTemplate,
    )
  })
})
