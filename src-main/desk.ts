import type { Notice } from '../src-shared/desk/state.ts'
import type { AccountId, RawReportId } from '../src-shared/values/ids.ts'
import { createAccountBook } from './accounts/account-book.ts'
import { createKeychain } from './accounts/keychain.ts'
import type { Tell } from './bridge/events.ts'
import type { Handlers } from './bridge/handlers.ts'
import { createExports } from './exports/exports.ts'
import { addressOfPlace } from './desk-place.ts'
import { rawHandlers } from './raw-handlers.ts'
import { createRaw } from './raw/raw.ts'
import { createReports } from './reports/reports.ts'
import { parseServiceAddress } from './service/address.ts'
import { createServiceClient } from './service/client.ts'
import { systemClock } from './service/clock.ts'
import { decodeAnswer } from './service/decode/answer.ts'
import { createSettings } from './settings/settings.ts'
import { announce } from './shell/announcing.ts'
import type { DeskShell } from './shell/desk-shell.ts'
import type { Desktop } from './shell/desktop/desktop.ts'
import type { Place } from './shell/desktop/place.ts'
import type { Log } from './shell/log.ts'
import { Notices } from './shell/notices.ts'
import { sampleServiceIn } from './shell/sample-service.ts'
import { syncWords } from './shell/sync-words.ts'
import type { TrayFacts } from './shell/tray-picture.ts'
import { openingNotice, rebuiltNotice } from './store/opening.ts'
import { openStore } from './store/store.ts'
import { createViews } from './views/views.ts'

export type DeskParts = {
  /** The profile folder, and what is the matter with it. */
  readonly folder: string
  readonly trouble: Notice | null
  readonly version: string
  /** Files of the threads. */
  readonly storeWorker: string
  readonly sampleWorker: string
  readonly reckonWorker: string
  readonly exportWorker: string
  readonly archiveWorker: string
  readonly desktop: Pick<Desktop, 'notifier'>
  /** Shows the window at an address. */
  readonly show: (address: string) => void
  /** What the tray shows has changed. */
  readonly stirred: () => void
  readonly shell: DeskShell
  readonly resolveProxy: (url: string) => Promise<string>
  readonly tell: Tell
  readonly log: Log
}

export type Desk = {
  readonly handlers: Handlers
  readonly raise: (notice: Notice) => void
  /** Begins what goes on by itself: keeping pinned views, watching and saving raw reports. Once is enough. */
  readonly begin: () => void
  /** The machine woke up: see at once whether the service can be reached. */
  readonly nudge: () => void
  /** Does nothing by itself for the time being, or begins to again. */
  readonly pause: (paused: boolean) => void
  /** Opens a place, at its account. */
  readonly open: (place: Place) => void
  readonly trayFacts: () => Promise<Omit<TrayFacts, 'now' | 'paused'>>
  /** Whether a window is open: without one, nobody waits for the service to come back. */
  readonly setWatching: (watching: boolean) => void
  readonly close: () => Promise<void>
}

/** How often it is looked whether the service is there still, while a window is open; in milliseconds. */
const lookEvery = 10_000

