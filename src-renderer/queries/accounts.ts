import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, CallOutcome } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { failureOf, thenRead, changingQuery } from './answers.ts'
import type { Asking } from './answers.ts'
import { deskState } from './desk.ts'

/** Connects to a service, and makes its account the active one. */
export const connectAccount = (
  { bridge, queries }: Asking,
  entered: CallArgument<'accounts/connect'>,
): Promise<CallOutcome<'accounts/connect'>> =>
  thenRead(queries, deskState(bridge), bridge.call('accounts/connect', entered))

/** Makes the sample data, and its account the active one; answers why it could not. */
export const exploreSample = changingQuery('accounts/explore-sample', deskState)

/** Makes another account the active one; answers why it could not. */
export const activateAccount = ({ bridge, queries }: Asking, account: AccountId): Promise<Failure | null> =>
  failureOf(thenRead(queries, deskState(bridge), bridge.call('accounts/activate', { account })))

/** Removes an account's token, or the account and everything stored for it; answers why it could not. */
export const removeAccount = changingQuery('accounts/remove', deskState)

/** Changes an account; another address or token is tried first. */
export const editAccount = (
  { bridge, queries }: Asking,
  changed: CallArgument<'accounts/edit'>,
): Promise<CallOutcome<'accounts/edit'>> =>
  thenRead(queries, deskState(bridge), bridge.call('accounts/edit', changed))

/** Tries a new token out, and takes it in place of the old one; answers why it did not. */
export const renewToken = changingQuery('accounts/renew-token', deskState)

/** Whether the service takes an account's address and token: how many instances it shows. */
export const checkAccount = (
  { bridge }: Asking,
  account: AccountId,
): Promise<CallOutcome<'accounts/check'>> => bridge.call('accounts/check', { account })

/** Gives up whatever is being tried out. */
export const cancelCheck = ({ bridge }: Asking): void => void bridge.call('accounts/cancel-check')

/** Signs in to a proxy: where the password is kept. */
export const signInToProxy = (
  { bridge }: Asking,
  entered: CallArgument<'proxies/sign-in'>,
): Promise<CallOutcome<'proxies/sign-in'>> => bridge.call('proxies/sign-in', entered)

/** Has what waits for a proxy tried again. */
export const tryProxyAgain = ({ bridge }: Asking): void => void bridge.call('proxies/try-again')
