/**
 * Failures of a call to the service: a closed set, so that each has its text and next step. They are distinguished by
 * events, not by bodies, because the specification leaves errors open.
 */
export const serviceFailureKinds = [
  'offline',
  'timed-out',
  'refused-token',
  'no-right',
  'bad-request',
  'out-of-window',
  'not-found',
  'malformed',
  'server-trouble',
  /** The service requested a pause: nothing is sent until it ends. */
  'resting',
  /** The proxy requires credentials: nothing is sent until the user has signed in. */
  'proxy-sign-in',
] as const

/** Failures inside the desk. */
export const deskFailureKinds = [
  /** The user cancelled; not shown. */
  'cancelled',
  /** Invalid input; `field` names it. */
  'invalid',
  /** The keychain has no token for the account; the user must enter it again. */
  'no-token',
  /** No keychain is available. With the user's consent, the token is held for this session. */
  'no-keychain',
  /** Needs more calls than are made without the user's consent; `cost` has their number. */
  'costly',
  /** Writing to the disk failed. */
  'disk',
  /** A bug in the app. */
  'internal',
] as const

type ServiceFailureKind = (typeof serviceFailureKinds)[number]
type DeskFailureKind = (typeof deskFailureKinds)[number]
export type FailureKind = ServiceFailureKind | DeskFailureKind

/** A failure as plain data, for display, storage and the bridge. Never contains a token. */
export type Failure = {
  readonly kind: FailureKind
  /** Cause and next step, for the user. */
  readonly message: string
  /** The service's own message, decoded and shortened, if it sent one. */
  readonly said?: string
  /** The invalid input: a form field or a parameter. */
  readonly field?: string
  /** Cost of the operation, if the user must agree first. */
  readonly cost?: LookCost
}

/** Result of a call: a value or a failure. Every call of the bridge returns one. */
export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

/** Cost of loading a composed table: calls, estimated milliseconds, and rows that remain for a further load. */
export type LookCost = { readonly calls: number; readonly milliseconds: number; readonly more: number }

/** A failure as an exception. Only its `failure` crosses a thread or the bridge. */
export class DeskFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.name = 'DeskFailure'
    this.failure = failure
  }
}

/** Creates an exception. `field` names the invalid input. */
export const deskFailure = (
  kind: FailureKind,
  message: string,
  { field, ...options }: ErrorOptions & { readonly field?: string | undefined } = {},
): DeskFailure => new DeskFailure({ kind, message, ...(field !== undefined && { field }) }, options)

/** Creates the failure for invalid input. */
export const invalid = (message: string, field?: string): DeskFailure =>
  deskFailure('invalid', message, { field })

const kinds: ReadonlySet<string> = new Set<FailureKind>([...serviceFailureKinds, ...deskFailureKinds])

/**
 * Returns the failure that a thrown value carries. Any other error is a bug in the app; its text is dropped because it
 * may quote secrets.
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
