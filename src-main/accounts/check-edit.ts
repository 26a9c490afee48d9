import type { LiveAccount } from '#shared/accounts/account.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { invalid } from '#shared/api/failure.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import { checkServiceAddress, checkName, checkZone } from './check-input.ts'

export type AccountEdit = CallArgument<'accounts/edit'>

/** Fields of an account that an edit changes. */
type Profile = Pick<LiveAccount, 'name' | 'address' | 'bodyEncoding' | 'dayZone' | 'windows'> &
  Partial<Pick<LiveAccount, 'firstColumn' | 'rateBases' | 'ratesCheckedAt' | 'searchedAll'>>

/** Whether a change must be verified with the service before it is saved. */
export const needsCheck = (account: LiveAccount, to: Profile): boolean =>
  to.address !== account.address || to.bodyEncoding !== account.bodyEncoding

/**
 * Validates an edit. A new address resets the learnt traits of the service.
 * @param taken names of other accounts
 * @throws DeskFailure with the field at fault
 */
export function checkEdit(account: LiveAccount, given: AccountEdit, taken: readonly string[]): Profile {
  const name = checkName(given.name, taken)
  const dayZone = checkZone(given.dayZone)
  const { windows } = given
  if (account.kind === 'sample') return { ...asItIs(account, given), name, dayZone, windows }
  const address = checkServiceAddress(given.address)
  const nothingLearnt = { firstColumn: null, rateBases: {}, ratesCheckedAt: {}, searchedAll: {} } as const
  const another = address !== account.address && nothingLearnt
  return { name, address, bodyEncoding: given.bodyEncoding, dayZone, windows, ...another }
}

/** The sandbox's address changes at each start, and its body encoding is fixed. */
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
