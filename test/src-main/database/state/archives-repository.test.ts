import { expect, it } from 'vitest'
import type { Recount } from '#shared/archives/rows.ts'
import type { ListOrigin, ListedRange } from '#shared/archives/block-list.ts'
import type { ShapeChoice, TableShape } from '#shared/archives/rows-file.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { openFile } from '#main/database/sqlite/open-file.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import { account, firstId, openFor, perform, secondId, temporaryFolder } from '../helpers.ts'

const recount: Recount = {
  figures: [{ day: '2026-11-10', member: 'Bad', counted: 3, saved: null }],
  compared: { counted: 3, saved: 0, differing: 0 },
  outcome: 'nothing-saved',
  reasons: ['unreadable'],
  failure: { kind: 'offline', message: 'Nobody answers.' },
}

function open() {
  const { database } = openFor(temporaryFolder())
  perform(database, 'accounts/put', account())
  return database
}

it('keeps the last recount of a report, and nothing of accounts that are gone', () => {
  const database = open()
  const report = 'r-1' as RawReportId
  const stored = { countedAt: 5 as Instant, readAt: 4 as Instant, recount }
  expect(perform(database, 'recounts/of', { account: firstId, report })).toBeNull()
  perform(database, 'recounts/keep', { account: firstId, report, stored })
  perform(database, 'recounts/keep', {
    account: firstId,
    report,
    stored: { ...stored, countedAt: 6 as Instant },
  })
  perform(database, 'recounts/keep', { account: secondId, report, stored })
  expect(perform(database, 'recounts/of', { account: firstId, report })).toEqual({ ...stored, countedAt: 6 })
  expect(perform(database, 'recounts/of', { account: secondId, report })).toBeNull()
  const { outcome, ...counts } = recount
  const text = database.row('SELECT recount FROM recounts')?.['recount']
  expect(JSON.parse(String(text))).toEqual({ ...counts, verdict: outcome })
  database.write('UPDATE recounts SET recount = ?', '{"verdict":"maybe"}')
  expect(perform(database, 'recounts/of', { account: firstId, report })).toBeNull()
})

it('keeps what a person chose for tables of a shape, the newest of it, and what can be read', () => {
  const database = open()
  const shape = 'ab'.repeat(16) as TableShape
  const keep = (chosenAt: number, chosen: ShapeChoice, of = firstId) =>
    perform(database, 'import-choices/keep', { account: of, chosenAt: chosenAt as Instant, chosen })
  keep(1, { shape, choice: { delimiter: ';' } })
  keep(2, { shape, choice: { columns: [{ name: 'ref', role: null }] } })
  keep(3, { shape, choice: {} }, secondId)
  expect(perform(database, 'import-choices/list', firstId)).toEqual([
    { shape, choice: { columns: [{ name: 'ref', role: null }] } },
  ])
  expect(perform(database, 'import-choices/list', secondId)).toEqual([])
  database.write('UPDATE import_choices SET choice = ?', '{"delimiter":"x"}')
  expect(perform(database, 'import-choices/list', firstId)).toEqual([])
  for (let nth = 0; nth < 203; nth += 1)
    keep(nth, { shape: nth.toString(16).padStart(32, '0') as TableShape, choice: {} })
  expect(perform(database, 'import-choices/list', firstId)).toHaveLength(200)
})

