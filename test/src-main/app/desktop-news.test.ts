import { describe, expect, it } from 'vitest'
import { DesktopNews } from '#main/app/desktop-news.ts'
import { PlaceOpener } from '#main/app/place-opener.ts'
import type { AppPlace } from '#main/shell/tray.ts'
import type { DeskNotification, NotificationAction } from '#shared/texts/raw.ts'
import type { Download, DownloadId, DownloadState } from '#shared/downloads/download.ts'
import type { RawRequestId, StuckRequest } from '#shared/raw/requests.ts'
import type { AnnouncementBatch } from '#shared/raw/settings.ts'
import { day } from '#shared/values/day.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import type { AlertId, Finding, FindingId } from '#shared/watch/alerts.ts'
import type { Notice } from '#shared/app/state.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { NewsInWindow } from '#main/shell/notices.ts'
import type { AnnouncedRun } from '#main/watch/schedules/schedules-context.ts'
import { fake } from '#test/helpers/fake.ts'
import { account, firstId } from '../database/helpers.ts'

const report = 'r1' as RawReportId
const ready: AnnouncementBatch = {
  kind: 'one',
  announcement: {
    ...{ account: firstId, report, kind: 'ready', name: 'Weekly' },
    ...{ foundAt: 0 as Instant, rows: null, size: null, shownAt: null },
  },
}

const refused: StuckRequest = {
  ...{ account: firstId, request: 'q1' as RawRequestId, name: 'Every Monday' },
  state: { kind: 'refused', failure: { kind: 'bad-request', message: 'Too old.' }, fields: {} },
}

const downloadThat = (state: DownloadState): Download => ({
  ...{ id: 'd1' as DownloadId, account: firstId, report, name: 'Weekly', file: 'Weekly.zip' },
  ...{ host: null, size: null, expires: null, state },
})

type Given = {
  readonly state?: DownloadState
  readonly shows?: boolean
  readonly window?: boolean
  readonly fails?: boolean
  readonly locked?: boolean
}

/** News where the report's download is in that state, and what came of them. */
function newsWith({ state, shows = true, window = false, fails = false, locked = false }: Given) {
  const done: string[] = []
  const shown: DeskNotification[] = []
  let act: (action: NotificationAction) => void = () => undefined
  const work = (what: string) => {
    done.push(what)
    return fails ? Promise.reject(new Error('It is away')) : Promise.resolve(null)
  }
  const places: AppPlace[] = []
  const notices: Notice[] = []
  const events = new AppEvents()
  events.on('notifications/back', () => void done.push('tries again'))
  events.on('notice/shown', ({ notice }) => void notices.push(notice))
  const news = new DesktopNews({
    desktop: fake<Desktop>('desktop', {
      notifier: async () => ({
        show: async (notification, showing) => {
          if (!shows) throw new Error('Nobody shows notifications')
          showing.handing()
          shown.push(notification)
          act = showing.act
        },
        close: () => undefined,
      }),
      followNotifications: async (appeared) => appeared(),
    }),
    lock: fake<Lock>('lock', { locked }),
    accounts: fake<Accounts>('accounts', { account: () => account() }),
    reports: fake<Reports>('reports', { watching: window }),
    inWindow: fake<NewsInWindow>('window', { notify: ({ title }) => done.push(`said ${title}`) }),
    placeOpener: fake<PlaceOpener>('place opener', {
      open: async (place) => {
        places.push(place)
        done.push(`opened ${place.kind}`)
      },
    }),
    downloads: fake<Downloads>('downloads', {
      list: async () => (state ? [downloadThat(state)] : []),
      savedState: () => (state?.kind === 'saved' || state?.kind === 'running' ? state.kind : 'none'),
      showReport: () => (state ? work('showed the file') : Promise.reject(new Error('Never fetched'))),
      start: async () => (await work('saved'), { id: 'd1' as DownloadId }),
    }),
    events,
    log: (_, words) => done.push(words),
  })
  const handing = () => done.push('written down')
  return {
    ...{ done, shown, places, notices },
    stuck: () => events.emit({ kind: 'raw/stuck', request: refused }),
    found: () => events.emit({ kind: 'updates/found', version: '1.3.0' }),
    tell: () => news.announce(ready, handing),
    find: (...all: readonly Finding[]) => news.announceFindings(all, handing),
    make: (...all: readonly AnnouncedRun[]) => news.announceRuns(all, handing),
    act: (action: NotificationAction) => act(action),
  }
}

