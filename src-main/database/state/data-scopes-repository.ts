import * as v from 'valibot'
import type { ScopeCheck, ScopeTerm } from '#shared/reports/answer.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { insert, remove, table } from '../sqlite/database.ts'
import { forgetRestatements } from './restatements-repository.ts'
import { forgetNames, writePublishing } from './settings-repository.ts'

/** Returns the data scopes of an account. */
const dataScopesOf = (from: Reader, account: AccountId): readonly DataScopeId[] =>
  from
    .rows('SELECT id FROM data_scopes WHERE account = ?', account)
    .map(({ id }) => String(id) as DataScopeId)

/**
 * Deletes an account from this file and notes whose data to delete elsewhere. The account's own id is noted too: it is the id
 * of the first data scope, and copies of this file identify the account by it.
 */
export function removeAccount(from: Writer, account: AccountId): void {
  from.together(() => {
    const dataScopes = [account as string as DataScopeId, ...dataScopesOf(from, account)]
    if (remove(from, 'accounts', { id: account }) === 0) return
    writePublishing(from, account, null)
    forgetNames(from, account)
    for (const dataScope of dataScopes) noteRemoval(from, dataScope)
  })
}

/** Notes that all data of a data scope must be deleted. */
function noteRemoval(from: Writer, dataScope: DataScopeId): void {
  forgetRestatements(from, dataScope)
  insert(from, 'removals', { dataScope })
}

/** Lists removed data scopes whose data may not be completely deleted. */
export const removalsLeft = (from: Reader): readonly DataScopeId[] =>
  from
    .rows('SELECT data_scope AS dataScope FROM removals')
    .map(({ dataScope }) => String(dataScope) as DataScopeId)

/** Removed data, which copies of the state must delete too. */
export type Removed = {
  readonly dataScopes: readonly DataScopeId[]
  /** Ids among the data scopes that may be accounts, because no existing account has them. */
  readonly accounts: readonly AccountId[]
}

export function removed(from: Reader): Removed {
  const gone = from.rows(
    'SELECT data_scope AS dataScope FROM removals WHERE data_scope NOT IN (SELECT id FROM accounts)',
  )
  return {
    dataScopes: removalsLeft(from),
    accounts: gone.map(({ dataScope }) => String(dataScope) as AccountId),
  }
}

/** Repeats removals in a copy of the state. */
export function removeAgain(copy: Writer, { dataScopes, accounts }: Removed): void {
  copy.together(() => {
    for (const account of accounts) removeAccount(copy, account)
    for (const dataScope of dataScopes) {
      forgetRestatements(copy, dataScope)
      remove(copy, 'data_scopes', { id: dataScope })
    }
  })
}

/** Deletes the note of a removal, once all data is deleted. */
export const strikeOut = (from: Writer, dataScope: DataScopeId): number =>
  remove(from, 'removals', { dataScope })

/** Origin of figures and their instances. Two data scopes of an account differ in these. */
export type Scope = {
  /** Origin of the service's address, or a placeholder for the sample. */
  readonly origin: string
  /** Ids of the instances that the token sees, as text. Equal sets give equal texts. */
  readonly scope: string
  /** Number of instances, for display. */
  readonly instances: number
}

/** A data scope. An account has one current data scope, and may have earlier ones. */
export type DataScope = {
  readonly id: DataScopeId
  readonly account: AccountId
  /** Null until known, for accounts that an earlier version connected. */
  readonly scope: Scope | null
  readonly since: Instant
  /** Null for the account's current data scope. */
  readonly until: Instant | null
  /** Time of the last scope check; null if the token or address may have changed since. */
  readonly checkedAt: Instant | null
  /** Counts how often the data scope was resumed or came into doubt. Data requested in another term is not stored. */
  readonly term: number
  /** Start of the current term; null during the first term. */
  readonly takenAt: Instant | null
}

/** Sets the account's scope from `now` on. */
export type Taking = {
  readonly account: AccountId
  readonly scope: Scope
  readonly now: Instant
  /** Id of the data scope if it is new. */
  readonly newId: DataScopeId
  /** The check that found the scope; absent if the instances belong to another token than the figures. */
  readonly check?: ScopeCheck
}

const text = v.nullable(v.string())
const whole = v.pipe(v.number(), v.integer())

const scopesTable = table(
  'data_scopes',
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
    }),
    v.transform(({ origin, scope, instances, lookedAt, ...dataScope }): DataScope => ({
      ...{ ...dataScope, checkedAt: lookedAt },
      scope: origin === null || scope === null ? null : { origin, scope, instances: instances ?? 0 },
    })),
  ),
)

