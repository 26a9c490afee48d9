import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deskFailure, invalid } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { JobContext, Jobs } from '#main/lib/jobs.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Settings } from '#main/settings/settings.ts'
import { ofOneScope } from '#main/reports/one-scope.ts'
import { ExportMaker } from './making.ts'
import type { FileMaking, Making } from './making.ts'
import { TableReader } from './table-reader.ts'
import type { ReadAccounts, ReadReports } from './table-reader.ts'
import type { OpenWriter } from './writing-thread.ts'

type Begun = { readonly id: JobId }

/** Maximum number of concurrent exports. Each takes a thread. */
const concurrency = 8

/** Exports figures to files and to the clipboard. Each export is a job, whose progress is in `jobs/changed`. */
export class Exports implements Module {
  readonly name = 'exports'
  readonly #accounts: ReadAccounts
  readonly #reports: ReadReports
  readonly #shell: Pick<SystemShell, 'showFile' | 'openFile'>
  readonly #jobs: Jobs
  readonly #events: Pick<AppEvents, 'on'>
  readonly #clock: Clock
  readonly #maker: ExportMaker

  /** Parameters as in ExportMaker (making.ts). */
  constructor(
    accounts: ReadAccounts,
    reports: ReadReports,
    settings: Pick<Settings, 'downloadFolder' | 'read'>,
    shell: Pick<SystemShell, 'copy' | 'print' | 'showFile' | 'openFile'>,
    jobs: Jobs,
    events: Pick<AppEvents, 'on'>,
    clock: Clock,
    openWriter: OpenWriter,
    work: string,
  ) {
    this.#accounts = accounts
    this.#reports = reports
    this.#shell = shell
    this.#jobs = jobs
    this.#events = events
    this.#clock = clock
    this.#maker = new ExportMaker(settings, shell, openWriter, clock, work)
  }

  /** Starts an export and returns at once. @throws DeskFailure if the export cannot start */
  readonly begin: Handler<'exports/start'> = async ({ account, order }) =>
    this.#asJob(account, this.#maker.making(this.#accounts.account(account), order))

  readonly chart: Handler<'exports/chart'> = async ({ account, name, png }) =>
    this.#asJob(account, this.#maker.chart(this.#accounts.account(account), name, png))

  /** Runs an export of another module as a job, which saves a file. */
  run(account: AccountId, making: FileMaking): Begun {
    return this.#asJob(account, this.#maker.file(this.#accounts.account(account), making))
  }

  readonly show: Handler<'exports/show'> = async ({ id }) => {
    this.#shell.showFile(await existing(this.#jobs.fileOf(id)))
    return null
  }

  readonly open: Handler<'exports/open'> = async ({ id }) => {
    const wrong = await this.#shell.openFile(await existing(this.#jobs.fileOf(id)))
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

  #asJob(account: AccountId, making: Making): Begun {
    const running = this.#jobs.list().filter(({ kind, state }) => kind === 'export' && !isOver(state))
    if (running.length >= concurrency) throw tooMany()
    const run = (context: JobContext) => this.#run(account, making, context)
    return this.#jobs.run({ kind: 'export', account, subject: null, title: making.name, unit: 'rows', run })
  }

  async #run(account: AccountId, making: Making, { signal, progress }: JobContext) {
    const reader = new TableReader(this.#accounts, this.#reports, this.#clock, account, signal)
    // While an export waits for a query, the query's progress is the export's.
    const stopFollowing = this.#events.on('reports/progress', (event) => {
      const { done, total, unit } = event
      if (unit === 'days' && reader.isAbout(event)) progress({ done, total, unit })
    })
    const attempt = () => {
      reader.begin()
      return making.run(reader, signal, (done, total) => progress({ done, total, unit: 'rows' }))
    }
    try {
      return await ofOneScope(attempt, signal)
    } finally {
      stopFollowing()
    }
  }
}

/** Only files of this session are shown and opened, if they still exist. */
async function existing(path: string | null): Promise<string> {
  const found =
    path === null ? null : await slowFolderGuard.run(dirname(path), () => stat(path)).catch(() => null)
  if (path !== null && found?.isFile()) return path
  throw deskFailure('disk', 'The file was moved, renamed or deleted.')
}

const tooMany = () =>
  invalid(`${concurrency} exports are running already. Wait for one of them, or cancel it.`)
