import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'
import { scopedStem, plainDays, scopeLine } from '#shared/cases/scope.ts'
import { invalid } from '#shared/api/failure.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import type { CutCells } from '#shared/app/jobs.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { JobResult } from '#main/lib/jobs.ts'
import { ownFolderIn } from '#main/lib/work-folder.ts'
import type { WrittenFile } from '#main/archives/engine/rows-engine.ts'
import { sectionsOf } from '#shared/cases/sections.ts'
import type { CaseCell, CaseColumn, CaseSection, CaseTable, CaseFacts } from '#shared/cases/sections.ts'
import type { CaseFormats } from '#shared/texts/cases.ts'
import { NOTHING, numberWords } from '#shared/texts/formats.ts'
import type { RowsPage } from '#shared/archives/rows.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { columnsOf, sheetCells } from '#main/archives/engine/relation.ts'
import { writeWorkbook } from '#main/exports/workbook.ts'
import type { SheetCell, SheetColumn, Workbook } from '#main/exports/workbook.ts'

/** Contents of a pack. */
type Packing = CaseWorkbook & {
  /** Folder for temporary files. */
  readonly work: string
  readonly print: () => Promise<Uint8Array>
  /** @throws DeskFailure if the case or its rows have changed */
  readonly verify: () => Promise<void>
  /** Writes all rows as CSV into a temporary file. */
  readonly csv: () => Promise<WrittenFile> | null
}

/**
 * Writes the evidence of a case as a ZIP with one folder: pages, workbook, rows, and a list for `sha256sum -c`. Each file names the case
 * and its scope.
 * @returns the number of rows, and the cells that were cut in the workbook
 * @throws DeskFailure, also if the case or its rows change meanwhile: all files show the figures of one update
 */
export async function writePack(path: string, packing: Packing): Promise<Pick<JobResult, 'rows' | 'cut'>> {
  const { about, signal } = packing
  const { entry, made } = about
  const folder = ownFolderIn(packing.work)
  let rows: WrittenFile | null = null
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    rows = await packing.csv()
    throwIfCancelled(signal)
    if (rows && rows.rows !== made.rows.rows) throw otherRows()
    const pdf = join(folder, 'case.pdf')
    await writeFile(pdf, await packing.print())
    throwIfCancelled(signal)
    // Fails before the workbook is written, which takes a while.
    await packing.verify()
    const workbook = join(folder, 'case.xlsx')
    await writeFile(workbook, '')
    const cut = await writeCaseWorkbook(workbook, packing)
    throwIfCancelled(signal)
    const stem = scopedStem(`Case ${entry.name}`, entry.scope)
    await zipped(path, stem, new Date(made.madeAt), [
      { path: pdf, name: `${stem}.pdf` },
      { path: workbook, name: `${stem}.xlsx` },
      ...(rows ? [{ path: rows.path, name: `${stem} - Raw rows.csv` }] : []),
    ])
    await packing.verify()
    return { rows: rows?.rows ?? 0, cut }
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    if (rows) await rm(rows.path, { force: true })
    await rm(folder, { recursive: true, force: true })
  }
}

type Packed = { readonly path: string; readonly name: string }

