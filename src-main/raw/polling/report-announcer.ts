import { join } from 'node:path'
import * as v from 'valibot'
import { announcementKinds } from '#shared/raw/settings.ts'
import type { Announcement, AnnouncementBatch, AnnouncementKind } from '#shared/raw/settings.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { branded } from '#shared/values/schemas.ts'
import type { AnnouncementKey } from '#main/database/state/raw-announcements-repository.ts'
import { Announcer, maxSingly } from '#main/lib/announcer.ts'
import { withSignal, withTimeout } from '#main/lib/async.ts'
import { ShownLog } from '#main/lib/shown-log.ts'
import type { RawContext } from '../raw-context.ts'
import { fetchRecord } from '../list/fetch-list.ts'

/** Timeout for a report's rows and size, and for starting its download, in milliseconds. */
const sideWorkTimeout = 10_000

const parts = v.tuple([branded<AccountId>(), branded<RawReportId>(), v.picklist(announcementKinds)])

type ReportKey = readonly [AccountId, RawReportId, AnnouncementKind]

const keyOf = ({ account, report, kind }: AnnouncementKey): ReportKey => [account, report, kind]
const textOf = (announcement: AnnouncementKey): string => JSON.stringify(keyOf(announcement))

/** Log of shown announcements in the profile folder. */
export const reportLog = (folder: string): ShownLog<ReportKey> =>
  new ShownLog(join(folder, 'announced.log'), (read) => {
    const key = v.safeParse(parts, read)
    return key.success ? key.output : undefined
  })

/** Announces raw reports, and passes ready ones to the downloads. */
export class ReportAnnouncer {
  readonly #context: RawContext
  readonly #log: ShownLog<ReportKey>
  readonly #announcer: Announcer<Announcement, ReportKey>
  /** Ready reports that were passed to the downloads in this session. */
  readonly #handOvers = new Map<string, Promise<void>>()
  /** Announcements whose rows and size were requested. */
  readonly #sized = new Set<string>()

  constructor(context: RawContext) {
    this.#context = context
    this.#log = reportLog(context.folder)
    this.#announcer = new Announcer({
      ...{ clock: context.clock, log: this.#log, keyOf },
      groups: (signal) => this.#groups(signal),
      mark: (keys) => this.#mark(keys),
      // The account may have been removed with its announcements.
      stillCurrent: (found) => {
        const accounts = new Set(context.accounts.list().map(({ id }) => id))
        return found.filter(({ account }) => accounts.has(account))
      },
      show: (announcements, handing) => context.news.announce(batchOf(announcements), handing),
    })
  }

  /** Shows pending announcements. Never rejects. */
  flush(): Promise<void> {
    // Downloads start without waiting for the desktop.
    if (this.#announcer.isRunning) void this.#handOverWaiting().catch(() => undefined)
    return this.#announcer.flush()
  }

  /** Postpones announcements until `work` settles or `max` milliseconds pass, then shows all at once. */
  hold(work: Promise<unknown>, max: number): Promise<void> {
    return this.#announcer.hold(work, max)
  }

  stop(): Promise<void> {
    return this.#announcer.stop()
  }

  async #groups(signal: AbortSignal): Promise<readonly (readonly Announcement[])[]> {
    const waiting = await this.#context.store.run('raw-announcements/unshown', undefined)
    if (waiting.length === 0) return []
    // Announcements interrupted here are not shown yet. The next round shows them.
    await withSignal(signal, () => Promise.all(waiting.map((announcement) => this.#handOver(announcement))))
    const { announce } = (await this.#context.settings.read()).raw
    const silent = waiting.filter(({ kind }) => !announce[kind])
    if (silent.length > 0) await this.#mark(silent.map(keyOf))
    const loud = waiting.filter(({ kind }) => announce[kind])
    if (loud.length > maxSingly) return [loud]
    const sized = await Promise.all(loud.map((announcement) => this.#withSize(announcement, signal)))
    return sized.map((announcement) => [announcement])
  }

  async #mark(keys: readonly ReportKey[]): Promise<void> {
    const plain = keys.map(([account, report, kind]) => ({ account, report, kind }))
    const now = instantOf(this.#context.clock.now())
    await this.#context.store.run('raw-announcements/shown', { keys: plain, shownAt: now })
  }

  async #handOverWaiting(): Promise<void> {
    const waiting = await this.#context.store.run('raw-announcements/unshown', undefined)
    await Promise.all(
      waiting
        .filter((announcement) => !this.#log.has(keyOf(announcement)))
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
  async #withSize(announcement: Announcement, signal: AbortSignal): Promise<Announcement> {
    const { account, report, kind } = announcement
    const has = announcement.rows !== null || announcement.size !== null
    const mayHaveSize = kind === 'ready' || kind === 'failed'
    if (has || !mayHaveSize || this.#sized.has(textOf(announcement))) return announcement
    this.#sized.add(textOf(announcement))
    try {
      const params = { account, report, priority: 'background' } as const
      const limit = { milliseconds: sideWorkTimeout, clock: this.#context.clock, signal }
      const record = await withTimeout(limit, (either) =>
        fetchRecord(this.#context, { ...params, signal: either }),
      )
      const { rows, file_size: size } = record
      await this.#context.store.run('raw-announcements/size', { account, report, rows, size })
      return { ...announcement, rows, size }
    } catch {
      // Announced without rows and size.
      return announcement
    }
  }
}

const batchOf = (announcements: readonly Announcement[]): AnnouncementBatch => {
  const [announcement] = announcements
  return announcement && announcements.length === 1
    ? { kind: 'one', announcement }
    : { kind: 'summary', announcements }
}
