import { failureOf } from '#shared/app/desk-failure.ts'
import { checkDraft } from '#shared/raw/check-draft.ts'
import type { RawRules, RawTrouble } from '#shared/raw/check-draft.ts'
import { argumentsOf } from '#shared/raw/draft.ts'
import type { Failure } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { RefusedByName } from '#main/api/network-failure.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import { outcomeOf, outcomeOfFailure } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import type { RawAskingParts } from './raw-asking-parts.ts'
import { refusalInFailure } from './refusal.ts'

/** What drafts of an account are checked against at this moment. */
export async function rulesOf(
  { accounts, clock, settings }: Pick<RawAskingParts, 'accounts' | 'clock' | 'settings'>,
  account: AccountId,
): Promise<RawRules> {
  const { additionalColumns } = await settings()
  return { today: dayAt(clock.now(), accounts.account(account).dayZone), additional: additionalColumns }
}

/** A refusal in the same form as the service's, for what is wrong with a draft. */
export function troublesAsFailure(troubles: readonly RawTrouble[]): {
  readonly failure: Failure
  readonly fields: Readonly<Record<string, string>>
} {
  const [first] = troubles
  const failure: Failure = {
    kind: 'invalid',
    message: first?.words ?? 'This request cannot be sent.',
    ...(first && { field: first.field }),
  }
  // The first words about a field are the ones that stand.
  return { failure, fields: Object.fromEntries(troubles.map(({ field, words }) => [field, words]).reverse()) }
}

/**
 * Sends a request, once: checked anew, and after it has been written down that it leaves.
 * @returns null where it does not wait (any more), or was changed meanwhile
 * @throws DeskFailure where it could not be written down; then it has not left
 */
export async function sendOnce(
  parts: RawAskingParts,
  { id, account, draft }: StoredRequest,
  signal: AbortSignal,
  leaving: () => void,
): Promise<Outcome | null> {
  const checked = checkDraft(draft, await rulesOf(parts, account))
  if (checked.kind === 'troubles') {
    return { kind: 'refused', refusal: { kind: 'request', ...troublesAsFailure(checked.troubles) } }
  }
  let client: ServiceClient
  try {
    client = await parts.accounts.clientFor(account)
  } catch (error) {
    const { kind } = failureOf(error)
    return { kind: 'waits', for: kind === 'no-token' || kind === 'no-keychain' ? 'token' : 'connection' }
  }
  const sentAt = parts.clock.now() as Instant
  if (!(await parts.store.run('raw-requests/sending', { id, draft, sentAt }))) return null
  leaving()
  try {
    const { answer } = await client.call('raw/request', argumentsOf(checked.order), { signal })
    return outcomeOf(answer)
  } catch (error) {
    const outcome = outcomeOfFailure(error)
    const isNamed = outcome.kind === 'refused' && error instanceof RefusedByName
    return isNamed ? { kind: 'refused', refusal: refusalInFailure(error) } : outcome
  }
}
