import { deskFailureKinds, serviceFailureKinds } from '../api/failure.ts'
import type { Failure, FailureKind } from '../api/failure.ts'

/** A failure inside the desk, thrown. What crosses a thread or the bridge is its `failure`. */
export class DeskFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.name = 'DeskFailure'
    this.failure = failure
  }
}

const kinds: ReadonlySet<string> = new Set<FailureKind>([...serviceFailureKinds, ...deskFailureKinds])

/**
 * The failure that a thrown value carries: the desk's and the service's failures alike. Anything else is a mistake
 * of ours, and its text stays here, because it may quote what must not be shown.
 */
export function failureOf(error: unknown): Failure {
  const carried = error instanceof Error && 'failure' in error ? error.failure : undefined
  return isFailure(carried)
    ? carried
    : { kind: 'internal', message: 'Something went wrong inside Traffic Desk. Please try again.' }
}

function isFailure(value: unknown): value is Failure {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('message' in value)) return false
  return typeof value.kind === 'string' && kinds.has(value.kind) && typeof value.message === 'string'
}
