import type { Announcement, AnnouncementBatch } from '#shared/raw/settings.ts'
import type { RawContext } from '../raw-context.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AnnouncementKey } from '#main/database/state/raw-announcements-repository.ts'
import { withSignal, withTimeout } from '#main/lib/async.ts'
import { fetchRecord } from '../list/fetch-list.ts'
import { appendFileSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { announcementKinds } from '#shared/raw/settings.ts'
import { branded, readJson } from '#shared/values/schemas.ts'

/** Above this number, announcements are combined into a summary. */
const maxSingly = 3
/** Timeout for a report's rows and size, and for starting its download, in milliseconds. */
const sideWorkTimeout = 10_000

/**
 * Shows each stored announcement once. It is recorded as shown directly before, so that a killed app never repeats it. At worst
 * the app loses one notification.
 */
export class Announcer {
  readonly #context: RawContext
  readonly #log: ShownLog
  readonly #ending = new AbortController()
  /** Ready reports that were passed to the downloads in this session. */
  readonly #handOvers = new Map<string, Promise<void>>()
  /** Announcements whose rows and size were requested. */
  readonly #sized = new Set<string>()
  #holds = 0
  #running: Promise<void> | null = null
  #again = false

  constructor(context: RawContext) {
    this.#context = context
    this.#log = new ShownLog(context.folder)
  }

  /** Shows pending announcements. Never rejects. */
  flush(): Promise<void> {
    if (this.#holds > 0 || this.#ending.signal.aborted) return Promise.resolve()
    if (this.#running) {
      this.#again = true
      // Downloads start without waiting for the desktop.
      void this.#handOverWaiting().catch(() => undefined)
      return this.#running
    }
    this.#running = this.#rounds().finally(() => (this.#running = null))
    return this.#running
  }

  /** Postpones announcements until `work` settles or `max` milliseconds pass, then shows all at once. */
  async hold(work: Promise<unknown>, max: number): Promise<void> {
    this.#holds += 1
    await withTimeout({ milliseconds: max, clock: this.#context.clock }, () => work).catch(() => undefined)
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
      // After a store failure, announcements wait for the next round. The store reports its own errors.
      await this.#round().catch(() => undefined)
    } while (this.#again && this.#holds === 0 && !this.#ending.signal.aborted)
  }

  async #round(): Promise<void> {
    await this.#markLogged()
    const waiting = await this.#context.store.run('raw-announcements/unshown', undefined)
    if (waiting.length === 0) return
    // Announcements interrupted here are not shown yet. The next round shows them.
    await withSignal(this.#ending.signal, () =>
      Promise.all(waiting.map((announcement) => this.#handOver(announcement))),
    )
    const { announce } = (await this.#context.settings.read()).raw
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

  /** If the desktop refuses, the announcements remain pending. */
  async #show(found: readonly Announcement[]): Promise<void> {
    if (this.#ending.signal.aborted) return
    // The account may have been removed with its announcements.
    const accounts = new Set(this.#context.accounts.list().map(({ id }) => id))
    const announcements = found.filter(({ account }) => accounts.has(account))
    const [announcement] = announcements
    if (!announcement) return
    const batch: AnnouncementBatch =
      announcements.length === 1 ? { kind: 'one', announcement } : { kind: 'summary', announcements }
    const shown = this.#context.news
      .announce(batch, () => this.#log.add(announcements))
      .then(
        () => {
          this.#log.add(announcements)
          this.#log.flush()
        },
        () => this.#log.takeBack(announcements),
      )
    // When the app ends before the desktop responds, the log already has the announcements.
    await withSignal(this.#ending.signal, () => shown).catch(() => undefined)
  }

  /** Marks logged announcements in the store, then clears the log. */
  async #markLogged(): Promise<void> {
    const keys = this.#log.keys()
    if (keys.length > 0) await this.#mark(keys)
    this.#log.clear()
  }

  async #mark(keys: readonly AnnouncementKey[]): Promise<void> {
    const plain = keys.map(({ account, report, kind }) => ({ account, report, kind }))
    const now = instantOf(this.#context.clock.now())
    await this.#context.store.run('raw-announcements/shown', { keys: plain, shownAt: now })
  }

  async #handOverWaiting(): Promise<void> {
    const waiting = await this.#context.store.run('raw-announcements/unshown', undefined)
    await Promise.all(
      waiting
        .filter((announcement) => !this.#log.has(announcement))
        .map((announcement) => this.#handOver(announcement)),
    )
  }

  #handOver(announcement: Announcement): Promise<void> {
    if (announcement.kind !== 'ready') return Promise.resolve()
    const name = textOf(announcement)
    const notifying = this.#handOvers.get(name) ?? this.#handOverOnce(announcement)
    this.#handOvers.set(name, notifying)
    // Retried after a store failure.
    notifying.catch(() => this.#handOvers.delete(name))
    return notifying
  }

  async #handOverOnce({ account, report }: Announcement): Promise<void> {
    const stored = await this.#context.store.run('raw-reports/read', { account, report })
    // A hanging folder delays the download, but not the announcement.
    if (!stored) return
    const begun = withTimeout({ milliseconds: sideWorkTimeout, clock: this.#context.clock }, () =>
      this.#context.downloads.reportReady(account, stored.row),
    )
    await begun.catch(() => undefined)
  }

  /** Adds rows and size of the report's file, if the service provides them in time. */
  async #withSize(announcement: Announcement): Promise<Announcement> {
    const { account, report, kind } = announcement
    const has = announcement.rows !== null || announcement.size !== null
    const mayHaveSize = kind === 'ready' || kind === 'failed'
    if (has || !mayHaveSize || this.#sized.has(textOf(announcement))) return announcement
    this.#sized.add(textOf(announcement))
    try {
      const params = { account, report, priority: 'background' } as const
      const limit = { milliseconds: sideWorkTimeout, clock: this.#context.clock, signal: this.#ending.signal }
      const record = await withTimeout(limit, (signal) => fetchRecord(this.#context, { ...params, signal }))
      const { rows, file_size: size } = record
      await this.#context.store.run('raw-announcements/size', { account, report, rows, size })
      return { ...announcement, rows, size }
    } catch {
      // Announced without rows and size.
      return announcement
    }
  }
}

/** A line of the log: shown or not shown, and the announcement. */
const line = v.tuple([
  v.picklist(['shown', 'not-shown']),
  branded<AccountId>(),
  branded<RawReportId>(),
  v.picklist(announcementKinds),
])

const textOf = ({ account, report, kind }: AnnouncementKey): string => JSON.stringify([account, report, kind])

/**
 * Log of announcements that are shown but not yet marked in the store. Written synchronously before each is shown,
 * because the store writes later in its own thread. The log survives a crash of the app at any moment, and a power
 * failure after `flush`.
 */
export class ShownLog {
  readonly #file: string
  #keys: Map<string, AnnouncementKey> | null = null

  /** @param folder the profile folder */
  constructor(folder: string) {
    this.#file = join(folder, 'announced.log')
  }

  keys(): readonly AnnouncementKey[] {
    return [...this.#read().values()]
  }

  has(key: AnnouncementKey): boolean {
    return this.#read().has(textOf(key))
  }

  /** Logs announcements as shown. The caller must show them at once, without an `await` in between. */
  add(keys: readonly AnnouncementKey[]): void {
    const more = keys.filter((key) => !this.has(key))
    for (const key of more) this.#read().set(textOf(key), key)
    this.#append('shown', more)
  }

  /** Makes the log survive a power failure. Called only after showing. */
  flush(): void {
    quietly(() => {
      appendFileSync(this.#file, '', { mode: 0o600, flush: true })
    })
  }

  /** Removes announcements that could not be shown. */
  takeBack(keys: readonly AnnouncementKey[]): void {
    const fewer = keys.filter((key) => this.#read().delete(textOf(key)))
    this.#append('not-shown', fewer)
    this.flush()
  }

  /** Clears the log after the store has marked its announcements. */
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
    // A line may be truncated or foreign.
    if (!read) return []
    const [what, account, report, kind] = read
    return [[what, { account, report, kind }]]
  })
}

/** Ignores errors of the folder, which the store reports. The announcement is still shown, and marked in the store. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // See above.
  }
}
