import { portOfThread, portOfUtility } from '#main/workers/rpc-server.ts'
import { serveEngine } from './serve.ts'

/** The engine's process, or a thread where there is no Electron: its arguments are the two folders (database.ts). */
const [history, temporary] = process.argv.slice(-2)
const port = portOfThread() ?? portOfUtility()
if (port && history !== undefined && temporary !== undefined) serveEngine(port, { history, temporary })
