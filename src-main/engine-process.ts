import { serveEngine } from '#main/analytics/engine-server.ts'
import { portOfThread, portOfUtility } from '#main/workers/rpc-server.ts'

/**
 * Entry point of a DuckDB process, or of a thread if there is no Electron. Arguments: the operations (`figures` or `rows`), the
 * folder of data files, and the folder of temporary files.
 */
async function begin(): Promise<void> {
  const [use, history, temporary] = process.argv.slice(-3)
  const port = portOfThread() ?? portOfUtility()
  if (!port || history === undefined || temporary === undefined) return
  const folders = { history, temporary }
  // Each process loads only its own operations.
  if (use === 'rows') {
    const { rowsOperations } = await import('#main/archives/engine/rows-operations.ts')
    serveEngine(port, folders, rowsOperations)
  } else {
    const { figuresOperations } = await import('#main/reports/engine/table-operations.ts')
    serveEngine(port, folders, figuresOperations)
  }
}

void begin()