/** Joins the rooms, and says which of them answers which call. Nothing is decided here. */
export function openDesk({ folder, trouble, tell, log, ...parts }: DeskParts): Desk {
  const notices = new Notices((all) => {
    tell('notices/changed', { notices: all })
  })
  const raise = (notice: Notice) => {
    log('desk', `${notice.title}. ${notice.text}`)
    notices.raise(notice)
  }
  const store = openStore({
    folder,
    worker: parts.storeWorker,
    onRebuilt: (rebuilt) => {
      raise(rebuiltNotice(rebuilt))
    },
  })
  const book = createAccountBook({
    store,
    keychain: createKeychain(),
    parseAddress: parseServiceAddress,
    createClient: (options) => createServiceClient({ ...options, resolveProxy: parts.resolveProxy }),
    startSample: sampleServiceIn(parts.sampleWorker),
    emit: tell,
    raise,
  })
  const reports = createReports({
    store,
    book,
    decode: decodeAnswer,
    emit: (name, event) => {
      tell(name, event)
      if (name === 'reports/progress') exported.heard(event)
      if (!('connection' in event)) return
      parts.stirred()
      if (event.connection.state === 'online') {
        views.nudge()
        raw.nudge()
      }
    },
    raise,
    clock: systemClock,
    folder,
    reckonWorker: parts.reckonWorker,
  })
  const { shell } = parts
  const settings = createSettings({
    store,
    emit: (name, event) => {
      tell(name, event)
      views.limitChanged()
      raw.downloads.nudge()
      raw.reports.announceAgain()
    },
    ...shell,
  })
  const downloads = settings.downloadFolder
  const views = createViews({
    store,
    book,
    reports,
    emit: tell,
    clock: systemClock,
    downloads,
    chooseFile: shell.chooseViewsFile,
    keptLimit: async () => (await settings.read()).keptLimit * 1_000_000,
  })
  const exported = createExports({
    book,
    reports,
    emit: tell,
    clock: systemClock,
    exportWorker: parts.exportWorker,
    ...shell,
    downloads,
  })
  const open = (place: Place) => {
    void addressOfPlace(place, book).then(parts.show)
  }
  const tellOfRaw: Tell = (name, event) => {
    tell(name, event)
    parts.stirred()
  }
  const raw = createRaw({
    store,
    book,
    clock: systemClock,
    folder,
    random: Math.random,
    settings: async () => (await settings.read()).raw,
    emit: tellOfRaw,
    resolveProxy: parts.resolveProxy,
    archiveWorker: parts.archiveWorker,
    ...shell,
    downloads,
    announce: (news, handing) =>
      announce(
        {
          desktop: parts.desktop,
          accountName: (account) => book.account(account).name,
          isSaved: ({ account, report }) => raw.downloads.savedState(account, report) === 'saved',
          open,
          save: ({ account, report }) => {
            raw.downloads.start({ account, report, choose: false }).catch((error: unknown) => {
              log('raw', 'A report could not be saved from its notification', error)
              open({ view: 'raw', account, report })
            })
          },
          showFile: ({ account, report }) => {
            void showSaved(account, report)
          },
        },
        news,
        handing,
      ),
  })

  /** Shows a report's file; the report itself where it has no file any more. */
  async function showSaved(account: AccountId, report: RawReportId): Promise<void> {
    const all = await raw.downloads.list()
    const found = all.find((each) => each.account === account && each.report === report)
    try {
      if (!found) throw new Error('No such download')
      await raw.downloads.show(found.id)
    } catch {
      open({ view: 'raw', account, report })
    }
  }

  const ready = Promise.all([book.open(), store.opened]).then(([, opening]) => {
    // What is wrong with the folder is said once, by whoever can name it.
    const notice = trouble ?? openingNotice(opening)
    if (notice !== null) raise(notice)
  })
  // A failure is told to the window, which asks for the state.
  ready.catch(() => undefined)
  const applied = ready.then(settings.read).then(shell.apply)
  applied.catch((error: unknown) => log('desk', 'The settings could not be applied', error))

  /** The start view of the active account, else the view that was open last. */
  async function viewToOpen(): Promise<string | null> {
    const active = book.active()
    const start = active === null ? null : await views.startView(active).catch(() => null)
    if (start !== null) return start
    return store.run('settings/read', undefined).then(
      (kept) => kept.lastView,
      () => null,
    )
  }

  let begun = false
  const begin = () => {
    if (begun) return
    begun = true
    ready.then(views.begin, () => undefined)
    ready.then(raw.begin, () => undefined)
  }

  let looking: ReturnType<typeof setInterval> | undefined
  const handlers: Handlers = {
    'desk/state': async () => {
      await ready
      const view = await viewToOpen()
      // Nothing is waited for from here on: a state put together earlier would undo what was told since.
      const active = book.active()
      return {
        version: parts.version,
        accounts: book.list(),
        active,
        connection: active === null ? { state: 'unknown' } : reports.connection(active),
        notices: notices.list(),
        lastView: view,
      }
    },
    'desk/remember-view': ({ view }) => store.run('settings/write', { lastView: view }),
    'desk/copy': ({ text }) => {
      shell.copy(text)
      return null
    },
    'settings/read': () => settings.read(),
    'settings/write': (changes) => settings.write(changes),
    'settings/choose-folder': () => settings.chooseFolder(),
    'settings/kept-size': () => reports.keptSize(),
    'layouts/read': ({ report }) => settings.layout(report),
    'layouts/write': ({ report, layout }) => settings.writeLayout(report, layout),
    'desk/dismiss-notice': ({ id }) => {
      notices.dismiss(id)
      return null
    },
    'accounts/connect': (entry) => book.connect(entry),
    'accounts/explore-sample': () => book.exploreSample(),
    'accounts/activate': ({ account }) => book.activate(account),
    'accounts/renew-token': (entry) => book.renewToken(entry),
    'accounts/edit': async (edit) => {
      const account = await book.edit(edit)
      // In another zone it may be another day, on which views show other days.
      views.nudge()
      raw.nudge()
      return account
    },
    'accounts/check': ({ account }) => book.check(account),
    'accounts/cancel-check': () => {
      book.cancelCheck()
      return null
    },
    'accounts/remove': async ({ account, what }) => {
      if (what === 'token') await book.removeToken(account)
      else {
        await raw.downloads.forget(account)
        await book.remove(account)
      }
      return null
    },
    'reports/ask': (asked) => reports.ask(asked),
    'reports/trend': (asked) => reports.trend(asked),
    'reports/before': (asked) => reports.before(asked),
    'reports/movers': (asked) => reports.movers(asked),
    'reports/cancel': ({ account, key }) => {
      reports.cancel(account, key)
      return null
    },
    'lookups/instances': (asked) => reports.instances(asked),
    'lookups/sources': (asked) => reports.sources(asked),
    'lookups/campaigns': (asked) => reports.campaigns(asked),
    'views/list': (asked) => views.list(asked),
    'views/save': (asked) => views.save(asked),
    'views/change': (asked) => views.change(asked),
    'views/duplicate': (asked) => views.duplicate(asked),
    'views/remove': (asked) => views.remove(asked),
    'views/restore': (asked) => views.restore(asked),
    'views/order': (asked) => views.order(asked),
    'views/refresh': (asked) => views.refresh(asked),
    'views/stop': (asked) => views.stop(asked),
    'views/export': (asked) => views.export(asked),
    'views/import': (asked) => views.import(asked),
    'exports/start': ({ account, order }) => exported.start(account, order),
    'exports/chart': ({ account, name, png }) => exported.chart(account, name, png),
    'exports/list': () => exported.list(),
    'exports/cancel': ({ id }) => {
      exported.cancel(id)
      return null
    },
    'exports/dismiss': ({ id }) => {
      exported.dismiss(id)
      return null
    },
    'exports/show': ({ id }) => exported.show(id),
    'exports/open': ({ id }) => exported.open(id),
    ...rawHandlers(raw),
  }

  return {
    handlers,
    raise,
    begin,
    nudge: () => {
      reports.nudge()
      views.nudge()
      raw.nudge()
    },
    pause: (paused) => {
      views.pause(paused)
      raw.pause(paused)
    },
    open,
    trayFacts: async () => {
      const active = book.active()
      const connection = active === null ? { state: 'unknown' as const } : reports.connection(active)
      return {
        raw: await raw.reports.summary(),
        downloads: await raw.downloads.list(),
        sync: syncWords(connection, active === null ? null : book.account(active).name),
      }
    },
    setWatching: (watching) => {
      reports.setWatching(watching)
      clearInterval(looking)
      if (watching) looking = setInterval(reports.look, lookEvery)
    },
    close: async () => {
      clearInterval(looking)
      await exported.close()
      await raw.close()
      await views.close()
      reports.stop()
      await book.close()
      await store.close()
    },
  }
}
