import { MessageChannel, Worker } from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { answerCall, knownCalls, stackOf } from './rpc.ts'
import type { ArgumentOf, Calls, FromServer, Known, Line, ResultOf, ToServer } from './rpc.ts'
import { portOf } from './rpc-server.ts'
import type { ServerPort } from './rpc-server.ts'
import { cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { pauseAfter } from '#main/lib/retry.ts'

type RpcOptions<A extends Calls<A>> = {
  /** Begins the other end. */
  readonly open: () => Line
  /** For how long nothing has to be called before the other end is closed, in milliseconds; never where left out. */
  readonly idle?: number
  /** What calls fail with whose other end has gone, given what ended it; and those after `close`. */
  readonly gone: (cause: unknown) => DeskFailure
  readonly closed: () => DeskFailure
  /** Hears that the other end has gone by itself, before what it was called for fails. */
  readonly onGone?: (cause: unknown) => void
  /** Hears what the other end tells unasked. */
  readonly onEvent?: (event: unknown) => void
  /** What the other end may call here. Their signal is aborted when it has gone. */
  readonly answers?: A
}

export type RpcClient<C extends Calls<C>> = {
  /**
   * @param signal gives the call up; it ends when its work has, as `cancelled` unless that was done before
   * @throws DeskFailure as the other end failed, or as `gone` and `closed` say
   */
  readonly call: <N extends keyof C & string>(
    name: N,
    argument: ArgumentOf<C[N]>,
    signal?: AbortSignal,
  ) => Promise<ResultOf<C[N]>>
  /** Whether the other end may be closed while nothing is called; it may where nothing was said. */
  readonly mayRest: (may: boolean) => void
  /**
   * Begins another end, which takes over with the first thing that it tells unasked, once the one that is there has gone;
   * until then that answers. Nothing happens where none is there, where no other can be begun, or where it goes before it told anything.
   */
  readonly renew: () => void
  /** Closes the other end after everything called so far is done. */
  readonly close: () => Promise<void>
  /**
   * Ends the other end, whatever it does: what was called fails as `gone` says, and the next call begins another. Done when it has
   * gone, which one that waits for a disk may do late.
   */
  readonly kill: () => Promise<void>
}

type Waiting = {
  readonly resolve: (result: never) => void
  readonly reject: (failure: DeskFailure) => void
  /** The end that it was sent to; null before. */
  sentTo: Line | null
}

/**
 * Calls functions in another thread or process, in the order of the calls. It begins with the first call, and again with
 * the next one after it was closed for rest, or failed: then what was called fails, and is not called again by itself.
 * Where it fails again and again, calls wait longer and longer.
 */
export const rpcClient = <C extends Calls<C>, A extends Calls<A> = Readonly<Record<never, never>>>(
  options: RpcOptions<A>,
): RpcClient<C> => new Client<C, A>(options)

class Client<C extends Calls<C>, A extends Calls<A>> implements RpcClient<C> {
  readonly #options: RpcOptions<A>
  readonly #known: Known
  readonly #waiting = new Map<number, Waiting>()
  #line: Line | null = null
  /** The end that is about to take over. */
  #next: Line | null = null
  /** Ends that are over for us: what waits for a disk that does not answer may go no sooner than that answers. */
  readonly #killed = new WeakSet<Line>()
  /** When each end has gone. */
  readonly #gone = new WeakMap<Line, Promise<void>>()
  /** Done when the end that is being closed has gone: the next must not begin before. */
  #ending: Promise<void> | undefined
  #resting: NodeJS.Timeout | undefined
  #mayRest = true
  #count = 0
  #over = false
  /** How often it has failed since it answered last. */
  #failures = 0

  constructor(options: RpcOptions<A>) {
    this.#options = options
    this.#known = options.answers ? knownCalls(options.answers) : new Map()
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
        void Promise.resolve(this.#ending).then(() => this.#send(id, name, argument))
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
    const leaving = this.#line
    if (this.#over || leaving === null || this.#next !== null) return
    let made: Line
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
      // The one that was there has gone by itself.
      if (this.#line !== leaving) return made.kill()
      this.#line = null
      this.#ending = this.#finish(leaving).then(() => {
        // It has gone before it could take over: the next call begins another.
        if (isGone) return
        this.#line = made
        made.hold(this.#waiting.size > 0)
      })
    })
  }

  readonly close = async (): Promise<void> => {
    this.#over = true
    // What was called before this is sent first.
    await this.#ending
    await this.#end()
    this.#failAll(this.#options.closed())
  }

  readonly kill = async (): Promise<void> => {
    const killed = [this.#next, this.#line].filter((line) => line !== null)
    this.#next = null
    this.#line = null
    for (const line of killed) {
      this.#killed.add(line)
      line.kill()
    }
    this.#failAll(this.#options.gone(new Error('It was ended')))
    await Promise.all(killed.map((line) => this.#gone.get(line)))
  }

  #begin(): Line {
    const made = this.#options.open()
    const asker = new AbortController()
    made.onMessage((message) => {
      if (!this.#killed.has(made)) this.#receive(message as FromServer, made, asker.signal)
    })
    let goes = () => {}
    this.#gone.set(made, new Promise((resolve) => (goes = resolve)))
    made.onEnd((error) => {
      goes()
      asker.abort()
      if (this.#line === made) {
        this.#line = null
        this.#hasGone(error)
      } else {
        // It broke off while it finished what it had been called for.
        this.#failAll(this.#options.gone(error), ({ sentTo }) => sentTo === made)
      }
    })
    return made
  }

  /** It has gone, or could not be begun. */
  #hasGone(cause: unknown): void {
    this.#failures += 1
    const wait = pauseAfter('worker', this.#failures)
    if (wait > 0) this.#ending = new Promise((resolve) => setTimeout(resolve, wait))
    this.#options.onGone?.(cause)
    this.#failAll(this.#options.gone(cause))
  }

  /** Sends a call, for which the other end is begun where there is none. */
  #send(id: number, name: string, argument: unknown): void {
    const called = this.#waiting.get(id)
    if (!called) return
    let line: Line
    try {
      line = this.#line ??= this.#begin()
    } catch (cause) {
      return this.#hasGone(cause)
    }
    called.sentTo = line
    try {
      line.hold(true)
      line.post({ kind: 'call', id, name, argument } satisfies ToServer)
    } catch (cause) {
      // What cannot be sent fails alone: the other end is as it was.
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) line.hold(false)
      called.reject(new DeskFailure(failureOf(cause), { cause }))
    }
  }

  /** What was not sent yet is not sent any more; else the other end is told, and answers when its work has ended. */
  #giveUpCall(id: number): void {
    const called = this.#waiting.get(id)
    if (called?.sentTo) return called.sentTo.post({ kind: 'cancel', id } satisfies ToServer)
    this.#waiting.delete(id)
    this.#restWhenIdle()
    called?.reject(cancelled())
  }

  /** @param from where it comes from @param signal aborted when that has gone */
  #receive(message: FromServer, from: Line, signal: AbortSignal): void {
    if (message.kind === 'event') return this.#options.onEvent?.(message.event)
    if (message.kind === 'call') {
      const send = (ended: ToServer) => (signal.aborted ? undefined : from.post(ended))
      return void answerCall(message, { known: () => this.#known, signal, causeOf: stackOf, send })
    }
    const called = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    this.#failures = 0
    if (this.#waiting.size === 0) this.#line?.hold(false)
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
    if (idle === undefined || !this.#mayRest || this.#waiting.size > 0 || this.#line === null) return
    this.#resting = setTimeout(() => void this.#end(), idle)
    this.#resting.unref()
  }

  /** Asks the other end to finish and go. */
  async #end(): Promise<void> {
    clearTimeout(this.#resting)
    this.#next?.kill()
    this.#next = null
    const leaving = this.#line
    this.#line = null
    if (leaving !== null) this.#ending = this.#finish(leaving)
    await this.#ending
  }

  async #finish(leaving: Line): Promise<void> {
    leaving.hold(true)
    leaving.post({ kind: 'close' } satisfies ToServer)
    await this.#gone.get(leaving)
  }
}

/**
 * A line to a server in this very thread, for what would take longer to begin elsewhere than it does. Messages are
 * copied, as they are on the way to another thread.
 */
export function lineHere(serve: (port: ServerPort & { readonly close: () => void }) => Promise<void>): Line {
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

/** A line to a thread that this begins. */
export function threadLine(script: string | URL, options: WorkerOptions): Line {
  const thread = new Worker(script, options)
  let error: unknown
  // An error ends the thread: 'exit' follows it.
  thread.on('error', (cause) => (error = cause))
  // An answer that cannot be read would be waited for without end.
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
