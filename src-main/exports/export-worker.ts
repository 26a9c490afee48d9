import { workerData } from 'node:worker_threads'
import * as v from 'valibot'
import { portOfThread } from '#main/workers/rpc-server.ts'
import { serveWriting, writingTask } from './writing.ts'

// An error ends the thread, which its starter detects.
const port = portOfThread()
if (port) serveWriting(port, v.parse(writingTask, workerData))
