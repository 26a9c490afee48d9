import type { LiveAccount } from '#shared/accounts/account.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { invalid } from '#shared/api/failure.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import { checkAddress, checkName, checkZone } from './check-input.ts'

export type AccountEdit = CallArgument<'accounts/edit'>

/** What an edit changes of an account. */
type Profile = Pick<LiveAccount, 'name' | 'address' | 'bodyEncoding' | 'dayZone' | 'windows'> &
  Partial<Pick<LiveAccount, 'firstColumn' | 'rateBases' | 'ratesCheckedAt' | 'searchedAll'>>

/** Whether the service has to be asked before such a change is kept. */
export const needsCheck = (account: LiveAccount, to: Profile): boolean =>
  to.address !== account.address || to.bodyEncoding !== account.bodyEncoding

/**
 * The profile that an edit asks for. What was learnt of a service is learnt anew of another one.
 * @param taken names that other accounts have
 * @throws DeskFailure about the field that cannot be so
 */
export function checkEdit(account: LiveAccount, given: AccountEdit, taken: readonly string[]): Profile {
  const name = checkName(given.name, taken)
  const dayZone = checkZone(given.dayZone)
  const { windows } = given
  if (account.kind === 'sample') return { ...asItIs(account, given), name, dayZone, windows }
  const address = checkAddress(given.address)
  const nothingLearnt = { firstColumn: null, rateBases: {}, ratesCheckedAt: {}, searchedAll: {} } as const
  const another = address !== account.address && nothingLearnt
  return { name, address, bodyEncoding: given.bodyEncoding, dayZone, windows, ...another }
}

/** The sample service's address is another one at each start, and what it takes is known. */
function asItIs(
  { address, bodyEncoding }: LiveAccount,
  given: AccountEdit,
): Pick<LiveAccount, 'address' | 'bodyEncoding'> {
  const fields = {
    address: readTyped(given.address, 'address') === address,
    bodyEncoding: given.bodyEncoding === bodyEncoding,
  }
  const field = Object.entries(fields).find(([, same]) => !same)?.[0]
  if (field === undefined) return { address, bodyEncoding }
  const message = "You can't change the address and request format of sample data."
  throw invalid(message, field)
}
