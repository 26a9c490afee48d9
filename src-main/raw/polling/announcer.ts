import type { Announcement, News } from '#shared/raw/settings.ts'
import type { RawAccounts } from '../list/fetch-list.ts'
import type { Downloads } from '../downloads/downloads.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Instant, AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AnnouncementKey } from '#main/database/state/raw-announcements-repository.ts'
import { withSignal, withTimeout } from '#main/lib/async.ts'
import { fetchRecord } from '../list/fetch-list.ts'
import { appendFileSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { announcementKinds } from '#shared/raw/settings.ts'
import { branded, readJson } from '#shared/values/schemas.ts'

/** More than so many at once become one summary. */
const maxSingly = 3
/** How long rows and size of a report, and what saves it, are waited for; in milliseconds. */
const milliseconds = 10_000

/**
 * Shows news; resolves once the desktop has it, and rejects where it cannot be shown: then it is offered again.
 * @param handing to be called directly before it is handed to the desktop, with nothing waited for between: it
 * writes down that it is shown, so that an app that is killed neither repeats nor forgets it
 */
export type Announce = (news: News, handing: () => void) => Promise<void>

/**
 * Shows what is stored and was not shown yet, each once: it is written down in the moment in which it is shown, so
 * that an app that is killed neither repeats nor forgets it.
 */
export class Announcer {
  readonly #store: Store
  readonly #accounts: RawAccounts
  readonly #settings: Pick<Settings, 'read' | 'downloadFolder'>
  readonly #downloads: Pick<Downloads, 'savedState' | 'reportReady'>
  readonly #announce: Announce
  readonly #clock: Clock
  readonly #log: ShownLog
  readonly #ending = new AbortController()
  /** Reports of which it is told that they became ready: once a session is enough. */
  readonly #notified = new Map<string, Promise<void>>()
  /** Announcements whose rows and size were asked for: once is enough. */
  readonly #sized = new Set<string>()
  #holds = 0
  #running: Promise<void> | null = null
  #again = false

  constructor(
    store: Store,
    accounts: RawAccounts,
    settings: Pick<Settings, 'read' | 'downloadFolder'>,
    downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
    announce: Announce,
    folder: string,
    clock: Clock,
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#settings = settings
    this.#downloads = downloads
    this.#announce = announce
    this.#clock = clock
    this.#log = new ShownLog(folder)
  }

  /** Shows what waits. Never rejects. */
  flush(): Promise<void> {
    if (this.#holds > 0 || this.#ending.signal.aborted) return Promise.resolve()
    if (this.#running) {
      this.#again = true
      // The desktop may take its time: what saves files does not wait for that.
      void this.#notifyWaiting().catch(() => undefined)
      return this.#running
    }
    this.#running = this.#rounds().finally(() => (this.#running = null))
    return this.#running
  }

  /** Shows nothing until `work` is over, or so many milliseconds have passed: then all of it at once. */
  async hold(work: Promise<unknown>, max: number): Promise<void> {
    this.#holds += 1
    await withTimeout({ milliseconds: max, clock: this.#clock }, () => work).catch(() => undefined)
    this.#holds -= 1
    await this.flush()
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false
      // Where the store refuses, it waits there for the next time; what is wrong with it, it says for itself.
      await this.#round().catch(() => undefined)
    } while (this.#again && this.#holds === 0 && !this.#ending.signal.aborted)
  }

  async #round(): Promise<void> {
    await this.#markLogged()
    const waiting = await this.#store.run('raw-announcements/unshown', undefined)
    if (waiting.length === 0) return
    // What was not told for certain is told the next time, as long as it is not marked.
    await withSignal(this.#ending.signal, () =>
      Promise.all(waiting.map((announcement) => this.#notifyReady(announcement))),
    )
    const { announce } = (await this.#settings.read()).raw
    const silent = waiting.filter(({ kind }) => !announce[kind])
    if (silent.length > 0) await this.#mark(silent)
    const loud = waiting.filter(({ kind }) => announce[kind])
    if (loud.length > maxSingly) await this.#show(loud)
    else {
      const sized = await Promise.all(loud.map((announcement) => this.#withSize(announcement)))
      for (const announcement of sized) await this.#show([announcement])
    }
    await this.#markLogged()
  }

  /** Where the desktop refuses, they stay to be shown another time. */
  async #show(found: readonly Announcement[]): Promise<void> {
    if (this.#ending.signal.aborted) return
    // An account may have been removed meanwhile, with all that there was to announce.
    const accounts = new Set(this.#accounts.list().map(({ id }) => id))
    const announcements = found.filter(({ account }) => accounts.has(account))
    const [announcement] = announcements
    if (!announcement) return
    const news: News =
      announcements.length === 1 ? { kind: 'one', announcement } : { kind: 'summary', announcements }
    const shown = this.#announce(news, () => this.#log.add(announcements)).then(
      () => {
        this.#log.add(announcements)
        this.#log.flush()
      },
      () => this.#log.takeBack(announcements),
    )
    // The app ends without the desktop's answer: what was handed over is written down.
    await withSignal(this.#ending.signal, () => shown).catch(() => undefined)
  }

  /** What the log says was shown is marked in the store; then the log has nothing to remember. */
  async #markLogged(): Promise<void> {
    const keys = this.#log.keys()
    if (keys.length > 0) await this.#mark(keys)
    this.#log.clear()
  }

  async #mark(keys: readonly AnnouncementKey[]): Promise<void> {
    const plain = keys.map(({ account, report, kind }) => ({ account, report, kind }))
    const now = this.#clock.now() as Instant
    await this.#store.run('raw-announcements/shown', { keys: plain, shownAt: now })
  }

  async #notifyWaiting(): Promise<void> {
    const waiting = await this.#store.run('raw-announcements/unshown', undefined)
    await Promise.all(
      waiting
        .filter((announcement) => !this.#log.has(announcement))
        .map((announcement) => this.#notifyReady(announcement)),
    )
  }

  #notifyReady(announcement: Announcement): Promise<void> {
    if (announcement.kind !== 'ready') return Promise.resolve()
    const name = textOf(announcement)
    const notifying = this.#notified.get(name) ?? this.#notifyOnce(announcement)
    this.#notified.set(name, notifying)
    // Where the store refuses, it is told another time.
    notifying.catch(() => this.#notified.delete(name))
    return notifying
  }

  async #notifyOnce({ account, report }: Announcement): Promise<void> {
    const stored = await this.#store.run('raw-reports/read', { account, report })
    // A folder that does not answer holds up what is saved there, and no news.
    if (!stored) return
    const begun = withTimeout({ milliseconds, clock: this.#clock }, () =>
      this.#downloads.reportReady(account, stored.row),
    )
    await begun.catch(() => undefined)
  }

  /** With rows and size of the report's file, where there is one and the service says it soon. */
  async #withSize(announcement: Announcement): Promise<Announcement> {
    const { account, report, kind } = announcement
    const has = announcement.rows !== null || announcement.size !== null
    const wants = kind === 'ready' || kind === 'failed'
    if (has || !wants || this.#sized.has(textOf(announcement))) return announcement
    this.#sized.add(textOf(announcement))
    try {
      const params = { account, report, priority: 'background' } as const
      const limit = { milliseconds, clock: this.#clock, signal: this.#ending.signal }
      const record = await withTimeout(limit, (signal) =>
        fetchRecord(this.#store, this.#accounts, { ...params, signal }),
      )
      const { rows, file_size: size } = record
      await this.#store.run('raw-announcements/size', { account, report, rows, size })
      return { ...announcement, rows, size }
    } catch {
      // It is announced without.
      return announcement
    }
  }
}

/** One line: whether something was shown or, after all, was not; and what. */
const line = v.tuple([
  v.picklist(['shown', 'not-shown']),
  branded<AccountId>(),
  branded<RawReportId>(),
  v.picklist(announcementKinds),
])

const textOf = ({ account, report, kind }: AnnouncementKey): string => JSON.stringify([account, report, kind])

/**
 * What was shown and is not marked in the store yet. The store answers later, from its own thread; this is written at
 * once and synchronously, directly before something is shown, and outlives the end of the app at any moment. It outlives a
 * power cut once flushed, after the desktop's answer.
 */
export class ShownLog {
  readonly #file: string
  #keys: Map<string, AnnouncementKey> | null = null

  /** @param folder the profile folder */
  constructor(folder: string) {
    this.#file = join(folder, 'announced.log')
  }

  /** All that is in it. */
  keys(): readonly AnnouncementKey[] {
    return [...this.#read().values()]
  }

  has(key: AnnouncementKey): boolean {
    return this.#read().has(textOf(key))
  }

  /** Writes down that these are shown. They must be shown right after, before anything is waited for. */
  add(keys: readonly AnnouncementKey[]): void {
    const more = keys.filter((key) => !this.has(key))
    for (const key of more) this.#read().set(textOf(key), key)
    this.#append('shown', more)
  }

  /** Outlives a power cut from here on. Never between noting and showing: whoever is killed meanwhile showed nothing. */
  flush(): void {
    quietly(() => {
      appendFileSync(this.#file, '', { mode: 0o600, flush: true })
    })
  }

  /** They could not be shown. */
  takeBack(keys: readonly AnnouncementKey[]): void {
    const fewer = keys.filter((key) => this.#read().delete(textOf(key)))
    this.#append('not-shown', fewer)
    this.flush()
  }

  /** The store has marked all of it. */
  clear(): void {
    if (this.#read().size === 0) return
    this.#keys = new Map()
    quietly(() => {
      truncateSync(this.#file)
    })
  }

  #append(what: 'shown' | 'not-shown', keys: readonly AnnouncementKey[]): void {
    if (keys.length === 0) return
    const text = keys.map(({ account, report, kind }) => JSON.stringify([what, account, report, kind]) + '\n')
    quietly(() => {
      appendFileSync(this.#file, text.join(''), { mode: 0o600 })
    })
  }

  #read(): Map<string, AnnouncementKey> {
    if (this.#keys) return this.#keys
    const keys = new Map<string, AnnouncementKey>()
    for (const [what, key] of linesOf(this.#file)) {
      if (what === 'shown') keys.set(textOf(key), key)
      else keys.delete(textOf(key))
    }
    return (this.#keys = keys)
  }
}

function linesOf(file: string): ['shown' | 'not-shown', AnnouncementKey][] {
  let text = ''
  quietly(() => {
    text = readFileSync(file, 'utf8')
  })
  return text.split('\n').flatMap((value) => {
    const read = readJson(line, value)
    // A line may be cut off, or none of ours.
    if (!read) return []
    const [what, account, report, kind] = read
    return [[what, { account, report, kind }]]
  })
}

/** A folder that refuses is told of by the store; what happened is shown all the same, and marked there. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // See above.
  }
}
