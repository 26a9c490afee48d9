import { parentPort } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { DeskFailure } from '#shared/api/failure.ts'
import { answerCall, knownCalls, stackOf } from './rpc.ts'
import type { ArgumentOf, Call, Calls, Ended, FromServer, Known, ResultOf, ToServer } from './rpc.ts'

/** Connection of a worker to the process that started it. */
export type ServerPort = {
  readonly post: (message: unknown) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
}

/** Messages from a worker to the process that started it. */
export type ToMain<A extends Calls<A>> = {
  readonly notify: (event: unknown) => void
  /** Calls a function of that process. @throws DeskFailure as the function failed */
  readonly ask: <N extends keyof A & string>(name: N, argument: ArgumentOf<A[N]>) => Promise<ResultOf<A[N]>>
}

type Waiting = { readonly resolve: (result: never) => void; readonly reject: (failure: DeskFailure) => void }

/**
 * Serves calls with the given functions. Calls start in the order of arrival and may overlap. A cancelled call fails as
 * `cancelled`, unless it has already ended.
 * @param calls the functions, or a function that opens their resources on the first call, and is retried if it fails
 * @param end releases the resources after all earlier calls have ended
 * @param causeOf details of an internal error for the log
 */
export function serveRpc<C extends Calls<C>, A extends Calls<A> = Readonly<Record<never, never>>>(
  port: ServerPort,
  calls: C | (() => C),
  end: () => void | Promise<void>,
  causeOf: (error: Error) => string | null = stackOf,
): ToMain<A> {
  const running = new Set<Promise<void>>()
  const cancellable = new Map<number, AbortController>()
  const waiting = new Map<number, Waiting>()
  const send = (message: FromServer) => port.post(message)
  let opened: Known | undefined
  const known = () => (opened ??= knownCalls(typeof calls === 'function' ? (calls as () => C)() : calls))

  function answer(call: Call): void {
    const controller = new AbortController()
    cancellable.set(call.id, controller)
    const answering = answerCall(call, { known, signal: controller.signal, causeOf, send })
    running.add(answering)
    void answering.finally(() => {
      running.delete(answering)
      cancellable.delete(call.id)
    })
  }

  function finish(ended: Ended): void {
    const call = waiting.get(ended.id)
    waiting.delete(ended.id)
    if (ended.kind === 'done') call?.resolve(ended.result as never)
    else call?.reject(new DeskFailure(ended.failure, { cause: ended.cause }))
  }

  port.onMessage((message) => {
    const received = message as ToServer
    switch (received.kind) {
      case 'call':
        return answer(received)
      case 'done':
      case 'failed':
        return finish(received)
      case 'cancel':
        return cancellable.get(received.id)?.abort()
      case 'close':
        return void Promise.allSettled([...running]).then(end)
    }
  })
  let count = 0
  return {
    notify: (event) => send({ kind: 'event', event }),
    ask: (name, argument) =>
      new Promise((resolve, reject) => {
        const id = (count += 1)
        send({ kind: 'call', id, name, argument })
        waiting.set(id, { resolve, reject })
      }),
  }
}

/** Port of the current worker thread; undefined in the main thread. */
export function portOfThread(): (ServerPort & { readonly close: () => void }) | undefined {
  return parentPort ? portOf(parentPort) : undefined
}

export function portOf(port: MessagePort): ServerPort & { readonly close: () => void } {
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', listener),
    close: () => port.close(),
  }
}

/** Type of `process.parentPort` in an Electron utility process. */
type ParentPort = {
  readonly postMessage: (message: unknown) => void
  readonly on: (name: 'message', listener: (event: { readonly data: unknown }) => void) => void
}

const isParentPort = (value: unknown): value is ParentPort =>
  typeof value === 'object' && value !== null && 'postMessage' in value && 'on' in value

/** Port of the current utility process; undefined in other processes. */
export function portOfUtility(): (ServerPort & { readonly close: () => void }) | undefined {
  const port: unknown = Reflect.get(process, 'parentPort')
  if (!isParentPort(port)) return undefined
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', ({ data }) => listener(data)),
    close: () => process.exit(),
  }
}
