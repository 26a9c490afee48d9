import { expect, it } from 'vitest'
import type { Recount } from '#shared/archives/rows.ts'
import type { ListOrigin, StoredList } from '#shared/archives/block-list.ts'
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
  expect(migrations.length).toBeGreaterThan(0)
  const lists = perform(openFor(folder).database, 'block-lists/list', firstId)
  expect(lists.map(({ origin }) => origin)).toEqual([
    { ...made.origin, minBad: 0, minShare: 0, format: 'csv', campaign: '', onlyNew: false },
    { ...made.origin, minBad: 1, minShare: 0, format: 'google-ads', campaign: '', onlyNew: false },
  ])
})

const listed = (nth: number, origin: Partial<ListOrigin> = {}): Omit<StoredList, 'id'> => ({
  ...{ name: `List ${nth}`, entries: nth, madeAt: nth as Instant },
  origin: {
    ...{ address: '#/rows/file-1', archives: ['Week'], filters: [{ words: 'RESULT is', value: 'bad' }] },
    ...{ period: { first: 1 as Instant, last: 2 as Instant }, column: 'REMOTE ADDRESS', by: 'value' },
    ...{ minBad: 1, minShare: 0, format: 'lines', campaign: '', onlyNew: false },
    ...origin,
  },
})

it('remembers the newest block lists of an account', () => {
  const database = open()
  for (let nth = 1; nth <= 203; nth += 1)
    perform(database, 'block-lists/note', { account: firstId, list: listed(nth), text: '' })
  perform(database, 'block-lists/note', { account: secondId, list: listed(1), text: '' })
  const lists = perform(database, 'block-lists/list', firstId)
  expect(lists).toHaveLength(200)
  expect(lists[0]).toEqual({ ...listed(203), id: 203 })
  expect(perform(database, 'block-lists/list', secondId)).toEqual([])
})

it('knows what was exported for a platform and a campaign, until that is undone', () => {
  const database = open()
  const google = { format: 'google-ads', campaign: 'Autumn' } as const
  const exported = (to: Pick<ListOrigin, 'format' | 'campaign'> = google) =>
    [...perform(database, 'block-lists/exported', { account: firstId, ...to })].sort()
  const note = (nth: number, text: string, to: Partial<ListOrigin> = google) =>
    perform(database, 'block-lists/note', { account: firstId, list: listed(nth, to), text })
  note(1, '198.51.100.7\n203.0.113.*\n')
  note(2, '198.51.100.7\n2001:db8::/64\n')
  note(3, 'range,rows,bad rows\r\n192.0.2.1,9,4\r\n', { format: 'csv' })
  note(4, '# Made of 192.0.2.2\n192.0.2.3\n', { format: 'lines', campaign: 'Autumn' })
  const all = ['198.51.100.7', '2001:db8::/64', '203.0.113.0/24']
  expect(exported()).toEqual(all)
  expect(exported({ format: 'google-ads', campaign: '' })).toEqual([])
  expect(exported({ format: 'csv', campaign: '' })).toEqual(['192.0.2.1'])
  expect(exported({ format: 'lines', campaign: 'Autumn' })).toEqual(['192.0.2.3'])
  const [, , second] = perform(database, 'block-lists/list', firstId)
  expect(second?.name).toBe('List 2')
  perform(database, 'block-lists/undo', { account: secondId, list: second?.id ?? 0 })
  expect(exported()).toEqual(all)
  perform(database, 'block-lists/undo', { account: firstId, list: second?.id ?? 0 })
  // What the first list had stays exported, also where the second had it too.
  expect(exported()).toEqual(['198.51.100.7', '203.0.113.0/24'])
  const names = perform(database, 'block-lists/list', firstId).map(({ name }) => name)
  expect(names).toEqual(['List 4', 'List 3', 'List 1'])
})
