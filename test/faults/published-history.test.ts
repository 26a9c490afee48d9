import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../helpers/long.ts'
import { randomFrom } from '../helpers/random.ts'
import { engineForAll } from '../src-main/figures/engine/engine-thread.ts'
import {
  browsers,
  faultsOf,
  filesIn,
  oneDay,
  owner,
  query,
  TeamShare,
} from '../src-main/figures/history/team-share.ts'
import { makeReadOnly, tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'

let made: ReturnType<typeof engineForAll>
beforeAll(() => (made = engineForAll()))
afterAll(() => made.end())

const asked = process.env['PROPERTY_SEED']
const seed = asked === 'random' ? Date.now() % 2 ** 31 : Number(asked ?? 20261122)

/** Publishes in a process of its own, and kills that after so many milliseconds. @returns whether it had ended before */
async function publishAndKill(desk: TeamShare, milliseconds: number): Promise<boolean> {
  const script = join(import.meta.dirname, 'publishing-process.ts')
  const child = spawn(process.execPath, [script, desk.profile, desk.historyFolder, desk.share, owner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let said = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    // From the first file on: how long a process takes to begin says nothing.
    timer ??= setTimeout(() => child.kill('SIGKILL'), milliseconds)
  })
  await ended
  clearTimeout(timer)
  return said.endsWith('ended\n')
}

describe('a process killed while it publishes', () => {
  it('leaves a manifest that names whole files alone, and the next one completes it', async () => {
    console.log(`published history: PROPERTY_SEED=${seed}`)
    const random = randomFrom(seed)
    const desk = new TeamShare(made.engine, made.history)
    let broken = 0
    let next = 0
    for (let round = 0; round < runs(10, 30); round += 1) {
      for (let more = 0; more < 6; more += 1) {
        // Some days are new, and some replace what is published.
        const number = next > 4 && random() < 0.4 ? Math.floor(random() * next) : next++
        await desk.keep(query({ range: oneDay(number) }), browsers(round * 10 + more), round * 1_000)
      }
      if (random() < 0.3) await desk.compact(query(), random() < 0.5 ? '2026-10' : '2026-11')
      if (!(await publishAndKill(desk, random() * 25))) broken += 1
      if (existsSync(join(desk.place, 'manifest.json'))) expect(faultsOf(desk.place)).toEqual([])
    }
    expect(broken).toBeGreaterThan(runs(1, 5))
    await desk.history.rewriteReplaced(owner)
    const { leftOut } = await desk.publish()
    expect(leftOut).toBe(0)
    expect(faultsOf(desk.place)).toEqual([])
    const { files, pending } = desk.manifest()
    expect(pending).toEqual([])
    // Nothing is left of those that were broken off, and every day that is kept is there.
    expect(desk.files()).toEqual(files.map(({ path }) => path).sort())
    expect(files.reduce((sum, { days }) => sum + days.length, 0)).toBe(next)
  }, 120_000)
})

const why = whyNoTinyDisk()

describe.skipIf(why !== null)(`a share without room${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('is said in words, stays readable, and gets the rest when there is room', async () => {
    const share = tinyDisk(256)
    const desk = new TeamShare(made.engine, made.history, share)
    await desk.keep(query(), browsers(1))
    await desk.publish()
    for (let number = 1; number < 12; number += 1)
      await desk.keep(query({ range: oneDay(number) }), browsers(number))
    const filler = join(share, 'filler')
    for (let size = 1 << 17; size >= 4096; size /= 2) {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' })
      } catch {
        // Smaller pieces may still fit.
      }
    }
    for (let round = 0; round < 3; round += 1) {
      await expect(desk.publish()).rejects.toMatchObject({
        failure: { kind: 'disk', message: expect.stringContaining('no room left') },
      })
      expect(faultsOf(desk.place)).toEqual([])
      expect(desk.manifest().files).toHaveLength(1)
    }
    rmSync(filler)
    expect(await desk.publish()).toMatchObject({ files: 12 })
    expect(faultsOf(desk.place)).toEqual([])
    expect(filesIn(desk.place)).toHaveLength(13)
  })

  it('is said too where nothing may be written (any more)', async () => {
    const share = tinyDisk(1024)
    const desk = new TeamShare(made.engine, made.history, share)
    await desk.keep(query(), browsers(1))
    await desk.publish()
    await desk.keep(query({ range: oneDay(1) }), browsers(2))
    makeReadOnly(share)
    await expect(desk.publish()).rejects.toMatchObject({
      failure: { kind: 'disk', message: expect.stringContaining('Nothing may be written') },
    })
    expect(faultsOf(desk.place)).toEqual([])
    expect(readdirSync(share)).toEqual(['traffic-desk-history'])
  })
})
