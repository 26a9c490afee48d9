import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonFile } from '#main/exports/json-file.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { asWritten, awkwardRows, seeded } from './awkward.ts'
import { withFile } from './files.ts'
import type { Made } from './helpers.ts'
import { headers, textRow } from './helpers.ts'

const read = (made: Made): Promise<unknown> =>
  withFile(jsonFile, made, async (path) => JSON.parse(await readFile(path, 'utf8')) as unknown)

describe('JSON', () => {
  it('holds the rows by header, and what is to be known of them', async () => {
    const all = { label: { kind: 'all', name: null }, cells: [12, null] } as const
    const made: Made = {
      headers: ['Browser', 'Requests', 'Ad Blocker'],
      rows: [textRow('Chrome', 3_000_000_000, null)],
      all,
      provenance: { missing: [day('2026-11-14')] },
    }
    expect(await read(made)).toMatchObject({
      account: 'Kestrel Media',
      report: 'Script by browser',
      start: '2026-11-13',
      end: '2026-11-19',
      fetchedAt: '2026-11-20T09:14:00.000Z',
      missing: ['2026-11-14'],
      partial: true,
      results: 1,
      all: { Browser: 'All', Requests: 12, 'Ad Blocker': null },
      rows: [{ Browser: 'Chrome', Requests: 3_000_000_000, 'Ad Blocker': null }],
    })
  })

  it('says how many days were restated, and when last', async () => {
    const restated = { days: 2, latest: Date.parse('2026-11-19T10:12:30Z') as Instant }
    const rows = [textRow('a', 1)]
    const headers = ['Browser', 'Requests']
    expect(await read({ headers, rows, provenance: { restated } })).toMatchObject({
      restated: { days: 2, latest: '2026-11-19T10:12:30.000Z' },
    })
    expect(await read({ headers, rows })).toMatchObject({ restated: null })
  })

  it('gives an instance with its id and its name', async () => {
    const label = { kind: 'instance', id: '7', name: 'Shop' } as never
    expect(await read({ headers: ['Instance', 'Requests'], rows: [{ label, cells: [1] }] })).toMatchObject({
      rows: [{ Instance: { id: '7', name: 'Shop' }, Requests: 1 }],
    })
  })

  it('numbers a header that stands twice, and takes any for a name', async () => {
    const made = { headers: ['__proto__', 'A', 'A'], rows: [textRow('x', 1, 2)] }
    const found = await read(made)
    expect(JSON.stringify(found)).toContain('"rows":[{"__proto__":"x","A":1,"A (2)":2}]')
  })

  it('reads back as the table, whatever stands in it', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardRows(headers.length - 1), async (rows) => {
        const expected = rows.map(({ label, cells }) =>
          Object.fromEntries(
            headers.map((header, place) => [
              header,
              place === 0 ? asWritten(label.kind === 'text' ? label.text : '') : (cells[place - 1] ?? null),
            ]),
          ),
        )
        const found = (await read({ rows })) as { rows: Record<string, unknown>[] }
        for (const row of found.rows) row['Browser'] = asWritten(String(row['Browser']))
        expect(found.rows).toEqual(expected)
      }),
      seeded(200),
    )
  })
})