/** Until all that was already promised has been done. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('what is chosen in a notification', () => {
  it.each([
    ['save', undefined, ['saved']],
    ['show-in-folder', { kind: 'saved', time: 0 as Instant }, ['showed the file']],
    // It is on its way: there it can be seen coming.
    [
      'show-in-folder',
      { kind: 'running', done: 1, total: 2000, unit: 'bytes', speed: null },
      ['opened downloads'],
    ],
    ['show-in-folder', undefined, ['opened raw']],
    ['open', undefined, ['opened raw']],
  ] as const)('%s, with a download that is %j, does so', async (action, state, expected) => {
    const { done, shown, tell, act } = newsWith(state ? { state } : {})
    await tell()
    expect(shown[0]?.actions).toEqual([state ? 'show-in-folder' : 'save'])
    act(action)
    await settled()
    expect(done.slice(1)).toEqual(expected)
  })

  it('leads to the report where it fails', async () => {
    const failing = newsWith({ fails: true })
    await failing.tell()
    failing.act('save')
    await settled()
    expect(failing.done.slice(1)).toEqual([
      'saved',
      'A report could not be saved from its notification',
      'opened raw',
    ])
    const moved = newsWith({ fails: true, state: { kind: 'saved', time: 0 as Instant } })
    await moved.tell()
    moved.act('show-in-folder')
    await settled()
    expect(moved.done.slice(1)).toEqual(['showed the file', 'opened raw'])
  })
})

describe('where nothing shows notifications', () => {
  it('is told in the window, and written down as told', async () => {
    const { done, tell } = newsWith({ shows: false, window: true })
    await tell()
    expect(done).toEqual(['written down', 'said Weekly is ready'])
  })

  it('waits without one, and is tried again as soon as something does', async () => {
    const { done, tell } = newsWith({ shows: false })
    await expect(tell()).rejects.toThrow('Nobody shows notifications')
    expect(done).toEqual(['tries again'])
  })
})

describe('a request that is for the person to decide', () => {
  it('is shown with what the service said, and leads to the queue', async () => {
    const { done, shown, stuck, act } = newsWith({})
    stuck()
    await settled()
    expect(shown).toMatchObject([{ title: 'Every Monday was refused', body: `${account().name} · Too old.` }])
    act('open')
    expect(done).toEqual(['opened raw'])
  })

  it('is said in the window where there are no notifications, and by tray and queue alone where that is closed', async () => {
    const open = newsWith({ shows: false, window: true })
    open.stuck()
    const closed = newsWith({ shows: false })
    closed.stuck()
    await settled()
    expect(open.done).toEqual(['said Every Monday was refused'])
    expect(closed.done).toEqual([])
  })
})

describe('while the window is locked', () => {
  it('is told without a name, an account or a button, and leads to the lock', async () => {
    const { shown, tell, stuck, act, done } = newsWith({ locked: true })
    await tell()
    stuck()
    await settled()
    expect(shown.map(({ title, body, actions }) => [title, body, actions])).toEqual([
      ['A raw report is ready', '', []],
      ['A request was refused', '', []],
    ])
    act('save')
    expect(done.at(-1)).toBe('opened raw')
  })
})

describe('a newer version', () => {
  it('is announced by a notification, whose click leads to About', async () => {
    const { shown, places, notices, found, act } = newsWith({})
    found()
    await settled()
    expect(shown).toMatchObject([{ title: 'Traffic Desk 1.3.0 is available', actions: [], urgent: false }])
    act('open')
    expect(places).toEqual([{ kind: 'about' }])
    const wanted: string[] = []
    const events = new AppEvents()
    events.on('window/wanted', ({ address }) => void wanted.push(address))
    await new PlaceOpener(
      fake<Accounts>('accounts', { active: () => null, activate: () => expect.unreachable() }),
      events,
    ).open({
      kind: 'about',
    })
    expect(wanted).toEqual(['#/help/about'])
    expect(notices).toEqual([])
  })

  it('is said in the window where the desktop shows no notifications', async () => {
    const { notices, found } = newsWith({ shows: false })
    found()
    await settled()
    expect(notices).toMatchObject([
      { id: 'update', tone: 'information', title: 'Traffic Desk 1.3.0 is available' },
    ])
  })
})

const finding = (id: string): Finding => ({
  ...{ id: id as FindingId, account: firstId, alert: 'w' as AlertId, view: '#/overview', family: 'script' },
  ...{ measure: 'bad-rate', condition: 'unusual', row: { key: 'shop', text: 'Shop' }, rows: [] },
  ...{ isShared: false, rule: null, isStopped: false, from: day('2026-11-12'), day: day('2026-11-13') },
  ...{ usual: 8, now: 20, z: 6, state: 'standing', to: null, settled: null, foundAt: 0 as Instant },
  ...{ seen: false, dismissed: null, mutedUntil: null },
})

describe('findings', () => {
  it('are opened by a click: the one, or all', async () => {
    const { done, shown, places, find, act } = newsWith({})
    await find(finding('f1'))
    act('open')
    await find(finding('f1'), finding('f2'))
    act('open')
    await find()
    expect(shown.map(({ title }) => title)).toEqual(['Shop: bad rate 20%, usually 8%', '2 findings'])
    expect(places).toEqual([
      { kind: 'finding', account: firstId, id: 'f1' },
      { kind: 'finding', account: firstId, id: null },
    ])
    expect(done.filter((what) => what === 'written down')).toHaveLength(2)
  })

  it('have no names while the app is locked', async () => {
    const { shown, find } = newsWith({ locked: true })
    await find(finding('f1'))
    await find(finding('f1'), finding('f2'))
    expect(shown).toMatchObject([
      { title: 'Some figures changed', body: '' },
      { title: '2 findings', body: '' },
    ])
  })

  it('come again if the desktop shows nothing, and are said in an open window', async () => {
    const failing = newsWith({ shows: false })
    await expect(failing.find(finding('f1'))).rejects.toThrow('Nobody shows')
    expect(failing.done).toEqual(['tries again'])
    const open = newsWith({ shows: false, window: true })
    await open.find(finding('f1'))
    expect(open.done).toEqual(['written down', 'said Shop: bad rate 20%, usually 8%'])
  })
})

const made: AnnouncedRun = { account: firstId, name: 'Weekly', files: 2, isLate: false, reason: null }

describe('scheduled files', () => {
  it('are said with their number, and why there are none; a click opens the schedules', async () => {
    const { shown, places, make, act } = newsWith({})
    await make(made)
    await make({ ...made, files: 1, isLate: true })
    await make({ ...made, files: 0, reason: 'The service is away.' })
    await make(made, made, { ...made, files: 0, reason: 'Away.' })
    const skipped = { ...made, files: 0, reason: 'Away.' }
    await make(skipped, skipped, skipped)
    await make()
    act('open')
    expect(shown.map(({ title, body }) => [title, body])).toEqual([
      ['Weekly: 2 files ready', 'Acme'],
      ['Weekly: 1 file ready', 'Acme · Late'],
      ['Weekly was skipped', 'Acme · The service is away.'],
      ['4 files ready, 1 skipped', 'Acme'],
      ['3 scheduled runs were skipped', 'Acme'],
    ])
    expect(places).toEqual([{ kind: 'schedules', account: firstId }])
  })

  it('have no names while the app is locked', async () => {
    const { shown, make } = newsWith({ locked: true })
    await make(made)
    await make({ ...made, reason: 'Client X is away.' })
    expect(shown).toMatchObject([
      { title: 'A scheduled file is ready', body: '' },
      { title: 'A scheduled file was skipped', body: '' },
    ])
  })
})
