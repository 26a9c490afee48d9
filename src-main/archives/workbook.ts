import { createWriteStream } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { once } from 'node:events'
import { cellText } from '#main/exports/safe-text.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'

/** What stands in a cell; empty text and null leave it empty. */
export type SheetCell = string | number | Date | null

/** A column by its header; how wide it is, in characters, and how its numbers and dates are written (ECMA-376: number formats). */
export type SheetColumn = { readonly header: string; readonly width: number; readonly format?: string }

export type Workbook = {
  /**
   * Begins the next sheet; the one before is over. Its header stays in sight.
   * @param above what stands over the header, a row each
   */
  readonly sheet: (
    name: string,
    columns: readonly (string | SheetColumn)[],
    above?: readonly string[],
  ) => Promise<void>
  /** Adds rows below those that are there. */
  readonly add: (rows: readonly (readonly SheetCell[])[]) => Promise<void>
}

/**
 * Writes a workbook into a file that is there already, row by row. Text stays text, whatever a spreadsheet would make of it.
 * @param write fills it; the file is closed after that, however it ended
 * @throws DeskFailure `disk`, and whatever `write` throws
 */
export async function writeWorkbook(
  path: string,
  write: (workbook: Workbook) => Promise<void>,
): Promise<void> {
  // The library is large, and most people never need it.
  const { WorkbookWriter } = await import('@cj-tech-master/excelts')
  const stream = createWriteStream(path, { flags: 'r+' })
  stream.on('error', () => undefined)
  const workbook = new WorkbookWriter({ stream, useStyles: true, creator: 'Traffic Desk' })
  const open: { sheet: ReturnType<typeof workbook.addWorksheet> | null } = { sheet: null }
  const add: Workbook['add'] = async (rows) => {
    for (const cells of rows) open.sheet?.addRow(cells.map(asCell)).commit()
    if (stream.errored) throw stream.errored
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
  const sheet: Workbook['sheet'] = async (name, columns, above = []) => {
    open.sheet?.commit()
    const next = workbook.addWorksheet(name.replace(/[[\]:*?/\\\p{Cc}]/gu, ' ').slice(0, 31), {
      views: [{ state: 'frozen', ySplit: above.length + 1 }],
    })
    next.columns = columns.map((column) =>
      typeof column === 'string'
        ? {}
        : { width: column.width, ...(column.format && { style: { numFmt: column.format } }) },
    )
    open.sheet = next
    const headers = columns.map((column) => (typeof column === 'string' ? column : column.header))
    for (const cells of [...above.map((words) => [words]), headers]) {
      const row = next.addRow(cells.map(asCell))
      row.font = { bold: true }
      row.commit()
    }
    await add([])
  }
  try {
    await write({ sheet, add })
    open.sheet?.commit()
    await workbook.commit()
    if (stream.errored) throw stream.errored
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    await closed(stream)
  }
}

/** Nobody else closes it where writing was given up: the room of the file would be taken for as long as the app runs. */
async function closed(stream: WriteStream): Promise<void> {
  if (stream.closed) return
  const closing = once(stream, 'close')
  stream.destroy()
  await closing
}

const asCell = (cell: SheetCell): SheetCell =>
  typeof cell === 'string' ? (cell === '' ? null : cellText(cell)) : cell
