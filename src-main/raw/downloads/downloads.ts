import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { Download, DownloadId, DownloadsChanged } from '../../../src-shared/downloads/download.ts'
import type { RawTemplate } from '../../../src-shared/raw/asking.ts'
import type { SavedState } from '../../../src-shared/raw/listed.ts'
import type { RawListRow } from '../../../src-shared/service/answers.ts'
import type { AccountId, Instant, RawReportId } from '../../../src-shared/values/ids.ts'
import { Turns } from '../../accounts/turns.ts'
import { safeStem } from '../../files/file-name.ts'
import type { KeptDownload } from '../../store/downloads-repository.ts'
import type { Store } from '../../store/store.ts'
import { sweepDrafts } from './archive-tasks.ts'
import { Bandwidth } from './bandwidth.ts'
import { createFetcher } from './fetching.ts'
import type { FetchOptions } from './fetching.ts'
import { markOf, partPath } from './going.ts'
import type { GoingParts } from './going.ts'
import { discardPart, lengthOf } from './part-file.ts'
import { recovered } from './recovery.ts'
import { Schedule } from './schedule.ts'
import { Shelf, savedStateOf } from './shelf.ts'
import type { Entry } from './shelf.ts'

/** What is known of a report without asking the service. */
export type KnownReport = Pick<RawListRow, 'id' | 'name' | 'expires'>

export type DownloadsParts = GoingParts &
  FetchOptions & {
    readonly store: Pick<Store, 'run'>
    readonly emit: (name: 'downloads/changed', event: DownloadsChanged) => void
    /** The folder of downloads, as it is set at this moment. */
    readonly downloads: () => Promise<string>
    /** Lets the person choose a folder; null where they thought better of it. */
    readonly chooseFolder: () => Promise<string | null>
    /** A report of the kept list; null where it is not in it. */
    readonly knownReport: (account: AccountId, report: RawReportId) => Promise<KnownReport | null>
    /** The template that a report was asked for with; null where there was none. */
    readonly templateOf: (
      account: AccountId,
      report: RawReportId,
    ) => Promise<Pick<RawTemplate, 'save'> | null>
    /** Shows a file in the system's file manager. */
    readonly showFile: (path: string) => void
    /** Opens a file with the program that the system has for it; what is wrong in words, or nothing. */
    readonly openFile: (path: string) => Promise<string>
    /** 0 to 1, for the jitter of pauses. */
    readonly random?: () => number
  }

/** Raw reports' archives on their way to the disk. Every call throws `DeskFailure`s. */
export type Downloads = {
  readonly list: () => Promise<readonly Download[]>
  readonly start: (asked: {
    readonly account: AccountId
    readonly report: RawReportId
    readonly choose: boolean
  }) => Promise<{ readonly id: DownloadId } | null>
  readonly pause: (id: DownloadId) => Promise<null>
  readonly resume: (id: DownloadId) => Promise<null>
  readonly cancel: (id: DownloadId) => Promise<null>
  readonly order: (ids: readonly DownloadId[]) => Promise<null>
  readonly show: (id: DownloadId) => Promise<null>
  readonly open: (id: DownloadId) => Promise<null>
  /** A report became ready: it is saved where the rule says so. Told twice, it is saved once. */
  readonly reportReady: (account: AccountId, report: KnownReport) => Promise<void>
  /** Where a report's file is, as far as is known at this moment. */
  readonly savedState: (account: AccountId, report: RawReportId) => SavedState
  /** Goes on with what the last session left. */
  readonly begin: () => Promise<void>
  /** Awake, online, looked at, or set otherwise: what paused by itself goes on, and files are looked for. */
  readonly nudge: () => void
  /** Gives up everything of an account that is about to be removed; saved files stay. */
  readonly forget: (account: AccountId) => Promise<void>
  /** Breaks off what runs; it goes on at the next `begin`. */
  readonly close: () => Promise<void>
}

