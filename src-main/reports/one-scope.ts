import type { Account } from '#shared/accounts/account.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { Accounts } from '#main/accounts/accounts.ts'

/** Maximum number of attempts to read answers of one data scope. */
const maxAttempts = 5

/** Operations that detect a change of an account's data scope. */
type ScopeChecks = {
  readonly accounts: Pick<Accounts, 'standingOf'>
  /** Runs a pending scope check. Returns why it failed; null if it succeeded or none was pending. */
  readonly reports: { readonly confirm: (account: AccountId) => Promise<Failure | null> }
}

/** Thrown if answers are of two data scopes, because the token's instances changed in between. */
export class OfTwoScopes extends DeskFailure {
  constructor() {
    super({
      kind: 'invalid',
      message: "The token's instances changed meanwhile. Try again.",
    })
  }
}

/** Returns the account whose current data scope this is; undefined if there is none. */
export const accountOfScope = (accounts: Accounts, dataScope: DataScopeId): Account | undefined =>
  accounts.list().find(({ id }) => accounts.dataScopeOf(id) === dataScope)

/**
 * Reads several answers, and repeats if they are of two data scopes.
 * @param signal of the caller; an answer cancelled for another reason counts as ended by a scope change
 * @throws the errors of `read`, and DeskFailure `invalid` after five attempts
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
 * @throws OfTwoScopes, which `ofOneScope` handles; DeskFailure if the instances cannot be fetched
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
