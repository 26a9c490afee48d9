import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import * as v from 'valibot'
import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { FromWorker, ToWorker, WorkerTask } from './messages.ts'
import { isSound } from './open-database.ts'
import { isOperation } from './operations.ts'
import { openSession } from './session.ts'
import type { StoreSession } from './session.ts'

const workerTask = v.object({ task: v.picklist(['keep', 'check']), folder: v.string() })

const tellOver = (port: MessagePort) => (message: FromWorker) => port.postMessage(message)

/** Answers the main thread, one operation after the other, in the order in which they were asked. */
function keep(port: MessagePort, folder: string): void {
  const tell = tellOver(port)
  const session = openSession(folder, (rebuilt) => tell({ kind: 'rebuilt', rebuilt }))
  port.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'run':
        return tell(answer(session, message))
      case 'begin-anew':
        // An operation may have met the damage before the check told of it, and begun anew already.
        return isSound(folder) ? undefined : session.beginAnew()
      case 'close':
        session.close()
        return port.close()
    }
  })
  tell({ kind: 'opened', opening: session.opening })
}

function answer(session: StoreSession, asked: Extract<ToWorker, { kind: 'run' }>): FromWorker {
  const { id, name, argument } = asked
  try {
    if (!isOperation(name)) throw new TypeError('There is no such operation')
    return { kind: 'done', id, result: session.run(name, argument) }
  } catch (error) {
    return { kind: 'failed', id, failure: failureOf(error) }
  }
}

function start(port: MessagePort, { task, folder }: WorkerTask): void {
  switch (task) {
    case 'keep':
      return keep(port, folder)
    case 'check':
      return tellOver(port)({ kind: 'checked', sound: isSound(folder) })
  }
}

if (parentPort) start(parentPort, v.parse(workerTask, workerData))
