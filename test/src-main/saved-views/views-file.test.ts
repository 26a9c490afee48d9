import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { largestFile } from '#main/saved-views/views-file.ts'
import {
  account as someAccount,
  firstId,
  localStore,
  secondId,
  temporaryFolder,
} from '../database/helpers.ts'
import { browsers, overview, quiet, refusalOf, roomWith } from './helpers.ts'

const account = firstId

const fileWith = (content: string | Uint8Array) => {
  const path = join(temporaryFolder(), 'views.json')
  writeFileSync(path, content)
  return path
}

const entry = { name: 'Browsers', address: browsers, pinned: false }
const fileOf = (views: readonly unknown[], changes: object = {}) =>
  fileWith(JSON.stringify({ format: 'traffic-desk-views', version: 1, views, ...changes }))

describe('a file of views', () => {
  it('takes views from one account to another', async () => {
    const { views, downloads, chosen, reports } = await roomWith()
    await views.save({ account, ...entry, pinned: true })
    const start = await views.save({ account, name: 'Both “families”', address: overview, pinned: false })
    await views.change({ account, view: start.id, start: true })
    const { file } = await views.export({ account })
    expect(readdirSync(downloads)).toEqual([file])
    chosen.file = join(downloads, file)
    reports.heard()
    expect(await views.import({ account: secondId })).toEqual({ added: 2 })
    await quiet()
    expect(await views.list({ account: secondId })).toMatchObject([
      { ...entry, pinned: true },
      // Where a desk opens is its own.
      { name: 'Both “families”', address: overview, pinned: false, start: false },
    ])
    expect(reports.heard()).toHaveLength(1)
  })

  it('says its format and version, and nothing of the account’s', async () => {
    const { views, downloads } = await roomWith()
    await views.save({ account, ...entry })
    const { file } = await views.export({ account })
    expect(JSON.parse(readFileSync(join(downloads, file), 'utf8'))).toEqual({
      format: 'traffic-desk-views',
      version: 1,
      views: [entry],
    })
  })

  it('has a name that every system takes, and never replaces another file', async () => {
    const { views, downloads, accounts } = await roomWith()
    accounts[0] = someAccount({ name: '../..\\A:C*M?E\n' })
    const names = [await views.export({ account }), await views.export({ account })].map(({ file }) => file)
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^[^/\\:*?"<>|\n]+\.json$/)
    expect(readdirSync(downloads).toSorted()).toEqual(names.toSorted())
  })

  it('leaves nothing behind where the folder refuses', async () => {
    const { views, downloads } = await roomWith()
    rmSync(downloads, { recursive: true })
    writeFileSync(downloads, 'a file in its place')
    expect(await refusalOf(views.export({ account }))).toMatchObject({ kind: 'disk' })
    rmSync(downloads)
    mkdirSync(downloads)
    expect(readdirSync(downloads)).toEqual([])
  })
})

describe('reading a file of views', () => {
  it('gives names that are taken a copy’s', async () => {
    const { views } = await roomWith({ file: fileOf([entry, entry, { ...entry, name: 'Other' }]) })
    await views.save({ account, ...entry })
    expect(await views.import({ account })).toEqual({ added: 3 })
    const names = (await views.list({ account })).map(({ name }) => name)
    expect(names).toEqual(['Browsers', 'Browsers copy', 'Browsers copy 2', 'Other'])
  })

  it('is nothing where the person thought better of it', async () => {
    const { views, events } = await roomWith()
    expect(await views.import({ account })).toBeNull()
    expect(events).toEqual([])
  })

  it.each([
    ['no JSON', () => fileWith('{"format":'), 'contains no saved views'],
    ['another format', () => fileOf([entry], { format: 'bookmarks' }), 'contains no saved views'],
    ['no list', () => fileOf([entry], { views: { length: 1 } }), 'contains no saved views'],
    ['a newer version', () => fileOf([entry], { version: 2 }), 'Another version'],
    ['bytes that are no text', () => fileWith(new Uint8Array([0x7b, 0xff, 0xfe])), 'contains no saved views'],
    ['a folder', () => temporaryFolder(), 'contains no saved views'],
    ['a device', () => '/dev/zero', 'contains no saved views'],
    ['what is not there', () => join(temporaryFolder(), 'gone.json'), "Can't read this file"],
    ['a huge file', () => fileWith(' '.repeat(largestFile + 1)), 'too large'],
    ['an entry of another form', () => fileOf([entry, 'Browsers']), 'View 2 of this file'],
    ['a wrong address', () => fileOf([entry, { ...entry, name: 'Bad', address: '#/raw' }]), 'View 2, “Bad”,'],
    ['a blank name', () => fileOf([{ ...entry, name: ' ' }]), 'View 1, “ ”,'],
    ['a pin that is none', () => fileOf([entry, { ...entry, pinned: 'yes' }]), 'View 2 of this file'],
    [
      'more views than there is room for',
      () => fileOf(Array.from({ length: 1001 }, (_, number) => ({ ...entry, name: String(number) }))),
      'can have 1,000 views',
    ],
  ])('refuses %s in words, and adds nothing', async (_what, file, words) => {
    const { views, events } = await roomWith({ file: file() })
    const refusal = await refusalOf(views.import({ account }))
    expect(refusal?.message).toContain(words)
    expect(await views.list({ account })).toEqual([])
    expect(events).toEqual([])
  })

  it('adds nothing where the disk refuses in the middle', async () => {
    const store = localStore()
    const { views } = await roomWith({ store, file: fileOf([entry, { ...entry, name: 'Other' }]) })
    const run: typeof store.run = (name, argument) =>
      name === 'views/add-all' ? Promise.reject(new Error('full')) : store.run(name, argument)
    const refusing = await roomWith({ store: { ...store, run }, file: fileOf([entry]) })
    await expect(refusing.views.import({ account })).rejects.toThrow('full')
    expect(await views.list({ account })).toEqual([])
  })
})
