import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RawReport } from '../../../../src-shared/service/answers.ts'
import { seed } from '../../../helpers/properties.ts'
import { randomFrom } from '../../../helpers/random.ts'
import { runningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../../helpers/running-sandbox.ts'
import { account, downloadsFrom, namesIn, read, readyReport } from './helpers.ts'

let running: RunningSandbox
let record: RawReport
let bytes: Buffer
beforeAll(async () => {
  running = await runningSandbox()
  ;({ record, bytes } = await readyReport(running, 'Everything'))
}, 60_000)
afterAll(() => running.close())

it('is paused and gone on with at any moment, again and again, and ends right', async () => {
  const random = randomFrom(seed)
  console.log(`pauses: PROPERTY_SEED=${seed}`)
  await running.fault({
    path: 'download',
    times: null,
    does: { kind: 'drip', bytes: Math.ceil(bytes.length / 3000), everyMilliseconds: 5 },
  })
  const { downloads, folder, until } = await downloadsFrom(running.client(), running.sandbox.address)
  const begun = await downloads.start({ account: account().id, report: record.id, choose: false })
  if (!begun) throw new TypeError('Nothing was started')
  for (let turn = 0; turn < 25; turn += 1) {
    await sleep(random() * 150)
    await downloads.pause(begun.id)
    expect((await downloads.list())[0]?.state).toMatchObject({ as: 'paused', why: 'person' })
    await downloads.resume(begun.id)
  }
  await downloads.pause(begun.id)
  await running.control('DELETE', '/faults')
  await downloads.resume(begun.id)
  const ended = await until(begun.id, ({ state }) => state.as === 'saved' || state.as === 'failed')
  expect(ended.state.as).toBe('saved')
  expect(namesIn(folder)).toEqual([ended.file])
  expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
}, 120_000)
