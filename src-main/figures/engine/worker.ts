import { parentPort, workerData } from 'node:worker_threads'
import * as v from 'valibot'
import { failureOf } from '../../../src-shared/desk/desk-failure.ts'
import { Engine } from './engine.ts'
import { keptSource } from './kept-source.ts'
import type { AskMessage, ReckonedMessage } from './messages.ts'

const task = v.object({ folder: v.string() })

/** The thread that computes answers from what is kept, one after the other. */
if (parentPort) {
  const port = parentPort
  const engine = new Engine(keptSource(v.parse(task, workerData).folder))
  port.on('message', (message: AskMessage) => {
    port.postMessage(reckoned(engine, message))
  })
}

function reckoned(engine: Engine, { id, name, asked }: AskMessage): ReckonedMessage {
  try {
    return { id, ok: true, reckoned: engine.reckon(name, asked) }
  } catch (error) {
    return { id, ok: false, failure: failureOf(error) }
  }
}
