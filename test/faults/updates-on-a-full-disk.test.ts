import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { feedText, packageBytes, publishAt } from '../src-main/updates/maker.ts'
import { after, harness } from '../src-main/updates/harness.ts'
import { makeReadOnly, tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'

describe.skipIf(whyNoTinyDisk() !== null)('an update', () => {
  it.each([
    ['without room for it', 310, () => undefined, /Not enough space/],
    ['that is read-only', 4000, makeReadOnly, /No permission to write/],
  ])('on a disk %s is refused in words, and leaves nothing behind', async (_, kibibytes, made, words) => {
    const { start, host, by } = await harness()
    const folder = join(tinyDisk(kibibytes), 'updates')
    const bytes = packageBytes()
    publishAt(host, by, feedText(bytes), bytes)
    const updates = start({ folder })
    await after(updates, 'look')
    made(join(folder, '..'))
    const state = await after(updates, 'download')
    expect(state).toMatchObject({ stage: { kind: 'there' }, failure: { kind: 'disk' } })
    expect(state.failure?.message).toMatch(words)
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  })
})
