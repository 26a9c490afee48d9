import { workerData } from 'node:worker_threads'
import * as v from 'valibot'
import { portOfThread } from '#main/workers/rpc-server.ts'
import { serveWriting, writingTask } from './writing.ts'

// What fails here ends the thread, and whoever started it hears so.
const port = portOfThread()
if (port) serveWriting(port, v.parse(writingTask, workerData))
