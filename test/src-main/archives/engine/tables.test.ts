import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mayHaveLongLine } from '#main/archives/csv/lenient-parser.ts'
import { tableInPlace } from '#main/archives/engine/tables.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { seed } from '#test/helpers/properties.ts'

function folderWith(table: string | Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-tables-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [path, work] = [join(folder, 'rows.csv'), join(folder, 'work')]
  mkdirSync(work)
  writeFileSync(path, table)
  return { path, work }
}

describe('a table that is read where it lies', () => {
  it('is known to be another once something is added to it, or it is gone', async () => {
    const { path, work } = folderWith('A;B\r\n1;2\r\n')
    const table = await tableInPlace(path, work, [])
    expect(table).toMatchObject({
      ...{ headers: ['A', 'B'], ending: '\r\n', size: 10 },
      dialect: { delimiter: ';' },
    })
    expect(await table?.inPlace?.hasChanged()).toBe(false)
    appendFileSync(path, '3;4\r\n')
    expect(await table?.inPlace?.hasChanged()).toBe(true)
    rmSync(path)
    expect(await table?.inPlace?.hasChanged()).toBe(true)
  })

  it.each([
    ['as it is', 'A,B\n1,2\n3,4\n', true],
    ['as it is above an empty line', 'A,B\n1,2\n3,4\n\n', true],
    ['by our own reader below a title', 'Clicks of October\n\nA,B\n1,2\n3,4\n', false],
    ['by our own reader above a total', 'A,B\nx,2\ny,4\nTotal,6\n', false],
    ['by our own reader with headers of two lines', '"A\nA",B\n1,2\n', false],
    ['by our own reader with line breaks of old systems', 'A,B\r1,2\r', false],
    ['by our own reader with a short last line', 'A,B\n1,2\n3,4\n5\n', false],
  ])('is read %s', async (_, text, isPlain) => {
    const { path, work } = folderWith(text)
    const table = await tableInPlace(path, work, [])
    expect([table?.isPlain, table?.inPlace?.place]).toEqual([isPlain, realpathSync(path)])
  })

  it.each([
    ['in UTF-16', Buffer.from('A,B\n1,2\n', 'utf16le')],
    ['that is an archive', 'PK\u0003\u0004A,B\n1,2\n'],
    ['with a title that is no UTF-8', Buffer.from('caf\xe9\n\nA,B\n1,2\n3,4\n', 'latin1')],
    ['with a total that is no UTF-8', Buffer.from('A,B\nx,2\ny,4\nTotal: caf\xe9,6\n', 'latin1')],
    ['with headers that are no UTF-8', Buffer.from('caf\xe9,B\n1,2\n', 'latin1')],
    ['with headers alone', 'A,B\n'],
    ['that is empty', ''],
    ['with a quote that is not closed', '"A,B\n1,2\n'],
  ])('is none %s', async (_, table) => {
    const { path, work } = folderWith(table)
    expect(await tableInPlace(path, work, [])).toBeUndefined()
  })
})

it('tells where a line may be long, wherever it stands', async () => {
  const random = randomFrom(seed)
  const max = 4 * 4096
  for (let run = 0; run < 60; run += 1) {
    const lengths = Array.from({ length: 40 }, () => Math.floor(random() ** 4 * max * 1.5))
    const { path } = folderWith(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''))
    const longest = Math.max(...lengths)
    const told = await mayHaveLongLine(path, max, 10)
    if (longest >= max) expect(told).toBe(true)
    if (longest < max / 2) expect(told).toBe(false)
  }
})
