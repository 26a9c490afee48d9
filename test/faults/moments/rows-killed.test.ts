import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { answered, rowsOf } from '#test/src-main/archives/helpers.ts'
import { endings } from './endings.ts'
import { killAtMoments } from './killing.ts'
import { id, openRowsOf, dataScope, readTableIn, rowsOfTable, writeTable } from './imported-rows.ts'

it.each(endings(5, 50))(
  '$ending at $moments random moments of reading in, rows are whole or not there, and what was read before stays',
  async ({ ending, moments, place }) => {
    const random = randomFrom(seed)
    const { folder, lose } = place()
    let stored = 0
    const hits = await killAtMoments({
      ...{ worker: 'rows-work.ts', moments, random },
      ordersOf: (moment) => ({ folder, from: (moment + 1) * 1000 }),
      check: async (said) => {
        lose()
        stored = Math.max(stored, ...said.stored.map(Number))
        const rows = openRowsOf(folder)
        try {
          const known = await rows.catalogue.rowsOf(dataScope)
          const entry = known.get(id)?.entry
          expect(known.size).toBe(stored === 0 && !entry ? 0 : 1)
          if (!entry) return
          // The last that was said to be read in, or the next, of which the kill kept anybody from saying so.
          expect(entry.readAt).toBeGreaterThanOrEqual(stored)
          stored = entry.readAt
          expect(entry).toMatchObject({ count: rowsOfTable, unreadable: 1 })
          const facets = await answered(
            rows.engine.call('facets', {
              ...rowsOf([entry]),
              columns: ['COUNT', 'TEXT', 'TIMESTAMP'],
              top: 3,
            }),
          )
          expect(
            facets.facets.map(({ values }) => values.map(({ value, rows: count }) => [value, count])),
          ).toEqual(
            [String(entry.readAt), 'a, b', '2026-11-20T10:00:00Z'].map((value) => [[value, rowsOfTable]]),
          )
        } finally {
          await rows.close()
        }
      },
    })
    // What is left over is read in anew, and what was half-written lies nowhere that counts.
    const rows = openRowsOf(folder)
    const source = join(folder, 'last.csv')
    writeTable(source, stored + 1)
    await rows.catalogue.rowsOf(dataScope)
    await readTableIn(rows, source, stored + 1)
    expect((await rows.catalogue.rowsOf(dataScope)).get(id)?.entry.readAt).toBe(stored + 1)
    await rows.close()
    expect(readdirSync(join(folder, 'rows-work')).filter((name) => name.startsWith('engine-'))).toEqual([])
    console.log(`reading in, ${ending}: PROPERTY_SEED=${seed}`, hits)
  },
  runs(120_000, 2_700_000),
)
