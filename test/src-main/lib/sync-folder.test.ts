import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { FolderSyncs } from '#main/lib/sync-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-syncs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('syncs of a folder', () => {
  it('are done for all who ask, whenever they do', async () => {
    const syncs = new FolderSyncs()
    await Promise.all([syncs.named(folder), syncs.named(folder), syncs.named(folder)])
    await expect(syncs.named(folder)).resolves.toBeUndefined()
  })

  it('fail for those who asked, and for nobody after them', async () => {
    const syncs = new FolderSyncs()
    const place = join(folder, 'later')
    const both = [syncs.named(place), syncs.named(place)]
    for (const each of both) await expect(each).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(syncs.named(folder)).resolves.toBeUndefined()
  })
})
