import { withSignal } from '#main/lib/async.ts'
import type { Timeout } from '#main/lib/async.ts'

/** Under these statuses a service gives its answer. Which of them it chooses is left open (specification: errors). */
const successes: ReadonlySet<number> = new Set([200, 201, 202, 203])

/** Whether an answer comes with a status. */
export const isSuccess = (status: number): boolean => successes.has(status)

/** Members of an error in which another one may hide. */
type Nested = {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

/** undici gives what is no HTTP a name, and a code only in some of its versions. */
function parserCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'HTTPParserError') return undefined
  return error.message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID'
}

/**
 * The code of what the system refused. `ETIMEDOUT` and its like are told of attempts to connect, and of connections that
 * stood and broke: the request may have arrived then, so those count as lost.
 */
function systemCode({ code, syscall }: Nested): string | undefined {
  if (typeof code !== 'string') return undefined
  const stood = syscall === 'read' || syscall === 'write'
  return stood && connectCodes.has(code) ? 'ECONNRESET' : code
}

/** The code of an error, or of the first one that it wraps. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined
  const { cause, errors } = error as Nested
  const inner = codeOf(cause, depth + 1) ?? (Array.isArray(errors) ? codeOf(errors[0], depth + 1) : undefined)
  return inner ?? parserCode(error) ?? systemCode(error)
}

const certificateCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

export function isCertificateCode(code: string): boolean {
  return code.startsWith('CERT_') || certificateCodes.has(code)
}

/** A connection that stood and broke. `Z_BUF_ERROR` is packed data that ends too early. */
const lossCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
  'Z_BUF_ERROR',
])

export function isLossCode(code: string): boolean {
  return lossCodes.has(code)
}

/** Connections that failed at once, and may come about at the next try. */
const passingConnectCodes = new Set(['ECONNREFUSED', 'EAI_AGAIN'])

const connectCodes = new Set([
  ...passingConnectCodes,
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
])

/** Whether no connection came about at all, so that another proxy of the list may help. */
export function failedToConnect(error: unknown): boolean {
  return connectCodes.has(codeOf(error) ?? '')
}

/** Whether the same request may well be answered at the next try. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return isLossCode(code) || passingConnectCodes.has(code)
}

/** What ends an exchange from this side. */
export type EndedBy = 'cancelled' | 'first-byte' | 'idle' | 'whole' | 'size' | 'coding' | 'charset'

/** An exchange that this side ended; `amount` is the limit that was passed, in seconds (for `size`, in MiB). */
export class ExchangeEnded extends Error {
  readonly by: EndedBy
  readonly amount: number

  constructor(by: EndedBy, amount = 0) {
    super(`Ended: ${by}`)
    this.name = 'ExchangeEnded'
    this.by = by
    this.amount = amount
  }
}

/** How long finding the way to a host may take. @param milliseconds the limit */
export const timeToConnect = (milliseconds: number, signal: AbortSignal): Timeout => ({
  milliseconds,
  signal,
  late: () => new ExchangeEnded('first-byte', Math.round(milliseconds / 100) / 10),
})

/** How long each part of an exchange may take, in milliseconds. */
export type Timeouts = {
  /** Until a connection stands. */
  readonly connect: number
  /** Until the answer begins: wide data takes minutes (field notes: answers and failures). */
  readonly firstByte: number
  /** Between two pieces of an answer. */
  readonly idle: number
  /** From the beginning of the answer to its end. */
  readonly whole: number
}

export const plainTimeouts: Timeouts = { connect: 15_000, firstByte: 120_000, idle: 60_000, whole: 600_000 }

/** One abort signal for a person's cancelling and for every time-out of one exchange; its reason says which. */
export class Deadlines {
  readonly #controller = new AbortController()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #outer: AbortSignal
  readonly #cancel = () => this.#controller.abort(new ExchangeEnded('cancelled'))

  constructor(outer: AbortSignal) {
    this.#outer = outer
    if (outer.aborted) this.#cancel()
    else outer.addEventListener('abort', this.#cancel, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Starts, or starts again, one of the time-outs. */
  start(by: 'first-byte' | 'idle' | 'whole', milliseconds: number): void {
    const running = this.#timers.get(by)
    if (running) running.refresh()
    else {
      const end = () => this.#controller.abort(new ExchangeEnded(by, Math.round(milliseconds / 100) / 10))
      this.#timers.set(by, setTimeout(end, milliseconds))
    }
  }

  stop(by: 'first-byte' | 'idle' | 'whole'): void {
    clearTimeout(this.#timers.get(by))
    this.#timers.delete(by)
  }

  /** Waits for something that does not look at the signal itself. */
  race<T>(something: Promise<T>): Promise<T> {
    // Where the signal is aborted already, nobody hears how it ends.
    something.catch(() => undefined)
    return withSignal(
      this.signal,
      () => something,
      () => this.signal.reason as Error,
    )
  }

  /** Lets go of every timer and listener; to be called when the exchange is over, however it went. */
  end(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#outer.removeEventListener('abort', this.#cancel)
  }
}
