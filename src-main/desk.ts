import type { Notice } from '../src-shared/desk/state.ts'
import { createAccountBook } from './accounts/account-book.ts'
import { createKeychain } from './accounts/keychain.ts'
import type { Tell } from './bridge/events.ts'
import type { Handlers } from './bridge/handlers.ts'
import { createReports } from './reports/reports.ts'
import { parseServiceAddress } from './service/address.ts'
import { createServiceClient } from './service/client.ts'
import { systemClock } from './service/clock.ts'
import { decodeAnswer } from './service/decode/answer.ts'
import type { Log } from './shell/log.ts'
import { Notices } from './shell/notices.ts'
import { sampleServiceIn } from './shell/sample-service.ts'
import { openingNotice, rebuiltNotice } from './store/opening.ts'
import { openStore } from './store/store.ts'

export type DeskParts = {
  /** The profile folder, and what is the matter with it. */
  readonly folder: string
  readonly trouble: Notice | null
  readonly version: string
  /** Files of the threads. */
  readonly storeWorker: string
  readonly sampleWorker: string
  readonly resolveProxy: (url: string) => Promise<string>
  readonly tell: Tell
  readonly log: Log
}

export type Desk = {
  readonly handlers: Handlers
  readonly raise: (notice: Notice) => void
  /** The machine woke up: see at once whether the service can be reached. */
  readonly nudge: () => void
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
  const reports = createReports({ store, book, decode: decodeAnswer, emit: tell, raise, clock: systemClock })
  const ready = Promise.all([book.open(), store.opened]).then(([, opening]) => {
    // What is wrong with the folder is said once, by whoever can name it.
    const notice = trouble ?? openingNotice(opening)
    if (notice !== null) raise(notice)
  })
  // A failure is told to the window, which asks for the state.
  ready.catch(() => undefined)

  let looking: ReturnType<typeof setInterval> | undefined
  const handlers: Handlers = {
    'desk/state': async () => {
      await ready
      const lastView = await store.run('settings/read', undefined).then(
        (settings) => settings.lastView,
        () => null,
      )
      // Nothing is waited for from here on: a state put together earlier would undo what was told since.
      const active = book.active()
      return {
        version: parts.version,
        accounts: book.list(),
        active,
        connection: active === null ? { state: 'unknown' } : reports.connection(active),
        notices: notices.list(),
        lastView,
      }
    },
    'desk/remember-view': ({ view }) => store.run('settings/write', { lastView: view }),
    'desk/dismiss-notice': ({ id }) => {
      notices.dismiss(id)
      return null
    },
    'accounts/connect': (entry) => book.connect(entry),
    'accounts/explore-sample': () => book.exploreSample(),
    'accounts/activate': ({ account }) => book.activate(account),
    'accounts/renew-token': (entry) => book.renewToken(entry),
    'accounts/remove': async ({ account }) => {
      await book.remove(account)
      return null
    },
    'reports/ask': (asked) => reports.ask(asked),
    'reports/cancel': (asked) => {
      reports.cancel(asked)
      return null
    },
    'lookups/instances': (asked) => reports.instances(asked),
  }

  return {
    handlers,
    raise,
    nudge: reports.nudge,
    setWatching: (watching) => {
      reports.setWatching(watching)
      clearInterval(looking)
      if (watching) looking = setInterval(reports.look, lookEvery)
    },
    close: async () => {
      clearInterval(looking)
      reports.stop()
      await book.close()
      await store.close()
    },
  }
}
