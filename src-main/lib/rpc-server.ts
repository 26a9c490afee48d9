import { parentPort } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { failureOf } from '#shared/app/desk-failure.ts'
import type { Calls, FromServer, ToServer } from './rpc.ts'
import { cancelled } from './async.ts'

/** The end of a line at which functions are called. */
export type ServerPort = {
  readonly post: (message: unknown) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
}

/**
 * Answers calls with these functions, which may take their time: calls are begun in the order in which they come. A call that
 * is given up fails as `cancelled`, unless it had ended before.
 * @param calls a function opens what they need with the first call, and again with the next where that failed
 * @param end closes what is open, once everything called before is done
 * @param causeOf what the log is to know of a mistake of ours
 * @returns tells the other end something that it has not asked for
 */
export function serveRpc<C extends Calls<C>>(
  port: ServerPort,
  calls: C | (() => C),
  end: () => void | Promise<void>,
  causeOf: (error: Error) => string | null = (error) => error.stack ?? null,
): (event: unknown) => void {
  const running = new Set<Promise<void>>()
  const cancellable = new Map<number, AbortController>()
  const send = (message: FromServer) => port.post(message)
  let opened: ReadonlyMap<string, (argument: never, signal: AbortSignal) => unknown> | undefined
  const known = () =>
    (opened ??= new Map(Object.entries(typeof calls === 'function' ? (calls as () => C)() : calls)))

  async function answer({ id, name, argument }: Extract<ToServer, { kind: 'call' }>): Promise<void> {
    const controller = new AbortController()
    cancellable.set(id, controller)
    try {
      const call = known().get(name)
      if (!call) throw new TypeError('There is no such call')
      send({ kind: 'done', id, result: await call(argument as never, controller.signal) })
    } catch (thrown) {
      const error = controller.signal.aborted ? cancelled() : thrown
      const failure = failureOf(error)
      const cause = failure.kind === 'internal' && error instanceof Error ? causeOf(error) : null
      send({ kind: 'failed', id, failure, cause })
    } finally {
      cancellable.delete(id)
    }
  }

  port.onMessage((message) => {
    const asked = message as ToServer
    if (asked.kind === 'cancel') return cancellable.get(asked.id)?.abort()
    if (asked.kind === 'close') return void Promise.allSettled([...running]).then(end)
    const answered = answer(asked)
    running.add(answered)
    void answered.finally(() => running.delete(answered))
  })
  return (event) => send({ kind: 'event', event })
}

/** The thread's own end of the line; undefined where this is no thread. */
export function portOfThread(): (ServerPort & { readonly close: () => void }) | undefined {
  return parentPort ? portOf(parentPort) : undefined
}

/** One end of a channel as the server's. */
export function portOf(port: MessagePort): ServerPort & { readonly close: () => void } {
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', listener),
    close: () => port.close(),
  }
}

/** What Electron gives a utility process to talk to its parent by. */
type ParentPort = {
  readonly postMessage: (message: unknown) => void
  readonly on: (name: 'message', listener: (event: { readonly data: unknown }) => void) => void
}

const isParentPort = (value: unknown): value is ParentPort =>
  typeof value === 'object' && value !== null && 'postMessage' in value && 'on' in value

/** A utility process's own end of the line to its parent; undefined where this is none. */
export function portOfUtility(): (ServerPort & { readonly close: () => void }) | undefined {
  const port: unknown = Reflect.get(process, 'parentPort')
  if (!isParentPort(port)) return undefined
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', ({ data }) => listener(data)),
    close: () => process.exit(),
  }
}
