import { join } from 'node:path'
import type { Notice } from '#shared/app/state.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { AccountStore } from '#main/accounts/account-store.ts'
import { rememberEntries } from '#main/accounts/keychain-entries.ts'
import { createKeychain } from '#main/accounts/keychain.ts'
import { tellWindows } from '#main/bridge/heard.ts'
import type { Handlers } from '#main/lib/module.ts'
import { createExports } from '#main/exports/exports.ts'
import { writersThread } from '#main/exports/writing-thread.ts'
import { Backups } from '#main/backup/backups.ts'
import { workFolder } from '#main/analytics/rows-layout.ts'
import { Archives } from '#main/archives/archives.ts'
import { Cases } from '#main/cases/cases.ts'
import { Raw } from '#main/raw/raw.ts'
import { Reports } from '#main/reports/figures.ts'
import { Publisher } from '#main/reports/history/publisher.ts'
import type { Lock } from '#main/lock/lock.ts'
import { createLargeAnswers } from '#main/api/large/large-answers.ts'
import { closeInTurn } from '#main/lib/closing.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { createSettings } from '#main/settings/settings.ts'
import type { Place } from '#main/shell/announcing.ts'
import { saveText } from '#main/files/save-text.ts'
import { NewsInWindow, Notices } from '#main/shell/notices.ts'
import { sampleServiceIn } from '#main/shell/workers.ts'
import { connectionAfter } from '#shared/accounts/account.ts'
import { connectionWords } from '#shared/texts/sync.ts'
import { cacheNotice, newsNotice, openingNotice } from '#main/database/notices.ts'
import { openStore } from '#main/database/open-store.ts'
import { Views } from '#main/saved-views/views.ts'
import { moduleHandlers } from './desk-handlers.ts'
import type { Module } from '#main/lib/module.ts'
import type { Desk, DeskParts } from './desk-parts.ts'
import { addressOfPlace } from './place-address.ts'
import { FirstAnswers } from './first-answers.ts'
import { lockHandlers, lockOfDesk } from './lock-of-desk.ts'
import { interrupted, pausedNotice } from './desk-notices.ts'
import { deskNetwork } from './network.ts'
import { requestsOfLink } from './link-cost.ts'
import { TrayNews } from './tray-news.ts'
import { rawNews } from './raw-news.ts'
import { aboutHandlers } from './diagnostics.ts'
import { updatesOfDesk } from './updates-of-desk.ts'

export type { Desk, DeskParts } from './desk-parts.ts'

/** How often it is looked whether the service is there still, while a window is open; in milliseconds. */
const lookEvery = 10_000

/**
 * What fails or hangs must not keep the others from closing, and least of all the store: the app ends 8 s after it was told
 * to. Raw reports wait up to 5 s for the service to hear what is removed. In milliseconds.
 */
const closingLimits = { each: 5200, all: 6200 }

