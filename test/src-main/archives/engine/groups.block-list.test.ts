import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isIn, parseNetwork, readAddress } from '#shared/archives/network.ts'
import { readRanges } from '#shared/archives/typed-list.ts'
import type { MadeList } from '#shared/archives/block-list.ts'
import { Session } from '#main/analytics/engine-database.ts'
import type { BlockListParams } from '#main/archives/engine/rows-engine.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { answered, openRowsDesk, rowsOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'

const usual: Omit<BlockListParams, 'files' | 'conditions' | 'sort'> = {
  ...{ zone: 'UTC', key: { column: 'IP', by: 'value' } },
  wish: {
    format: 'csv',
    max: 500,
    minBad: 1,
    minShare: 0,
    allowed: [],
    exported: [],
    expired: [],
    since: null,
  },
  progress: null,
}

/** The statements that an engine of this thread is given from now on. */
function statements(): string[] {
  const found: string[] = []
  for (const name of ['columns', 'rows'] as const) {
    const before = Session.prototype[name]
    const spy = vi.spyOn(Session.prototype, name).mockImplementation(function (this: Session, sql, bound) {
      found.push(sql)
      return before.call(this, sql, bound)
    })
    onTestFinished(() => spy.mockRestore())
  }
  return found
}

const tableOf = (rows: readonly (readonly string[])[]) =>
  ['IP,RESULT', ...rows.map((cells) => cells.join(','))].join('\n')

async function listOf(
  desk: RowsDesk,
  files: Parameters<typeof rowsOf>[0],
  more: Partial<BlockListParams> = {},
): Promise<MadeList> {
  return await answered(desk.engine.call('blockList', { ...rowsOf(files), ...usual, ...more }))
}

it('holds the rows of each address, counted in one grouping for any limits', async () => {
  const random = randomFrom(seed)
  const upTo = (max: number) => Math.floor(random() * max)
  const rows = Array.from({ length: 4000 }, () => [
    `8.8.${upTo(9)}.${upTo(40) * 2}`,
    random() < 0.2 ? 'bad' : 'good',
  ])
  const desk = openRowsDesk()
  const files = [await desk.importArchive(tableOf([...rows, ['unknown', 'bad']]))]
  const given = statements()
  const list = await listOf(desk, files)
  expect(given.filter((sql) => sql.includes('GROUP BY'))).toHaveLength(1)
  const counted = new Map<string, { rows: number; bad: number }>()
  for (const [address = '', result] of rows) {
    const before = counted.get(address) ?? { rows: 0, bad: 0 }
    counted.set(address, { rows: before.rows + 1, bad: before.bad + (result === 'bad' ? 1 : 0) })
  }
  const bad = [...counted].filter(([, held]) => held.bad > 0)
  const lines = list.text.split('\r\n').slice(1, -1)
  expect(new Set(lines)).toEqual(
    new Set(bad.map(([address, held]) => `${address},${held.rows},${held.bad},,`)),
  )
  expect(list).toMatchObject({
    ...{ entries: bad.length, more: 0, leftOut: { nonsense: 1 } },
    blocked: {
      rows: bad.reduce((sum, [, held]) => sum + held.rows, 0),
      bad: bad.reduce((sum, [, held]) => sum + held.bad, 0),
    },
  })
  // Other limits need no other counting.
  const before = given.length
  const strict = await listOf(desk, files, { wish: { ...usual.wish, minBad: 5, minShare: 30 } })
  expect(given).toHaveLength(before)
  expect(strict.entries).toBe(bad.filter(([, held]) => held.bad >= 5 && held.bad >= held.rows * 0.3).length)
})

