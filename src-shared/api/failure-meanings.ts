import type { FailureKind } from './failure.ts'

/** Answers to the questions that callers ask about a kind of failure. */
type FailureMeaning = {
  /**
   * State of the account's connection. `doubtful`: the service may be unreachable, so a probe decides. Null: the failure
   * is not about the service.
   */
  readonly connection: 'online' | 'offline' | 'refused' | 'no-token' | 'proxy-sign-in' | 'doubtful' | null
  /**
   * What lets the same request succeed: another attempt, a token, or nothing, because the service refuses it. Null: it
   * depends on the cause. The service has not carried out a request with `token` or `none`. It may have carried out others.
   */
  readonly remedy: 'retry' | 'token' | 'none' | null
  /** No request is possible until the connection or the token changes. The window's frame shows the reason. */
  readonly away: boolean
}

/** Meaning of each kind of failure. A caller that decides differently states its reason. */
export const failureMeanings: Readonly<Record<FailureKind, FailureMeaning>> = {
  offline: { connection: 'offline', remedy: 'retry', away: true },
  // One slow or failing report does not mean that the service is unreachable.
  'timed-out': { connection: 'doubtful', remedy: 'retry', away: false },
  // An intermediary may have responded after the service carried out the request.
  'server-trouble': { connection: 'doubtful', remedy: 'retry', away: false },
  // A captive portal responds with a web page.
  malformed: { connection: 'doubtful', remedy: null, away: false },
  'not-found': { connection: 'doubtful', remedy: 'none', away: false },
  'no-right': { connection: 'online', remedy: 'none', away: false },
  'bad-request': { connection: 'online', remedy: 'none', away: false },
  'out-of-window': { connection: 'online', remedy: 'none', away: false },
  'refused-token': { connection: 'refused', remedy: 'token', away: true },
  'no-token': { connection: 'no-token', remedy: 'token', away: true },
  // Views offer a retry, because the user may unlock the keychain at any time.
  'no-keychain': { connection: 'no-token', remedy: 'token', away: false },
  'proxy-sign-in': { connection: 'proxy-sign-in', remedy: 'retry', away: true },
  // The client reports the end of a rest separately.
  resting: { connection: null, remedy: 'retry', away: true },
  // The user cancelled, or the client was closed because its account changed. The next client responds.
  cancelled: { connection: null, remedy: 'retry', away: false },
  costly: { connection: null, remedy: null, away: false },
  invalid: { connection: null, remedy: null, away: false },
  disk: { connection: null, remedy: null, away: false },
  internal: { connection: null, remedy: null, away: false },
}

/** Whether a failure concerns one request only: the service may answer others. */
export const mayOthersSucceed = (kind: FailureKind): boolean =>
  ['online', 'doubtful'].includes(failureMeanings[kind].connection ?? '')
