import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'
import * as v from 'valibot'
import { csvFormNames } from '#shared/values/delimited.ts'
import type { CsvForm } from '#shared/values/delimited.ts'
import { reportFormats } from '#shared/exports/order.ts'
import type { ReportFormat } from '#shared/exports/order.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { serveRpc } from '#main/workers/rpc-server.ts'
import type { ServerPort } from '#main/workers/rpc-server.ts'
import { csvFile } from './csv-file.ts'
import { jsonFile } from './json-file.ts'
import { parquetLines } from './parquet-lines.ts'
import { SnapshotLines } from './snapshot-lines.ts'
import { shapedBy } from './snapshot-shape.ts'
import type { SnapshotFile } from './snapshot-shape.ts'
import type { Finished, Out, Sheet, TableWriter } from './table-writer.ts'

/** Task of a thread: fill an existing empty file with tables, or with the content of another file. */
export type WritingTask =
  | {
      readonly kind: 'table'
      readonly path: string
      readonly format: ReportFormat
      readonly csv: CsvForm
      /** Whether a workbook gets charts and is then held in memory. */
      readonly charts: boolean
    }
  | { readonly kind: 'copy'; readonly path: string; readonly from: string }

export const writingTask = v.variant('kind', [
  v.object({
    kind: v.literal('table'),
    path: v.string(),
    format: v.picklist(reportFormats),
    csv: v.picklist(csvFormNames),
    charts: v.boolean(),
  }),
  v.object({ kind: v.literal('copy'), path: v.string(), from: v.string() }),
])

type TableTask = Extract<WritingTask, { kind: 'table' }>

/** The writer of workbooks takes as long to load as the rest of the thread, and is imported only for workbooks. */
const writers: Readonly<
  Record<ReportFormat, (file: Out, task: TableTask) => TableWriter | Promise<TableWriter>>
> = {
  csv: (file, { csv }) => csvFile(file, csv),
  json: jsonFile,
  parquet: parquetLines,
  xlsx: async (file, task) => (await import('./xlsx-file.ts')).xlsxFile(file, task),
}

type Work<A, R = void> = (argument: A) => Promise<R>

/** Steps of writing a file, one at a time. The last step closes the file. */
export type WriterCalls = {
  /** Resolves when the thread is ready. */
  readonly ready: Work<null>
  readonly begin: Work<Sheet>
  readonly rows: Work<readonly TableRow[]>
  /** Opens a snapshot, of which `more` writes a batch. `more` returns the rows written so far, and whether all are. */
  readonly open: Work<SnapshotFile, null>
  readonly more: Work<null, { readonly rows: number; readonly isOver: boolean }>
  readonly absent: Work<{ readonly name: string; readonly words: string }>
  readonly finish: Work<null, Finished>
}

/** `copy` copies a portion; it returns false at the end. */
export type CopyCalls = { readonly copy: Work<null, boolean>; readonly finish: Work<null> }

/** Bytes copied at a time. */
const portion = 1 << 20

/** Open files that are closed together. */
class OpenFiles {
  readonly #open = new Set<number>()

  readonly open = (path: string, flags: 'r' | 'r+'): number => {
    const file = openSync(path, flags)
    this.#open.add(file)
    return file
  }

  readonly close = (): void => {
    for (const file of this.#open) {
      this.#open.delete(file)
      closeSync(file)
    }
  }
}

/**
 * Runs the steps of a task with synchronous I/O: a disk that hangs blocks this thread, not Node's shared thread pool.
 * @returns a function that closes open files, for a cancelled task
 * @throws disk errors
 */
export function serveWriting(
  port: ServerPort & { readonly close: () => void },
  task: WritingTask,
): () => void {
  const files = new OpenFiles()
  if (task.kind === 'copy') serveRpc(port, copyCalls(files, task.path, task.from), port.close)
  else serveRpc(port, writerCalls(files, task), port.close)
  return files.close
}

function writerCalls(files: OpenFiles, task: TableTask): WriterCalls {
  const file = files.open(task.path, 'r+')
  const out = { appendFile: async (data: string | Uint8Array) => appendFileSync(file, data) }
  const writing = Promise.resolve(writers[task.format](out, task))
  let pouring: Pouring | null = null
  return {
    ready: async () => void (await writing),
    begin: onDisk(async (sheet) => (await writing).begin(sheet)),
    rows: onDisk(async (rows) => (await writing).rows(rows)),
    open: onDisk(async (snapshot) => {
      pouring = new Pouring(snapshot, await writing, out)
      return null
    }),
    more: onDisk(async () => {
      if (pouring === null) throw new TypeError('Nothing is open')
      return await pouring.more()
    }),
    absent: onDisk(async ({ name, words }) => (await writing).absent(name, words)),
    finish: onDisk(async () => {
      const finished = await (await writing).finish()
      files.close()
      return finished
    }),
  }
}

/** Writes the rows of a snapshot in batches. Lines of CSV are written unchanged. */
class Pouring {
  readonly #snapshot: SnapshotFile
  readonly #writer: TableWriter
  readonly #out: Out
  readonly #lines: SnapshotLines
  readonly #shaped: ReturnType<typeof shapedBy>
  #rows = 0

  constructor(snapshot: SnapshotFile, writer: TableWriter, out: Out) {
    this.#snapshot = snapshot
    this.#writer = writer
    this.#out = out
    this.#lines = new SnapshotLines(snapshot.path, snapshot.form === 'rows' ? undefined : portion)
    this.#shaped = shapedBy(snapshot.shape)
  }

  async more(): Promise<{ readonly rows: number; readonly isOver: boolean }> {
    if (this.#snapshot.form !== 'rows') {
      const bytes = this.#lines.bytes()
      if (bytes === null) return this.#over()
      await this.#out.appendFile(bytes)
      return { rows: Math.floor(this.#snapshot.rows * this.#lines.share), isOver: false }
    }
    const rows = this.#lines.rows()
    if (rows === null) return this.#over()
    await this.#writer.rows(this.#shaped.rows(rows))
    this.#rows += rows.length
    return { rows: this.#rows, isOver: false }
  }

  #over() {
    this.#lines.close()
    return { rows: this.#snapshot.rows, isOver: true }
  }
}

function copyCalls(files: OpenFiles, path: string, from: string): CopyCalls {
  const [source, file] = [files.open(from, 'r'), files.open(path, 'r+')]
  const buffer = Buffer.allocUnsafe(portion)
  return {
    copy: onDisk(async () => {
      const got = readSync(source, buffer)
      if (got > 0) appendFileSync(file, buffer.subarray(0, got))
      return got > 0
    }),
    finish: onDisk(async () => files.close()),
  }
}

const onDisk =
  <A, R>(work: Work<A, R>): Work<A, R> =>
  async (argument) => {
    try {
      return await work(argument)
    } catch (error) {
      throw asDiskFailure(error)
    }
  }
