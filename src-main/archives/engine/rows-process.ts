import { portOfThread, portOfUtility } from '#main/workers/rpc-server.ts'
import { serveRows } from './serve.ts'

/** The rows' process, or a thread where there is no Electron: its arguments are two folders, of rows and of what is temporary. */
const [history, temporary] = process.argv.slice(-2)
const port = portOfThread() ?? portOfUtility()
if (port && history !== undefined && temporary !== undefined) serveRows(port, { history, temporary })
