import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { ToServer } from '#main/workers/rpc.ts'
import { readParquet } from '#test/helpers/parquet.ts'
import { temporaryFolder } from '../../database/helpers.ts'
import { engineChannel, engineForTest } from './engine-thread.ts'

const shape = {
  columns: [
    { name: 'Host', type: 'VARCHAR' },
    { name: 'Day', type: 'DATE' },
    { name: 'Requests', type: 'BIGINT' },
  ],
  facts: '{"account": "Kestrel’s"}',
} as const

/** Files of exports in a folder of an engine. */
const exportsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('export-'))

/** An engine, a file of lines, and what the engine has left of its exports. */
function lying(text: string) {
  const { engine, history } = engineForTest()
  const lines = join(temporaryFolder(), 'file')
  writeFileSync(lines, text)
  return { engine, lines, left: () => exportsIn(`${history}-work`) }
}

const line = (nth: number) => `${JSON.stringify([`host-${nth}`, '2026-11-13', String(nth)])}\n`

it('makes a file of lines in their order, and takes the lines', async () => {
  const count = 70_000
  const { engine, lines, left } = lying(Array.from({ length: count }, (_, nth) => line(nth)).join(''))
  const path = await engine.call('parquet', { lines, ...shape })
  const { types, rows, metadata } = await readParquet(path)
  expect(types).toMatchObject({ Day: expect.stringContaining('DATE') })
  expect(rows).toHaveLength(count)
  expect(rows.findIndex(({ Requests }, nth) => Requests !== BigInt(nth))).toBe(-1)
  expect(metadata['traffic_desk']).toBe(shape.facts)
  expect(existsSync(lines)).toBe(false)
  expect(left()).toHaveLength(1)
})

it.each([
  ['no JSON', 'what?\n'],
  ['half of a line', `${line(1)}["host`],
])('leaves no file if the lines are %s', async (_, text) => {
  const { engine, lines, left } = lying(text)
  await expect(engine.call('parquet', { lines, ...shape })).rejects.toThrow()
  expect(left()).toEqual([])
})

it('ends when it is cancelled, and leaves no file', async () => {
  const folder = temporaryFolder()
  const cancelling = new AbortController()
  const engine = startEngine({
    open: () => {
      const channel = engineChannel(join(folder, 'history'))
      // The engine has the call when it is cancelled.
      const post = (message: unknown) => {
        channel.post(message)
        if ((message as ToServer).kind === 'call') cancelling.abort()
      }
      return { ...channel, post }
    },
  })
  onTestFinished(() => engine.close())
  const lines = join(folder, 'file')
  writeFileSync(lines, Array.from({ length: 200_000 }, (_, nth) => line(nth)).join(''))
  const making = engine.call('parquet', { lines, ...shape }, cancelling.signal)
  await expect(making).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  expect(exportsIn(folder)).toEqual([])
})