/** Lists all data scopes, oldest first. Skips invalid rows. */
export const listDataScopes = (from: Reader): readonly DataScope[] =>
  scopesTable.list(from, 'ORDER BY since, rowid')

/** Ensures that an account has a data scope. The first one gets the account's id. */
export function ensureDataScope(into: Writer, account: AccountId, now: number): void {
  into.write(
    `INSERT OR IGNORE INTO data_scopes (id, account, since) SELECT id, id, ? FROM accounts
     WHERE id = ? AND NOT EXISTS (SELECT 1 FROM data_scopes WHERE account = accounts.id AND until IS NULL)`,
    now,
    account,
  )
}

/**
 * Ends the current data scope if it differs, and starts or resumes the given one. Call in a transaction. A current data scope
 * with unknown scope gets this scope, unless it is in doubt. Does nothing if the account was removed.
 */
function takeDataScope(
  into: Writer,
  { account, scope: { origin, scope, instances }, now, newId }: Taking,
): void {
  into.write(
    `UPDATE OR IGNORE data_scopes SET origin = ?, scope = ?, instances = ?
     WHERE account = ? AND until IS NULL AND origin IS NULL`,
    ...[origin, scope, instances, account],
  )
  into.write(
    `UPDATE data_scopes SET until = ? WHERE account = ? AND until IS NULL AND (origin IS NOT ? OR scope IS NOT ?)`,
    ...[now, account, origin, scope],
  )
  into.write(
    `INSERT OR IGNORE INTO data_scopes (id, account, origin, scope, instances, since)
     SELECT ?, id, ?, ?, ?, ? FROM accounts WHERE id = ?`,
    ...[newId, origin, scope, instances, now, account],
  )
  into.write(
    `UPDATE data_scopes SET looked_at = ?, until = NULL, term = term + (until IS NOT NULL),
       taken_at = CASE WHEN until IS NULL THEN taken_at ELSE ? END
     WHERE account = ? AND origin = ? AND scope = ?`,
    ...[now, now, account, origin, scope],
  )
}

/** Returns the current data scope of an account. */
export const currentDataScope = (from: Reader, account: AccountId): DataScope | undefined =>
  scopesTable.first(from, 'WHERE account = ? AND until IS NULL', account)

/** Whether a data scope is still in this term. @param mayHaveEnded also accept a data scope that ended in this term */
export const isInTerm = (
  from: Reader,
  { dataScope, term }: ScopeTerm,
  { mayHaveEnded = false } = {},
): boolean =>
  from.row(
    'SELECT 1 FROM data_scopes WHERE id = ? AND term = ? AND (until IS NULL OR ?)',
    ...[dataScope, term, Number(mayHaveEnded)],
  ) !== undefined

/** Deletes earlier data scopes, and calls `followUp` for each that existed. */
function removeEnded(
  from: Writer,
  dataScopes: readonly DataScopeId[],
  followUp: (from: Writer, dataScope: DataScopeId) => void,
): void {
  from.together(() => {
    for (const id of dataScopes)
      if (from.write('DELETE FROM data_scopes WHERE id = ? AND until IS NOT NULL', id) > 0) followUp(from, id)
  })
}

export const dataScopeOperations = {
  'data-scopes/list': listDataScopes,
  /** Sets the current data scope. Returns all data scopes of all accounts. */
  'data-scopes/take': (into: Writer, taking: Taking): readonly DataScope[] => {
    into.together(() => takeDataScope(into, taking))
    return listDataScopes(into)
  },
  /** Notes that the token or address may no longer match the current data scope. */
  'data-scopes/doubt': (into: Writer, account: AccountId): readonly DataScope[] => {
    into.write(
      `UPDATE data_scopes SET looked_at = NULL, origin = coalesce(origin, ''), term = term + 1
       WHERE account = ? AND until IS NULL`,
      account,
    )
    return listDataScopes(into)
  },
  /** Lists earlier data scopes. The caller filters those without figures (src-main/database). */
  'data-scopes/with-figures': (from: Reader): readonly DataScopeId[] =>
    listDataScopes(from).flatMap(({ id, until }) => (until === null ? [] : id)),
  /** Deletes earlier data scopes without data. No removal is noted for copies of this file. */
  'data-scopes/drop': (from: Writer, { dataScopes }: { readonly dataScopes: readonly DataScopeId[] }): void =>
    removeEnded(from, dataScopes, forgetRestatements),
  /** Deletes earlier data scopes, and notes that their data must be deleted too. */
  'data-scopes/remove': (
    from: Writer,
    { dataScopes }: { readonly dataScopes: readonly DataScopeId[] },
  ): void => removeEnded(from, dataScopes, noteRemoval),
} as const
