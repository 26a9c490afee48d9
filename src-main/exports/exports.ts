import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { ExportId, ExportOrder, ExportProgress } from '#shared/exports/order.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { ofOneScope } from '#main/reports/one-scope.ts'
import { TableReader } from './table-reader.ts'
import { chartJob, fileJob, jobOf } from './jobs.ts'
import type { FileJob, Job, Progress, Result } from './jobs.ts'
import { ExportList } from './export-list.ts'
import type { ExportsParts } from './exports-parts.ts'

/** Taking figures out of the app: as files, and into the clipboard. */
export type Exports = {
  /** Begins, and comes back at once; `exports/changed` tells the rest. */
  readonly start: (account: AccountId, order: ExportOrder) => Promise<{ readonly id: ExportId }>
  readonly chart: (account: AccountId, name: string, png: Uint8Array) => Promise<{ readonly id: ExportId }>
  /** Carries out an export of another module's: it saves a file, and stands in the list like any other. */
  readonly run: (account: AccountId, job: FileJob) => { readonly id: ExportId }
  readonly list: () => readonly ExportProgress[]
  readonly cancel: (id: ExportId) => void
  readonly dismiss: (id: ExportId) => void
  readonly show: (id: ExportId) => Promise<null>
  readonly open: (id: ExportId) => Promise<null>
  /** Ends what is running; half-written files go. */
  readonly close: () => Promise<void>
}

/** Nobody waits for more at once; each takes a thread. */
const MAX_AT_ONCE = 8

type Running = {
  readonly reader: TableReader
  readonly controller: AbortController
  readonly ended: Promise<void>
}

export function createExports(parts: ExportsParts): Exports {
  const exportList = new ExportList(
    (progress) => parts.events.emit({ kind: 'exports/changed', ...progress }),
    parts.clock.now,
  )
  const running = new Map<ExportId, Running>()

  const begin = (account: AccountId, job: Job): { readonly id: ExportId } => {
    if (running.size >= MAX_AT_ONCE) throw tooMany()
    const id = exportList.add(job.name)
    const controller = new AbortController()
    const { signal } = controller
    const reader = new TableReader(parts, account, signal)
    const progress: Progress = (done, of) => exportList.set(id, { kind: 'running', done, of, unit: 'rows' })
    const attempt = () => {
      reader.begin()
      return job.run(reader, signal, progress)
    }
    const ended = ofOneScope(attempt, signal)
      .then((result) => finish(id, result))
      .catch((error: unknown) => fail(id, error, signal))
      .finally(() => running.delete(id))
    running.set(id, { reader, controller, ended })
    return { id }
  }
  const finish = (id: ExportId, { file, folder, rows }: Result) => {
    exportList.set(id, { kind: 'done', file, rows }, file === null ? null : join(folder, file))
  }
  const fail = (id: ExportId, error: unknown, { aborted }: AbortSignal) => {
    const failure = failureOf(error)
    exportList.set(
      id,
      aborted || failure.kind === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', failure },
    )
  }
  // How far a question is that an export waits for, so far is the export.
  const stopFollowing = parts.events.on('reports/progress', (event) => {
    const { done, of, unit } = event
    if (unit !== 'days') return
    for (const [id, { reader }] of running)
      if (reader.isAbout(event)) exportList.set(id, { kind: 'running', done, of, unit })
  })
  const stop = (id: ExportId) => running.get(id)?.controller.abort()

  return {
    start: async (account, order) => begin(account, jobOf(parts, parts.accounts.account(account), order)),
    chart: async (account, name, png) =>
      begin(account, chartJob(parts, parts.accounts.account(account), name, png)),
    run: (account, job) => begin(account, fileJob(parts, parts.accounts.account(account), job)),
    list: () => exportList.list(),
    cancel: stop,
    dismiss: (id) => exportList.remove(id),
    show: async (id) => {
      parts.showFile(await existing(exportList.fileOf(id)))
      return null
    },
    open: async (id) => {
      const wrong = await parts.openFile(await existing(exportList.fileOf(id)))
      if (wrong !== '') throw new DeskFailure({ kind: 'disk', message: `It could not be opened: ${wrong}` })
      return null
    },
    close: async () => {
      stopFollowing()
      for (const id of running.keys()) stop(id)
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

/** Only files of this session are shown and opened, and only where they still lie where they were put. */
async function existing(path: string | null): Promise<string> {
  const found =
    path === null ? null : await slowFolderGuard.at(dirname(path), () => stat(path)).catch(() => null)
  if (path !== null && found?.isFile()) return path
  throw new DeskFailure({
    kind: 'disk',
    message: 'The file is no longer there: it was moved, renamed or removed.',
  })
}

const tooMany = () =>
  new DeskFailure({
    kind: 'invalid',
    message: `${MAX_AT_ONCE} exports are running already. Wait for one of them, or cancel it.`,
  })
