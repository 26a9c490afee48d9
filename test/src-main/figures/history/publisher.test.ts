import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AccountChange } from '../../../../src-main/accounts/account-store.ts'
import { Publisher } from '../../../../src-main/figures/history/publisher.ts'
import type { PublisherParts } from '../../../../src-main/figures/history/publisher.ts'
import type { Publication } from '../../../../src-shared/desk/publishing.ts'
import type { Notice } from '../../../../src-shared/desk/state.ts'
import type { AccountId, OwnerId } from '../../../../src-shared/values/ids.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { account as anAccount, firstId } from '../../store/helpers.ts'
import { HandClock } from '../clock.ts'
import { engineForAll } from '../engine/engine-thread.ts'
import { browsers, faultsOf, oneDay, query, readManifestIn, TeamShare } from './team-share.ts'

let made: ReturnType<typeof engineForAll>
beforeAll(() => (made = engineForAll()))
afterAll(() => made.end())

const hour = 3_600_000
const minute = 60_000
const owner = firstId as string as OwnerId

/** A publisher over a real store and history, whose time stands still. */
async function room(given: Partial<PublisherParts> = {}) {
  const desk = new TeamShare(made.engine, made.history)
  const clock = new HandClock('2026-11-20T12:00:00Z')
  const accounts = [anAccount({ name: 'Ünïon / Co: 1' })]
  await desk.store.run('accounts/put', anAccount())
  const listeners = new Set<(change: AccountChange) => void>()
  const told: Publication[] = []
  const notices = new Map<string, Notice>()
  const state = { awaited: false }
  const parts: PublisherParts = {
    store: desk.store,
    settings: desk.store,
    book: {
      list: () => accounts,
      account: (id: AccountId) => {
        const found = accounts.find((each) => each.id === id)
        if (!found) throw new Error('gone')
        return found
      },
      ownerOf: (id) => id as string as OwnerId,
      onChange: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    kept: {
      onKept: (listener) => desk.history.onKept(listener),
      rewriteReplaced: (of) => desk.history.rewriteReplaced(of),
      isAwaited: () => state.awaited,
    },
    historyFolder: desk.historyFolder,
    profileFolder: desk.profile,
    clock,
    chooseFolder: async () => desk.share,
    emit: (_name, event) => told.push(event),
    raise: (notice) => notices.set(notice.id, notice),
    dismiss: (id) => notices.delete(id),
    ...given,
  }
  const publisher = new Publisher(parts)
  onTestFinished(() => publisher.close())
  /** Waits until nothing runs, and gives how it stands then. */
  const rested = () =>
    vi.waitFor(
      async () => {
        const now = await publisher.read(firstId)
        expect(now.running).toBeNull()
        return now
      },
      { timeout: 10_000, interval: 5 },
    )
  const keep = (number: number) => desk.keep(query({ range: oneDay(number) }), browsers(number), 1_000, owner)
  const remove = async () => {
    await desk.store.run('accounts/remove', firstId)
    for (const listener of listeners) listener({ kind: 'removed', owners: [], account: firstId })
  }
  const place = join(desk.share, 'traffic-desk-history', 'account=Ünïon-Co-1')
  return { desk, publisher, clock, told, notices, state, rested, keep, remove, place, accounts }
}

describe('publishing by hand', () => {
  it('begins with the choice of a folder, tells how it goes, and knows of it at the next start', async () => {
    const { publisher, keep, rested, told, desk } = await room()
    expect(await publisher.read(firstId)).toEqual({
      ...{ account: firstId, folder: null, last: null, running: null, failure: null },
    })
    await keep(0)
    const chosen = await publisher.chooseFolder(firstId)
    expect(chosen).toMatchObject({ folder: desk.share, running: { done: 0 } })
    const { last } = await rested()
    expect(last).toMatchObject({ at: Date.parse('2026-11-20T12:00:00Z'), files: 1, leftOut: 0 })
    expect(told.at(-1)).toMatchObject({ last, running: null, failure: null })
    expect(await desk.store.run('publishing/read', firstId)).toMatchObject({
      folder: desk.share,
      directory: 'account=Ünïon-Co-1',
      last,
    })
  })

  it('does nothing where the person thought better of it, or no folder is set', async () => {
    const { publisher } = await room({ chooseFolder: async () => null })
    expect(await publisher.chooseFolder(firstId)).toBeNull()
    await expect(publisher.start(firstId)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
  })

  it('stays in its folder when the account gets another name', async () => {
    const { publisher, accounts, rested, keep, place } = await room()
    await keep(0)
    await publisher.chooseFolder(firstId)
    await rested()
    accounts[0] = anAccount({ name: 'Renamed' })
    await publisher.chooseFolder(firstId)
    expect((await rested()).failure).toBeNull()
    expect(readManifestIn(place).account).toBe('Renamed')
  })

  it('says why it failed, and that is over when it works again', async () => {
    const { publisher, rested, keep, desk, notices } = await room()
    await keep(0)
    await publisher.chooseFolder(firstId)
    await rested()
    rmSync(desk.share, { recursive: true })
    await publisher.start(firstId)
    expect((await rested()).failure?.message).toContain('not there at the moment')
    expect(notices.size).toBe(0)
    mkdirSync(desk.share)
    await publisher.start(firstId)
    expect(await rested()).toMatchObject({ failure: null, last: { files: 1 } })
  })

  it('stops: the folder is forgotten, the files stay', async () => {
    const { publisher, rested, keep, place } = await room()
    await keep(0)
    await publisher.chooseFolder(firstId)
    await rested()
    expect(await publisher.stop(firstId)).toMatchObject({ folder: null, last: null })
    expect(faultsOf(place)).toEqual([])
  })

  it('is cancelled, and can begin again at once', async () => {
    const { publisher, rested, keep } = await room()
    await keep(0)
    await publisher.chooseFolder(firstId)
    publisher.cancel(firstId)
    expect(await rested()).toMatchObject({ failure: null, last: null })
    await publisher.start(firstId)
    expect(await rested()).toMatchObject({ last: { files: 1 } })
  })

  it('forgets the folder with the account', async () => {
    const { publisher, rested, keep, desk, remove } = await room()
    await keep(0)
    await publisher.chooseFolder(firstId)
    await rested()
    await remove()
    expect(await desk.store.run('publishing/read', firstId)).toBeNull()
  })

  it.skipIf(process.platform === 'win32')('does not begin again where the folder still hangs', async () => {
    const patient = { step: 10_000, sync: 10_000 }
    const patience = { ...patient }
    const { publisher, rested, keep, place } = await room({ patience })
    await keep(0)
    await publisher.chooseFolder(firstId)
    await rested()
    const pipe = join(place, 'manifest.json')
    rmSync(pipe)
    execFileSync('mkfifo', [pipe])
    Object.assign(patience, { step: 30, sync: 30 })
    await publisher.start(firstId)
    expect((await rested()).failure?.message).toContain('does not answer')
    await publisher.start(firstId)
    expect((await rested()).failure?.message).toContain('still does not answer')
    const release = await open(pipe, 'r+')
    await release.close()
    rmSync(pipe)
    Object.assign(patience, patient)
    await eventually(async () => {
      await publisher.start(firstId)
      expect((await rested()).failure).toBeNull()
    })
  })
})

describe('publishing by itself', () => {
  /** With a folder set, and published just now. */
  async function published(given: Partial<PublisherParts> = {}) {
    const all = await room(given)
    await all.keep(0)
    await all.publisher.chooseFolder(firstId)
    await all.rested()
    all.publisher.begin()
    const filesNow = async () => (await all.rested()).last?.files
    return { ...all, filesNow }
  }

  it('comes after figures were kept, and not within an hour of the last time', async () => {
    const { keep, clock, filesNow } = await published()
    await keep(1)
    await clock.move(59 * minute)
    expect(await filesNow()).toBe(1)
    await clock.move(minute)
    await eventually(async () => expect(await filesNow()).toBe(2))
  })

  it('waits while somebody waits for figures, and while it is paused', async () => {
    const { keep, clock, filesNow, state, publisher } = await published()
    await keep(1)
    state.awaited = true
    await clock.move(hour)
    expect(await filesNow()).toBe(1)
    state.awaited = false
    publisher.pause(true)
    await clock.move(hour)
    expect(await filesNow()).toBe(1)
    publisher.pause(false)
    await clock.move(minute)
    await eventually(async () => expect(await filesNow()).toBe(2))
  })

  it('is told where it fails, once, and is tried again within the hour', async () => {
    const { keep, clock, rested, notices, desk, filesNow } = await published()
    const away = `${desk.share}-away`
    onTestFinished(() => rmSync(away, { recursive: true, force: true }))
    renameSync(desk.share, away)
    // As where a share is not connected: the folder is there, and empty.
    mkdirSync(desk.share)
    await keep(1)
    await clock.move(hour)
    await eventually(async () => expect((await rested()).failure?.message).toContain('any more'))
    expect([...notices.values()]).toEqual([
      expect.objectContaining({ title: 'The history of Ünïon / Co: 1 could not be published' }),
    ])
    rmSync(desk.share, { recursive: true })
    renameSync(away, desk.share)
    await clock.move(hour)
    await eventually(async () => expect(await filesNow()).toBe(2))
    expect(notices.size).toBe(0)
  })

  it('does nothing for an account without a folder, and does not wake up for it', async () => {
    const { publisher, clock, keep, told } = await room()
    publisher.begin()
    await keep(0)
    await publisher.read(firstId)
    expect(clock.waiting()).toEqual([])
    await clock.move(hour)
    await clock.move(hour)
    expect(told).toEqual([])
    expect(clock.waiting()).toEqual([])
  })
})
