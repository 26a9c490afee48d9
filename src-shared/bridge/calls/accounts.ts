import * as v from 'valibot'
import type { Account } from '#shared/accounts/account.ts'
import { bodyEncodings } from '#shared/accounts/account.ts'
import { anAccount, call, nothing } from '../call.ts'
import { accountId, shortText, token, windows } from '../schemas.ts'

const keep = v.picklist(['keychain', 'session'])

export const accountCalls = {
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
  /**
   * Changes a profile. A new address is tried out before it is kept: with the account's token, or with `newToken`, which an
   * address of another service needs. The sample account's address and encoding cannot be changed.
   */
  'accounts/edit': call(
    v.strictObject({
      account: accountId,
      name: shortText,
      address: shortText,
      bodyEncoding: v.picklist(bodyEncodings),
      dayZone: shortText,
      windows,
      newToken: v.optional(v.strictObject({ token, keep })),
    }),
  )<Account>(),
  /** Asks the service whether address and token hold; the number of instances that the token may see. */
  'accounts/check': call(anAccount)<{ readonly instances: number }>(),
  /** Gives up waiting for accounts/connect, accounts/edit, accounts/check and accounts/renew-token. */
  'accounts/cancel-check': call(nothing)<null>(),
  /** Removes the token and, with `everything`, the account with its views and all that is kept for it. */
  'accounts/remove': call(
    v.strictObject({ account: accountId, what: v.picklist(['everything', 'token']) }),
  )<null>(),
} as const
