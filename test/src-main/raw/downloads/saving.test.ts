import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RawReport } from '../../../../src-shared/service/answers.ts'
import { downloadsFrom, namesIn, read, readyReport } from './helpers.ts'

let running: RunningSandbox
let record: RawReport
let bytes: Buffer
beforeAll(async () => {
  running = await runningSandbox()
  ;({ record, bytes } = await readyReport(running, 'Everything'))
})
afterAll(() => running.close())
beforeEach(() => running.control('DELETE', '/faults'))

const desk = (changes = {}) => downloadsFrom(running.client(), running.sandbox.address, changes)

describe('a report that is saved', () => {
  it('is the archive, byte for byte, under a name of its own, dated when it was made', async () => {
    const { folder, fetched } = await desk()
    const ended = await fetched(record.id)
    expect(ended).toMatchObject({ state: { as: 'saved' }, size: bytes.length, name: 'Everything' })
    expect(ended.host).toBe(new URL(running.sandbox.downloadAddress).host)
    expect(ended.file).toBe('Acme Everything 2026-10-20 to 2026-11-18 Response.zip')
    expect(namesIn(folder)).toEqual([ended.file])
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
    expect((await stat(join(folder, ended.file))).mtimeMs).toBe(Date.parse(record.created ?? ''))
  })
})
