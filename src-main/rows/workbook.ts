import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { cellText } from '../exports/safe-text.ts'
import { asDiskFailure } from '../files/disk-failure.ts'

/** What stands in a cell; empty text and null leave it empty. */
export type SheetCell = string | number | null

export type Workbook = {
  /** Begins the next sheet; the one before is over. Its first row stays in sight. */
  readonly sheet: (name: string, columns: readonly string[]) => Promise<void>
  /** @throws DeskFailure `disk` */
  readonly add: (rows: readonly (readonly SheetCell[])[]) => Promise<void>
  /** Done when all of it is written. */
  readonly finish: () => Promise<void>
}

/** A workbook written into a file that is there already, row by row. Text stays text, whatever a spreadsheet would make of it. */
export async function openWorkbook(path: string): Promise<Workbook> {
  // The library is large, and most people never need it.
  const { WorkbookWriter } = await import('@cj-tech-master/excelts')
  const stream = createWriteStream(path, { flags: 'r+' })
  stream.on('error', () => undefined)
  const workbook = new WorkbookWriter({ stream, useStyles: false, creator: 'Traffic Desk' })
  let open: ReturnType<typeof workbook.addWorksheet> | null = null
  const add: Workbook['add'] = async (rows) => {
    for (const cells of rows) open?.addRow(cells.map(asCell)).commit()
    if (stream.errored) throw asDiskFailure(stream.errored)
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
  return {
    sheet: async (name, columns) => {
      open?.commit()
      open = workbook.addWorksheet(name.replace(/[[\]:*?/\\\p{Cc}]/gu, ' ').slice(0, 31), {
        views: [{ state: 'frozen', ySplit: 1 }],
      })
      await add([columns])
    },
    add,
    finish: async () => {
      open?.commit()
      await workbook.commit()
      if (stream.errored) throw asDiskFailure(stream.errored)
    },
  }
}

const asCell = (cell: SheetCell): SheetCell =>
  typeof cell === 'string' ? (cell === '' ? null : cellText(cell)) : cell
