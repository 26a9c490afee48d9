import { readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoreEvent } from '#main/database/store-session.ts'
import { describe, expect, it } from 'vitest'
import type { StoreSession } from '#main/database/store-session.ts'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { oldProfile } from '../src-main/database/old-profile.ts'
import { stateExpected, stateOf } from '../src-main/database/expected-profile.ts'
import { sessionFor } from '../src-main/database/helpers.ts'
import { account, answer, dataScope } from './kept-texts.ts'
import { fillUp, makeReadOnly, makeWritable, tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'
import { asked } from '../src-main/reports/engine/tables.ts'
import { generation, historyIn, place } from './kept-generations.ts'

const why = whyNoTinyDisk()
const onTinyDisk = describe.skipIf(why !== null)

const open = sessionFor

/** A closed store with an account and one answer. */
function fill(folder: string): void {
  const session = sessionFor(folder)
  session.run('accounts/put', account)
  session.run('answers/keep', answer(1, 'kept before'))
  session.close()
}

const readStored = (session: StoreSession) =>
  session.run('answers/read', { dataScope, key: answer(1, '').key })

const diskFailure = (words: string) =>
  expect.objectContaining({ failure: { kind: 'disk', message: expect.stringContaining(words) } })

/** What a call is refused with. */
function refusal(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

onTinyDisk(`a full disk${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('refuses a new answer in clear words, keeps what it has, and keeps again when there is room', () => {
    const folder = tinyDisk(2048)
    fill(folder)
    const session = open(folder)
    expect(readStored(session)?.text).toBe('kept before')
    const filler = fillUp(folder)
    const long = answer(2, 'x'.repeat(400_000))
    expect(refusal(() => session.run('answers/keep', long))).toEqual(diskFailure('The disk is full'))
    expect(readStored(session)?.text).toBe('kept before')
    expect(session.run('accounts/list', undefined)).toEqual([account])
    rmSync(filler)
    expect(session.run('answers/keep', long)).toBe(true)
  })

  it('is no obstacle to reading what was kept, when the desk starts on it', () => {
    const folder = tinyDisk(1024)
    fill(folder)
    fillUp(folder)
    const session = open(folder)
    expect(session.opening).toMatchObject({
      kind: 'unwritable',
      failure: { kind: 'disk', message: expect.stringContaining('The disk is full') },
    })
    expect(readStored(session)?.text).toBe('kept before')
  })

  it('is said where reports are saved first when it is full already', () => {
    const folder = tinyDisk(1024)
    const state = sessionFor(folder)
    state.run('accounts/put', account)
    state.close()
    const heard: StoreEvent[] = []
    const session = sessionFor(folder, { emit: (event) => void heard.push(event) })
    const filler = fillUp(folder)
    expect(session.run('answers/keep', answer(2, 'new'))).toBe(true)
    expect(heard).toEqual([{ kind: 'cache', news: 'unwritable' }])
    rmSync(filler)
    session.maintain()
    expect(session.run('answers/keep', answer(3, 'newer'))).toBe(true)
    session.close()
    expect(readdirSync(folder)).toContain('cache.sqlite')
  })

  it('reads what the version before stored where there is no room to open it, and opens it later', () => {
    const folder = tinyDisk(2048)
    oldProfile(folder)
    const filler = fillUp(folder)
    const session = open(folder)
    expect(session.opening).toMatchObject({ kind: 'unwritable', failure: { kind: 'disk' } })
    expect(stateOf(session)).toEqual(stateExpected())
    session.close()
    rmSync(filler)
    const later = open(folder)
    expect(later.opening).toEqual({ kind: 'ready', news: null })
    expect(stateOf(later)).toEqual(stateExpected())
  })

  it('lets an empty desk start', () => {
    const folder = tinyDisk(64)
    fillUp(folder)
    const session = open(folder)
    expect(session.opening).toMatchObject({ kind: 'unwritable', failure: { kind: 'disk' } })
    expect(session.run('accounts/list', undefined)).toEqual([])
  })
})

onTinyDisk(`a full disk of kept days${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('refuses a day in clear words, leaves nothing of it, and keeps it when there is room', async () => {
    const folder = tinyDisk(16_384)
    const { history, engine, store, root } = historyIn(folder)
    await history.save(generation(1))
    const files = () =>
      readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
    const filler = fillUp(folder)
    await expect(history.save(generation(2))).rejects.toEqual(diskFailure('The disk is full'))
    expect(files()).toBe(1)
    const [table] = await history.list(place)
    if (!table) throw new Error('Not kept')
    const computed = await engine.call('table', { tables: [table], query: asked() })
    expect(computed.kind).toBe('computed')
    rmSync(filler)
    await history.save(generation(2))
    expect(files()).toBe(2)
    await Promise.all([engine.close(), store.close()])
  })
})

onTinyDisk(`a disk of kept days with little room${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('keeps a twentieth for other programs, in words', async () => {
    const kibibytes = 16_384
    const folder = tinyDisk(kibibytes)
    const { history, engine, store } = historyIn(folder)
    await history.save(generation(1))
    const filler = fillUp(folder)
    truncateSync(filler, statSync(filler).size - 600_000)
    await expect(history.save(generation(2))).rejects.toEqual(
      diskFailure('The disk is full except for 1 MB kept for other programs'),
    )
    rmSync(filler)
    await history.save(generation(2))
    await Promise.all([engine.close(), store.close()])
  })
})

onTinyDisk(`a read-only folder${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('is said, its answers can be read, and what is new is held for the session', () => {
    const folder = tinyDisk(2048)
    fill(folder)
    const before = readFileSync(cacheFile(folder))
    makeReadOnly(folder)
    const session = open(folder)
    expect(session.opening).toMatchObject({
      kind: 'unwritable',
      failure: { kind: 'disk', message: expect.stringContaining("Can't write") },
    })
    expect(readStored(session)?.text).toBe('kept before')
    expect(session.run('answers/keep', answer(2, 'new'))).toBe(true)
    expect(readFileSync(cacheFile(folder)).equals(before)).toBe(true)
  })

  it('of the version before is read all the same, and opened when it can be written to', () => {
    const folder = tinyDisk(2048)
    oldProfile(folder)
    makeReadOnly(folder)
    const session = open(folder)
    expect(session.opening).toMatchObject({ kind: 'unwritable', failure: { kind: 'disk' } })
    expect(stateOf(session)).toEqual(stateExpected())
    session.close()
    makeWritable(folder)
    const later = open(folder)
    expect(later.opening).toEqual({ kind: 'ready', news: null })
    expect(stateOf(later)).toEqual(stateExpected())
  })

  it('is said too where nothing was kept yet', () => {
    const folder = tinyDisk(64)
    makeReadOnly(folder)
    const session = open(join(folder, 'profile'))
    expect(session.opening).toMatchObject({ kind: 'unwritable', failure: { kind: 'disk' } })
  })

  it('after a crash gives what was in the log as well', () => {
    const folder = tinyDisk(4096)
    fill(folder)
    const crashed = open(folder)
    crashed.run('answers/keep', answer(8, 'only in the log'))
    expect(readdirSync(folder)).toContain('cache.sqlite-wal')
    const copy = tinyDisk(4096)
    for (const file of [stateFile, cacheFile])
      for (const end of ['', '-wal']) writeFileSync(file(copy) + end, readFileSync(file(folder) + end))
    makeReadOnly(copy)
    const session = open(copy)
    expect(session.opening.kind).toBe('unwritable')
    expect(readStored(session)?.text).toBe('only in the log')
  })
})
