import * as v from 'valibot'
import type { ScopeCheck, ScopeTerm } from '#shared/reports/answer.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { flag, insert, remove, table } from '../sqlite/database.ts'
import { forgetRestatements } from './restatements-repository.ts'
import { forgetRuleNames, writePublishing } from './settings-repository.ts'

/** Whose figures go with an account. */
const ownersOf = (from: Reader, account: AccountId): readonly DataScopeId[] =>
  from.rows('SELECT id FROM owners WHERE account = ?', account).map(({ id }) => String(id) as DataScopeId)

/**
 * Removes an account with everything of it in this file, and notes whose traces have to go elsewhere: under the account's own id too,
 * which is that of its first data scope, and by which copies of this file know it.
 */
export function removeAccount(from: Writer, account: AccountId): void {
  from.together(() => {
    const owners = [account as string as DataScopeId, ...ownersOf(from, account)]
    if (remove(from, 'accounts', { id: account }) === 0) return
    writePublishing(from, account, null)
    forgetRuleNames(from, account)
    for (const owner of owners) noteRemoval(from, owner)
  })
}

/** What is kept of a data scope is to be removed, here and elsewhere. */
function noteRemoval(from: Writer, owner: DataScopeId): void {
  forgetRestatements(from, owner)
  insert(from, 'removals', { owner })
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
      remove(copy, 'owners', { id: owner })
    }
  })
}

/** The last trace of a data scope is gone. */
export const strikeOut = (from: Writer, owner: DataScopeId): number => remove(from, 'removals', { owner })

/** Where figures come from, and which instances they are of: what two data scopes of one account differ in. */
export type Scope = {
  /** The origin of the service's address, or what stands for the sample's. */
  readonly origin: string
  /** Ids of the instances that the token may see, as one text: the same set gives the same text. */
  readonly scope: string
  /** How many they are, for naming. */
  readonly instances: number
}

/** Whose figures are kept. An account has one present data scope, and may have earlier ones. */
export type DataScope = {
  readonly id: DataScopeId
  readonly account: AccountId
  /** Null until it has been learnt: of an account that an earlier version connected. */
  readonly scope: Scope | null
  readonly since: Instant
  /** Null while it is the account's present one. */
  readonly until: Instant | null
  /** When its scope was looked at last; null where the account may have another token or address by now. */
  readonly checkedAt: Instant | null
  /** How often it was taken up again, or came in doubt: what was asked for in another term is not kept. */
  readonly term: number
  /** When its present term began; null where it has had but one. */
  readonly takenAt: Instant | null
  /** Whether figures may be kept of it that no check confirmed: those of an earlier version. */
  readonly isUnsorted: boolean
}

/** From `now` on, an account's figures are of this scope. */
export type Taking = {
  readonly account: AccountId
  readonly scope: Scope
  readonly now: Instant
  /** The data scope's id where the account had none of this scope yet. */
  readonly newId: DataScopeId
  /** The check that found it so; absent where the instances are those of another token than the figures. */
  readonly check?: ScopeCheck
}

const text = v.nullable(v.string())
const whole = v.pipe(v.number(), v.integer())

const stored = table(
  'owners',
  v.pipe(
    v.object({
      id: branded<DataScopeId>(v.pipe(v.string(), v.uuid())),
      account: branded<AccountId>(),
      origin: text,
      scope: text,
      instances: v.nullable(whole),
      since: instant,
      until: v.nullable(instant),
      lookedAt: v.nullable(instant),
      term: whole,
      takenAt: v.nullable(instant),
      unsorted: flag,
    }),
    v.transform(({ origin, scope, instances, lookedAt, unsorted, ...owner }): DataScope => ({
      ...{ ...owner, checkedAt: lookedAt, isUnsorted: unsorted },
      scope: origin === null || scope === null ? null : { origin, scope, instances: instances ?? 0 },
    })),
  ),
)

/** Every data scope, the oldest first. A row that is none is passed over. */
export const listDataScopes = (from: Reader): readonly DataScope[] =>
  stored.list(from, 'ORDER BY since, rowid')

/** Whoever has an account has a data scope: the first has the account's id. */
export function ensureOwner(into: Writer, account: AccountId, now: number): void {
  into.write(
    `INSERT OR IGNORE INTO owners (id, account, since) SELECT id, id, ? FROM accounts
     WHERE id = ? AND NOT EXISTS (SELECT 1 FROM owners WHERE account = accounts.id AND until IS NULL)`,
    now,
    account,
  )
}

