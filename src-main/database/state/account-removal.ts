import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { forgetRestatements } from './restatements-repository.ts'
import { forgetRuleNames, writePublishing } from './settings-repository.ts'

/** Whose figures go with an account. */
const ownersOf = (from: Reader, account: AccountId): readonly DataScopeId[] =>
  from.rows('SELECT id FROM owners WHERE account = ?', account).map(({ id }) => String(id) as DataScopeId)

/**
 * Removes an account with everything of it in this file, and notes whose traces have to go elsewhere: under the account's own id too,
 * which is that of its first owner, and by which copies of this file know it.
 */
export function removeAccount(from: Writer, account: AccountId): void {
  from.together(() => {
    const owners = [account as string as DataScopeId, ...ownersOf(from, account)]
    if (from.write('DELETE FROM accounts WHERE id = ?', account) === 0) return
    writePublishing(from, account, null)
    forgetRuleNames(from, account)
    for (const owner of owners) noteRemoval(from, owner)
  })
}

/** What is kept of an owner is to be removed, here and elsewhere. */
export function noteRemoval(from: Writer, owner: DataScopeId): void {
  forgetRestatements(from, owner)
  from.write('INSERT INTO removals (owner) VALUES (?) ON CONFLICT DO NOTHING', owner)
}

/** Owners who have been removed, alone or with their account, and of whom there may be traces still. */
export const removalsLeft = (from: Reader): readonly DataScopeId[] =>
  from.rows('SELECT owner FROM removals').map(({ owner }) => String(owner) as DataScopeId)

/** What was removed from the state, for copies of it. */
export type Removed = {
  readonly owners: readonly DataScopeId[]
  /** Those of them that may be accounts: no account has their id any more. */
  readonly accounts: readonly AccountId[]
}

export function removed(from: Reader): Removed {
  const gone = from.rows('SELECT owner FROM removals WHERE owner NOT IN (SELECT id FROM accounts)')
  return { owners: removalsLeft(from), accounts: gone.map(({ owner }) => String(owner) as AccountId) }
}

/** Removes from a copy of the state what was removed from the state. */
export function removeAgain(copy: Writer, { owners, accounts }: Removed): void {
  copy.together(() => {
    for (const account of accounts) removeAccount(copy, account)
    for (const owner of owners) {
      forgetRestatements(copy, owner)
      copy.write('DELETE FROM owners WHERE id = ?', owner)
    }
  })
}

/** The last trace of an owner is gone. */
export function strikeOut(from: Writer, owner: DataScopeId): void {
  from.write('DELETE FROM removals WHERE owner = ?', owner)
}
