import { join } from 'node:path'
import { openRowsOf, dataScope, readTableIn, writeTable } from './imported-rows.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** What such a process works on: counts go up from `from`. */
export type RowsOrders = { readonly folder: string; readonly from: number }

/** Reads one table after the other in, each in the place of the one before. */
await workUntilKilled<RowsOrders>(async ({ folder, from }) => {
  const rows = openRowsOf(folder)
  await rows.catalogue.rowsOf(dataScope)
  const source = join(folder, `source-${process.pid}.csv`)
  return {
    prepare: (round) => {
      writeTable(source, from + round)
      return Promise.resolve()
    },
    work: async (round) => {
      await readTableIn(rows, source, from + round)
      sayStored(from + round)
      return true
    },
    close: rows.close,
  }
})