/**
 * Ends the present data scope where it is another one, and begins this one, or takes up again the earlier one;
 * all of it or nothing. A present data scope of which nothing is known is of this scope, unless that is in doubt. Of an
 * account that has gone, nothing is written.
 */
function takeOwner(into: Writer, { account, scope: { origin, scope, instances }, now, newId }: Taking): void {
  into.write(
    `UPDATE OR IGNORE owners SET origin = ?, scope = ?, instances = ?
     WHERE account = ? AND until IS NULL AND origin IS NULL`,
    ...[origin, scope, instances, account],
  )
  into.write(
    `UPDATE owners SET until = ? WHERE account = ? AND until IS NULL AND (origin IS NOT ? OR scope IS NOT ?)`,
    ...[now, account, origin, scope],
  )
  into.write(
    `INSERT OR IGNORE INTO owners (id, account, origin, scope, instances, since)
     SELECT ?, id, ?, ?, ?, ? FROM accounts WHERE id = ?`,
    ...[newId, origin, scope, instances, now, account],
  )
  into.write(
    `UPDATE owners SET looked_at = ?, until = NULL, term = term + (until IS NOT NULL),
       taken_at = CASE WHEN until IS NULL THEN taken_at ELSE ? END
     WHERE account = ? AND origin = ? AND scope = ?`,
    ...[now, now, account, origin, scope],
  )
}

/** The present data scope of an account, whatever its scope. */
export const currentDataScope = (from: Reader, account: AccountId): DataScope | undefined =>
  stored.first(from, 'WHERE account = ? AND until IS NULL', account)

/** Whether this is still the term of a data scope; one that has ended is in its last, if that is enough. */
export const isInTerm = (from: Reader, { owner, term }: ScopeTerm, { mayHaveEnded = false } = {}): boolean =>
  from.row(
    'SELECT 1 FROM owners WHERE id = ? AND term = ? AND (until IS NULL OR ?)',
    ...[owner, term, Number(mayHaveEnded)],
  ) !== undefined

/** What an earlier version kept has been sorted (src-main/database/scope-checks.ts). */
export const noteSorted = (into: Writer): number => into.write('UPDATE owners SET unsorted = 0')

/** Removes earlier data scopes, and follows up on those that were there. */
function removeEnded(
  from: Writer,
  owners: readonly DataScopeId[],
  followUp: (from: Writer, owner: DataScopeId) => void,
): void {
  from.together(() => {
    for (const id of owners)
      if (from.write('DELETE FROM owners WHERE id = ? AND until IS NOT NULL', id) > 0) followUp(from, id)
  })
}

export const ownerOperations = {
  'owners/list': listDataScopes,
  /** Makes the data scope of these instances the present one; gives every data scope of all accounts, as they are then. */
  'owners/take': (into: Writer, taking: Taking): readonly DataScope[] => {
    into.together(() => takeOwner(into, taking))
    return listDataScopes(into)
  },
  /** From now on it is not known whether the account's token and address are those of its present data scope. */
  'owners/doubt': (into: Writer, account: AccountId): readonly DataScope[] => {
    into.write(
      `UPDATE owners SET looked_at = NULL, origin = coalesce(origin, ''), term = term + 1
       WHERE account = ? AND until IS NULL`,
      account,
    )
    return listDataScopes(into)
  },
  /** Earlier data scopes of which figures are kept: all of them, as far as this file knows (src-main/database). */
  'owners/with-figures': (from: Reader): readonly DataScopeId[] =>
    listDataScopes(from).flatMap(({ id, until }) => (until === null ? [] : id)),
  /** Lets earlier data scopes go of which nothing is kept: no copy of this file has to forget them. */
  'owners/drop': (from: Writer, { owners }: { readonly owners: readonly DataScopeId[] }): void =>
    removeEnded(from, owners, forgetRestatements),
  /** Removes earlier data scopes, and notes that what is kept for them has to go too. */
  'owners/remove': (from: Writer, { owners }: { readonly owners: readonly DataScopeId[] }): void =>
    removeEnded(from, owners, noteRemoval),
} as const
