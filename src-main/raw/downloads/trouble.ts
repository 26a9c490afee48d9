import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { FolderHangs } from '#main/lib/slow-folder-guard.ts'
import { asDiskFailure, isDiskFull } from '#main/files/disk-failure.ts'
import { networkFailure, ServiceFailure } from '#main/api/network-failure.ts'
import { failedToConnect, codeOf, ExchangeEnded } from '#main/api/transport/exchange.ts'
import type { EndedBy } from '#main/api/transport/exchange.ts'
import { NoSpace } from '#main/lib/disk-room.ts'

/** The store refuses to write down what has to be known after a crash. */
export class NotStored extends Error {}

/** What follows from trouble with a download. */
export type ErrorClass =
  /** Try again automatically, `max` times at most where nothing more arrives meanwhile; then it has failed so. */
  | {
      readonly kind: 'again'
      readonly max: number
      readonly anew: boolean
      readonly failure: Failure
      /** What is in the way meanwhile. */
      readonly why: 'connection' | 'interrupted'
    }
  /** Wait for the disk (room on it, or an answer of it), or for the token. */
  | { readonly kind: 'pause'; readonly why: 'disk' | 'token'; readonly failure: Failure }
  | { readonly kind: 'fail'; readonly failure: Failure }

/** Where nobody can be reached, a download waits for as long as it takes. */
const FOR_EVER = Number.POSITIVE_INFINITY
const OFTEN = 10
const A_FEW_TIMES = 4

const again = (max: number, failure: Failure, anew = false): Extract<ErrorClass, { kind: 'again' }> => ({
  kind: 'again',
  max,
  anew,
  failure,
  why: 'connection',
})

/** @param host who was asked for the archive, where that is known */
export function classifyError(error: unknown, host: string | null): ErrorClass {
  if (isDiskFull(error) || error instanceof FolderHangs)
    return { kind: 'pause', why: 'disk', failure: failureOf(asDiskFailure(error)) }
  if (error instanceof ThreadEnded) return { ...again(A_FEW_TIMES, interrupted), why: 'interrupted' }
  if (error instanceof NotStored) return onNotStored(error)
  if (error instanceof ChangedFile) return again(A_FEW_TIMES, notTheFile('it changes all the time'), true)
  if (error instanceof BrokenArchive) return again(A_FEW_TIMES, notTheFile(error.message), true)
  if (error instanceof HostileArchive) return { kind: 'fail', failure: notTaken(error.message) }
  if (error instanceof RefusedStatus) return onStatus(error)
  if (error instanceof ServiceFailure) return onFailure(error.failure, FOR_EVER)
  if (error instanceof DeskFailure) return onFailure(error.failure, OFTEN)
  return onOther(error, host)
}

/** The store lies on a disk of its own, which may be full where the folder of downloads is not. */
function onNotStored({ cause }: NotStored): ErrorClass {
  const failure = failureOf(cause)
  return failure.kind === 'disk' ? { kind: 'pause', why: 'disk', failure } : { kind: 'fail', failure }
}

function onFailure(failure: Failure, offline: number): ErrorClass {
  switch (failure.kind) {
    case 'offline':
      return again(offline, failure)
    case 'resting':
    case 'proxy-sign-in':
      return again(FOR_EVER, failure)
    case 'timed-out':
    case 'server-trouble':
    // The client was closed because its account changed: the next one answers.
    case 'cancelled':
      return again(OFTEN, failure)
    case 'refused-token':
    case 'no-token':
    case 'no-keychain':
      return { kind: 'pause', why: 'token', failure }
    case 'no-right':
    case 'bad-request':
    case 'out-of-window':
    case 'not-found':
    case 'malformed':
    case 'costly':
    case 'invalid':
    case 'disk':
    case 'internal':
      return { kind: 'fail', failure }
  }
}

/** An address that has just been given and is refused may have expired; it is asked for anew a few times. */
function onStatus({ status, host }: RefusedStatus): ErrorClass {
  const message = `${host} refused the download (status ${status}). Try again later.`
  if (status === 429 || status >= 500) return again(OFTEN, { kind: 'server-trouble', message })
  const gone = status === 401 || status === 403 || status === 404 || status === 410
  return again(gone ? A_FEW_TIMES : 1, { kind: gone ? 'not-found' : 'server-trouble', message })
}

