import * as v from 'valibot'
import type { Account, Connection } from '../accounts/account.ts'
import { bodyEncodings } from '../accounts/account.ts'
import type { DeskState, Notice } from '../desk/state.ts'
import type { ReportAnswer } from '../reports/answer.ts'
import type { InstancesAnswer } from '../service/answers.ts'
import type { Failure } from '../service/failure.ts'
import type { AccountId, Instant } from '../values/ids.ts'
import { accountId, pageNumber, reportQuery, rowsPerPage, shortText, token } from './schemas.ts'

/** A call over the bridge: its argument is checked by schema where it arrives; the result is typed. */
type Call<Schema extends v.GenericSchema, Result> = { readonly argument: Schema; readonly result?: Result }

const call =
  <Schema extends v.GenericSchema>(argument: Schema) =>
  <Result>(): Call<Schema, Result> => ({ argument })

const nothing = v.undefined()
const anAccount = v.strictObject({ account: accountId })
const keep = v.picklist(['keychain', 'session'])

/** A look-up list with its age; `failure` says why it could not be asked for anew. */
export type KeptLookup<A> = {
  readonly answer: A
  readonly fetchedAt: Instant
  readonly failure: Failure | null
}

/**
 * Every call that the renderer can make of the main process: declared once, checked and typed from here. There is
 * no other way in, and none of them returns a token.
 */
export const calls = {
  'desk/state': call(nothing)<DeskState>(),
  /** Writes down which view is open, so that the next start opens it. */
  'desk/remember-view': call(v.strictObject({ view: v.pipe(v.string(), v.maxLength(8000)) }))<null>(),
  'desk/dismiss-notice': call(v.strictObject({ id: v.string() }))<null>(),
  /** Checks the token against interface/instances, then keeps account and token and makes it the active one. */
  'accounts/connect': call(
    v.strictObject({
      name: shortText,
      address: shortText,
      token,
      keep,
      bodyEncoding: v.picklist(bodyEncodings),
    }),
  )<Account>(),
  /** Starts the stand-in service inside the app and makes its account, "Sample data", the active one. */
  'accounts/explore-sample': call(nothing)<Account>(),
  'accounts/activate': call(anAccount)<Account>(),
  /** Enters a new token for an account whose old one is refused or gone. */
  'accounts/renew-token': call(v.strictObject({ account: accountId, token, keep }))<Account>(),
  /** Removes the account, its token in the keychain and everything kept for it. */
  'accounts/remove': call(anAccount)<null>(),
  /** Answers from what is kept, asks the service where that is due. `byHand` asks in any case. */
  'reports/ask': call(
    v.strictObject({ account: accountId, query: reportQuery, byHand: v.boolean() }),
  )<ReportAnswer>(),
  /** Gives up waiting for a query that is being asked. */
  'reports/cancel': call(v.strictObject({ account: accountId, query: reportQuery }))<null>(),
  /** A page of the instances that the token may see, matching `name`. */
  'lookups/instances': call(
    v.strictObject({
      account: accountId,
      name: v.nullable(v.pipe(v.string(), v.maxLength(1000))),
      page: pageNumber,
      limit: rowsPerPage,
    }),
  )<KeptLookup<InstancesAnswer>>(),
} as const

export type CallName = keyof typeof calls
export type CallArgument<N extends CallName> = v.InferOutput<(typeof calls)[N]['argument']>
export type CallResult<N extends CallName> = Exclude<(typeof calls)[N]['result'], undefined>

/** What a call answers: always one of the two, never an exception. */
export type CallOutcome<N extends CallName> =
  { readonly ok: true; readonly value: CallResult<N> } | { readonly ok: false; readonly failure: Failure }

/** What the main process tells its windows: small, and only that something changed. They ask again. */
export type DeskEvents = {
  /** A kept answer changed, or the attempt to renew it ended; `key` is the query's. */
  'reports/changed': { readonly account: AccountId; readonly key: string }
  'connection/changed': { readonly account: AccountId; readonly connection: Connection }
  'accounts/changed': { readonly active: AccountId | null; readonly accounts: readonly Account[] }
  'notices/changed': { readonly notices: readonly Notice[] }
}

export type DeskEventName = keyof DeskEvents

/** What the preload script puts into the window as `desk`. */
export type DeskBridge = {
  /** Makes a call; it resolves with an outcome and never rejects. */
  readonly call: <N extends CallName>(
    name: N,
    ...argument: CallArgument<N> extends undefined ? [] : [CallArgument<N>]
  ) => Promise<CallOutcome<N>>
  /** Listens to an event; the result ends it. */
  readonly on: <N extends DeskEventName>(name: N, listener: (event: DeskEvents[N]) => void) => () => void
}
