import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clickIdIn } from '#test/helpers/click-ids.ts'
import type { RowsCondition } from '#shared/archives/rows.ts'
import { seed } from '#test/helpers/properties.ts'
import { answered, cellsOf, openRowsDesk, rowsOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'

const groupsOf = async (desk: RowsDesk, entry: RowsEntry, column: string) =>
  answered(
    desk.engine.call('groups', {
      ...rowsOf([entry]),
      by: [{ column, by: 'click-id' }],
      groupSort: { by: { kind: 'rows' }, direction: 'desc' },
      ...{ search: '', offset: 0, limit: 1000, zone: 'UTC' },
    }),
  )

const carrying = (column: string, ...values: string[]): RowsCondition => ({
  ...{ column, out: false },
  test: { kind: 'click-id', values },
})

it('tells clicks by the IDs that their pages carry, also where those are escaped, and finds them again', async () => {
  const desk = openRowsDesk()
  const entry = await desk.importArchive(readFileSync('test/fixtures/tables/refund-clicks.csv'))
  const { groups } = await groupsOf(desk, entry, 'PAGE')
  const ids = groups.flatMap(({ keys: [id = ''] }) => (id === '' ? [] : [id]))
  expect(ids).toHaveLength(32)
  expect(ids.every((id) => /^Tst\d{5}EAIaIQ-own_\d\d$/.test(id))).toBe(true)
  expect(groups.find(({ keys: [id] }) => id === '')?.rows).toBe(8)
  for (const id of ['', 'Tst00000EAIaIQ-own_00', 'Tst01839EAIaIQ-own_03']) {
    const rows = await cellsOf(desk, rowsOf([entry], { conditions: [carrying('PAGE', id)] }))
    expect(rows).toHaveLength(id === '' ? 8 : 1)
  }
  const all = await cellsOf(desk, rowsOf([entry], { conditions: [carrying('PAGE', ...ids)] }))
  expect(all).toHaveLength(32)
})

it('is told by the engine as by JavaScript, whatever a link looks like', async () => {
  const name = fc.constantFrom('gclid', 'GCLID', 'msclkid', 'clickid', 'click_id', 'xgclid', 'utm_source')
  const sign = (plain: string, ...escaped: string[]) => fc.constantFrom(plain, plain, ...escaped)
  const parameter = fc.tuple(
    sign('?', '%3F', '%3f', '&', '%26', '#', '%23'),
    name,
    sign('=', '%3D', '%3d', ''),
    fc.string({ unit: fc.constantFrom(...'aZ09_-.%25é &'), maxLength: 6 }),
  )
  const link = fc.array(
    parameter.map((parts) => parts.join('')),
    { maxLength: 3 },
  )
  const links = fc.array(
    link.map((parts) => `https://shop.example/${parts.join('')}`),
    { minLength: 1, maxLength: 30 },
  )
  const desk = openRowsDesk()
  await fc.assert(
    fc.asyncProperty(links, async (pages) => {
      const entry = await desk.importArchive(
        `nth,page\n${pages.map((page, nth) => `${nth},"${page}"\n`).join('')}`,
      )
      const { groups } = await groupsOf(desk, entry, 'page')
      const expected = new Map<string, number>()
      for (const page of pages) expected.set(clickIdIn(page), (expected.get(clickIdIn(page)) ?? 0) + 1)
      expect(new Map(groups.map(({ keys: [id = ''], rows }) => [id, rows]))).toEqual(expected)
    }),
    { seed, numRuns: 20 },
  )
})
