import { mkdirSync, rmSync } from 'node:fs'
import { invalid } from '#shared/api/failure.ts'
import type { ImportPreview } from '#shared/archives/rows-file.ts'
import { withoutGuards } from '#shared/values/delimited.ts'
import { ownFolderIn } from '#main/lib/work-folder.ts'
import { engineLimits, openEngine, OutOfMemory } from '#main/analytics/engine-database.ts'
import type { EngineDatabase, EngineFolders } from '#main/analytics/engine-database.ts'
import type { RowsFiles } from '#main/analytics/rows-layout.ts'
import { cancelled } from '#main/lib/async.ts'
import { checkSpace, NoSpace } from '#main/lib/disk-room.ts'
import { cellsOf, findRecord, nextLine } from '../csv/columns.ts'
import { columnsOf, dateOrderOf, detectColumns, doubtsOf, formOf, orderOf } from '../csv/values.ts'
import type { ColumnDoubts } from '../csv/values.ts'
import { isSame, seenAt } from '../source-files.ts'
import type { ImportRequest, PreviewRequest, ImportedFile } from './rows-engine.ts'
import { NotReadableInPlace, ArchiveImport } from './archive-import.ts'
import { bytesOf, readAsOf, rulesOf, tableInPlace, unpackTables } from './tables.ts'
import type { Unpacked } from './tables.ts'

const manyColumns = 60

type How = {
  readonly files: RowsFiles
  readonly folders: EngineFolders
  /** Called with the bytes read and the total; null if the total is unknown. */
  readonly progress: (done: number, total: number | null) => void
  readonly signal: AbortSignal
}

/**
 * Imports an archive into the rows folder. A failure leaves no files.
 * @throws DeskFailure `cancelled`, or with the reason; errors of the engine and of the disk
 */
export async function importArchive(request: ImportRequest, how: How): Promise<ImportedFile> {
  let attempt: ImportAttempt = { inPlace: tableInPlace, isLowOnMemory: false }
  for (;;)
    try {
      return await readOnce(request, how, attempt)
    } catch (error) {
      // The engine rejected the table: parse it line by line.
      if (error instanceof NotReadableInPlace && attempt.inPlace) attempt = { ...attempt, inPlace: null }
      else if (!(error instanceof OutOfMemory)) throw error
      else if (!attempt.isLowOnMemory) attempt = { ...attempt, isLowOnMemory: true }
      else throw tableIsTooLarge(error.cause)
    }
}

/** Maximum rows of a row group, whose cells are held in memory until it is written; and after an attempt ran out of memory. */
const maxGroupRows = 61_440
const shortGroupRows = 512

/** How an attempt reads the tables. */
type ImportAttempt = {
  /** Finds a table that is read in place; others are unpacked. Null: every table is unpacked and parsed leniently. */
  readonly inPlace: typeof tableInPlace | null
  /** Whether an earlier attempt ran out of memory. */
  readonly isLowOnMemory: boolean
}