export function createDownloads(parts: DownloadsParts): Downloads {
  const shelf = new Shelf(parts.store, parts.clock, (event) => parts.emit('downloads/changed', event))
  const fetcher = createFetcher(parts)
  const bandwidth = new Bandwidth(parts.clock)
  const schedule = new Schedule({ ...parts, shelf, fetcher, bandwidth }, parts.random ?? Math.random)
  /** What a person or a rule changes, one after the other. */
  const turns = new Turns()
  let closed = false
  let begun: Promise<void> | undefined

  const begin = () => (begun ??= load())

  async function load(): Promise<void> {
    await shelf.load()
    const { unpack } = await parts.settings()
    const saved = unpack ? { as: 'unpacking' as const } : { as: 'saved' as const, at: now() }
    for (const entry of shelf.entries) {
      const change = await recovered(entry.kept, saved)
      if (change) await shelf.keep(entry, change)
      const path = partPath(entry)
      if (path !== null) entry.got = (await lengthOf(path).catch(() => null)) ?? 0
    }
    await look()
    if (!closed) schedule.open()
  }

  const now = () => parts.clock.now() as Instant
  const hasExpired = ({ kept: { expires } }: Entry) => Date.parse(expires ?? '') <= now()

  /** Looks for the files that were saved. One that has gone and cannot be fetched again is off the list. */
  async function look(): Promise<void> {
    for (const entry of shelf.entries) {
      if (entry.kept.state.as !== 'saved') continue
      const missing = !(await isFile(join(entry.kept.folder, entry.kept.file)))
      if (missing && hasExpired(entry)) await shelf.remove(entry).catch(() => undefined)
      else if (missing !== entry.missing) {
        entry.missing = missing
        shelf.tell(entry)
      }
    }
  }

  /** @throws DeskFailure where it is off the list */
  async function entryOf(id: DownloadId): Promise<Entry> {
    await begin()
    const entry = shelf.find(id)
    if (entry) return entry
    throw new DeskFailure({ kind: 'invalid', message: 'This download is no longer on the list.' })
  }

  async function add(account: AccountId, report: KnownReport, folder: string): Promise<Entry> {
    const kept: KeptDownload = {
      id: randomUUID() as DownloadId,
      account,
      report: report.id,
      name: report.name,
      folder,
      file: `${safeStem(report.name, 'Raw report')}.zip`,
      ...{ part: null, host: null, size: null, etag: null },
      expires: report.expires,
      addedAt: now(),
      state: { as: 'waiting' },
    }
    return await shelf.add(kept)
  }

  /** Nothing of it runs any more, and nothing half-written is left. */
  async function clear(entry: Entry): Promise<void> {
    await schedule.stop(entry)
    const path = partPath(entry)
    if (path !== null) await discardPart(path).catch(() => undefined)
    if (entry.kept.state.as === 'unpacking') {
      await sweepDrafts(entry.kept.folder, markOf(entry)).catch(() => undefined)
    }
  }

  /** Fetches it from the beginning, into this folder. */
  async function fetchAnew(entry: Entry, folder: string): Promise<void> {
    await clear(entry)
    entry.missing = false
    entry.got = 0
    await shelf.keep(entry, { folder, part: null, etag: null, state: { as: 'waiting' } })
  }

  async function goOnWith(entry: Entry): Promise<void> {
    const { state, part, folder, file, size } = entry.kept
    switch (state.as) {
      case 'saved': {
        await look()
        if (!entry.missing) return
        if (hasExpired(entry)) throw expired()
        return await fetchAnew(entry, folder)
      }
      case 'failed': {
        // Where the archive is saved, only its tables are missing.
        const there = part === null && size !== null && (await lengthOf(join(folder, file))) === size
        return await shelf.keep(entry, { state: there ? { as: 'unpacking' } : { as: 'waiting' } })
      }
      case 'paused':
        return await shelf.keep(entry, { state: { as: 'waiting' } })
      case 'waiting':
      case 'publishing':
      case 'unpacking':
        return schedule.nudge()
    }
  }

  async function cancel(entry: Entry): Promise<void> {
    await clear(entry)
    await shelf.remove(entry)
  }

  /** Runs one change in its turn; what may run after it is started. */
  const change = <T>(work: () => Promise<T>): Promise<T> =>
    turns.take(async () => {
      await begin()
      try {
        return await work()
      } finally {
        schedule.settle()
      }
    })

  /** The file of a saved download. @throws DeskFailure where it is not there */
  async function savedFile(id: DownloadId): Promise<string> {
    const entry = await entryOf(id)
    const path = join(entry.kept.folder, entry.kept.file)
    if (entry.kept.part === null && (await isFile(path))) return path
    await look()
    throw new DeskFailure({
      kind: 'disk',
      message:
        'The file is not there: it was moved, renamed or removed. It can be fetched again until it expires.',
    })
  }

  return {
    list: async () => {
      await begin()
      await look()
      return shelf.entries.map((entry) => shelf.shown(entry))
    },
    start: async ({ account, report, choose }) => {
      const chosen = choose ? await parts.chooseFolder() : null
      if (choose && chosen === null) return null
      return await change(async () => {
        const entry = shelf.ofReport(account, report)
        if (entry) {
          await (chosen === null ? goOnWith(entry) : fetchAnew(entry, chosen))
          return { id: entry.id }
        }
        const known = await parts.knownReport(account, report)
        const { id } = await add(
          account,
          known ?? { id: report, name: '', expires: null },
          chosen ?? (await parts.downloads()),
        )
        return { id }
      })
    },
    pause: (id) =>
      change(async () => {
        const entry = await entryOf(id)
        if (entry.kept.state.as !== 'waiting') return null
        await schedule.stop(entry)
        // It may have come to its end meanwhile.
        if (entry.kept.state.as === 'waiting') await shelf.keep(entry, { state: { as: 'paused' } })
        return null
      }),
    resume: (id) =>
      change(async () => {
        await goOnWith(await entryOf(id))
        return null
      }),
    cancel: (id) =>
      change(async () => {
        await cancel(await entryOf(id))
        return null
      }),
    order: (ids) =>
      change(async () => {
        await shelf.order(ids)
        return null
      }),
    show: async (id) => {
      parts.showFile(await savedFile(id))
      return null
    },
    open: async (id) => {
      const wrong = await parts.openFile(await savedFile(id))
      if (wrong !== '') throw new DeskFailure({ kind: 'disk', message: `It could not be opened: ${wrong}` })
      return null
    },
    reportReady: (account, report) =>
      change(async () => {
        if (shelf.ofReport(account, report.id)) return
        const { saving } = await parts.settings()
        const wanted =
          saving === 'all' ||
          (saving === 'templates' && ((await parts.templateOf(account, report.id))?.save ?? false))
        if (wanted) await add(account, report, await parts.downloads())
      }),
    savedState: (account, report) => {
      const entry = shelf.ofReport(account, report)
      return entry ? savedStateOf(shelf.shown(entry)) : 'none'
    },
    begin,
    nudge: () => {
      if (closed || !begun) return
      begun.then(look).catch(() => undefined)
      parts
        .settings()
        .then((settings) => bandwidth.limit(settings.bandwidth))
        .catch(() => undefined)
      schedule.nudge()
    },
    forget: (account) =>
      change(async () => {
        for (const entry of shelf.entries) if (entry.kept.account === account) await cancel(entry)
      }),
    close: async () => {
      closed = true
      await schedule.close()
      shelf.close()
    },
  }
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

const expired = () =>
  new DeskFailure({
    kind: 'not-found',
    message: 'This report has expired: the service no longer keeps it, so it cannot be fetched again.',
  })
