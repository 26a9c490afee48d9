import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Publisher } from '#main/publishing/publisher.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { StepTimeouts } from '#main/publishing/team-folder.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { fake } from '#test/helpers/fake.ts'
import { Jobs } from '#main/lib/jobs.ts'
import { nodeThreads } from '#main/lib/node-threads.ts'
import type { Publication } from '#shared/app/storage.ts'
import type { Notice } from '#shared/app/state.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { account as anAccount, firstId, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { HandClock } from '../reports/clock.ts'
import { engineForAll } from '../reports/engine/engine-thread.ts'
import { browsers, endlessFile, faultsOf, oneDay, query, readManifestIn, TeamShare } from './team-share.ts'

/** No machine takes so long for what does not hang. */
const patient = { step: 60_000, sync: 60_000 }

let made: ReturnType<typeof engineForAll>
beforeAll(() => (made = engineForAll()))
afterAll(() => made.end())

const hour = 3_600_000
const minute = 60_000
const dataScope = firstId as string as DataScopeId

type Given = {
  readonly reports?: Reports
  readonly timeouts?: StepTimeouts
  readonly chooseFolder?: () => Promise<string | null>
}

/** A publisher over a real store and history, whose time stands still. */
async function room(given: Given = {}) {
  const told: Publication[] = []
  const notices = new Map<string, Notice>()
  const events = eventsTo((event) => {
    if (event.kind === 'publishing/changed') told.push(event)
    if (event.kind === 'notice/shown') notices.set(event.notice.id, event.notice)
    if (event.kind === 'notice/over') notices.delete(event.id)
  })
  const desk = new TeamShare(made.engine, made.history, undefined, events)
  const clock = new HandClock('2026-11-20T12:00:00Z')
  const accounts = [anAccount({ name: 'Ünïon / Co: 1' })]
  await desk.store.run('accounts/put', anAccount())
  const state = { awaited: false }
  const jobs = new Jobs(events, clock)
  const publisher = new Publisher({
    store: desk.store,
    accounts: fake<Accounts>('accounts', {
      list: () => accounts,
      account: (id: AccountId) => {
        const found = accounts.find((each) => each.id === id)
        if (!found) throw new Error('gone')
        return found
      },
      dataScopeOf: (id) => id as string as DataScopeId,
    }),
    reports:
      given.reports ??
      fake<Reports>('reports', {
        removeFigures: async () => undefined,
        rewriteReplaced: (of) => desk.history.rewriteReplaced(of),
        isAwaited: () => state.awaited,
      }),
    shell: fake<SystemShell>('shell', { chooseFolder: given.chooseFolder ?? (async () => desk.share) }),
    ...{ events, jobs, clock, historyFolder: desk.historyFolder, profileFolder: desk.profile },
    ...(given.timeouts && { timeouts: given.timeouts }),
  })
  onTestFinished(() => publisher.stop())
  onTestFinished(() => jobs.stop())
  /** Waits until nothing runs, and gives how it stands then. */
  const rested = (id = firstId) =>
    vi.waitFor(
      async () => {
        const now = await publisher.read(id)
        expect(now.running).toBe(false)
        return now
      },
      { timeout: 10_000, interval: 5 },
    )
  const keep = (number: number) =>
    desk.keep(query({ range: oneDay(number) }), browsers(number), 1_000, dataScope)
  /** Another account. */
  const add = async (number: number) => {
    const id = firstId.replaceAll('1', String(number)) as AccountId
    const more = anAccount({ id, name: `More ${number}` })
    await desk.store.run('accounts/put', more)
    accounts.push(more)
    return id
  }
  const remove = async () => {
    await desk.store.run('accounts/remove', firstId)
    events.emit({ kind: 'account/removed', dataScopes: [], account: firstId })
  }
  const place = join(desk.share, 'traffic-desk-history', 'account=Ünïon-Co-1')
  return { desk, publisher, jobs, clock, told, notices, state, rested, keep, remove, place, accounts, add }
}

