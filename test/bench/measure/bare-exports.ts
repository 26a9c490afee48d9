import { DuckDBInstance } from '@duckdb/node-api'
import { WorkbookWriter } from '@cj-tech-master/excelts'
import { createWriteStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'

/** The files of kept tables of a profile, the largest of them last. */
export const historyFilesIn = (profile: string): string[] =>
  readdirSync(join(profile, 'history'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.parquet') && path.includes('referrers'))
    .map((path) => join(profile, 'history', path))

/** The engine alone sums, sorts and writes the rows of these files, with the limits of the app's own. In milliseconds. */
export async function bareCopy(files: readonly string[], folder: string): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', {
    ...{ memory_limit: '128MB', threads: '2', temp_directory: join(folder, 'spilled') },
    preserve_insertion_order: 'false',
  })
  const connection = await instance.connect()
  const list = files.map((file) => `'${file}'`).join(', ')
  const sums = 'sum(COLUMNS(* EXCLUDE (label, kind, label_id, folded, day, days)))'
  const began = performance.now()
  await connection.run(
    `COPY (SELECT label, ${sums} FROM read_parquet([${list}], hive_partitioning = false) GROUP BY label ORDER BY 2 DESC, 1)
     TO '${join(folder, 'bare.csv')}' (FORMAT csv)`,
  )
  const took = performance.now() - began
  connection.closeSync()
  instance.closeSync()
  return took
}

/** The writer of workbooks alone writes so many rows of a label and seven counts. In milliseconds. */
export async function bareWorkbook(rows: number, folder: string): Promise<number> {
  const began = performance.now()
  const stream = createWriteStream(join(folder, 'bare.xlsx'))
  const workbook = new WorkbookWriter({ stream, useStyles: true })
  const sheet = workbook.addWorksheet('Rows')
  for (let row = 0; row < rows; row += 1) {
    const count = 2 * (rows - row)
    sheet
      .addRow([
        `publisher-${String(row).padStart(6, '0')}.example.com`,
        count,
        count,
        count - 2,
        1,
        1,
        row,
        row,
      ])
      .commit()
    if (row % 1000 === 0 && stream.writableNeedDrain) await once(stream, 'drain')
  }
  sheet.commit()
  await workbook.commit()
  return performance.now() - began
}
