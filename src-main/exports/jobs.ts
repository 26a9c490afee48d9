import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { ExportOrder, TableFormat } from '#shared/exports/order.ts'
import { nameOf } from '#shared/reports/query.ts'
import { families } from '#shared/api/families.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { readAddress, tableQueryAt } from '#shared/views/address.ts'
import { rangeOf } from '#shared/views/period.ts'
import { usualPaper } from '#shared/exports/paper.ts'
import type { Paper } from '#shared/exports/paper.ts'
import { marksOf } from '#shared/reports/figure-facts.ts'
import { clipboardForm } from '#shared/values/delimited.ts'
import { writePrintAddress } from '#shared/views/print-address.ts'
import type { TableReader } from './table-reader.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { throwIfCancelled, withSignal } from '#main/lib/async.ts'
import { ownFolderIn } from '#main/lib/work-folder.ts'
import { clippingOf, linesBelow } from './clipboard.ts'
import { headerLine, lines } from './delimited.ts'
import { commonFiltersOf, filtersOf, knownOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { overviewSheet } from './overview-sheet.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { createDraft } from '#main/files/draft.ts'
import type { Draft } from '#main/files/draft.ts'
import { exportStem } from './export-stem.ts'
import type { ExportsParts } from './exports-parts.ts'
import { tablePart, workbookParts, writeParts } from './table-export.ts'
import type { Part, Written } from './table-export.ts'
import type { WritingThread } from './writing-thread.ts'
import { copyInThread, startWriting } from './writing-thread.ts'

/** What an export made: `file` is the name alone; null where it went into the clipboard. */
export type Result = { readonly file: string | null; readonly folder: string; readonly rows: number | null }

/** An export as it is carried out. */
export type Job = {
  /** What is saved, in words. */
  readonly name: string
  /**
   * Reads with `reader`, and reports how many rows of how many are out.
   * @throws DeskFailure and ServiceFailure; nothing half-written stays
   */
  readonly run: (reader: TableReader, signal: AbortSignal, progress: Progress) => Promise<Result>
}

export type Progress = (done: number, of: number | null) => void
type Parts = Pick<ExportsParts, 'clock' | 'openWriter' | 'work' | 'downloads' | 'copy' | 'print'>
type OverviewOrder = Extract<ExportOrder, { kind: 'overview' }>

/** What a file is called by: the report, its days, and what narrows it. */
type About = {
  readonly name: string
  readonly range: DayRange
  readonly filters: Facts['filters']
}

const stemOf = (account: Account, { name, range, filters }: About): string =>
  exportStem(
    account.name,
    name,
    range,
    filters.map(({ value }) => value),
  )

/** The job that carries an order out. */
export function jobOf(parts: Parts, account: Account, order: ExportOrder): Job {
  switch (order.kind) {
    case 'table': {
      const { format, rows, query, columns, before = null } = order
      const part = tablePart(query, rows, columns, before)
      if (format === 'clipboard') return copyJob(parts, account, part)
      const about = { name: nameOf(query), range: query.range, filters: filtersOf(query) }
      return tablesJob(parts, account, about, format, [part])
    }
    case 'workbook': {
      const { query } = order
      const name = `${families[query.family].words}, every dimension`
      const about = { name, range: query.range, filters: commonFiltersOf(query) }
      return tablesJob(parts, account, about, 'xlsx', workbookParts(query))
    }
    case 'overview':
      return overviewJob(parts, account, order)
    case 'pdf':
      return pdfJob(parts, account, order.address, order.paper ?? usualPaper)
  }
}

/** Every PNG begins so. */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** A drawn chart. @throws DeskFailure `invalid` where the bytes are no picture */
export function chartJob(parts: Parts, account: Account, name: string, png: Uint8Array): Job {
  if (!PNG.every((byte, index) => png[index] === byte)) {
    throw new DeskFailure({ kind: 'invalid', message: 'The chart could not be drawn as a picture.' })
  }
  return {
    name,
    run: (_reader, signal) => saveBytes(parts, exportStem(account.name, name, null), 'png', png, signal),
  }
}

function copyJob(parts: Parts, account: Account, part: Part): Job {
  return {
    name: part.name,
    run: async (reader, signal, progress) => {
      const { text, rows } = await clippingOf(reader, account, part, progress)
      await reader.agree()
      throwIfCancelled(signal)
      parts.copy(text)
      return { file: null, folder: '', rows }
    },
  }
}

function tablesJob(
  parts: Parts,
  account: Account,
  about: About,
  format: TableFormat,
  tables: readonly Part[],
): Job {
  return {
    name: about.name,
    run: (reader, signal, progress) =>
      writeFileOf(parts, stemOf(account, about), format, signal, async (writer) => {
        const form = format === 'csv' ? 'csv' : 'rows'
        const written = await writeParts(writer, reader, tables, form, account, progress)
        await reader.agree()
        return written
      }),
  }
}

/** Both families' cards, as one table. */
function overviewJob(parts: Parts, account: Account, order: OverviewOrder): Job {
  const { format, queries } = order
  const [first] = queries
  if (!first) throw new DeskFailure({ kind: 'invalid', message: 'There is nothing to export.' })
  const about = { name: 'Overview', range: first.range, filters: commonFiltersOf(first) }
  return {
    name: about.name,
    run: async (reader, signal) => {
      const sheet = await overviewSheet(reader, account, order)
      await reader.agree()
      const { rows, columns } = sheet
      if (format === 'clipboard') {
        throwIfCancelled(signal)
        parts.copy(
          headerLine(columns, clipboardForm) + lines(rows, columns, clipboardForm) + linesBelow(sheet.facts),
        )
        return { file: null, folder: '', rows: rows.length }
      }
      return await writeFileOf(parts, stemOf(account, about), format, signal, async (writer) => {
        await writer.begin(sheet)
        await writer.rows(rows)
        return { rows: rows.length, marks: marksOf(knownOf(sheet.facts)) }
      })
    },
  }
}

/** Writes a file in a thread of its own. */
async function writeFileOf(
  parts: Parts,
  stem: string,
  format: TableFormat,
  signal: AbortSignal,
  write: (writer: WritingThread) => Promise<Written>,
): Promise<Result> {
  const folder = await parts.downloads()
  return await withDraft(folder, signal, async (draft) => {
    const waitOptions = { signal, clock: parts.clock }
    const writer = startWriting(parts.openWriter, { kind: 'table', path: draft.path, format }, waitOptions)
    try {
      writer.warmUp()
      const { rows, marks } = await write(writer)
      await writer.finish()
      // Its file is closed: it ends while that goes to the disk.
      void writer.stop()
      throwIfCancelled(signal)
      const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`
      const file = await draft.publish(stem, format, signal, mark)
      return { file, folder, rows }
    } finally {
      await writer.stop()
    }
  })
}

function pdfJob(parts: Parts, account: Account, view: string, paper: Paper): Job {
  const address = readAddress(view)
  if (address.kind !== 'reports' && address.kind !== 'overview') {
    throw new DeskFailure({ kind: 'invalid', message: 'Only Overview and Reports can be saved as a PDF.' })
  }
  const today = dayAt(parts.clock.now(), account.dayZone)
  const query = address.kind === 'reports' ? tableQueryAt(address, today) : null
  const name = query ? nameOf(query) : 'Overview'
  const filters = query ? filtersOf(query) : commonFiltersOf(address)
  return {
    name,
    run: async (reader, signal) => {
      const printed = writePrintAddress({ account: account.id, view, paper })
      const pdf = await reader.elsewhere(() => parts.print(printed, signal))
      await reader.agree()
      throwIfCancelled(signal)
      const stem = stemOf(account, { name, range: rangeOf(address.period, today), filters })
      return await saveBytes(parts, stem, 'pdf', pdf, signal)
    },
  }
}

/** A file that another module writes. */
export type FileJob = {
  /** What is saved, in words. */
  readonly name: string
  /** The file's name without its ending, where it says more than whose it is and what is saved. */
  readonly stem?: string
  readonly ending: string
  /**
   * Writes a file at `path`, which is there and empty, in the profile folder; how many rows it has. It is carried to the person's folder,
   * and what the disk refuses put in words.
   */
  readonly write: (path: string, signal: AbortSignal, progress: Progress) => Promise<number | null>
}

/** @throws DeskFailure, as whoever writes does; nothing half-written stays */
export function fileJob(parts: Parts, account: Account, { name, stem, ending, write }: FileJob): Job {
  return {
    name,
    run: async (_reader, signal, progress) => {
      const folder = await parts.downloads()
      return await withDraft(folder, signal, async (draft) =>
        withWorkFile(parts.work, async (from) => {
          const rows = await withSignal(signal, () => write(from, signal, progress))
          const { openWriter, clock } = parts
          await copyInThread(openWriter, { kind: 'copy', path: draft.path, from }, { signal, clock })
          const file = await draft.publish(stem ?? exportStem(account.name, name, null), ending, signal)
          return { file, folder, rows }
        }),
      )
    },
  }
}

async function saveBytes(
  { downloads }: Parts,
  stem: string,
  ending: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Result> {
  const folder = await downloads()
  return await withDraft(folder, signal, async (draft) => {
    const write = () => writeFile(draft.path, bytes, { flag: 'r+' })
    await withSignal(signal, () => slowFolderGuard.at(folder, write))
    return { file: await draft.publish(stem, ending, signal), folder, rows: null }
  })
}

/** What is not published is removed, however it ended. @throws what the disk refuses in words */
async function withDraft<T>(
  folder: string,
  signal: AbortSignal,
  write: (draft: Draft) => Promise<T>,
): Promise<T> {
  const creating = createDraft(folder)
  const draft = await withSignal(signal, () => creating).catch((error: unknown) => {
    void creating.then(({ discard }) => discard()).catch(() => undefined)
    throw error
  })
  try {
    return await write(draft)
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    await draft.discard()
  }
}

/** An empty file in a folder that goes away: at the latest with the next work of its kind, where this process is killed. */
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