it('reads what block lists of an older version were made of', () => {
  const { base, migrations } = stateSchema
  const folder = temporaryFolder()
  const old = openFile({ file: stateFile(folder), schema: { base, migrations: [] } })
  old.database.write(
    `INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone)
     VALUES (?, 'Acme', 'service', 'https://reports.example', 'json', 'UTC')`,
    firstId,
  )
  const common = { address: '#/rows/file-1', archives: ['Week'], filters: [], period: null }
  const made = { name: 'List', entries: 3, origin: { ...common, column: 'IP', by: 'value' } }
  const texts = [
    { ...made, origin: { ...made.origin, onlyBad: true, format: 'exclusions' } },
    { ...made, origin: { ...made.origin, onlyBad: false, format: 'csv' } },
  ]
  for (const text of texts)
    old.database.write(
      'INSERT INTO block_lists (account, made_at, origin) VALUES (?, 5, ?)',
      ...[firstId, JSON.stringify(text)],
    )
  old.close()
  const since = { minShare: 0, campaign: '', onlyNew: false, expiry: null }
  expect(migrations.length).toBeGreaterThan(0)
  const lists = perform(openFor(folder).database, 'block-lists/list', { account: firstId, now })
  expect(lists.map(({ origin }) => origin)).toEqual([
    { ...made.origin, ...since, minBad: 0, format: 'csv' },
    { ...made.origin, ...since, minBad: 1, format: 'google-ads' },
  ])
})

it('keeps ranges that an older version exported, without times or expiry', () => {
  const folder = temporaryFolder()
  const { base, migrations } = stateSchema
  const older = { base, migrations: migrations.filter(({ version }) => version < 13) }
  const old = openFile({ file: stateFile(folder), schema: older })
  old.database.write(
    `INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone)
     VALUES (?, 'Acme', 'service', 'https://reports.example', 'json', 'UTC')`,
    firstId,
  )
  const { ranges: _, madeAt, ...origin } = listed(1, [], { format: 'csv' })
  old.database.write(
    'INSERT INTO block_lists (account, made_at, origin) VALUES (?, ?, ?)',
    ...[firstId, madeAt, JSON.stringify({ ...origin, entries: 1 })],
  )
  old.database.write(`INSERT INTO exported_ranges VALUES (?, 'csv', '', '192.0.2.1', 1)`, firstId)
  old.close()
  const { database } = openFor(folder)
  expect(
    perform(database, 'block-lists/exported', { account: firstId, format: 'csv', campaign: '' }),
  ).toEqual([{ range: '192.0.2.1', expires: null }])
  expect(perform(database, 'block-lists/list', { account: firstId, now })).toMatchObject([
    { id: 1, entries: 1, seen: null, expired: 0 },
  ])
})

const now = 100 as Instant

const listed = (nth: number, ranges: readonly string[] = [], origin: Partial<ListOrigin> = {}) => ({
  ...{ name: `List ${nth}`, madeAt: nth as Instant },
  ranges: ranges.map((range): ListedRange => ({ range, seen: null })),
  origin: {
    ...{ address: '#/rows/file-1', archives: ['Week'], filters: [{ words: 'RESULT is', value: 'bad' }] },
    ...{ period: { first: 1 as Instant, last: 2 as Instant }, column: 'REMOTE ADDRESS', by: 'value' },
    ...{ minBad: 1, minShare: 0, format: 'lines', campaign: '', onlyNew: false, expiry: null },
    ...origin,
  } satisfies ListOrigin,
})

it('remembers the newest block lists of an account', () => {
  const database = open()
  const note = (nth: number, ranges: readonly string[] = []) =>
    perform(database, 'block-lists/note', { account: firstId, list: listed(nth, ranges) })
  for (let nth = 1; nth <= 203; nth += 1)
    note(nth, nth === 1 ? ['192.0.2.1', '192.0.2.2'] : nth === 9 ? ['192.0.2.2'] : [])
  perform(database, 'block-lists/note', { account: secondId, list: listed(1) })
  const lists = perform(database, 'block-lists/list', { account: firstId, now })
  expect(lists).toHaveLength(200)
  const { ranges: _, ...newest } = listed(203)
  expect(lists[0]).toEqual({ ...newest, id: 203, entries: 0, seen: null, expired: 0 })
  expect(perform(database, 'block-lists/list', { account: secondId, now })).toEqual([])
  // A range that only a forgotten list had stays exported; its older duplicates are deleted.
  expect(database.rows('SELECT range, list FROM exported_ranges ORDER BY range')).toEqual([
    { range: '192.0.2.1', list: 1 },
    { range: '192.0.2.2', list: 9 },
  ])
})

