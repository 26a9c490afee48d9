import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { Failure } from '#shared/api/failure.ts'
import { FolderHangs } from '#main/lib/slow-folder-guard.ts'
import { asDiskFailure, isDiskFull } from '#main/files/disk-failure.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'
import { networkFailure, ServiceFailure } from '#main/api/network-failure.ts'
import { failedToConnect, networkCodeOf, ExchangeEnded } from '#main/api/transport/exchange.ts'
import type { EndedBy } from '#main/api/transport/exchange.ts'
import { NoSpace } from '#main/lib/disk-room.ts'

/** The store failed to save a state that must survive a crash. */
export class NotStored extends Error {}

/** Reaction to an error of a download. */
export type ErrorClass =
  /** Retry automatically, up to `max` attempts without progress; then fail. */
  | {
      readonly kind: 'again'
      readonly max: number
      /** Whether the partial file is deleted first. */
      readonly anew: boolean
      readonly failure: Failure
      /** Reason shown during the pause. */
      readonly why: 'connection' | 'interrupted'
    }
  /** Wait until the disk has room or responds, or until the token is renewed. */
  | { readonly kind: 'pause'; readonly why: 'disk' | 'token'; readonly failure: Failure }
  | { readonly kind: 'fail'; readonly failure: Failure }

/** Unlimited attempts while no host is reachable. */
const UNLIMITED = Number.POSITIVE_INFINITY
/** Maximum attempts without progress, and maximum attempts that bring a useless file. */
const MAX_TRIES = 10
const MAX_USELESS_TRIES = 4

const again = (max: number, failure: Failure, anew = false): Extract<ErrorClass, { kind: 'again' }> => ({
  kind: 'again',
  max,
  anew,
  failure,
  why: failureMeanings[failure.kind].away ? 'connection' : 'interrupted',
})

/** @param host host that the archive was requested from; null if unknown */
export function classifyError(error: unknown, host: string | null): ErrorClass {
  if (isDiskFull(error) || error instanceof FolderHangs)
    return { kind: 'pause', why: 'disk', failure: failureOf(asDiskFailure(error)) }
  if (error instanceof WorkerEnded) return again(MAX_USELESS_TRIES, interrupted)
  if (error instanceof NotStored) return onNotStored(error)
  if (error instanceof ChangedFile)
    return again(MAX_USELESS_TRIES, notTheFile('it changes all the time'), true)
  if (error instanceof BrokenArchive) return again(MAX_USELESS_TRIES, notTheFile(error.message), true)
  if (error instanceof HostileArchive) return { kind: 'fail', failure: notTaken(error.message) }
  if (error instanceof RefusedStatus) return onStatus(error)
  if (error instanceof ServiceFailure) return onFailure(error.failure, UNLIMITED)
  if (error instanceof DeskFailure) return onFailure(error.failure, MAX_TRIES)
  return onOther(error, host)
}

/** The store may be on another disk than the download folder, and that disk may be full. */
function onNotStored({ cause }: NotStored): ErrorClass {
  const failure = failureOf(cause)
  return failure.kind === 'disk' ? { kind: 'pause', why: 'disk', failure } : { kind: 'fail', failure }
}

function onFailure(failure: Failure, offline: number): ErrorClass {
  const { remedy, away } = failureMeanings[failure.kind]
  if (remedy === 'token') return { kind: 'pause', why: 'token', failure }
  if (remedy !== 'retry') return { kind: 'fail', failure }
  if (failure.kind === 'offline') return again(offline, failure)
  return again(away ? UNLIMITED : MAX_TRIES, failure)
}

/** A rejected address may have expired: a new one is requested a few times. */
function onStatus({ status, host }: RefusedStatus): ErrorClass {
  const message = `${host} refused the download (status ${status}). Try again later.`
  if (status === 429 || status >= 500) return again(MAX_TRIES, { kind: 'server-trouble', message })
  const gone = status === 401 || status === 403 || status === 404 || status === 410
  return again(gone ? MAX_USELESS_TRIES : 1, { kind: gone ? 'not-found' : 'server-trouble', message })
}

function onOther(error: unknown, host: string | null): ErrorClass {
  const disk = isOfNetwork(error) ? null : asDiskFailure(error)
  if (disk instanceof DeskFailure) return { kind: 'fail', failure: disk.failure }
  if (host === null) return { kind: 'fail', failure: failureOf(error) }
  try {
    const { failure } = networkFailure(error, host)
    return again(failedToConnect(error) ? UNLIMITED : MAX_TRIES, failure)
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

/** The file changed on the server, or cannot be continued. */
export class ChangedFile extends Error {}

/** The process crashed during its work; `cause` is the error. Bytes already written remain. */
export class WorkerEnded extends Error {
  constructor(cause: unknown) {
    super('The process of an archive ended by itself', { cause })
  }
}

/** The archive server responded with an error status. */
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

/** Firewalls cause error codes that are otherwise used by disks. */
const isOfNetwork = (error: unknown): boolean => ['connect', 'getaddrinfo'].includes(callOf(error) ?? '')

/** Serialised error of a task; `words` complete a sentence. */
export type TaskTrouble =
  | { readonly kind: 'broken' | 'hostile' | 'changed'; readonly words: string }
  | { readonly kind: 'refused'; readonly status: number; readonly host: string }
  /** The app closed the connection. */
  | { readonly kind: 'ended'; readonly by: EndedBy; readonly amount: number }
  | {
      readonly kind: 'network'
      readonly message: string
      readonly code: string
      readonly syscall: string | undefined
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly full: boolean }

/** Serialises an error of a task. */
export function messageOf(error: unknown): TaskTrouble {
  if (error instanceof BrokenArchive) return { kind: 'broken', words: error.message }
  if (error instanceof HostileArchive) return { kind: 'hostile', words: error.message }
  if (error instanceof ChangedFile) return { kind: 'changed', words: error.message }
  if (error instanceof RefusedStatus) return { kind: 'refused', status: error.status, host: error.host }
  if (error instanceof ExchangeEnded) return { kind: 'ended', by: error.by, amount: error.amount }
  const disk = isOfNetwork(error) ? null : asDiskFailure(error)
  if (disk instanceof DeskFailure) return { kind: 'failed', failure: disk.failure, full: isDiskFull(disk) }
  const code = networkCodeOf(error)
  if (code === undefined || !(error instanceof Error)) {
    return { kind: 'failed', failure: failureOf(error), full: false }
  }
  return { kind: 'network', message: error.message, code, syscall: callOf(error) }
}

/** Restores a serialised error. */
export function errorOf(trouble: TaskTrouble): Error {
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
