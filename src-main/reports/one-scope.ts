import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'

/** How often answers are read before it is said that they cannot be had of one data scope. */
const maxAttempts = 5

/** What tells of which data scope an account's answers are. */
type ScopeChecks = {
  readonly accounts: Pick<AccountStore, 'standingOf'>
  /** `confirm` tells why a check could not be done; null where it was, or nothing waited for one. */
  readonly reports: { readonly confirm: (account: AccountId) => Promise<Failure | null> }
}

/** What was read as one is of two data scopes: the token came to see other instances meanwhile. */
export class OfTwoScopes extends DeskFailure {
  constructor() {
    super({
      kind: 'invalid',
      message: "The token's instances changed meanwhile. Try again.",
    })
  }
}

/**
 * Reads several answers, and reads them anew if they are of two data scopes.
 * @param signal of whoever may give up; an answer that is cancelled otherwise ended with its scope
 * @throws what `read` throws, and DeskFailure `invalid` after five attempts
 */
export async function ofOneScope<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      const isEnded = signal?.aborted !== true && failureOf(error).kind === 'cancelled'
      const failure = isEnded ? new OfTwoScopes() : error
      if (!(failure instanceof OfTwoScopes) || attempt === maxAttempts) throw failure
    }
  }
}

/**
 * Checks that all answers since `standing` are of one data scope. Provisional answers cost one request.
 * @param standing `standingOf` the account before the first answer
 * @throws within `ofOneScope`, where they are read anew; DeskFailure if the instances cannot be read
 */
export async function agree(
  { accounts, reports }: ScopeChecks,
  account: AccountId,
  standing: string,
): Promise<void> {
  const unchecked = await reports.confirm(account)
  if (accounts.standingOf(account) !== standing) throw new OfTwoScopes()
  if (unchecked) throw new DeskFailure(unchecked)
}
