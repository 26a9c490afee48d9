import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deskFailure, invalid } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { JobContext } from '#main/lib/jobs.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { ofOneScope } from '#main/reports/one-scope.ts'
import type { ExportsContext } from './exports-context.ts'
import type { ExportMaker, ExportTarget, FileExport, RunnableExport } from './export-maker.ts'
import { TableReader } from './table-reader.ts'

type Begun = { readonly id: JobId }

/** Maximum number of concurrent exports. Each takes a thread. */
const concurrency = 8

/** Exports figures to files and to the clipboard. Each export is a job, whose progress is in `jobs/changed`. */
export class Exports implements Module {
  readonly name = 'exports'
  readonly #context: ExportsContext

  constructor(context: ExportsContext) {
    this.#context = context
  }

  /** Starts an export and returns at once. @throws DeskFailure if the export cannot start */
  readonly begin: Handler<'exports/start'> = async ({ account, order }) =>
    this.#asJob(account, (await this.#maker()).exportFor(this.#context.accounts.account(account), order))

  readonly chart: Handler<'exports/chart'> = async ({ account, name, png }) =>
    this.#asJob(account, (await this.#maker()).chart(this.#context.accounts.account(account), name, png))

  /**
   * Makes a file at a target, as a job that leaves the list when it ends.
   * @param what an order, or a file that another module writes
   * @returns the file's name
   * @throws DeskFailure if there is no such file; `cancelled`
   */
  async make(
    account: AccountId,
    what: ExportOrder | FileExport,
    target: ExportTarget,
    signal: AbortSignal,
  ): Promise<string> {
    const maker = await this.#maker(target)
    const profile = this.#context.accounts.account(account)
    const runnable = 'write' in what ? maker.file(profile, what) : maker.exportFor(profile, what)
    const { file } = await this.#context.jobs.finish(
      { ...this.#orderOf(account, runnable), passing: true },
      signal,
    )
    if (file === null) throw new TypeError('The clipboard is no file')
    return file
  }

  /** Runs an export of another module as a job, which saves a file. */
  async run(account: AccountId, file: FileExport): Promise<Begun> {
    return this.#asJob(account, (await this.#maker()).file(this.#context.accounts.account(account), file))
  }

  readonly show: Handler<'exports/show'> = async ({ id }) => {
    this.#context.shell.showFile(await existing(this.#context.jobs.fileOf(id)))
    return null
  }

  readonly open: Handler<'exports/open'> = async ({ id }) => {
    const wrong = await this.#context.shell.openFile(await existing(this.#context.jobs.fileOf(id)))
    if (wrong !== '') throw deskFailure('disk', `Can't open it: ${wrong}`)
    return null
  }

  readonly handlers = {
    'exports/start': this.begin,
    'exports/chart': this.chart,
    'exports/show': this.show,
    'exports/open': this.open,
  } satisfies Partial<Handlers>

  /** The jobs cancel running exports. */
  stop(): Promise<void> {
    return Promise.resolve()
  }

  /** Loaded with the first export. */
  async #maker(target: ExportTarget | null = null): Promise<ExportMaker> {
    const { ExportMaker: Maker } = await import('./export-maker.ts')
    return new Maker(this.#context, target)
  }

  #asJob(account: AccountId, runnable: RunnableExport): Begun {
    const { jobs } = this.#context
    const running = jobs.list().filter(({ kind, state }) => kind === 'export' && !isOver(state))
    if (running.length >= concurrency) throw tooMany()
    return jobs.run(this.#orderOf(account, runnable))
  }

  #orderOf(account: AccountId, runnable: RunnableExport) {
    const run = (context: JobContext) => this.#run(account, runnable, context)
    return { kind: 'export', account, subject: null, title: runnable.name, unit: 'rows', run } as const
  }

  async #run(account: AccountId, runnable: RunnableExport, { signal, progress }: JobContext) {
    const reader = new TableReader(this.#context, account, signal)
    // While an export waits for a query, the query's progress is the export's.
    const stopFollowing = this.#context.events.on('reports/progress', (event) => {
      const { done, total, unit } = event
      if (unit === 'days' && reader.isAbout(event)) progress({ done, total, unit })
    })
    const attempt = () => {
      reader.begin()
      return runnable.run(reader, signal, (done, total) => progress({ done, total, unit: 'rows' }))
    }
    try {
      return await ofOneScope(attempt, signal)
    } finally {
      stopFollowing()
    }
  }
}

/** Returns the path of a file that still exists. @throws DeskFailure `disk` otherwise */
export async function existing(path: string | null): Promise<string> {
  const found =
    path === null ? null : await slowFolderGuard.run(dirname(path), () => stat(path)).catch(() => null)
  if (path !== null && found?.isFile()) return path
  throw deskFailure('disk', 'The file was moved, renamed or deleted.')
}

const tooMany = () =>
  invalid(`${concurrency} exports are running already. Wait for one of them, or cancel it.`)