it('has no more lines than a platform takes, the worst of a long table, each as the platform writes it', async () => {
  const table = readFileSync('test/fixtures/tables/block-list-long.csv', 'utf8')
  const bad = new Map<string, number>()
  for (const line of table.trim().split(/\r?\n/).slice(1)) {
    const address = line.split(',')[2] ?? ''
    bad.set(address, (bad.get(address) ?? 0) + 1)
  }
  const desk = openRowsDesk()
  const files = [await desk.importArchive(table)]
  const wish = { ...usual.wish, format: 'google-ads' } as const
  const list = await listOf(desk, files, { key: { column: 'REMOTE ADDRESS', by: 'value' }, wish })
  const lines = list.text.trim().split('\n')
  expect(lines.length).toBeLessThanOrEqual(500)
  for (const line of lines) expect(line).toMatch(/^(?:\d+\.){3}(?:\d+|\*)$|^[0-9a-f:]+(?:\/\d+)?$/)
  const networks = readRanges(list.text).ranges.flatMap((range) => parseNetwork(range) ?? [])
  const isBlocked = (text: string) => {
    const address = readAddress(text)
    return address !== undefined && networks.some((network) => isIn(address, network))
  }
  const counts = [...bad]
  const mildestIn = Math.min(...counts.flatMap(([address, rows]) => (isBlocked(address) ? [rows] : [])))
  const worstOut = Math.max(0, ...counts.flatMap(([address, rows]) => (isBlocked(address) ? [] : [rows])))
  expect(worstOut).toBeLessThanOrEqual(mildestIn)
  expect(list.blocked.bad).toBe(
    counts.reduce((sum, [address, rows]) => sum + (isBlocked(address) ? rows : 0), 0),
  )
})

it('is made of networks too, and of rows that nobody judged', async () => {
  const desk = openRowsDesk()
  const files = [await desk.importArchive('IP\n8.8.8.1\n8.8.8.200\n8.8.9.1\n2a00::1\n')]
  const list = await listOf(desk, files, { key: { column: 'IP', by: 'network' } })
  expect(list.text).toBe('range,rows,bad rows,first seen,last seen\r\n8.8.8.0/23,3,,,\r\n2a00::/64,1,,,\r\n')
  expect(list.blocked).toEqual({ rows: 4, bad: null })
})

it('knows the first and last day of each range, in the account’s zone', async () => {
  const desk = openRowsDesk()
  const rows = [
    '8.8.8.1,2026-11-10T22:30:00Z',
    '8.8.8.1,2026-11-12T23:30:00Z',
    '8.8.8.9,2026-11-11T08:00:00Z',
  ]
  const files = [await desk.importArchive(`IP,TIMESTAMP\n${rows.join('\n')}\n`)]
  const zone = 'Europe/Berlin'
  const list = await listOf(desk, files, { zone })
  expect(list.text.split('\r\n').slice(1, -1)).toEqual([
    '8.8.8.1,2,,2026-11-10,2026-11-13',
    '8.8.8.9,1,,2026-11-11,2026-11-11',
  ])
  const network = await listOf(desk, files, { zone, key: { column: 'IP', by: 'network' } })
  expect(network.ranges).toEqual([
    {
      range: '8.8.8.0/24',
      seen: { first: Date.parse('2026-11-10T22:30:00Z'), last: Date.parse('2026-11-12T23:30:00Z') },
    },
  ])
  const since = Date.parse('2026-11-12T00:00:00Z') as Instant
  const renewed = await listOf(desk, files, { zone, wish: { ...usual.wish, since, expired: ['9.9.9.9'] } })
  expect(renewed).toMatchObject({ entries: 1, leftOut: { expired: 2 } })
})

it('ends its statement where it is given up, and tells until then how far it is', async () => {
  const rows = Array.from({ length: 60_000 }, (_, nth) => [
    `8.${nth >> 16}.${(nth >> 8) % 256}.${nth % 256}`,
    `good${'x'.repeat(60)}`,
  ])
  const desk = openRowsDesk()
  const files = [await desk.importArchive(tableOf(rows))]
  // So many conditions on so many rows take seconds.
  const conditions = Array.from({ length: 400 }, (_, nth) => ({
    ...{ column: 'RESULT', out: true },
    test: { kind: 'contains' as const, value: `z${nth}` },
  }))
  const given = statements()
  const ended = vi.fn()
  const using = vi.spyOn(Session.prototype, 'columns')
  const controller = new AbortController()
  const progress = { account: 'a' as AccountId, key: 'block list' }
  const asked = desk.engine.call(
    'blockList',
    { ...rowsOf(files, { conditions }), ...usual, progress },
    controller.signal,
  )
  asked.catch(() => undefined)
  await vi.waitFor(() => expect(given.some((sql) => sql.includes('GROUP BY'))).toBe(true))
  const statement = using.mock.results.at(-1)?.value
  statement?.then(ended, ended)
  controller.abort()
  await expect(asked).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  await vi.waitFor(() => expect(ended).toHaveBeenCalled())
  expect(String(ended.mock.calls[0]?.[0])).toMatch(/interrupt/i)
})
