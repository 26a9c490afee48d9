import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statfsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { failureOf } from '#shared/api/failure.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import { asking, exportsTo, headers, query, temporaryFolder, textRow } from '../src-main/exports/helpers.ts'
import { openSaver, readRowsIn } from './moments/saver.ts'
import { makeReadOnly, tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'

const whyNot = whyNoTinyDisk()
const order = (format: 'csv' | 'xlsx' | 'json'): ExportOrder => ({
  kind: 'table',
  format,
  rows: 'all',
  query,
  columns: headers,
})
/** Rows that no compression makes small. */
const rows = Array.from({ length: 6000 }, (_, index) =>
  textRow(`${Math.sin(index)}${Math.cos(index)}${Math.tan(index)}`, index, 1, 1, 1, 1, 1, 1),
)

describe.skipIf(whyNot !== null)('a disk that refuses', () => {
  it.each(['csv', 'xlsx', 'json'] as const)('is said when it is full: %s leaves nothing', async (format) => {
    const folder = tinyDisk(128)
    const ended = await exportsTo(folder, { reports: asking({ rows }) }).run(order(format))
    expect(ended).toMatchObject({
      kind: 'failed',
      failure: { kind: 'disk', message: expect.stringContaining('full') },
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is said when it is full, whatever is made of raw rows: it leaves nothing', async () => {
    const work = temporaryFolder()
    const folder = tinyDisk(16)
    const { bfree } = statfsSync(folder)
    const { rows, groups, pack, list, unreadable, close } = openSaver(work, folder, await readRowsIn(work))
    onTestFinished(close)
    for (const save of [rows('csv'), rows('xlsx'), groups('csv'), groups('xlsx'), pack, list, unreadable]) {
      const refused = failureOf(await save().catch((error: unknown) => error))
      expect(refused).toMatchObject({ kind: 'disk', message: expect.stringContaining('full') })
      expect(readdirSync(folder)).toEqual([])
      // Nobody holds on to what is gone, or its room would be taken for as long as the app runs.
      expect(statfsSync(folder).bfree).toBe(bfree)
    }
  })

  it('is said when nothing may be written to it', async () => {
    const folder = tinyDisk(128)
    makeReadOnly(folder)
    expect(await exportsTo(folder).run(order('csv'))).toMatchObject({
      kind: 'failed',
      failure: { kind: 'disk', message: expect.stringContaining('No permission to write') },
    })
  })
})

describe('an app that is killed', () => {
  it.each(['csv', 'xlsx'] as const)('leaves no file under the name of a finished one: %s', async (format) => {
    const folder = temporaryFolder()
    const script = new URL('./exporting-process.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [script, folder, format], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    for (const name of readdirSync(folder)) expect(name).toMatch(/^\.traffic-desk-.*\.part$/)
  })
})
