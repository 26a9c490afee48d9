import { serveEngine } from '#main/analytics/engine-server.ts'
import { portOfThread, portOfUtility } from '#main/workers/rpc-server.ts'

/**
 * A process of DuckDB's, or a thread where there is no Electron. Its arguments are what it computes, `figures` or `rows`, and two
 * folders: of the files that it reads and writes, and of what is temporary.
 */
async function begin(): Promise<void> {
  const [use, history, temporary] = process.argv.slice(-3)
  const port = portOfThread() ?? portOfUtility()
  if (!port || history === undefined || temporary === undefined) return
  const folders = { history, temporary }
  // Each loads its own operations alone.
  if (use === 'rows') {
    const { rowsOperations } = await import('#main/archives/engine/rows-operations.ts')
    serveEngine(port, folders, rowsOperations)
  } else {
    const { figuresOperations } = await import('#main/reports/engine/table-operations.ts')
    serveEngine(port, folders, figuresOperations)
  }
}

void begin()
