import { expect, it } from 'vitest'
import { openFile } from '#main/database/sqlite/open-file.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { RawRequestId, RawScheduleId, RawTemplateId } from '#shared/raw/asking.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { draft } from '#test/src-main/raw/requests/drafts.ts'
import { account, firstId, openFor, perform, temporaryFolder } from '../helpers.ts'

const uuid = (number: number) => `55555555-5555-4555-8555-${String(number).padStart(12, '0')}`

/** As they were written until version 6: states told apart by `as`, the turns of schedules by `every`. */
const requestStates = [
  { as: 'waiting', for: 'connection' },
  { as: 'sending' },
  { as: 'looking', since: 7 },
  { as: 'unclear', since: 8 },
  { as: 'refused', failure: { kind: 'invalid', message: 'Too old.' }, fields: { start: 'Too old.' } },
]
const downloadStates = [
  ...['waiting', 'paused', 'publishing', 'unpacking'].map((as) => ({ as })),
  { as: 'saved', at: 9 },
  { as: 'failed', failure: { kind: 'offline', message: 'Away.', said: 'no' }, named: true },
]
const turns = [
  { every: 'day', hour: 6 },
  { every: 'week', weekday: 1, hour: 7 },
  { every: 'month', day: 31, hour: 0 },
]

const byKind = ({ as, every, ...rest }: { as?: string; every?: string }) => ({ kind: as ?? every, ...rest })

it('reads states and turns that were written before they were told apart by kind', () => {
  const folder = temporaryFolder()
  const schema = { migrations: stateSchema.migrations.slice(0, 6), tables: [] }
  const { database: older, close } = openFile({ file: stateFile(folder), schema })
  perform(older, 'accounts/put', account())
  const broken = ['no JSON', '"as"', '[]', '{"as":"unheard-of"}'] as const

  const states = [...requestStates.map((state) => JSON.stringify(state)), ...broken]
  states.forEach((state, nth) => {
    perform(older, 'raw-requests/add', {
      ...{
        id: uuid(nth) as RawRequestId,
        account: firstId,
        draft,
        template: null,
        schedule: null,
        turn: null,
      },
      ...{ madeAt: nth as Instant, sentAt: null, state: { kind: 'sending' } },
    })
    older.write('UPDATE raw_requests SET state = ? WHERE id = ?', state, uuid(nth))
  })
  const others = [...downloadStates.map((state) => JSON.stringify(state)), ...broken]
  others.forEach((state, nth) => {
    perform(older, 'downloads/put', [
      {
        ...{ id: uuid(nth) as DownloadId, account: firstId, report: `r-${nth}` as RawReportId },
        ...{ name: 'Weekly', folder: '/downloads', file: 'Weekly.zip', part: null, host: null, size: null },
        ...{ etag: null, expires: null, addedAt: 5 as Instant, state: { kind: 'waiting' } },
      },
    ])
    older.write('UPDATE downloads SET state = ? WHERE id = ?', state, uuid(nth))
  })
  const template = uuid(90) as RawTemplateId
  const { type, instance, name, standard, additional, filters, email } = draft
  perform(older, 'raw-templates/put', {
    ...{ account: firstId, isNew: true },
    template: {
      ...{ id: template, name: 'Weekly', period: 'last-week', save: true },
      draft: { type, instance, name, standard, additional, filters, email },
    },
  })
  const entries = [...turns.map((when) => JSON.stringify({ template, when, paused: false })), ...broken]
  entries.forEach((entry, nth) => {
    const when = { kind: 'day', hour: 1 } as const
    const schedule = { id: uuid(nth) as RawScheduleId, account: firstId, template, when, paused: false }
    perform(older, 'raw-schedules/put', {
      schedule: { ...schedule, since: 5 as Instant, lastTurn: null },
      isNew: true,
    })
    older.write('UPDATE raw_schedules SET entry = ? WHERE id = ?', entry, uuid(nth))
  })
  close()

  const { database } = openFor(folder)
  expect(perform(database, 'raw-requests/open', firstId).map(({ state }) => state)).toEqual(
    requestStates.map(byKind),
  )
  expect(perform(database, 'raw-requests/stuck', undefined).map(({ state }) => state)).toEqual(
    requestStates.slice(3).map(byKind),
  )
  expect(perform(database, 'downloads/list', undefined).map(({ state }) => state)).toEqual(
    downloadStates.map(byKind),
  )
  expect(perform(database, 'raw-schedules/list', firstId).map(({ when }) => when)).toEqual(turns.map(byKind))
})
