import { csvForm, csvMark } from '#shared/values/delimited.ts'
import { headerLine, lines } from './delimited.ts'
import type { Out, Sheet, TableWriter } from './table-writer.ts'

/** One table as CSV. */
export function csvFile(file: Out): TableWriter {
  let columns: Sheet['columns'] = []
  return {
    begin: async (sheet) => {
      columns = sheet.columns
      await file.appendFile(
        csvMark + headerLine(columns, csvForm) + lines(sheet.above ?? [], columns, csvForm),
      )
    },
    rows: (rows) => file.appendFile(lines(rows, columns, csvForm)),
    absent: () => Promise.resolve(),
    finish: () => Promise.resolve(),
  }
}
