import type { AccountId, OwnerId } from '../../src-shared/values/ids.ts'
import type { Reader, Writer } from '../lib/sqlite/database.ts'
import { forgetRestatements } from './restatements-repository.ts'
import { forgetRuleNames, writePublishing } from './settings-repository.ts'

/** Whose figures go with an account. */
const ownersOf = (from: Reader, account: AccountId): readonly OwnerId[] =>
  from.rows('SELECT id FROM owners WHERE account = ?', account).map(({ id }) => String(id) as OwnerId)

/** Removes an account with everything of it in this file, and notes whose traces have to go elsewhere. */
export function removeAccount(from: Writer, account: AccountId): void {
  from.together(() => {
    const owners = ownersOf(from, account)
    if (from.write('DELETE FROM accounts WHERE id = ?', account) === 0) return
    writePublishing(from, account, null)
    forgetRuleNames(from, account)
    for (const owner of owners) noteRemoval(from, owner)
  })
}

/** What is kept of an owner is to be removed, here and elsewhere. */
export function noteRemoval(from: Writer, owner: OwnerId): void {
  forgetRestatements(from, owner)
  from.write('INSERT INTO removals (owner) VALUES (?) ON CONFLICT DO NOTHING', owner)
}

/** Owners whose account has been removed, and of whom there may be traces still. */
export const removalsLeft = (from: Reader): readonly OwnerId[] =>
  from.rows('SELECT owner FROM removals').map(({ owner }) => String(owner) as OwnerId)

/** The last trace of an owner is gone. */
export function strikeOut(from: Writer, owner: OwnerId): void {
  from.write('DELETE FROM removals WHERE owner = ?', owner)
}
