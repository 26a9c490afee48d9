import { describe, expect, it } from 'vitest'
import type { GroupKey } from '#shared/archives/rows.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { referenceNetwork, referenceRows, tally } from '../reference-implementation.ts'
import type { ReferenceRow } from '../reference-implementation.ts'
import { answered, openRowsDesk, rowsOf } from '../helpers.ts'
import { reportOf } from '../sandbox-rows.ts'

const isBad = (row: ReferenceRow) => row['RESULT'] === 'bad' || row['RESULT'] === 'suspect'

async function readReport(type: RawType) {
  const desk = openRowsDesk()
  const report = reportOf(type)
  const entry = await desk.importArchive(report.csv)
  return { desk, entry, ...report }
}

describe.each(rawTypes)('the rows of a raw report of type %s', (type) => {
  it('are those of the events', async () => {
    const { desk, entry, rows } = await readReport(type)
    expect(entry).toMatchObject({ type, count: rows.length, unreadable: 0 })
    expect(rows.length).toBeGreaterThan(200)
    const page = await answered(
      desk.engine.call('page', { ...rowsOf([entry]), offset: 0, limit: 100_000, columns: [] }),
    )
    const names = entry.columns.map(({ name }) => name)
    expect(
      page.rows.map(({ cells }) => Object.fromEntries(names.map((name, nth) => [name, cells[nth]]))),
    ).toEqual(rows)
  })

  it('have the facets of the events', async () => {
    const { desk, entry, rows } = await readReport(type)
    const columns = entry.columns.filter(({ kind }) => kind !== 'time').map(({ name }) => name)
    const condition = { column: 'SOURCE', out: true, test: { kind: 'empty' } } as const
    const found = referenceRows(rows, [condition])
    const answer = await answered(
      desk.engine.call('facets', { ...rowsOf([entry], { conditions: [condition] }), columns, top: 7 }),
    )
    const judged = columns.includes('RESULT')
    expect(answer.rows).toBe(found.length)
    expect(answer.bad).toBe(judged ? found.filter(isBad).length : null)
    expect(answer.facets).toEqual(
      columns.map((column) => {
        const counts = tally(found, (row) => row[column] ?? '')
        const bad = tally(found.filter(isBad), (row) => row[column] ?? '')
        const values = [...counts]
          .sort(([a, m], [b, n]) => n - m || byCodePoints(a, b))
          .slice(0, 7)
          .map(([value, count]) => ({ value, rows: count, bad: judged ? (bad.get(value) ?? 0) : null }))
        return { column, distinct: counts.size, values }
      }),
    )
  })

  it('have all values in the facet of which some are chosen, by what else is chosen', async () => {
    const { desk, entry, rows } = await readReport(type)
    const [column, other] = ['SOURCE', 'COUNTRY']
    const [[first = ''] = [], [second = ''] = []] = [...tally(rows, (row) => row[column] ?? '')]
    const [[country = ''] = []] = [...tally(rows, (row) => row[other] ?? '')]
    const chosen = { column, out: false, test: { kind: 'one-of', values: [first, second] } } as const
    const beside = { column: other, out: false, test: { kind: 'is', value: country } } as const
    const request = {
      ...rowsOf([entry], { conditions: [chosen, beside] }),
      columns: [column, other],
      top: 500,
    }
    const answer = await answered(desk.engine.call('facets', request))
    const all = referenceRows(rows, [chosen, beside])
    expect(answer.rows).toBe(all.length)
    const countsOf = (nth: number) =>
      new Map(answer.facets[nth]?.values.map(({ value, rows: count }) => [value, count]))
    expect(countsOf(0)).toEqual(tally(referenceRows(rows, [beside]), (row) => row[column] ?? ''))
    expect(countsOf(1)).toEqual(tally(referenceRows(rows, [chosen]), (row) => row[other] ?? ''))
  })

  it.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu'])(
    'stand over time as the events do, in %s',
    async (zone) => {
      const { desk, entry, rows } = await readReport(type)
      const hourIn = new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' },
      })
      const label = (moment: number) => hourIn.format(moment)
      for (const by of ['hour', 'day'] as const) {
        const letters = by === 'hour' ? 13 : 10
        const answer = await answered(desk.engine.call('histogram', { ...rowsOf([entry]), by, zone }))
        const counted = answer.bars.flatMap(({ from, to, counts }) => {
          // A bar begins with its hour or day, and ends with it.
          expect(label(from).slice(0, letters)).toBe(label(to - 1).slice(0, letters))
          expect(label(from - 1).slice(0, letters)).not.toBe(label(from).slice(0, letters))
          return counts.flatMap((count, nth) =>
            count === 0 ? [] : [[`${label(from).slice(0, letters)} ${answer.results[nth]}`, count] as const],
          )
        })
        const expected = tally(
          rows,
          (row) => `${label(Date.parse(row['TIMESTAMP'] ?? '')).slice(0, letters)} ${row['RESULT'] ?? ''}`,
        )
        expect(new Map(counted)).toEqual(expected)
        expect(answer.untimed).toBe(0)
      }
    },
  )

  const keys: readonly (readonly [string, readonly GroupKey[]])[] = [
    [
      'source × country',
      [
        { column: 'SOURCE', by: 'value' },
        { column: 'COUNTRY', by: 'value' },
      ],
    ],
    [
      '/24 × hour',
      [
        { column: 'REMOTE ADDRESS', by: 'network' },
        { column: 'TIMESTAMP', by: 'hour' },
      ],
    ],
    [
      'network × user agent × day',
      [
        { column: 'NETWORK', by: 'value' },
        { column: 'USER AGENT', by: 'value' },
        { column: 'TIMESTAMP', by: 'day' },
      ],
    ],
  ]
  it.each(keys)('are grouped by %s as the events are', async (_, by) => {
    const { desk, entry, rows } = await readReport(type)
    const keyOf = (row: ReferenceRow) =>
      JSON.stringify(
        by.map(({ column, by: what }) => {
          const cell = row[column] ?? ''
          if (what === 'day') return cell.slice(0, 10)
          if (what === 'hour') return cell.slice(0, 13).replace('T', ' ')
          return what === 'network' ? referenceNetwork(cell) : cell
        }),
      )
    const answer = await answered(
      desk.engine.call('groups', {
        ...rowsOf([entry]),
        ...{ by, search: '', offset: 0, limit: 1000, zone: 'UTC' },
        groupSort: { by: { kind: 'rows' }, direction: 'desc' },
      }),
    )
    const counts = tally(rows, keyOf)
    const bad = tally(rows.filter(isBad), keyOf)
    const expected = [...counts]
      .map(([key, count]) => ({ keys: JSON.parse(key) as string[], rows: count, bad: bad.get(key) ?? 0 }))
      .sort((a, b) => b.rows - a.rows || compareKeys(a.keys, b.keys))
      .slice(0, 1000)
    const judged = type !== 'request'
    expect(answer.total).toBe(counts.size)
    expect(
      answer.groups.map(({ keys: own, rows: count, bad: worst }) => ({
        keys: own,
        rows: count,
        bad: worst ?? 0,
      })),
    ).toEqual(expected.map((each) => (judged ? each : { ...each, bad: 0 })))
    for (const { rows: count, counts: byResult, series } of answer.groups) {
      expect(series.reduce((sum, each) => sum + each, 0)).toBe(count)
      if (judged) expect(byResult.reduce((sum, each) => sum + each, 0)).toBe(count)
    }
  })

  it('are found by an address, whatever stands beside it', async () => {
    const { desk, entry, rows } = await readReport(type)
    const text = rows[17]?.['REMOTE ADDRESS'] ?? ''
    const searched = entry.columns
      .filter(({ standard }) =>
        /address|^exid$|_id$|^location$|^page$|^referrer$|user_agent/.test(standard ?? ''),
      )
      .map(({ name }) => name)
    // A whole address is not a part of another one.
    const holds = (name: string, cell: string) =>
      name.includes('ADDRESS') ? cell === text : cell.includes(text)
    const expected = rows.filter((row) => searched.some((name) => holds(name, row[name] ?? '')))
    const hits = await answered(desk.engine.call('search', { file: entry, text, max: 3 }))
    expect(hits.count).toBe(expected.length)
    expect(hits.rows.map(({ row }) => rows[row])).toEqual(expected.slice(0, 3))
  })
})

