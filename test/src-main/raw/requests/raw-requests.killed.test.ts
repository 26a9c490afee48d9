import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { rawRequestOperations } from '#main/database/state/raw-requests-repository.ts'
import { keepTimeOfMachine } from '#test/helpers/day-of-tests.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { firstId, openFor, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { endings } from '#test/faults/moments/endings.ts'
import { busyService } from '../busy-service.ts'
import { crashingProcess } from '../crashing-process.ts'

keepTimeOfMachine('what is killed is a process of its own')

const child = join(import.meta.dirname, 'killed-child.ts')

/** What becomes of requests and of lists: answers that are lost in every way, and requests that are. */
const faults = [
  { kind: 'reset' },
  { kind: 'cut', after: 0.5 },
  { kind: 'malformed' },
  { kind: 'html' },
  { kind: 'delay', milliseconds: 400 },
  { kind: 'delay', milliseconds: 3_000 },
  { kind: 'status', status: 503, retryAfter: null },
] as const

it.each(endings(8, 8))(
  'asks for each report once though its process is $ending around every request',
  async ({ ending, moments: lives, place }) => {
    console.log(`${ending} while asking: PROPERTY_SEED=${seed}, ${lives} lives`)
    const random = randomFrom(seed)
    const below = (max: number) => Math.floor(random() * max)
    const { service, client, today, instance } = await busyService()
    const { folder, lose } = place()
    const words = temporaryFolder()
    const desk = crashingProcess({ child, folder: words, files: ['said.txt'] })
    const given = (names: readonly string[]) => ({
      ...{ folder, words, address: service.sandbox.address, token: service.sandbox.tokens.admin },
      ...{ instance, today, names },
    })
    const requested = async () =>
      (await service.requests()).filter(({ path }) => path === 'raw/request').length

    const all: string[] = []
    for (let life = 0; life < lives; life += 1) {
      const names = Array.from({ length: 1 + below(3) }, (_, place) => `Report ${life}.${place}`)
      all.push(...names)
      const does = faults[below(faults.length)]
      if (random() < 0.8) await service.fault({ path: 'raw/request', times: 1 + below(2), does })
      if (random() < 0.3) await service.fault({ path: 'raw/table', times: 2, does: { kind: 'reset' } })
      const before = await requested()
      await desk.live(given(names), async () => {
        await desk.says('said.txt', (lines) => lines.filter((line) => line === 'began').length > life)
        // Around the first request: before it leaves, while its answer is held back, or after that. What is random is when.
        if (random() < 0.7)
          await expect.poll(requested, { timeout: 30_000, interval: 5 }).toBeGreaterThan(before)
        await setTimeout(below(200))
      })
      lose()
      await service.control('DELETE', '/faults')
    }
    const isSettled = (line: string) => line.startsWith('open') && !/waiting|sending|looking/.test(line)
    const begun = desk.lines('said.txt').length
    await desk.live(given([]), () => desk.says('said.txt', (lines) => lines.slice(begun).some(isSettled)))

    const made = (await client.call('raw/table', { limit: 1000 })).answer.rows
    const { database } = openFor(folder)
    const open = rawRequestOperations['raw-requests/open'](database, firstId)
    const unclear = open.map(({ draft, state }) => `${draft.name}: ${state.kind}`)
    const asked = all.map((name) => ({ name, times: made.filter((each) => each.name === name).length }))
    console.log(
      `${ending} while asking: ${all.length} asked for, ${await requested()} sent, ${unclear.length} unclear`,
    )
    expect(asked.filter(({ times }) => times > 1)).toEqual([])
    // What is unclear is not at the service: only the person sends it again.
    const absent = asked.filter(({ times }) => times === 0).map(({ name }) => `${name}: unclear`)
    expect(absent).toEqual(expect.arrayContaining(unclear))
    // Each report that was made is known as the one that was asked for.
    const ours = made.filter(({ name }) => all.includes(name)).map(({ id }) => id)
    const found = rawRequestOperations['raw-requests/reports'](database, firstId)
    expect(found.toSorted()).toEqual(ours.toSorted())
    expect(ours.length).toBeGreaterThan(lives / 2)
  },
  180_000,
)