function onOther(error: unknown, host: string | null): ErrorClass {
  const disk = isOfNetwork(error) ? null : asDiskFailure(error)
  if (disk instanceof DeskFailure) return { kind: 'fail', failure: disk.failure }
  if (host === null) return { kind: 'fail', failure: failureOf(error) }
  try {
    const { failure } = networkFailure(error, host)
    return again(failedToConnect(error) ? FOR_EVER : OFTEN, failure)
  } catch (mistake) {
    return { kind: 'fail', failure: failureOf(mistake) }
  }
}

const interrupted: Failure = {
  kind: 'internal',
  message: 'Saving was interrupted several times. What has arrived is saved. Try again to continue.',
}

const notTheFile = (why: string): Failure => ({
  kind: 'malformed',
  message: `The downloaded file is not the service's archive: ${why}. Nothing was saved. Try again later.`,
})

const notTaken = (why: string): Failure => ({
  kind: 'malformed',
  message: `The archive was not saved. It is not a raw report: ${why}.`,
})

/** An archive that did not arrive as it was sent: fetching it anew may help. */
export class BrokenArchive extends Error {}

/** An archive that is whole and yet nothing to be put on a disk: fetching it anew brings the same. */
export class HostileArchive extends Error {}

/** What was continued is not the same file any more, or cannot be continued. */
export class ChangedFile extends Error {}

/** The thread ended by itself, in the middle of its work; `cause` says of what. What has come is there still. */
export class ThreadEnded extends Error {
  constructor(cause: unknown) {
    super('The thread of archives ended by itself', { cause })
  }
}

/** The server of archives answered with a status that is no archive. */
export class RefusedStatus extends Error {
  readonly status: number
  readonly host: string

  constructor(status: number, host: string) {
    super(`${host} answered ${status}`)
    this.status = status
    this.host = host
  }
}

const callOf = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string'
    ? error.syscall
    : undefined

/** A firewall refuses with the words of a disk. */
const isOfNetwork = (error: unknown): boolean => ['connect', 'getaddrinfo'].includes(callOf(error) ?? '')

/** How a task went wrong; `words` are the end of a sentence. */
export type ThreadTrouble =
  | { readonly kind: 'broken' | 'hostile' | 'changed'; readonly words: string }
  | { readonly kind: 'refused'; readonly status: number; readonly host: string }
  /** This side ended it. */
  | { readonly kind: 'ended'; readonly by: EndedBy; readonly amount: number }
  | {
      readonly kind: 'network'
      readonly message: string
      readonly code: string
      readonly syscall: string | undefined
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly full: boolean }

/** What was thrown in the thread, in a form that goes over to the other side. */
export function messageOf(error: unknown): ThreadTrouble {
  if (error instanceof BrokenArchive) return { kind: 'broken', words: error.message }
  if (error instanceof HostileArchive) return { kind: 'hostile', words: error.message }
  if (error instanceof ChangedFile) return { kind: 'changed', words: error.message }
  if (error instanceof RefusedStatus) return { kind: 'refused', status: error.status, host: error.host }
  if (error instanceof ExchangeEnded) return { kind: 'ended', by: error.by, amount: error.amount }
  const disk = isOfNetwork(error) ? null : asDiskFailure(error)
  if (disk instanceof DeskFailure) return { kind: 'failed', failure: disk.failure, full: isDiskFull(disk) }
  const code = codeOf(error)
  if (code === undefined || !(error instanceof Error)) {
    return { kind: 'failed', failure: failureOf(error), full: false }
  }
  return { kind: 'network', message: error.message, code, syscall: callOf(error) }
}

/** The same as an error again. */
export function errorOf(trouble: ThreadTrouble): Error {
  switch (trouble.kind) {
    case 'broken':
      return new BrokenArchive(trouble.words)
    case 'hostile':
      return new HostileArchive(trouble.words)
    case 'changed':
      return new ChangedFile(trouble.words)
    case 'refused':
      return new RefusedStatus(trouble.status, trouble.host)
    case 'ended':
      return new ExchangeEnded(trouble.by, trouble.amount)
    case 'network':
      return Object.assign(new Error(trouble.message), { code: trouble.code, syscall: trouble.syscall })
    case 'failed':
      return trouble.full ? new NoSpace(trouble.failure) : new DeskFailure(trouble.failure)
  }
}
