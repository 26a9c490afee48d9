import { DuckDBInstance } from '@duckdb/node-api'
import type { BareAnswer, BareQuestion } from './bare.ts'

/** The yardstick: DuckDB with its defaults and two threads. It answers a statement with how long that took. */
const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
const connection = await instance.connect()

async function answer({ sql }: BareQuestion): Promise<BareAnswer> {
  const began = performance.now()
  const found = (await connection.runAndReadAll(sql)).getColumns()
  const took = performance.now() - began
  return { took, rows: found[0]?.length ?? 0, first: found[0]?.[0] === undefined ? '' : String(found[0][0]) }
}

process.on('message', (question) => {
  answer(question as BareQuestion).then(
    (found) => process.send?.(found),
    (error: unknown) => process.send?.({ took: NaN, rows: 0, first: String(error) } satisfies BareAnswer),
  )
})
