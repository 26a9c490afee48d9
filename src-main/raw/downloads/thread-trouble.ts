import { DeskFailure, failureOf } from '#shared/app/desk-failure.ts'
import { asDiskFailure, isDiskFull } from '#main/files/disk-failure.ts'
import { codeOf } from '#main/api/transport/codes.ts'
import { ExchangeEnded } from '#main/api/transport/deadlines.ts'
import { BrokenArchive, ChangedFile, HostileArchive, RefusedStatus } from './archive-trouble.ts'
import type { ThreadTrouble } from './archive-calls.ts'
import { NoSpace } from './space.ts'

const callOf = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string'
    ? error.syscall
    : undefined

/** A firewall refuses with the words of a disk. */
export const isOfNetwork = (error: unknown): boolean =>
  ['connect', 'getaddrinfo'].includes(callOf(error) ?? '')

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