async function zipped(path: string, folder: string, mtime: Date, files: readonly Packed[]): Promise<void> {
  const zip = new yazl.ZipFile()
  const failing = new Promise<never>((_, reject) => zip.on('error', reject))
  const sums: string[] = []
  for (const { path: from, name } of files) {
    sums.push(`${await sha256Of(from)}  ${name}\n`)
    zip.addFile(from, `${folder}/${name}`, { mtime, mode: 0o100644 })
  }
  zip.addBuffer(Buffer.from(sums.join('')), `${folder}/SHA256SUMS`, { mtime, mode: 0o100644 })
  zip.end()
  const written = pipeline(zip.outputStream, createWriteStream(path, { flags: 'r+' }))
  await Promise.race([written, failing])
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const otherRows = () => invalid('The rows have changed since the last update. Update the case, then save it.')

/** Maximum number of rows in the workbook; the CSV has all. A larger workbook opens slowly, and a sheet has a limit. */
const maxRows = 100_000
const pageOfRows = 1000

/** Number formats, as in an exported table (exports/xlsx-file.ts). */
const formats: Readonly<Record<CaseCell['kind'], string>> = {
  text: '@',
  count: '#,##0',
  share: '0.00%',
  day: 'yyyy-mm-dd',
}

const numbers = new Intl.NumberFormat('en')
const percent = numberWords('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

const momentIn = (instant: number, zone: string): string => {
  // Swedish dates are in ISO order: `2026-11-18 10:00`.
  const written = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short', timeZone: zone })
  return `${written.format(instant)} ${zone}`
}

/** Formats of values in sentences. In English: anybody may open the workbook. */
const plain: CaseFormats = {
  count: (value) => (value === null ? NOTHING : numbers.format(value)),
  share: (value) => (value === null ? NOTHING : percent(value)),
  moment: momentIn,
  days: plainDays,
}

/** Contents of a case's workbook. */
type CaseWorkbook = {
  readonly about: CaseFacts
  /** Reads rows of the case; null if no archive counts. */
  readonly page: (offset: number, limit: number) => Promise<RowsPage> | null
  /** Archives of the rows. */
  readonly files: readonly RowsEntry[]
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number | null) => void
}

/** Writes the workbook of a case: a summary, a sheet per table, and the rows. Each sheet names the scope. */
const writeCaseWorkbook = (path: string, packing: CaseWorkbook): Promise<CutCells> =>
  writeWorkbook(path, (workbook) => fill(workbook, packing))

async function fill(workbook: Workbook, packing: CaseWorkbook): Promise<void> {
  const { about } = packing
  const { entry, made } = about
  const head = [`Case: ${entry.name}`, scopeLine(entry.scope)]
  const sections = sectionsOf(about, plain)
  await workbook.sheet('Summary', twoColumns('What', 'Value'), { above: head, kind: 'facts' })
  await workbook.add(sections.flatMap(summaryRows))
  if (made.rows.rows > maxRows)
    await workbook.add([['Rows in this workbook', `The first ${maxRows}. The CSV has all of them`]])
  for (const section of sections) {
    if (section.body.kind === 'table') await tableSheet(workbook, section, section.body, head)
    if (section.body.kind === 'words') {
      await workbook.sheet(section.name, twoColumns('Word', 'Meaning'), { above: head, kind: 'facts' })
      await workbook.add(section.body.pairs)
    }
  }
  if (packing.files.length > 0) await rowsSheet(workbook, packing, head)
}

const twoColumns = (name: string, value: string): SheetColumn[] => [{ header: name }, { header: value }]

/** Rows of the first sheet, which has everything but tables: facts, missing parts, notes. */
function summaryRows({ title, lines, body }: CaseSection): SheetCell[][] {
  switch (body.kind) {
    case 'facts':
      return [...lines.map((line) => [title, line]), ...body.pairs.map((pair) => [...pair])]
    case 'list':
      return [...lines, ...body.items].map((line) => [title, line])
    case 'text':
      return body.text.split('\n').map((line, nth) => [nth === 0 ? title : null, line])
    case 'table':
    case 'words':
      return []
  }
}

async function tableSheet(
  workbook: Workbook,
  { name, lines, notes }: CaseSection,
  { columns, rows }: CaseTable,
  head: readonly string[],
): Promise<void> {
  await workbook.sheet(name, columns.map(columnOf), { above: [...head, ...lines], notes })
  await workbook.add(rows.map((cells) => cells.map(valueOf)))
}

const columnOf = ({ header, kind }: CaseColumn): SheetColumn => ({ header, format: formats[kind] })

function valueOf(cell: CaseCell): SheetCell {
  switch (cell.kind) {
    case 'text':
      return cell.text
    case 'count':
    case 'share':
      return cell.value
    case 'day':
      return new Date(`${cell.day}T00:00:00Z`)
  }
}

async function rowsSheet(
  workbook: Workbook,
  { about: { made }, files, page, signal, progress }: CaseWorkbook,
  head: readonly string[],
): Promise<void> {
  const names = columnsOf(files).map(({ name }) => name)
  const cellsOf = sheetCells(files, names)
  const places = new Map(files.map(({ id }, place) => [id, place]))
  await workbook.sheet(
    'Rows',
    names.map((header) => ({ header })),
    { above: head },
  )
  const max = Math.min(maxRows, made.rows.rows)
  for (let offset = 0; offset < max; offset += pageOfRows) {
    throwIfCancelled(signal)
    const found = await page(offset, Math.min(pageOfRows, max - offset))
    await workbook.add(found?.rows.map(({ file, cells }) => cellsOf(places.get(file) ?? -1, cells)) ?? [])
    progress(Math.min(offset + pageOfRows, max), max)
  }
}
