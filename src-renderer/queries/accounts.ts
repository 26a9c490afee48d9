import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, CallOutcome } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { failureOf, thenRead, changingQuery } from './answers.ts'
import type { Asking } from './answers.ts'
import { deskState } from './desk.ts'

/** Connects to a service and activates its account. */
export const connectAccount = (
  { bridge, queries }: Asking,
  entered: CallArgument<'accounts/connect'>,
): Promise<CallOutcome<'accounts/connect'>> =>
  thenRead(queries, deskState(bridge), bridge.call('accounts/connect', entered))

/** Creates the sample data and activates its account. Returns the failure, or null. */
export const exploreSample = changingQuery('accounts/explore-sample', deskState)

/** Activates another account. Returns the failure, or null. */
export const activateAccount = ({ bridge, queries }: Asking, account: AccountId): Promise<Failure | null> =>
  failureOf(thenRead(queries, deskState(bridge), bridge.call('accounts/activate', { account })))

/** Removes an account's token, or the account with all its data. Returns the failure, or null. */
export const removeAccount = changingQuery('accounts/remove', deskState)

/** Changes an account. A new address or token is verified with the service first. */
export const editAccount = (
  { bridge, queries }: Asking,
  changed: CallArgument<'accounts/edit'>,
): Promise<CallOutcome<'accounts/edit'>> =>
  thenRead(queries, deskState(bridge), bridge.call('accounts/edit', changed))

/** Verifies a new token, and replaces the old one. Returns the failure, or null. */
export const renewToken = changingQuery('accounts/renew-token', deskState)

/** Verifies an account's address and token. Returns the number of visible instances. */
export const checkAccount = (
  { bridge }: Asking,
  account: AccountId,
): Promise<CallOutcome<'accounts/check'>> => bridge.call('accounts/check', { account })

/** Cancels a running verification. */
export const cancelCheck = ({ bridge }: Asking): void => void bridge.call('accounts/cancel-check')

/** Signs in to a proxy. Returns where the password is stored. */
export const signInToProxy = (
  { bridge }: Asking,
  entered: CallArgument<'proxies/sign-in'>,
): Promise<CallOutcome<'proxies/sign-in'>> => bridge.call('proxies/sign-in', entered)

/** Retries requests that wait for a proxy. */
export const tryProxyAgain = ({ bridge }: Asking): void => void bridge.call('proxies/try-again')
