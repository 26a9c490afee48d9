import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { busyService } from '../busy-service.ts'
import { crashingProcess } from '../crashing-process.ts'

const child = join(import.meta.dirname, 'killed-child.ts')
const kills = 4

const tellingSchema = v.tupleWithRest([v.picklist(['before', 'after'])], v.string())

/** What was handed to the desktop, said before and after each time. */
const tellings = (lines: readonly string[]) =>
  lines.map((line) => {
    const [when, ...keys] = v.parse(tellingSchema, JSON.parse(line))
    return { when, keys }
  })

it('announces each end once though its process is killed again and again', async () => {
  console.log(`killed processes: PROPERTY_SEED=${seed}, ${kills} kills`)
  const random = randomFrom(seed)
  const { service, client, today, instance } = await busyService()
  const folder = temporaryFolder()
  const desk = crashingProcess({ child, folder, files: ['shown.txt', 'looked.txt'] })
  const { says, lines: linesOf } = desk
  async function request(): Promise<string> {
    const { answer } = await client.call('raw/request', {
      ...{ type: 'direct', instance, standard: ['source'], send_email: false },
      ...{ start: addDays(today, -1), end: addDays(today, -1) },
    })
    if (answer.id === null) throw new Error(JSON.stringify(answer))
    return answer.id
  }

  const live = (until: () => Promise<unknown>) =>
    desk.live({ folder, address: service.sandbox.address, token: service.sandbox.tokens.admin }, until)

  const looks = () => linesOf('looked.txt').length
  const lookedMore = (by: number) => {
    const before = looks()
    return says('looked.txt', (lines) => lines.length >= before + by)
  }
  const requested = [await request(), await request()]
  await live(() => lookedMore(1))
  for (let killed = 0; killed < kills; killed += 1) {
    await live(async () => {
      await lookedMore(1)
      for (let more = 0; more < 2; more += 1) requested.push(await request())
      // The moment of the kill is what is random here; nothing is waited for.
      await service.control('POST', '/clock', { advance: 20_000 })
      await setTimeout(random() * 60)
    })
  }
  await service.control('POST', '/clock', { advance: 3_600_000 })
  // The sandbox's own reports are told of, too: some are about to expire.
  const ready = () => {
    const told = tellings(linesOf('shown.txt')).flatMap(({ keys }) => keys)
    return new Set(told.filter((key) => key.startsWith('ready ')))
  }
  await live(async () => {
    await says('shown.txt', () => ready().size >= requested.length)
    await lookedMore(3)
  })
  expect([...ready()].toSorted()).toEqual(requested.map((id) => `ready ${id}`).toSorted())
  const told = tellings(linesOf('shown.txt'))
  const after = told.filter(({ when }) => when === 'after')
  const keys = after.flatMap((each) => each.keys).toSorted()
  expect(keys).toEqual([...new Set(keys)])
  // A kill in the very moment of handing over falls on one side of it or the other; nobody can know on which.
  expect(told.length - 2 * after.length).toBeLessThanOrEqual(kills)
}, 120_000)