describe('publishing by hand', () => {
  it('begins with the choice of a folder, tells how it goes, and knows of it at the next start', async () => {
    const { publisher, keep, rested, told, desk } = await room()
    expect(await publisher.read(firstId)).toEqual({
      ...{ account: firstId, folder: null, last: null, running: false, failure: null },
    })
    await keep(0)
    const chosen = await publisher.chooseFolder(firstId)
    expect(chosen).toMatchObject({ folder: desk.share, running: true })
    const { last } = await rested()
    expect(last).toMatchObject({ publishedAt: Date.parse('2026-11-20T12:00:00Z'), files: 1, leftOut: 0 })
    expect(told.at(-1)).toMatchObject({ last, running: false, failure: null })
    expect(await desk.store.run('publishing/read', firstId)).toMatchObject({
      folder: desk.share,
      directory: 'account=Ünïon-Co-1',
      last,
    })
  })

  it('does nothing where the person thought better of it, or no folder is set', async () => {
    const { publisher } = await room({ chooseFolder: async () => null })
    expect(await publisher.chooseFolder(firstId)).toBeNull()
    await expect(publisher.publish(firstId)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
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
    await publisher.publish(firstId)
    expect((await rested()).failure?.message).toContain('is missing')
    expect(notices.size).toBe(0)
    mkdirSync(desk.share)
    await publisher.publish(firstId)
    expect(await rested()).toMatchObject({ failure: null, last: { files: 1 } })
  })

  it('stops: the folder is forgotten, the files stay', async () => {
    const { publisher, rested, keep, place } = await room()
    await keep(0)
    await publisher.chooseFolder(firstId)
    await rested()
    expect(await publisher.forgetFolder(firstId)).toMatchObject({ folder: null, last: null })
    expect(faultsOf(place)).toEqual([])
  })

  it('is cancelled, and can begin again at once', async () => {
    const { publisher, rested, keep } = await room()
    await keep(0)
    await publisher.chooseFolder(firstId)
    publisher.cancel(firstId)
    expect(await rested()).toMatchObject({ failure: null, last: null })
    await publisher.publish(firstId)
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
    const timeouts = { ...patient }
    const { publisher, rested, keep, place } = await room({ timeouts })
    await keep(0)
    await publisher.chooseFolder(firstId)
    await rested()
    const manifest = join(place, 'manifest.json')
    const end = endlessFile(manifest)
    timeouts.sync = 30
    await publisher.publish(firstId)
    expect((await rested()).failure?.message).toContain("folder doesn't respond")
    // So long it waits for what hung before.
    timeouts.step = 30
    await publisher.publish(firstId)
    expect((await rested()).failure?.message).toContain("still doesn't respond")
    end()
    rmSync(manifest)
    Object.assign(timeouts, patient)
    await eventually(async () => {
      await publisher.publish(firstId)
      expect((await rested()).failure).toBeNull()
    })
  })

  it('publishes one account after the other, and one that waits for its turn can be given up', async () => {
    const begun: DataScopeId[] = []
    let goOn = () => {}
    const held = new Promise<void>((resolve) => (goOn = resolve))
    const { publisher, rested, add } = await room({
      reports: fake<Reports>('reports', {
        removeFigures: async () => undefined,
        rewriteReplaced: (of) => {
          begun.push(of)
          return held
        },
        isAwaited: () => false,
      }),
    })
    const second = await add(2)
    await publisher.chooseFolder(firstId)
    await eventually(() => expect(begun).toEqual([firstId]))
    await publisher.chooseFolder(second)
    publisher.cancel(second)
    expect(await rested(second)).toMatchObject({ failure: null, last: null })
    await publisher.publish(second)
    for (let turn = 0; turn < 50; turn += 1) expect((await publisher.read(second)).running).toBe(true)
    expect(begun).toEqual([firstId])
    goOn()
    expect(await rested(second)).toMatchObject({ failure: null, last: { files: 0 } })
    expect(begun).toEqual([firstId, second])
  })
})

describe.skipIf(process.platform === 'win32')('publishing where folders hang', () => {
  /** Folders of accounts, of which some hang: the reading of what is published there does not end. */
  async function shares() {
    let chosen = ''
    const timeouts = { ...patient, sync: 200 }
    const all = await room({ timeouts, chooseFolder: async () => chosen })
    const ends: (() => void)[] = []
    const hang = (share: string, number: number) => {
      const place = join(share, 'traffic-desk-history', `account=More-${number}`)
      mkdirSync(place, { recursive: true })
      ends.push(endlessFile(join(place, 'manifest.json')))
    }
    const release = () => {
      Object.assign(timeouts, patient)
      for (const end of ends.splice(0)) end()
    }
    const publishTo = async (share: string, id: AccountId) => {
      chosen = share
      await all.publisher.chooseFolder(id)
      return await all.rested(id)
    }
    return { ...all, hang, release, publishTo, timeouts }
  }

  it('holds one thread, however many accounts are published into one folder that hangs', async () => {
    const { desk, add, hang, publishTo, timeouts } = await shares()
    const outcomes: unknown[] = []
    for (let number = 2; number <= 5; number += 1) {
      hang(desk.share, number)
      outcomes.push((await publishTo(desk.share, await add(number))).failure?.message)
      // So long the next waits for what hung before.
      timeouts.step = 200
    }
    const still = expect.stringContaining("still doesn't respond") as string
    expect(outcomes).toEqual([expect.stringContaining("folder doesn't respond"), still, still, still])
    Object.assign(timeouts, patient)
    const elsewhere = temporaryFolder()
    expect(await publishTo(elsewhere, firstId)).toMatchObject({ failure: null, last: { files: 0 } })
  })

  it('takes its share of the threads and no more, however many folders hang', async () => {
    const { add, hang, release, publishTo, publisher, rested, timeouts } = await shares()
    for (let number = 2; number < 2 + nodeThreads.publishing; number += 1) {
      const share = temporaryFolder()
      hang(share, number)
      const { failure } = await publishTo(share, await add(number))
      expect(failure?.message).toContain("folder doesn't respond")
    }
    timeouts.step = 200
    const { failure } = await publishTo(temporaryFolder(), firstId)
    expect(failure?.message).toContain("several other accounts don't respond")
    release()
    await publisher.publish(firstId)
    expect(await rested()).toMatchObject({ failure: null, last: { files: 0 } })
  })
})

describe('publishing by itself', () => {
  /** With a folder set, and published just now. */
  async function published(given: Given = {}) {
    const all = await room(given)
    await all.keep(0)
    await all.publisher.chooseFolder(firstId)
    await all.rested()
    all.publisher.start()
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
    await eventually(async () =>
      expect((await rested()).failure?.message).toContain('no longer in the folder'),
    )
    expect([...notices.values()]).toEqual([
      expect.objectContaining({ title: 'The history of Ünïon / Co: 1 could not be published' }),
    ])
    rmSync(desk.share, { recursive: true })
    renameSync(away, desk.share)
    await clock.move(hour)
    await eventually(async () => expect(await filesNow()).toBe(2))
    expect(notices.size).toBe(0)
  })

  it('is tried again soon after the computer woke up, and its failure outlives the list of jobs', async () => {
    const { keep, clock, rested, desk, filesNow, publisher, jobs } = await published()
    rmSync(desk.share, { recursive: true })
    await keep(1)
    await clock.move(hour)
    await eventually(async () => expect((await rested()).failure?.message).toContain('is missing'))
    jobs.list().forEach(({ id }) => jobs.dismiss(id))
    expect((await rested()).failure?.message).toContain('is missing')
    mkdirSync(desk.share)
    await desk.store.run('publishing/read', firstId)
    publisher.wake()
    await eventually(() => expect(clock.waiting()).toEqual([minute]))
    await clock.move(minute)
    // The folder that was connected is another one.
    await eventually(async () =>
      expect((await rested()).failure?.message).toContain('no longer in the folder'),
    )
    await publisher.publish(firstId)
    await eventually(async () => expect(await filesNow()).toBe(2))
    expect((await rested()).failure).toBeNull()
  })

  it('keeps the failure of before where a person cancels it', async () => {
    const { keep, rested, desk, publisher, jobs } = await published()
    await keep(1)
    rmSync(desk.share, { recursive: true })
    await publisher.publish(firstId)
    expect((await rested()).failure?.message).toContain('is missing')
    await publisher.publish(firstId)
    jobs.list().forEach(({ id }) => jobs.cancel(id))
    expect((await rested()).failure?.message).toContain('is missing')
    expect(jobs.list().at(-1)?.state.kind).toBe('cancelled')
  })

  it('does nothing for an account without a folder, and does not wake up for it', async () => {
    const { publisher, clock, keep, told } = await room()
    publisher.start()
    await keep(0)
    await publisher.read(firstId)
    expect(clock.waiting()).toEqual([])
    await clock.move(hour)
    await clock.move(hour)
    expect(told).toEqual([])
    expect(clock.waiting()).toEqual([])
  })
})
