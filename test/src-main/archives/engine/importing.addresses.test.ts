import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { CellTest } from '#shared/archives/rows.ts'
import { readAddress, writeAddress } from '#shared/archives/network.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { cellsOf, openRowsDesk, answered, rowsOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'

const fixture = (name: string) => readFileSync(join('test/fixtures/tables', name))
const allRowsOf = async (desk: RowsDesk, entry: RowsEntry) =>
  (await cellsOf(desk, rowsOf([entry]), ['REMOTE ADDRESS'])).map(([cell]) => cell)

describe('addresses', () => {
  const rowsWhere = async (desk: RowsDesk, entry: RowsEntry, test: CellTest) => {
    const conditions = [{ column: 'REMOTE ADDRESS', out: false, test }]
    return (await cellsOf(desk, rowsOf([entry], { conditions }))).map((cells) => cells[3])
  }
  const forms = (...numbers: readonly number[]) =>
    numbers.flatMap((number) => [`form ${number}`, `form ${number}`]).toSorted()

  it('are what they are, however a log writes them', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(fixture('address-forms.csv'))
    const seven = forms(0, 1, 2, 3, 5, 6, 7, 8, 19)
    const tests: readonly CellTest[] = [
      { kind: 'is', value: '203.0.113.7' },
      { kind: 'is', value: '::ffff:cb00:7107' },
      { kind: 'one-of', values: ['[203.0.113.7]:80', '192.0.2.1'] },
      { kind: 'in-network', networks: ['203.0.113.0/24'] },
      { kind: 'in-network', networks: ['::ffff:203.0.113.0/120'] },
    ]
    for (const test of tests) expect((await rowsWhere(desk, entry, test)).toSorted()).toEqual(seven)
    const six = forms(4, 9, 10, 11)
    for (const value of ['2001:db8::7', '2001:DB8:0::0:7'])
      expect((await rowsWhere(desk, entry, { kind: 'is', value })).toSorted()).toEqual(six)
    expect((await allRowsOf(desk, entry))[2]).toBe('::FFFF:cb00:7107')
    expect(entry.columns.flatMap(({ name, several }) => (several ? [[name, several]] : []))).toEqual([
      ['REMOTE ADDRESS', 4],
    ])
  })

  it.each(['203.0.113.0/24', '203.0.113.*', '203.0.113.7', '203.000.113.007', '::ffff:203.0.113.0/120'])(
    'are found by %s, as the window writes or reads it',
    async (text) => {
      const desk = openRowsDesk()
      const entry = await desk.importArchive(fixture('address-forms.csv'))
      const found = await answered(desk.engine.call('search', { file: entry, text, max: 5 }))
      const networks = ['203.0.113.0/24']
      expect(found.count).toBe((await rowsWhere(desk, entry, { kind: 'in-network', networks })).length)
    },
  )

  it('are one group in every spelling, and one network', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(fixture('address-forms.csv'))
    const grouped = async (by: 'value' | 'network') => {
      const params = { ...rowsOf([entry]), by: [{ column: 'REMOTE ADDRESS', by }], search: '', zone: 'UTC' }
      const sort = { by: { kind: 'rows' }, direction: 'desc' } as const
      const { groups } = await answered(
        desk.engine.call('groups', { ...params, groupSort: sort, offset: 0, limit: 50 }),
      )
      return new Map(groups.map(({ keys, rows }) => [keys[0], rows]))
    }
    const values = await grouped('value')
    expect([values.get('203.0.113.7'), values.get('2001:db8::7'), values.get('10.0.0.7')]).toEqual([18, 8, 4])
    const networks = await grouped('network')
    expect([networks.get('203.0.113.0/24'), networks.get('2001:db8::/64')]).toEqual([18, 8])
    // The group '' holds cells that are no address, empty or not.
    expect(networks.get('')).toBeGreaterThan(0)
    for (const [network = '', rows] of networks)
      expect(await rowsWhere(desk, entry, { kind: 'in-network', networks: [network] }), network).toHaveLength(
        rows,
      )
    const some = await rowsWhere(desk, entry, { kind: 'in-network', networks: ['', '203.0.113.0/24'] })
    expect(some).toHaveLength(18 + (networks.get('') ?? 0))
  })

  it('are read by the engine as by JavaScript', async () => {
    const number = fc.nat(300)
    const four = fc.tuple(number, number, number, number).map((parts) => parts.join('.'))
    const padded = fc
      .tuple(number, number, number, number)
      .map((parts) => parts.map((part) => String(part).padStart(3, '0')).join('.'))
    const group = fc.oneof(
      fc.constant('0'),
      fc.nat(0xffff).map((bits) => bits.toString(16)),
    )
    const six = fc.oneof(
      fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':')),
      fc
        .tuple(fc.array(group, { maxLength: 6 }), fc.array(group, { maxLength: 6 }))
        .map(([head, tail]) => `${head.join(':')}::${tail.join(':')}`),
      four.map((text) => `::ffff:${text}`),
      four.map((text) => `64:ff9b::${text}`),
    )
    const wrapped = fc
      .tuple(
        fc.constantFrom('', ' ', '[', '"', "'", '(', '/', '-, ', 'for=', '\u00a0'),
        fc.oneof(four, padded, six, fc.string({ maxLength: 12 })),
        fc.constantFrom(
          ...[
            '',
            ' ',
            ']',
            ':443',
            ']:443',
            '%eth0',
            '/32',
            '/24',
            ', 192.0.2.1',
            ';x',
            '|x',
            ')',
            "'",
            '\u00a0',
          ],
        ),
      )
      .map((parts) => parts.join('').replaceAll(/[\r\n]/g, ''))
    const desk = openRowsDesk()
    const property = fc.asyncProperty(fc.array(wrapped, { minLength: 20, maxLength: 60 }), async (cells) => {
      const filler = Array.from({ length: 1000 }, (_, nth) => `192.0.2.${nth % 250}`)
      const table = ['REMOTE ADDRESS', ...filler, ...cells].map(
        (cell) => `"${cell.replaceAll('"', '""')}"\t1\n`,
      )
      const entry = await desk.importArchive(table.join(''), { name: 'addresses.csv' })
      const params = { ...rowsOf([entry]), columns: ['REMOTE ADDRESS'], top: 2000 }
      const { facets } = await answered(desk.engine.call('facets', params))
      const found = new Set(facets[0]?.values.map(({ value }) => value))
      const usual = (cell: string) => {
        const address = readAddress(cell)
        return address ? writeAddress(address) : cell
      }
      expect(found).toEqual(new Set([...filler, ...cells].map(usual)))
    })
    await checkAsyncProperty('addresses in logs', property, 25)
  }, 60_000)
})
