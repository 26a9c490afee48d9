import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Views } from '#main/saved-views/views.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { tinyDisk, whyNoTinyDisk } from '#test/faults/tiny-disk.ts'
import { account, firstId, localStore } from '../database/helpers.ts'
import { browsers, refusalOf, viewsContext } from './helpers.ts'

const why = whyNoTinyDisk()

/** Fills what is left of a disk to the last byte. */
function fillUp(folder: string): () => void {
  const filler = join(folder, 'filler')
  for (let size = 1 << 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' })
    } catch {
      // Smaller pieces may still fit.
    }
  }
  return () => rmSync(filler)
}

/** Views over a store on a disk of its own, whose files go to another one. */
async function viewsOn(profile: string, downloads: string) {
  const store = localStore(profile)
  await store.run('accounts/put', account())
  const settings = {
    read: async () => ({ ...usualSettings, storageLimit: 0 }),
    downloadFolder: async () => downloads,
  }
  const clock = { now: () => 0, wait: () => Promise.reject(new Error('no time')) }
  const views = new Views(viewsContext(store, { settings, clock }))
  return { views, store }
}

describe.skipIf(why !== null)(`saved views on a full disk${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('stay as they are; what cannot be saved is said, and can be saved once there is room', async () => {
    const profile = tinyDisk(1024)
    const { views } = await viewsOn(profile, profile)
    const save = (name: string) => views.save({ account: firstId, name, address: browsers, pinned: false })
    const first = await save('First')
    const free = fillUp(profile)
    // What the log has room for still is written; one that is long enough is not.
    const long = `#/reports/script/browsers?search=${'x'.repeat(19_000)}`
    const refused = []
    for (let turn = 0; turn < 100 && refused.length === 0; turn += 1) {
      const saving = views.save({ account: firstId, name: `Long ${turn}`, address: long, pinned: false })
      const refusal = await refusalOf(saving)
      if (refusal) refused.push(refusal)
    }
    expect(refused).toMatchObject([{ kind: 'disk', message: expect.stringContaining('The disk is full') }])
    const names = (await views.list({ account: firstId })).map(({ name }) => name)
    expect(names[0]).toBe('First')
    const changing = views.change({ account: firstId, view: first.id, address: long })
    expect(await refusalOf(changing)).toMatchObject({ kind: 'disk' })
    expect((await views.list({ account: firstId }))[0]?.address).toBe(browsers)
    free()
    expect(await save('Second')).toMatchObject({ name: 'Second' })
  })

  it('leave no file behind that could not be written whole', async () => {
    const downloads = tinyDisk(64)
    const { views } = await viewsOn(tinyDisk(2048), downloads)
    for (let turn = 0; turn < 5; turn += 1) {
      const address = `#/reports/script/browsers?search=${'x'.repeat(19_000)}`
      await views.save({ account: firstId, name: `Long ${turn}`, address, pinned: false })
    }
    expect(await refusalOf(views.export({ account: firstId }))).toMatchObject({ kind: 'disk' })
    expect(readdirSync(downloads)).toEqual([])
  })
})
