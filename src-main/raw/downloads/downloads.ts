import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { Mutex, within } from '#main/lib/async.ts'
import { safeStem } from '#shared/values/file-name.ts'
import type { StoredDownload, StoredState } from '#main/database/state/downloads-repository.ts'
import { Bandwidth } from './bandwidth.ts'
import { markOf, partPath, recover, stateOfNamed } from './pipeline.ts'
import { discardPart, lengthOf, sweepDrafts, takesFiles } from './part-file.ts'
import type { Downloads, DownloadsParts, KnownReport } from './downloads-parts.ts'
import { expired, fileIsAway, hasExpired, lookForFiles, savedFile } from './saved-files.ts'
import { Schedule } from './schedule.ts'
import { DownloadList, savedStateOf } from './download-list.ts'
import type { Entry } from './download-list.ts'

export type { Downloads, DownloadsParts, KnownReport } from './downloads-parts.ts'

/** How long a window waits for what folders answer, in milliseconds. */
const soon = 1000

/** Whether its archive was put where it belongs, whole; its tables may still be made. */
const isNamed = (state: StoredState): boolean =>
  state.kind === 'saved' || state.kind === 'unpacking' || (state.kind === 'failed' && state.named)

export function createDownloads(parts: DownloadsParts): Downloads {
  const list = new DownloadList(parts.store, parts.clock, (event) =>
    parts.events.emit({ kind: 'downloads/changed', ...event }),
  )
  const bandwidth = new Bandwidth(parts.clock)
  const looks = parts.looks ?? slowFolderGuard
  const schedule = new Schedule({ ...parts, list, bandwidth, looks }, parts.random ?? Math.random)
  /** What a person or a rule changes, one after the other. */
  const changes = new Mutex()
  let closed = false
  let loaded: Promise<void> | undefined
  let begun: Promise<void> | undefined
  /** Whether somebody wanted it to begin; the store may have refused. */
  let isWanted = false
  let isHeld = false

  const load = () =>
    (loaded ??= list.load().catch((error: unknown) => {
      // A store that refuses now may answer later.
      loaded = undefined
      throw error
    }))

  const begin = () => {
    isWanted = true
    return (begun ??= load()
      .then(goOn)
      .catch((error: unknown) => {
        begun = undefined
        throw error
      }))
  }

  async function goOn(): Promise<void> {
    const named = await namedState()
    await within(soon, Promise.all(list.entries.map((entry) => settle(entry, named))))
    await within(soon, look())
    if (!closed && !isHeld) schedule.open()
  }

  /** What the app was in the middle of when it ended. Where its folder does not answer, its run does it (pipeline.ts). */
  async function settle(entry: Entry, named: StoredState): Promise<void> {
    const { folder } = entry.stored
    try {
      await recover(entry, named, { list, looks })
      const path = partPath(entry)
      if (path !== null) entry.got = (await looks.at(folder, () => lengthOf(path))) ?? 0
    } catch {
      entry.got = 0
    }
  }

  const now = () => parts.clock.now() as Instant

  const namedState = async () => stateOfNamed((await parts.settings()).unpack, parts)

  const look = () => lookForFiles(list, looks, now())

  /** @throws DeskFailure where it is off the list */
  async function entryOf(id: DownloadId): Promise<Entry> {
    await begin()
    const entry = list.find(id)
    if (entry) return entry
    throw new DeskFailure({ kind: 'invalid', message: 'This download is no longer in the list.' })
  }

  async function add(account: AccountId, report: KnownReport, folder: string): Promise<Entry> {
    const stored: StoredDownload = {
      id: randomUUID() as DownloadId,
      account,
      report: report.id,
      name: report.name,
      folder,
      file: `${safeStem(report.name, 'Raw report')}.zip`,
      ...{ part: null, host: null, size: null, etag: null },
      expires: report.expires,
      addedAt: now(),
      state: { kind: 'waiting' },
    }
    return await list.add(stored)
  }

  /** Nothing of it runs any more, and nothing half-written is left. */
  async function clear(entry: Entry): Promise<void> {
    await schedule.stop(entry)
    const { folder, state } = entry.stored
    const path = partPath(entry)
    if (path !== null) await looks.at(folder, () => discardPart(path)).catch(() => undefined)
    entry.got = 0
    if (state.kind === 'unpacking')
      await looks.at(folder, () => sweepDrafts(folder, markOf(entry))).catch(() => undefined)
  }

  /** Fetches it from the beginning, into this folder. */
  async function fetchAnew(entry: Entry, folder: string): Promise<void> {
    await clear(entry)
    entry.missing = false
    await list.keep(entry, { folder, part: null, etag: null, state: { kind: 'waiting' } })
  }

  async function goOnWith(entry: Entry): Promise<void> {
    const { state, part, folder, file, size } = entry.stored
    switch (state.kind) {
      case 'saved': {
        await look()
        if (!entry.missing) return
        if (hasExpired(entry, now())) throw expired()
        return await fetchAnew(entry, folder)
      }
      case 'failed': {
        const lies = () => lengthOf(join(folder, file))
        const there = state.named && (await looks.at(folder, lies)) === size
        if (there) return await list.keep(entry, { state: await namedState() })
        const other = await parts.downloads()
        // What the person was told to do: choose another folder.
        const takes = () => looks.at(folder, () => takesFiles(folder)).catch(() => false)
        const moves = state.failure.kind === 'disk' && other !== folder && !(await takes())
        if (moves) return await fetchAnew(entry, other)
        return await list.keep(entry, { part: state.named ? null : part, state: { kind: 'waiting' } })
      }
      case 'paused':
        return await list.keep(entry, { state: { kind: 'waiting' } })
      case 'waiting':
      case 'publishing':
      case 'unpacking':
        return schedule.retryNow()
    }
  }

  /** Saves what is saved already once more; the file from before stays where it is. */
  async function saveAgain(entry: Entry): Promise<void> {
    await look()
    const isSaved = entry.stored.state.kind === 'saved' && !entry.missing
    if (!isSaved) return await goOnWith(entry)
    if (hasExpired(entry, now())) throw expired()
    await fetchAnew(entry, await parts.downloads())
  }

  /** @returns the name of the file that stays, where there is one */
  async function cancel(entry: Entry): Promise<string | null> {
    await clear(entry)
    const lies = () => savedFile(entry, looks).catch(() => null)
    const stays = isNamed(entry.stored.state) && (await lies()) !== null
    try {
      await list.remove(entry)
    } catch (error) {
      // It stays on the list, and still is not begun again.
      if (entry.stored.state.kind === 'waiting') await list.keep(entry, { state: { kind: 'paused' } })
      throw error
    }
    return stays ? entry.stored.file : null
  }

  /** Runs one change in its turn; what may run after it is started. */
  const change = <T>(work: () => Promise<T>): Promise<T> =>
    changes.run(async () => {
      await begin()
      try {
        return await work()
      } finally {
        schedule.settle()
      }
    })

  const shown = () => list.entries.map((entry) => list.shown(entry))

  /** @throws DeskFailure where it is not there */
  async function fileOf(entry: Entry): Promise<string> {
    const path = await savedFile(entry, looks)
    if (path !== null) return path
    await look()
    throw fileIsAway()
  }

  return {
    list: async () => {
      await begin()
      await within(soon, look())
      return shown()
    },
    known: async () => {
      await load()
      return shown()
    },
    start: async ({ account, report, choose, anew = false }) => {
      const chosen = choose ? await parts.chooseFolder() : null
      if (choose && chosen === null) return null
      return await change(async () => {
        const entry = list.ofReport(account, report)
        if (entry) {
          if (chosen !== null) await fetchAnew(entry, chosen)
          else await (anew ? saveAgain(entry) : goOnWith(entry))
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
        if (entry.stored.state.kind !== 'waiting') return null
        await schedule.stop(entry)
        // It may have come to its end meanwhile.
        if (entry.stored.state.kind === 'waiting') await list.keep(entry, { state: { kind: 'paused' } })
        return null
      }),
    resume: (id) =>
      change(async () => {
        await goOnWith(await entryOf(id))
        return null
      }),
    cancel: (id) =>
      change(async () => {
        return { stays: await cancel(await entryOf(id)) }
      }),
    order: (ids) =>
      change(async () => {
        await list.order(ids)
        return null
      }),
    show: async (id) => {
      parts.showFile(await fileOf(await entryOf(id)))
      return null
    },
    showReport: async ({ account, report }) => {
      await begin()
      const entry = list.ofReport(account, report)
      if (!entry) throw fileIsAway()
      parts.showFile(await fileOf(entry))
      return null
    },
    open: async (id) => {
      const wrong = await parts.openFile(await fileOf(await entryOf(id)))
      if (wrong !== '') throw new DeskFailure({ kind: 'disk', message: `It could not be opened: ${wrong}` })
      return null
    },
    reportReady: (account, report) =>
      change(async () => {
        if (list.ofReport(account, report.id)) return
        const { saving } = await parts.settings()
        const wanted =
          saving === 'all' ||
          (saving === 'templates' && ((await parts.templateOf(account, report.id))?.save ?? false))
        if (wanted) await add(account, report, await parts.downloads())
      }),
    savedState: (account, report) => {
      const entry = list.ofReport(account, report)
      return entry ? savedStateOf(list.shown(entry)) : 'none'
    },
    saved: async (account) => {
      await load()
      return list.entries
        .filter(({ stored }) => stored.account === account && stored.part === null && isNamed(stored.state))
        .map(({ stored: { report, name, folder, file, addedAt } }) => ({
          ...{ report, name, addedAt },
          path: join(folder, file),
        }))
        .toReversed()
    },
    begin,
    retryNow: () => {
      if (closed || !isWanted) return
      begin()
        .then(look)
        .catch(() => undefined)
      parts
        .settings()
        .then((settings) => bandwidth.limit(settings.bandwidth))
        .catch(() => undefined)
      schedule.retryNow()
    },
    wake: (account) => {
      if (!closed && isWanted) schedule.wake(account)
    },
    hold: (held) => {
      if (held === isHeld) return
      isHeld = held
      if (!begun || closed) return
      void change(async () => {
        if (held) await schedule.close()
        else schedule.open()
      }).catch(() => undefined)
    },
    forget: (account) =>
      change(async () => {
        for (const entry of list.entries) if (entry.stored.account === account) await cancel(entry)
      }),
    close: async () => {
      closed = true
      await schedule.close()
      list.close()
    },
  }
}
