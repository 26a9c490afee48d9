import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Account } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import type { ExportOrder, ReportFormat } from '#shared/exports/order.ts'
import { nameOf } from '#shared/reports/query.ts'
import { families } from '#shared/api/dimensions.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { readAddress, tableQueryAt } from '#shared/views/address.ts'
import { rangeOf } from '#shared/views/period.ts'
import { usualPaper, writePrintAddress } from '#shared/exports/paper.ts'
import type { Paper } from '#shared/exports/paper.ts'
import { marksOf } from '#shared/reports/figure-facts.ts'
import { clipboardForm } from '#shared/values/delimited.ts'
import type { CsvForm } from '#shared/values/delimited.ts'
import type { ParquetParams } from '#main/reports/engine/table-calls.ts'
import type { TableReader } from './table-reader.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { throwIfCancelled, withSignal } from '#main/lib/async.ts'
import type { JobResult } from '#main/lib/jobs.ts'
import { ownFolderIn } from '#main/lib/work-folder.ts'
import type { ExportsContext } from './exports-context.ts'
import { clippingOf, linesBelow } from './clipboard.ts'
import { headerLine, lines } from './csv-file.ts'
import { commonFiltersOf, filtersOf, knownOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { overviewSheet } from './overview-sheet.ts'
import { withDraft } from '#main/files/draft.ts'
import { exportStem } from './export-stem.ts'
import { tablePart, workbookParts, writeParts } from './table-export.ts'
import type { TablePart, WriteSummary } from './table-export.ts'
import { readReport, writeReport } from './report-workbook.ts'
import type { WritingThread } from './writing-thread.ts'
import { copyInThread, startWriting } from './writing-thread.ts'

/** An export that can run. */
export type RunnableExport = {
  /** Title of the export. */
  readonly name: string
  /**
   * Reads with `reader`, and reports the rows done and the total.
   * @throws DeskFailure and ServiceFailure. A failure leaves no partial file
   */
  readonly run: (reader: TableReader, signal: AbortSignal, progress: Progress) => Promise<JobResult>
}

type Progress = (done: number, total: number | null) => void

type OverviewOrder = Extract<ExportOrder, { kind: 'overview' }>

/** Parts of a file's name: report, days and filters. */
type About = {
  readonly name: string
  readonly range: DayRange
  readonly filters: Facts['filters']
}

const fileStemOf = (account: Account, { name, range, filters }: About): string =>
  exportStem(
    account.name,
    name,
    range,
    filters.map(({ value }) => value),
  )

/** A file of tables: its name without extension, and its format. */
type WrittenFile = {
  readonly stem: string
  readonly format: ReportFormat
  readonly charts?: boolean
}

/** Signature of a PNG. */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** A file that another module writes. */
export type FileExport = {
  /** Title of the export. */
  readonly name: string
  /** File name without extension. Defaults to account and title. */
  readonly stem?: string
  readonly ending: string
  /**
   * Writes into `path`, an existing empty file in the profile folder. The file is then copied to the download folder, and disk errors
   * become failures.
   * @param csv form of a CSV
   * @returns the number of rows, and the cells of a workbook that were cut
   */
  readonly write: (
    path: string,
    signal: AbortSignal,
    progress: Progress,
    csv?: CsvForm,
  ) => Promise<Pick<JobResult, 'rows' | 'cut'>>
}

/** Where a file is saved, for a module that must know after a crash whether its file was made. */
export type ExportTarget = {
  readonly folder: string
  /** File name without extension. */
  readonly stem: string
  /** Called with the whole file's draft before it gets a name; both lie in the folder. */
  readonly intend: (draft: string, name: string) => Promise<void>
}

/** A draft in the target folder. */
type SavedDraft = {
  readonly path: string
  readonly folder: string
  /** Names the file. @param mark short suffix of the stem */
  readonly publish: (stem: string, ending: string, mark?: string) => Promise<string>
}

/** Creates exports from orders: figures are read, written in a thread, and saved in the download folder or at a target. */
export class ExportMaker {
  readonly #context: ExportsContext
  readonly #target: ExportTarget | null

  constructor(context: ExportsContext, target: ExportTarget | null = null) {
    this.#context = context
    this.#target = target
  }

  /** Returns the export for an order. */
  exportFor(account: Account, order: ExportOrder): RunnableExport {
    switch (order.kind) {
      case 'table': {
        const { format, rows, query, columns, before = null } = order
        const part = tablePart(query, rows, columns, before)
        if (format === 'clipboard') return this.#copy(account, part)
        const about = { name: nameOf(query), range: query.range, filters: filtersOf(query) }
        return this.#tables(account, about, format, [part])
      }
      case 'workbook': {
        const { query } = order
        const name = `${families[query.family].words}, every dimension`
        const about = { name, range: query.range, filters: commonFiltersOf(query) }
        return this.#tables(account, about, 'xlsx', workbookParts(query))
      }
      case 'overview':
        return this.#overview(account, order)
      case 'report':
        return this.#report(account, order.address)
      case 'pdf':
        return this.#pdf(account, order.address, order.paper ?? usualPaper)
    }
  }

  /** Returns the export of a drawn chart. @throws DeskFailure `invalid` if the bytes are not a PNG */
  chart(account: Account, name: string, png: Uint8Array): RunnableExport {
    if (!PNG.every((byte, index) => png[index] === byte)) {
      throw invalid("Can't draw the chart as a picture.")
    }
    return {
      name,
      run: (_reader, signal) => this.#saveBytes(exportStem(account.name, name, null), 'png', png, signal),
    }
  }

  #copy(account: Account, part: TablePart): RunnableExport {
    return {
      name: part.name,
      run: async (reader, signal, progress) => {
        const { text, rows } = await clippingOf(reader, account, part, progress)
        await reader.assertOneScope()
        throwIfCancelled(signal)
        this.#context.shell.copy(text)
        return { file: null, folder: '', rows }
      },
    }
  }

  #tables(account: Account, about: About, format: ReportFormat, parts: readonly TablePart[]): RunnableExport {
    return {
      name: about.name,
      run: (reader, signal, progress) =>
        this.#writeFile({ stem: fileStemOf(account, about), format }, signal, async (writer, csv) => {
          const form = format === 'csv' ? csv : 'rows'
          const written = await writeParts(writer, reader, { account, parts, form }, progress)
          await reader.assertOneScope()
          return written
        }),
    }
  }

  /** Exports the cards of both families as one table. */
  #overview(account: Account, order: OverviewOrder): RunnableExport {
    const { format, queries } = order
    const [first] = queries
    if (!first) throw invalid('There is nothing to export.')
    const about = { name: 'Overview', range: first.range, filters: commonFiltersOf(first) }
    return {
      name: about.name,
      run: async (reader, signal) => {
        const sheet = await overviewSheet(reader, account, order)
        await reader.assertOneScope()
        const { rows, columns } = sheet
        if (format === 'clipboard') {
          throwIfCancelled(signal)
          this.#context.shell.copy(
            headerLine(columns, clipboardForm) +
              lines(rows, columns, clipboardForm) +
              linesBelow(sheet.facts),
          )
          return { file: null, folder: '', rows: rows.length }
        }
        return await this.#writeFile({ stem: fileStemOf(account, about), format }, signal, async (writer) => {
          await writer.begin(sheet)
          await writer.rows(rows)
          return { rows: rows.length, marks: marksOf(knownOf(sheet.facts)) }
        })
      },
    }
  }

  /** Exports everything about a view of Overview. All is read, and of one data scope, before anything is written. */
  #report(account: Account, view: string): RunnableExport {
    const address = readAddress(view)
    if (address.kind !== 'overview') throw invalid('Only Overview can be saved as one workbook.')
    const today = dayAt(this.#context.clock.now(), account.dayZone)
    const range = rangeOf(address.period, today)
    const about = { name: 'Whole report', range, filters: commonFiltersOf(address) }
    return {
      name: about.name,
      run: async (reader, signal, progress) => {
        const drops: (() => Promise<void>)[] = []
        try {
          const report = await readReport(reader, { account, address, today }, (drop) => drops.push(drop))
          await reader.assertOneScope()
          const { charts } = report
          return await this.#writeFile(
            { stem: fileStemOf(account, about), format: 'xlsx', charts },
            signal,
            (writer) => writeReport(writer, report, progress),
          )
        } finally {
          await Promise.all(drops.map((drop) => drop()))
        }
      },
    }
  }

  #pdf(account: Account, view: string, paper: Paper): RunnableExport {
    const address = readAddress(view)
    if (address.kind !== 'reports' && address.kind !== 'overview') {
      throw invalid('Only Overview and Reports can be saved as a PDF.')
    }
    const today = dayAt(this.#context.clock.now(), account.dayZone)
    const query = address.kind === 'reports' ? tableQueryAt(address, today) : null
    const name = query ? nameOf(query) : 'Overview'
    const filters = query ? filtersOf(query) : commonFiltersOf(address)
    return {
      name,
      run: async (reader, signal) => {
        const printed = writePrintAddress({ account: account.id, view, paper })
        const pdf = await reader.runExternalRead(() => this.#context.shell.print(printed, signal))
        await reader.assertOneScope()
        throwIfCancelled(signal)
        const stem = fileStemOf(account, { name, range: rangeOf(address.period, today), filters })
        return await this.#saveBytes(stem, 'pdf', pdf, signal)
      },
    }
  }

  /** Returns the export of a file that another module writes. A failure leaves no partial file. */
  file(account: Account, { name, stem, ending, write }: FileExport): RunnableExport {
    return {
      name,
      run: async (_reader, signal, progress) => {
        const { settings, openWriter, clock, workFolder } = this.#context
        return await this.#save(signal, async ({ path, folder, publish }) =>
          withWorkFile(workFolder, async (from) => {
            const { csv } = await settings.read()
            const written = await withSignal(signal, () => write(from, signal, progress, csv))
            await copyInThread(openWriter, { kind: 'copy', path, from }, { signal, clock })
            const file = await publish(stem ?? exportStem(account.name, name, null), ending)
            return { file, folder, ...written }
          }),
        )
      },
    }
  }

  async #saveBytes(stem: string, ending: string, bytes: Uint8Array, signal: AbortSignal): Promise<JobResult> {
    return await this.#save(signal, async ({ path, folder, publish }) => {
      const write = () => writeFile(path, bytes, { flag: 'r+' })
      await withSignal(signal, () => slowFolderGuard.run(folder, write))
      return { file: await publish(stem, ending), folder, rows: null }
    })
  }

  /** Creates a draft where the file belongs. A failure leaves no partial file. */
  async #save(signal: AbortSignal, write: (draft: SavedDraft) => Promise<JobResult>): Promise<JobResult> {
    const target = this.#target
    const folder = target?.folder ?? (await this.#context.settings.downloadFolder())
    return await withDraft(folder, signal, async ({ path, publish }) =>
      write({
        ...{ path, folder },
        publish: (stem, ending, mark = '') =>
          publish(target?.stem ?? stem, ending, signal, {
            mark,
            ...(target && { intend: (name) => target.intend(basename(path), name) }),
          }),
      }),
    )
  }

  async #writeFile(
    { stem, format, charts = false }: WrittenFile,
    signal: AbortSignal,
    write: (writer: WritingThread, csv: CsvForm) => Promise<WriteSummary>,
  ): Promise<JobResult> {
    const { settings, openWriter, clock, workFolder } = this.#context
    return await this.#save(signal, async ({ path, folder, publish }) => {
      const { csv } = await settings.read()
      const writeInto = async (target: string) => {
        const task = { kind: 'table', path: target, format, csv, charts } as const
        const writer = startWriting(openWriter, task, { signal, clock })
        try {
          writer.warmUp()
          const { rows, marks } = await write(writer, csv)
          const { cut, parquet } = await writer.finish()
          // The file is closed: the thread ends while the file is synced.
          void writer.stop()
          if (parquet) await this.#convert({ lines: target, ...parquet }, path, signal)
          throwIfCancelled(signal)
          const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`
          const file = await publish(stem, format, mark)
          return { file, folder, rows, cut }
        } finally {
          await writer.stop()
        }
      }
      return await (format === 'parquet' ? withWorkFile(workFolder, writeInto) : writeInto(path))
    })
  }

  /** Lets the engine make Parquet of lines, and copies the file into a draft. The engine may not write into its folder. */
  async #convert(params: ParquetParams, draft: string, signal: AbortSignal): Promise<void> {
    const { reports, openWriter, clock } = this.#context
    const { lines } = params
    await rename(await reports.parquet(params, signal), lines)
    await copyInThread(openWriter, { kind: 'copy', path: draft, from: lines }, { signal, clock })
  }
}

/** An empty file in a temporary folder. After a crash, the next export deletes the folder. */
async function withWorkFile<T>(work: string, write: (path: string) => Promise<T>): Promise<T> {
  const folder = ownFolderIn(work)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, 'file')
    await writeFile(path, '')
    return await write(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
