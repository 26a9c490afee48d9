import { MessageChannel, Worker } from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { answerCall, knownCalls, stackOf } from './rpc.ts'
import type { ArgumentOf, Calls, FromServer, Known, Channel, ResultOf, ToServer } from './rpc.ts'
import { portOf } from './rpc-server.ts'
import type { ServerPort } from './rpc-server.ts'
import { cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { pauseAfter } from '#main/lib/retry.ts'

type RpcOptions<A extends Calls<A>> = {
  /** Starts the worker. */
  readonly open: () => Channel
  /** Milliseconds without calls after which the worker is closed; absent: never. */
  readonly idle?: number
  /** Creates the error of calls whose worker ended, given the cause; and of calls after `close`. */
  readonly gone: (cause: unknown) => DeskFailure
  readonly closed: () => DeskFailure
  /** Called when the worker ended unexpectedly, before its calls fail. */
  readonly onGone?: (cause: unknown) => void
  /** Called with each event of the worker. */
  readonly onEvent?: (event: unknown) => void
  /** Functions that the worker may call. Their signal is aborted when the worker has ended. */
  readonly answers?: A
}

export type RpcClient<C extends Calls<C>> = {
  /**
   * @param signal cancels the call, which then settles when its work has ended: as `cancelled`, unless the work was
   * already done
   * @throws DeskFailure as the worker failed, or as `gone` and `closed` create
   */
  readonly call: <N extends keyof C & string>(
    name: N,
    argument: ArgumentOf<C[N]>,
    signal?: AbortSignal,
  ) => Promise<ResultOf<C[N]>>
  /** Whether an idle worker may be closed; true by default. */
  readonly mayRest: (may: boolean) => void
  /**
   * Starts a second worker, which replaces the current one with its first message, once the current one has finished.
   * No effect without a running worker, or if the second worker does not start or ends before its first message.
   */
  readonly renew: () => void
  /** Closes the worker after all earlier calls are done. */
  readonly close: () => Promise<void>
  /**
   * Terminates the worker at once. Its calls fail as `gone` creates; the next call starts another. Resolves when the
   * worker has ended, which may take long if it waits for a disk.
   */
  readonly kill: () => Promise<void>
}

type Waiting = {
  readonly resolve: (result: never) => void
  readonly reject: (failure: DeskFailure) => void
  /** Worker that the call was sent to; null before. */
  sentTo: Channel | null
}

/**
 * Calls functions in another thread or process, in order. The worker starts with the first call, and again with the
 * next call after it was closed or crashed. Calls that were running during a crash fail and are not repeated. Repeated
 * crashes delay the next start increasingly.
 */
export const rpcClient = <C extends Calls<C>, A extends Calls<A> = Readonly<Record<never, never>>>(
  options: RpcOptions<A>,
): RpcClient<C> => new Client<C, A>(options)

class Client<C extends Calls<C>, A extends Calls<A>> implements RpcClient<C> {
  readonly #options: RpcOptions<A>
  readonly #knownCalls: Known
  readonly #waiting = new Map<number, Waiting>()
  #channel: Channel | null = null
  /** Started worker that has not yet replaced `#channel`. */
  #next: Channel | null = null
  /** Killed workers, whose messages are ignored. A worker waiting for a disk may end long after `kill`. */
  readonly #killed = new WeakSet<Channel>()
  /** Resolves when the worker has ended. */
  readonly #exits = new WeakMap<Channel, Promise<void>>()
  /** Resolves when a closing worker has ended; undefined afterwards. The next worker must not start before. */
  #ending: Promise<void> | undefined
  #resting: NodeJS.Timeout | undefined
  #mayRest = true
  #count = 0
  #over = false
  /** Consecutive crashes since the last response. */
  #failures = 0

  constructor(options: RpcOptions<A>) {
    this.#options = options
    this.#knownCalls = options.answers ? knownCalls(options.answers) : new Map()
  }

  readonly call: RpcClient<C>['call'] = async (name, argument, signal) => {
    if (this.#over) throw this.#options.closed()
    if (signal) throwIfCancelled(signal)
    clearTimeout(this.#resting)
    const id = (this.#count += 1)
    const giveUp = () => this.#giveUpCall(id)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, sentTo: null })
        // A caller that may cancel gets a moment to do so before the call is sent.
        if (signal && this.#ending === undefined) this.#holdUntil(Promise.resolve())
        // Other calls are sent at once, so that the worker begins while the caller prepares its next call.
        if (this.#ending === undefined) this.#send(id, name, argument)
        else {
          const send = () => this.#send(id, name, argument)
          void this.#ending.then(send, send)
        }
      })
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  readonly mayRest = (may: boolean): void => {
    this.#mayRest = may
    this.#restWhenIdle()
  }

  readonly renew = (): void => {
    const leaving = this.#channel
    if (this.#over || leaving === null || this.#next !== null) return
    let made: Channel
    try {
      made = this.#begin()
    } catch {
      return
    }
    this.#next = made
    let isGone = false
    made.onEnd(() => {
      isGone = true
      if (this.#next === made) this.#next = null
    })
    made.onMessage(() => {
      if (this.#next !== made) return
      this.#next = null
      // The current worker ended in the meantime.
      if (this.#channel !== leaving) return made.kill()
      this.#channel = null
      const taken = this.#finish(leaving).then(() => {
        // The new worker ended before it could take over: the next call starts another.
        if (isGone) return
        this.#channel = made
        made.hold(this.#waiting.size > 0)
      })
      this.#holdUntil(taken)
    })
  }

  readonly close = async (): Promise<void> => {
    this.#over = true
    // Earlier calls are sent first.
    await this.#ending
    await this.#end()
    this.#failAll(this.#options.closed())
  }

  readonly kill = async (): Promise<void> => {
    const killed = [this.#next, this.#channel].filter((channel) => channel !== null)
    this.#next = null
    this.#channel = null
    for (const channel of killed) {
      this.#killed.add(channel)
      channel.kill()
    }
    this.#failAll(this.#options.gone(new Error('It was ended')))
    await Promise.all(killed.map((channel) => this.#exits.get(channel)))
  }

  #begin(): Channel {
    const made = this.#options.open()
    const asker = new AbortController()
    made.onMessage((message) => {
      if (!this.#killed.has(made)) this.#receive(message as FromServer, made, asker.signal)
    })
    let goes = () => {}
    this.#exits.set(made, new Promise((resolve) => (goes = resolve)))
    made.onEnd((error) => {
      goes()
      asker.abort()
      if (this.#channel === made) {
        this.#channel = null
        this.#hasGone(error)
      } else {
        // The worker crashed while it finished its last calls.
        this.#failAll(this.#options.gone(error), ({ sentTo }) => sentTo === made)
      }
    })
    return made
  }

  #hasGone(cause: unknown): void {
    this.#failures += 1
    const wait = pauseAfter('worker', this.#failures)
    if (wait > 0) this.#holdUntil(new Promise((resolve) => setTimeout(resolve, wait)))
    this.#options.onGone?.(cause)
    this.#failAll(this.#options.gone(cause))
  }

  /** Sends a call, and starts the worker if none is running. */
  #send(id: number, name: string, argument: unknown): void {
    const called = this.#waiting.get(id)
    if (!called) return
    let channel: Channel
    try {
      channel = this.#channel ??= this.#begin()
    } catch (cause) {
      return this.#hasGone(cause)
    }
    called.sentTo = channel
    try {
      channel.hold(true)
      channel.post({ kind: 'call', id, name, argument } satisfies ToServer)
    } catch (cause) {
      // A message that cannot be sent fails only its own call: the worker is unaffected.
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) channel.hold(false)
      called.reject(new DeskFailure(failureOf(cause), { cause }))
    }
  }

  /** Drops an unsent call. Otherwise the worker cancels, and responds when the work has ended. */
  #giveUpCall(id: number): void {
    const called = this.#waiting.get(id)
    if (called?.sentTo) return called.sentTo.post({ kind: 'cancel', id } satisfies ToServer)
    this.#waiting.delete(id)
    this.#restWhenIdle()
    called?.reject(cancelled())
  }

  /** @param from the sender @param signal aborted when the sender has ended */
  #receive(message: FromServer, from: Channel, signal: AbortSignal): void {
    if (message.kind === 'event') return this.#options.onEvent?.(message.event)
    if (message.kind === 'call') {
      const send = (ended: ToServer) => (signal.aborted ? undefined : from.post(ended))
      return void answerCall(message, { known: () => this.#knownCalls, signal, causeOf: stackOf, send })
    }
    const called = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    this.#failures = 0
    if (this.#waiting.size === 0) this.#channel?.hold(false)
    this.#restWhenIdle()
    if (message.kind === 'done') called?.resolve(message.result as never)
    else called?.reject(new DeskFailure(message.failure, { cause: message.cause }))
  }

  #failAll(failure: DeskFailure, which: (called: Waiting) => boolean = () => true): void {
    const failed = [...this.#waiting].filter(([, called]) => which(called))
    for (const [id, { reject }] of failed) {
      this.#waiting.delete(id)
      reject(failure)
    }
  }

  #restWhenIdle(): void {
    const { idle } = this.#options
    clearTimeout(this.#resting)
    if (idle === undefined || !this.#mayRest || this.#waiting.size > 0 || this.#channel === null) return
    this.#resting = setTimeout(() => void this.#end(), idle)
    this.#resting.unref()
  }

  /** Requests the worker to finish and exit. */
  async #end(): Promise<void> {
    clearTimeout(this.#resting)
    this.#next?.kill()
    this.#next = null
    const leaving = this.#channel
    this.#channel = null
    if (leaving !== null) this.#holdUntil(this.#finish(leaving))
    await this.#ending
  }

  /** Holds calls back, in their order, until the promise settles. */
  #holdUntil(ended: Promise<void>): void {
    this.#ending = ended
    // The first reaction of the promise: held calls follow, and are sent before any later call.
    const release = () => {
      if (this.#ending === ended) this.#ending = undefined
    }
    void ended.then(release, release)
  }

  async #finish(leaving: Channel): Promise<void> {
    leaving.hold(true)
    leaving.post({ kind: 'close' } satisfies ToServer)
    await this.#exits.get(leaving)
  }
}

/**
 * Connects to a server in the current thread, for work that is shorter than starting a thread. Messages are cloned as
 * between threads.
 */
export function inProcessChannel(
  serve: (port: ServerPort & { readonly close: () => void }) => Promise<void>,
): Channel {
  const { port1: near, port2: far } = new MessageChannel()
  let error: unknown
  serve(portOf(far)).catch((cause: unknown) => {
    error = cause
    far.close()
  })
  far.unref()
  return {
    post: (message) => near.postMessage(message),
    onMessage: (listener) => {
      near.on('message', listener)
      near.unref()
    },
    onEnd: (listener) => near.once('close', () => listener(error)),
    hold: (needed) => (needed ? near.ref() : near.unref()),
    kill: () => near.close(),
  }
}

/** Starts a worker thread and connects to it. */
export function threadChannel(script: string | URL, options: WorkerOptions): Channel {
  const thread = new Worker(script, options)
  let error: unknown
  // An error ends the thread: 'exit' follows.
  thread.on('error', (cause) => (error = cause))
  // After an unreadable response, its call would wait forever.
  thread.on('messageerror', (cause) => {
    error = cause
    void thread.terminate()
  })
  thread.unref()
  return {
    post: (message) => thread.postMessage(message),
    onMessage: (listener) => thread.on('message', listener),
    onEnd: (listener) => thread.once('exit', () => listener(error)),
    hold: (needed) => (needed ? thread.ref() : thread.unref()),
    kill: () => void thread.terminate(),
  }
}
