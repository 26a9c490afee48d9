/**
 * Everything that can go wrong between the desk and the service: a closed set, so that each has its words and
 * its next step. The specification leaves errors open; these are told apart by what happened, not by bodies.
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
  /** The service asked for rest: nothing is sent before it is over. */
  'resting',
  /** The network's proxy wants to know who asks: nothing was sent, nor is before a person has signed in. */
  'proxy-sign-in',
] as const

/** What can go wrong inside the desk itself. */
export const deskFailureKinds = [
  /** The person cancelled; shown as nothing at all. */
  'cancelled',
  /** Input that breaks a rule; `field` names where. */
  'invalid',
  /** The account's token is not in the keychain (any more): it has to be entered again. */
  'no-token',
  /** No keychain answers: the token can be held for this session only, if the person agrees. */
  'no-keychain',
  /** It takes so many calls that the person is asked first; `cost` says how many. */
  'costly',
  /** The disk cannot be written to. */
  'disk',
  /** A mistake of ours. */
  'internal',
] as const

type ServiceFailureKind = (typeof serviceFailureKinds)[number]
type DeskFailureKind = (typeof deskFailureKinds)[number]
export type FailureKind = ServiceFailureKind | DeskFailureKind

/** A failure as it is shown, kept and sent over the bridge: plain data, never with a token in it. */
export type Failure = {
  readonly kind: FailureKind
  /** What happened and what to do, in words for a person. */
  readonly message: string
  /** The service's own words, decoded and shortened, where it gave any. */
  readonly said?: string
  /** The input that it is about: a form field or a parameter. */
  readonly field?: string
  /** What it would take, where the person has to agree first. */
  readonly cost?: LookCost
}

/** What something came to: its value, or why there is none. It is what every call of the bridge ends with. */
export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

/** What one look at a composed table takes: calls, about how long, and how many rows would be left for another look. */
export type LookCost = { readonly calls: number; readonly milliseconds: number; readonly more: number }

/** A failure inside the desk, thrown. What crosses a thread or the bridge is its `failure`. */
export class DeskFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.name = 'DeskFailure'
    this.failure = failure
  }
}

/** A failure to throw, by its kind and its words for a person; `field` is the input that it is about. */
export const deskFailure = (
  kind: FailureKind,
  message: string,
  { field, ...options }: ErrorOptions & { readonly field?: string | undefined } = {},
): DeskFailure => new DeskFailure({ kind, message, ...(field !== undefined && { field }) }, options)

/** Input that breaks a rule. */
export const invalid = (message: string, field?: string): DeskFailure =>
  deskFailure('invalid', message, { field })

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
