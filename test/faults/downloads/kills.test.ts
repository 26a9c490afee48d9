import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { endings } from '../moments/endings.ts'
import { namesIn, read, temporaryFolder } from '#test/src-main/raw/downloads/helpers.ts'
import { localStore } from '#test/src-main/database/helpers.ts'
import { unpack } from '#test/src-main/sandbox/raw/read-archive.ts'
import { readyForAll } from '#test/src-main/raw/downloads/ready-report.ts'

const ready = readyForAll()
let text: string
beforeAll(async () => {
  ;({ text } = await unpack(ready.bytes))
})

const file = 'Acme Everything 2026-10-20 to 2026-11-18 Response.zip'
const table = file.replace('.zip', '.csv')
const script = new URL('./downloading-process.ts', import.meta.url).pathname

/** One life of the app, from its start to its death. */
function life(folder: string, profile: string, env: Readonly<Record<string, string>> = {}) {
  const { address, tokens } = ready.running.sandbox
  const child = spawn(process.execPath, [script, address, tokens.admin, ready.record.id, folder, profile], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  return { child, ended: once(child, 'exit'), lines: createInterface(child.stdout) }
}

/**
 * What lies there under its own name is what the service made, at any time.
 *
 * @param mayBeEmpty where files have one name only: such a name is taken by an empty file before the archive gets it
 */
async function expectNothingWrong(folder: string, mayBeEmpty = false): Promise<void> {
  for (const name of namesIn(folder)) {
    if (name.endsWith('.zip') && !(mayBeEmpty && readFileSync(join(folder, name)).length === 0))
      expect((await read(folder, name)).equals(ready.bytes), name).toBe(true)
    if (name.endsWith('.csv')) expect((await read(folder, name)).toString() === text, name).toBe(true)
  }
}

describe('an app that ends while it downloads', () => {
  it.each(endings(4, 8))(
    '$ending goes on at the next start: the files are right or not there, and nothing else is left',
    async ({ moments, place }) => {
      const random = randomFrom(seed)
      console.log(`kills: PROPERTY_SEED=${seed}`)
      const { folder: disk, lose } = place()
      const [folder, profile] = [join(disk, 'downloads'), join(disk, 'profile')]
      for (const each of [folder, profile]) mkdirSync(each)
      const drip = { kind: 'drip', bytes: Math.ceil(ready.bytes.length / 40), everyMilliseconds: 10 }
      let lives = 0
      for (let saved = false; !saved && lives < 20; lives += 1) {
        await ready.running.fault({ path: 'download', does: drip })
        const { child, ended, lines } = life(folder, profile)
        // Each life is killed somewhere in its first half second; from some time on they may come to their end.
        const killing = new AbortController()
        for await (const line of lines) {
          if (line === 'begun' && lives < moments) {
            void sleep(random() * 500, undefined, { signal: killing.signal }).then(
              () => child.kill('SIGKILL'),
              () => undefined,
            )
          }
          saved = line === 'saved'
          if (saved) child.kill('SIGKILL')
        }
        killing.abort()
        await ended
        lose()
        await expectNothingWrong(folder)
      }
      expect(namesIn(folder)).toEqual([table, file])
      await expectNothingWrong(folder)
      expect(lives).toBeGreaterThan(1)
    },
    120_000,
  )

  it.each([
    ['where files may have two names', {}],
    ['where files have one name only', { NO_LINKS: '1' }],
  ] as const)(
    'goes on from every step of naming, and from others at random, %s',
    async (_, env) => {
      const random = randomFrom(seed)
      console.log(`kills at steps: PROPERTY_SEED=${seed}`)
      const steps = await stepsOf(env)
      const naming = steps.main.findIndex(
        (name, index) => index > 0 && name === ('NO_LINKS' in env ? 'rename' : 'link'),
      )
      expect(naming).toBeGreaterThan(0)
      const moments = [
        // From the last look at what was tested to the end of what the store notes about it.
        ...Array.from({ length: runs(6, 12) }, (_, at) => ({
          DIE_AT: String(naming - 4 + at * runs(2, 1)),
        })),
        ...Array.from({ length: runs(1, 3) }, () => ({
          DIE_AT: String(1 + Math.floor(random() * steps.main.length)),
        })),
        ...Array.from({ length: runs(1, 3) }, () => ({
          DIE_IN_THREAD_AT: String(1 + Math.floor(random() * steps.thread.length)),
        })),
      ]
      await Promise.all(
        [0, 1].map((half) =>
          dieAndGoOn(
            moments.filter((_, at) => at % 2 === half),
            env,
          ),
        ),
      )
    },
    180_000,
  )
})

/** The steps of a life that is not disturbed. */
async function stepsOf(env: Readonly<Record<string, string>>) {
  const { child, ended, lines } = life(temporaryFolder(), temporaryFolder(), env)
  const steps: Record<'main' | 'thread', string[]> = { main: [], thread: [] }
  for await (const line of lines) {
    const [where = '', number, name = ''] = line.split(' ')
    if (where === 'main' || where === 'thread') steps[where][Number(number) - 1] = name
    if (line === 'saved') child.kill('SIGTERM')
  }
  await ended
  return steps
}

async function dieAndGoOn(
  moments: readonly Readonly<Record<string, string>>[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  for (const moment of moments) {
    const [folder, profile] = [temporaryFolder(), temporaryFolder()]
    const { child, ended, lines } = life(folder, profile, { ...env, ...moment })
    // Where it does not come to this step, it has done all that there is to do.
    for await (const line of lines) if (line === 'saved') child.kill('SIGKILL')
    await ended
    await expectNothingWrong(folder, 'NO_LINKS' in env)
    const store = localStore(profile)
    const changes = { folder, store, raw: { unpack: true } }
    const { fetched, downloads } = await ready.desk(changes)
    const last = await fetched(ready.record.id)
    const where = JSON.stringify({ ...moment, names: namesIn(folder) })
    expect(last, where).toMatchObject({ state: { kind: 'saved' }, file })
    expect(namesIn(folder), where).toEqual([table, file])
    await expectNothingWrong(folder)
    expect(await store.run('downloads/list', undefined), where).toMatchObject([
      { part: null, state: { kind: 'saved' } },
    ])
    await downloads.stop()
  }
}