it('knows what was exported for a platform and a campaign, until that is undone', () => {
  const database = open()
  const google = { format: 'google-ads', campaign: 'Autumn' } as const
  const exported = (to: Pick<ListOrigin, 'format' | 'campaign'> = google) =>
    perform(database, 'block-lists/exported', { account: firstId, ...to })
      .map(({ range }) => range)
      .sort()
  const note = (nth: number, ranges: readonly string[], to: Partial<ListOrigin> = google) =>
    perform(database, 'block-lists/note', { account: firstId, list: listed(nth, ranges, to) })
  note(1, ['198.51.100.7', '203.0.113.0/24'])
  note(2, ['198.51.100.7', '2001:db8::/64'])
  note(3, ['192.0.2.1'], { format: 'csv' })
  note(4, ['192.0.2.3'], { format: 'lines', campaign: 'Autumn' })
  const all = ['198.51.100.7', '2001:db8::/64', '203.0.113.0/24']
  expect(exported()).toEqual(all)
  expect(exported({ format: 'google-ads', campaign: '' })).toEqual([])
  expect(exported({ format: 'csv', campaign: '' })).toEqual(['192.0.2.1'])
  expect(exported({ format: 'lines', campaign: 'Autumn' })).toEqual(['192.0.2.3'])
  const [, , second] = perform(database, 'block-lists/list', { account: firstId, now })
  expect(second?.name).toBe('List 2')
  perform(database, 'block-lists/undo', { account: secondId, list: second?.id ?? 0 })
  expect(exported()).toEqual(all)
  perform(database, 'block-lists/undo', { account: firstId, list: second?.id ?? 0 })
  // What the first list had stays exported, also where the second had it too.
  expect(exported()).toEqual(['198.51.100.7', '203.0.113.0/24'])
  const names = perform(database, 'block-lists/list', { account: firstId, now }).map(({ name }) => name)
  expect(names).toEqual(['List 4', 'List 3', 'List 1'])
})

it('knows when exported ranges expire: by the newest list, and by the day they were last seen', () => {
  const database = open()
  const dayLong = 86_400_000
  const at = (days: number) => (days * dayLong) as Instant
  const list = (nth: number, expiry: number | null, seen: ListedRange['seen']) => ({
    ...listed(nth, [], { expiry }),
    ...{ madeAt: at(20), ranges: [{ range: '192.0.2.1', seen }] },
  })
  const note = (...made: Parameters<typeof list>) =>
    perform(database, 'block-lists/note', { account: firstId, list: list(...made) })
  const exported = () =>
    perform(database, 'block-lists/exported', { account: firstId, format: 'lines', campaign: '' })
  const lists = () => perform(database, 'block-lists/list', { account: firstId, now: at(30) })
  note(1, 7, { first: at(1), last: at(10) })
  expect(exported()).toEqual([{ range: '192.0.2.1', expires: at(17) }])
  expect(lists()).toMatchObject([{ seen: { first: at(1), last: at(10) }, expired: 1 }])
  // Without a time, from the day of the list.
  note(2, 30, null)
  expect(exported()).toEqual([{ range: '192.0.2.1', expires: at(50) }])
  note(3, null, { first: at(19), last: at(19) })
  expect(exported()).toEqual([{ range: '192.0.2.1', expires: null }])
  expect(lists().map(({ expired }) => expired)).toEqual([0, 0, 1])
  // Undone one by one, each list before counts again.
  perform(database, 'block-lists/undo', { account: firstId, list: 3 })
  perform(database, 'block-lists/undo', { account: firstId, list: 2 })
  expect(exported()).toEqual([{ range: '192.0.2.1', expires: at(17) }])
})
