import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineForAll } from '../src-main/reports/engine/engine-thread.ts'
import { browsers, faultsOf, filesIn, oneDay, query, TeamShare } from '../src-main/publishing/team-share.ts'
import { makeReadOnly, tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'

let made: ReturnType<typeof engineForAll>
beforeAll(() => (made = engineForAll()))
afterAll(() => made.end())

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
        failure: { kind: 'disk', message: expect.stringContaining('disk is full') },
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
      failure: { kind: 'disk', message: expect.stringContaining("Can't write to the folder") },
    })
    expect(faultsOf(desk.place)).toEqual([])
    expect(readdirSync(share)).toEqual(['traffic-desk-history'])
  })
})