async function readOnce(
  request: ImportRequest,
  { files, folders, progress, signal }: How,
  { inPlace, isLowOnMemory }: ImportAttempt,
): Promise<ImportedFile> {
  const folder = ownFolderIn(folders.temporary)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const noRoom = new AbortController()
  const over = AbortSignal.any([signal, noRoom.signal])
  const throwIfOver = () => {
    if (noRoom.signal.aborted) throw noRoom.signal.reason as Error
    if (signal.aborted) throw cancelled()
  }
  let total = 0
  let done = 0
  const step = (bytes = 0) => {
    throwIfOver()
    if (bytes > 0) progress((done += bytes), total)
  }
  let database: EngineDatabase | undefined
  try {
    const seen = await seenAt(request.source)
    const asItLies = await inPlace?.(request.source, folder, request.choices)
    if (asItLies) progress(0, (total = asItLies.isPlain ? asItLies.size : asItLies.size * 2))
    const found: readonly Unpacked[] = asItLies
      ? [asItLies]
      : await unpackTables(
          request.source,
          folder,
          async (bytes) => {
            await checkRoom(folder, bytes)
            progress(0, (total = bytes * 2))
          },
          step,
          request.choices,
        )
    const tables = inPlace ? found : found.map((table) => ({ ...table, isPlain: false }))
    // Unpacked tables must be of one unchanged file. A table in place is checked again when it is read.
    const now = await seenAt(request.source)
    if (!asItLies && seen && now && !isSame(seen, now)) throw changedMeanwhile()
    const isWide = tables.some(({ headers }) => headers.length > manyColumns)
    const besides = tables.flatMap(({ inPlace }) => inPlace?.place ?? [])
    const limits = isWide || isLowOnMemory ? engineLimits.wideImports : engineLimits.imports
    database = await openEngine(folders, limits, folder, besides)
    // The size of the rows is known only after they are written.
    await checkRoom(folder, 0)
    throwIfOver()
    return await database.until(over).using(async (session) => {
      const watching = setInterval(() => {
        const { percentage } = session
        if (percentage > 0) progress(done + Math.round(((total - done) * percentage) / 100), total)
        checkRoom(folder, 0).catch((error: Error) => noRoom.abort(error))
      }, 250)
      const archive = new ArchiveImport(
        session,
        files,
        { ...request, seen, groupRows: isLowOnMemory ? shortGroupRows : maxGroupRows },
        folder,
        step,
      )
      return await archive.run(tables).finally(() => clearInterval(watching))
    })
  } catch (error) {
    throwIfOver()
    throw error
  } finally {
    database?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Limits of a preview. */
const previewed = { lines: 20, lastLines: 5, rows: 1000, cells: 5, longest: 300 } as const
const previewedBytes = 1 << 20
const endBytes = 1 << 14

/**
 * Previews how the first table of an archive is read. Leaves no files.
 * @throws DeskFailure `cancelled`, or with the reason; errors of the disk
 */
export async function previewArchive(
  { source, choices }: PreviewRequest,
  folders: EngineFolders,
  signal: AbortSignal,
): Promise<ImportPreview> {
  const folder = ownFolderIn(folders.temporary)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    const inPlace = await tableInPlace(source, folder, choices)
    const throwIfOver = () => {
      if (signal.aborted) throw cancelled()
    }
    const tables = inPlace?.isPlain
      ? [inPlace]
      : await unpackTables(source, folder, (bytes) => checkRoom(folder, bytes), throwIfOver, choices)
    const [table] = tables
    if (!table) throw invalid('This archive contains no CSV file.')
    return await previewOf(table, tables.length)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function previewOf(table: Unpacked, tables: number): Promise<ImportPreview> {
  const columns = columnsOf(table)
  const rows = await firstRows(table, columns.length)
  const doubts: ColumnDoubts[] = []
  const sampled = columns.map((column, nth) => ({ column, cells: rows.flatMap((row) => row[nth] || []) }))
  const chosen = (name: string) => table.choice?.columns?.find((column) => column.name === name)
  const looks = detectColumns(sampled, chosen).map(
    ({ column, cells, look, standard: role, ...found }, nth) => {
      const guess = found.isOrdered ? found.guess : orderOf(cells, dateOrderOf(cells))
      doubts.push({ standard: role, kind: look.kind, isEmpty: cells.length === 0, guess })
      const shown = rows.slice(0, previewed.cells).map((row) => shorten(row[nth] ?? ''))
      return { name: column.name, form: guess?.form ?? formOf(look), role, cells: shown }
    },
  )
  const start = linesOf(await bytesOf(table.path, 0, endBytes))
  const end = await bytesOf(table.path, Math.max(endBytes, table.size - endBytes), endBytes)
  const last = linesOf(end)
  return {
    ...{ shape: table.shape, choice: table.choice ?? {}, tables, columns: looks },
    readAs: readAsOf(table, { short: 0, ofColumns: doubtsOf(doubts) }),
    lines: start.slice(0, previewed.lines).map(shorten),
    last: (end.length > 0 ? last : start.slice(previewed.lines)).slice(-previewed.lastLines).map(shorten),
  }
}

const linesOf = (bytes: Buffer): string[] =>
  bytes
    .toString('utf8')
    .replaceAll(/^\ufeff|(?:\r\n|\n|\r)$/g, '')
    .split(/\r\n|\n|\r/)

const shorten = (text: string): string => text.slice(0, previewed.longest)

/** Parses the first rows of a table. */
async function firstRows(
  { path, from, to, dialect, isGuarded }: Unpacked,
  width: number,
): Promise<string[][]> {
  const rules = { ...rulesOf(dialect), loose: true }
  const bytes = await bytesOf(path, from, Math.max(0, Math.min(to - from, previewedBytes)))
  const isLast = from + bytes.length >= to
  const rows: string[][] = []
  for (let index = 0; index < bytes.length && rows.length < previewed.rows;) {
    const found = findRecord(bytes, index, rules, isLast)
    const next = found.kind === 'record' ? found.next : nextLine(bytes, index, isLast)
    if (next === undefined) break
    if (found.kind === 'record' && found.cells > Math.min(1, width - 1)) {
      const cells = cellsOf(bytes.toString('utf8', index, found.last), rules)
      rows.push(isGuarded ? cells.map(withoutGuards) : cells)
    }
    index = next
  }
  return rows
}

/** @throws NoSpace if the disk would be too full for other apps */
async function checkRoom(folder: string, bytes: number): Promise<void> {
  await checkSpace(folder, bytes).catch((error: unknown) => {
    // If the free space is unknown, the write itself fails.
    if (error instanceof NoSpace) throw error
  })
}

const tableIsTooLarge = (cause: unknown) =>
  new OutOfMemory(cause, 'This table needs too much memory. Split it into files with fewer columns.')
const changedMeanwhile = () => invalid('The file changed while it was being imported. Import it again.')
