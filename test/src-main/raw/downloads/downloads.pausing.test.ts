import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { namesIn, read } from './helpers.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()

it('is paused and gone on with at any moment, again and again, and ends right', async () => {
  const random = randomFrom(seed)
  console.log(`pauses: PROPERTY_SEED=${seed}`)
  await ready.running.fault({
    path: 'download',
    times: null,
    does: { kind: 'drip', bytes: Math.ceil(ready.bytes.length / 3000), everyMilliseconds: 5 },
  })
  const { downloads, folder, started, until } = await ready.desk()
  const id = await started(ready.record.id)
  for (let turn = 0; turn < 25; turn += 1) {
    await sleep(random() * 150)
    await downloads.pause(id)
    expect((await downloads.list())[0]?.state).toMatchObject({ kind: 'paused', why: 'person' })
    await downloads.resume(id)
  }
  await downloads.pause(id)
  await ready.running.control('DELETE', '/faults')
  await downloads.resume(id)
  const ended = await until(id, ({ state }) => state.kind === 'saved' || state.kind === 'failed')
  expect(ended.state.kind).toBe('saved')
  expect(namesIn(folder)).toEqual([ended.file])
  expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
}, 120_000)