const compareKeys = (a: readonly string[], b: readonly string[]): number =>
  a.map((each, nth) => byCodePoints(each, b[nth] ?? '')).find((order) => order !== 0) ?? 0

it('joins files by column', async () => {
  const desk = openRowsDesk()
  const one = await desk.importArchive(
    'TIMESTAMP,SOURCE,N\n2026-11-20T10:00:00Z,a,5\n2026-11-20T12:00:00Z,b,40\n',
  )
  const other = await desk.importArchive('SOURCE,TIMESTAMP,N,X\na,2026-11-20T13:00:00+02:00,x,1\n')
  const page = await answered(
    desk.engine.call('page', {
      ...rowsOf([one, other], { sort: [{ column: 'TIMESTAMP', direction: 'desc' }] }),
      ...{ offset: 0, limit: 10, columns: ['SOURCE', 'TIMESTAMP', 'N', 'X'] },
    }),
  )
  expect(page.rows.map(({ cells }) => cells)).toEqual([
    ['b', '2026-11-20T12:00:00Z', '40', null],
    ['a', '2026-11-20T13:00:00+02:00', 'x', '1'],
    ['a', '2026-11-20T10:00:00Z', '5', null],
  ])
})

it('shows an hour that a zone has twice as two bars', async () => {
  const desk = openRowsDesk()
  const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T01:45:00Z', 'never']
  const entry = await desk.importArchive(
    `TIMESTAMP,RESULT\n${times.map((time) => `${time},good\n`).join('')}`,
  )
  const answer = await answered(
    desk.engine.call('histogram', { ...rowsOf([entry]), by: 'hour', zone: 'Europe/Berlin' }),
  )
  expect(answer).toEqual({
    zone: 'Europe/Berlin',
    results: ['good'],
    bars: [
      { from: Date.parse('2026-10-25T00:00:00Z'), to: Date.parse('2026-10-25T01:00:00Z'), counts: [1] },
      { from: Date.parse('2026-10-25T01:00:00Z'), to: Date.parse('2026-10-25T02:00:00Z'), counts: [2] },
    ],
    untimed: 1,
  })
  const byDay = await answered(
    desk.engine.call('histogram', { ...rowsOf([entry]), by: 'day', zone: 'Europe/Berlin' }),
  )
  expect(byDay.bars).toEqual([
    { from: Date.parse('2026-10-24T22:00:00Z'), to: Date.parse('2026-10-25T23:00:00Z'), counts: [3] },
  ])
})