/** Joins the modules: what each needs of the others is said here. Nothing is decided here. */
export function openDesk({ folder, trouble, notify, log, ...parts }: DeskParts): Desk {
  const events = new AppEvents((kind, error) => log('desk', `Not everybody heard of ${kind}`, error))
  tellWindows(events, notify)
  const trayNews = new TrayNews(events, parts.changed)
  const notices = new Notices(events, log)
  const showNotice = (notice: Notice) => events.emit({ kind: 'notice/shown', notice })
  const newsInWindow = new NewsInWindow(notices)
  /** Whether a window is open. */
  let watching = false
  events.on('worker/ended', ({ worker, cause }) => {
    log('desk', `A thread or process ended by itself: ${worker}`, cause)
    showNotice(interrupted[worker])
  })
  const store = openStore({
    folder,
    worker: parts.storeWorker,
    here: parts.windowFirst,
    onState: (news) => {
      showNotice(newsNotice(news))
    },
    onCache: (news) => {
      showNotice(cacheNotice(news))
      if (news === 'renewed') events.emit({ kind: 'cache/renewed' })
    },
    onStopped: (cause) => events.emit({ kind: 'worker/ended', worker: 'store', cause }),
    onReopened: (opening) => {
      const notice = openingNotice(opening)
      if (notice !== null) showNotice(notice)
    },
  })
  const large = createLargeAnswers(parts.answerWorker)
  const systemKeychain = createKeychain()
  const lock: Lock = lockOfDesk({
    ...{ folder, keychain: systemKeychain, idle: parts.idle, after: parts.after, now: systemClock.now },
    accounts: () => accounts,
    events,
    changed: () => {
      parts.lockChanged()
      parts.changed()
    },
  })
  const keychain = rememberEntries(systemKeychain, folder, store)
  const network = deskNetwork({ keychain, large, events, ...parts })
  const { proxies } = network
  const accounts = new AccountStore(
    store,
    keychain,
    network.createClient,
    sampleServiceIn(parts.sampleWorker),
    events,
  )
  const history = join(folder, 'history')
  const reports = new Reports({
    store,
    state: store,
    accounts,
    decode: decodeAnswer,
    events,
    clock: systemClock,
    mostCalls: async () => (await settings.read()).mostCalls,
    historyFolder: history,
    openEngine: () => parts.openEngine([history, join(folder, 'history-work')]),
  })
  const { shell } = parts
  const settings = createSettings({
    store,
    cache: store,
    events,
    ...shell,
  })
  const downloads = settings.downloadFolder
  const views = new Views({
    store,
    accounts,
    reports,
    events,
    clock: systemClock,
    downloads,
    chooseFile: shell.chooseViewsFile,
    keptLimit: async () => (await settings.read()).keptLimit * 1_000_000,
  })
  const exported = createExports({
    accounts,
    reports,
    events,
    ...{ clock: systemClock, openWriter: writersThread(parts.exportWorker), work: workFolder(folder) },
    ...shell,
    downloads,
  })
  const publisher = new Publisher({
    store,
    settings: store,
    accounts,
    reports,
    historyFolder: history,
    profileFolder: folder,
    clock: systemClock,
    chooseFolder: shell.chooseFolder,
    events,
  })
  const open = (place: Place) => {
    void addressOfPlace(place, accounts).then(parts.show)
  }
  const raw: Raw = new Raw({
    store,
    accounts,
    clock: systemClock,
    folder,
    settings,
    events,
    network: network.ways,
    archiveWorker: parts.archiveWorker,
    shell,
    ...rawNews({
      desktop: parts.desktop,
      isLocked: () => lock.locked,
      accounts,
      downloads: () => raw.downloads,
      open,
      notifyInWindow: (news) => {
        if (watching) newsInWindow.notify(news)
        return watching
      },
      again: () => raw.reports.announceAgain(),
      log,
    }),
  })

  const archives = new Archives({
    ...{ store, state: store, accounts, folder, raw, reports, exports: exported, settings, shell, events },
    ...{ clock: systemClock, openRows: parts.openRows },
  })
  const cases = new Cases({
    ...{ state: store, accounts, reports, raw, archives, exports: exported, settings, shell, events },
    ...{ clock: systemClock, folder },
  })
  const backups = new Backups(folder, parts.backupWorker, store, settings, shell, events, {
    version: parts.version,
    now: systemClock.now,
  })
  const updates = updatesOfDesk({
    ...{ ...parts, folder, store, ways: network.ways },
    ...{ events, open, showNotice, log },
  })
  const nothing = () => Promise.resolve()
  /** Each stands after those that it needs: they stop the other way round. */
  const modules: readonly Module[] = [
    { name: 'keychain', start: keychain.sweep, stop: nothing },
    backups,
    { name: 'large answers', stop: large.close },
    ...[accounts, reports, updates, publisher, views, raw, archives, cases],
    { name: 'exports', stop: exported.close },
  ]
  // What happened to one account wakes that account alone: a hundred that come back would ask for a hundred times a hundred lists.
  events.on('connection/changed', ({ account, connection }) => {
    if (connection.kind !== 'online') return
    for (const module of modules) module.wake?.(account)
  })
  const ready = Promise.all([accounts.open(), store.opened]).then(([, opening]) => {
    // What is wrong with the folder is said once, by whoever can name it.
    const notice = trouble ?? openingNotice(opening)
    if (notice !== null) showNotice(notice)
  })
  // A failure is told to the window, which asks for the state.
  ready.catch(() => undefined)
  const applied = ready.then(settings.read).then((read) => shell.apply(read))
  applied.catch((error: unknown) => log('desk', 'The settings could not be applied', error))

  /** The start view of the active account, else the view that was open last. */
  async function viewToOpen(): Promise<string | null> {
    const active = accounts.active()
    const start = active === null ? null : await views.startView(active).catch(() => null)
    const stored = start === null ? await store.run('settings/read', undefined).catch(() => null) : null
    return start ?? stored?.lastView ?? null
  }

  const first = new FirstAnswers(reports.ask)
  /** What the window that is about to open shows first: its address where that is asked for, else where it was. */
  const prepare = async (address: string | null): Promise<readonly ReportAnswer[]> => {
    await ready
    const view = address ?? (await viewToOpen())
    const active = accounts.active()
    return active === null || view === null ? [] : first.at(accounts.account(active), view)
  }
  let prepared: Promise<readonly ReportAnswer[]> = Promise.resolve([])

  /** An open window probes the service; else the last look at raw reports tells most. Earlier figures have no service. */
  function syncOf(account: AccountId): string {
    const looked = watching ? undefined : connectionAfter(raw.reports.lastFailure(account))
    const { kind, name } = accounts.account(account)
    const now = kind === 'earlier' ? { kind: 'unknown' as const } : (looked ?? reports.connection(account))
    return connectionWords(now, name)
  }

  let begun = false
  const begin = () => {
    if (begun) return
    begun = true
    store.mayRest(!watching)
    store.toThread()
    for (const module of modules) void ready.then(() => module.start?.()).catch(() => undefined)
  }

  const wake = () => {
    for (const module of modules) module.wake?.()
  }
  events.on('proxies/open', wake)

  let looking: ReturnType<typeof setInterval> | undefined
  const handlers: Handlers = {
    'desk/state': async () => {
      await ready
      const view = await viewToOpen()
      const answers = await prepared.catch(() => [])
      prepared = Promise.resolve([])
      // Nothing is waited for from here on: a state put together earlier would undo what was told since.
      const active = accounts.active()
      return {
        version: parts.version,
        accounts: accounts.list(),
        active,
        connection: active === null ? { kind: 'unknown' } : reports.connection(active),
        notices: notices.list(),
        proxies: proxies.asking(),
        lastView: view,
        answers,
      }
    },
    'desk/remember-view': ({ view }) => store.run('settings/write', { lastView: view }),
    'desk/copy': ({ text }) => {
      shell.copy(text)
      return null
    },
    'desk/notices': shell.notices,
    'desk/save-parts-list': async () => {
      const text = await shell.partsList()
      return { file: await saveText(await downloads(), 'Traffic Desk parts', 'cdx.json', text) }
    },
    ...aboutHandlers({ app: parts, store, exported, accounts, notices, downloads }),
    ...backups.handlers,
    'desk/dismiss-notice': ({ id }) => {
      notices.dismiss(id)
      return null
    },
    ...{ ...accounts.handlers, ...proxies.handlers, ...reports.handlers, ...views.handlers },
    ...{ ...raw.handlers, ...publisher.handlers, ...updates.handlers, ...archives.handlers },
    ...cases.handlers,
    ...moduleHandlers({ settings, exported, accounts }),
    ...lockHandlers(lock),
    'reports/ask': (asked) => first.ask(asked),
  }

  return {
    handlers,
    lock,
    dropped: archives.dropped,
    showNotice,
    prepare: (address) => {
      prepared = prepare(address)
      prepared.catch(() => undefined)
    },
    begin,
    wake: () => {
      // It may have woken up in another network.
      proxies.tryAgain()
      wake()
    },
    pause: (paused) => {
      if (paused) notices.show(pausedNotice)
      else notices.dismiss(pausedNotice.id)
      for (const module of modules) module.pause?.(paused)
    },
    open,
    hasAccounts: () => accounts.list().length > 0,
    requestsOfLink: (address) =>
      ready.then(() => requestsOfLink(address, { accounts, views, now: Date.now })),
    trayFacts: async () => {
      const active = accounts.active()
      return {
        raw: await raw.reports.summary(),
        downloads: await raw.downloads.known(),
        stuck: await raw.asking.stuck(),
        sync: active === null ? connectionWords({ kind: 'unknown' }, null) : syncOf(active),
        pinned: trayNews.keeping,
        lock: lock.locked ? 'locked' : lock.state().after === null ? 'off' : 'open',
      }
    },
    setWatching: (open) => {
      store.mayRest(!open)
      watching = open
      reports.setWatching(open)
      clearInterval(looking)
      if (open) looking = setInterval(reports.look, lookEvery)
      // What could not be told by notifications is told in the window.
      if (open && begun) raw.reports.announceAgain()
    },
    close: async () => {
      clearInterval(looking)
      const steps = modules.toReversed().map((module) => () => module.stop())
      await closeInTurn(steps, closingLimits, (error) => {
        log('desk', 'Closing failed', error)
      })
      await store.close()
    },
  }
}
