import { csvForm, headerLine, lines } from './delimited.ts'
import type { Out, Sheet, TableWriter } from './table-writer.ts'

/** Excel reads a CSV as UTF-8 only where it begins with this mark; other readers leave it out. */
const MARK = '\uFEFF'

/** One table as CSV. */
export function csvFile(file: Out): TableWriter {
  let columns: Sheet['columns'] = []
  return {
    begin: async (sheet) => {
      columns = sheet.columns
      await file.appendFile(MARK + headerLine(columns, csvForm) + lines(sheet.above ?? [], columns, csvForm))
    },
    rows: (rows) => file.appendFile(lines(rows, columns, csvForm)),
    absent: () => Promise.resolve(),
    finish: () => Promise.resolve(),
  }
}
