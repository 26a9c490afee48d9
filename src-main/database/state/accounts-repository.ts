import * as v from 'valibot'
import { bodyEncodings } from '#shared/accounts/account.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { searchedAlls } from '#shared/reports/rows.ts'
import { familyNames } from '#shared/api/dimensions.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { branded, json, zone } from '#shared/values/schemas.ts'
import { ensureDataScope, removeAccount } from './data-scopes-repository.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, table } from '../sqlite/database.ts'

const days = v.fallback(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))), null)

/** A value per family, as JSON. */
const byFamily = <S extends v.GenericSchema>(value: S) =>
  json(v.partial(v.object(v.entriesFromList(familyNames, value))))

const moment = v.pipe(v.number(), v.minValue(0))
const clockAhead = json(v.nullable(v.object({ from: moment, until: moment, by: moment })))

const accountsTable = table(
  'accounts',
  v.pipe(
    v.object({
      id: branded<AccountId>(v.pipe(v.string(), v.uuid())),
      name: v.string(),
      kind: v.picklist(['service', 'sample']),
      address: v.string(),
      bodyEncoding: v.fallback(v.picklist(bodyEncodings), 'json'),
      dayZone: v.fallback(zone, 'UTC'),
      windowTables: days,
      windowOverview: days,
      windowLookups: days,
      firstColumn: v.fallback(v.nullable(v.picklist([0, 1])), null),
      // Invalid values become empty.
      rateBases: v.fallback(
        byFamily(v.union([v.literal('unexplained'), v.record(v.string(), v.string())])),
        {},
      ),
      /** When the rates were checked. */
      ratesLookedAt: v.fallback(byFamily(moment), {}),
      /** Meaning of the service's row for all. */
      searchedAll: v.fallback(byFamily(v.picklist(searchedAlls)), {}),
      clockAhead: v.fallback(clockAhead, null),
    }),
    v.transform(({ windowTables, windowOverview, windowLookups, ...row }): LiveAccount => {
      const { rateBases, ratesLookedAt, searchedAll, clockAhead: ahead, ...account } = row
      return {
        ...account,
        windows: { tables: windowTables, overview: windowOverview, lookups: windowLookups },
        ...(isFilled(rateBases) && { rateBases }),
        ...(isFilled(ratesLookedAt) && { ratesCheckedAt: ratesLookedAt }),
        ...(ahead && { clockAhead: ahead }),
        ...(isFilled(searchedAll) && { searchedAll }),
      }
    }),
  ),
)

const isFilled = (values: object) => Object.keys(values).length > 0

/** Lists all accounts, oldest first. Skips invalid rows. */
export const listAccounts = (from: Reader): LiveAccount[] => accountsTable.list(from, 'ORDER BY rowid')

/** Adds an account with a data scope, or updates the one with the same id. */
export function putAccount(into: Writer, account: LiveAccount): void {
  into.together(() => {
    writeAccount(into, account)
    ensureDataScope(into, account.id, Date.now())
  })
}

function writeAccount(into: Writer, account: LiveAccount): void {
  const { id, name, kind, address, bodyEncoding, dayZone, windows, firstColumn } = account
  put(into, 'accounts', ['id'], {
    ...{ id, name, kind, address, bodyEncoding, dayZone, firstColumn },
    windowTables: windows.tables,
    windowOverview: windows.overview,
    windowLookups: windows.lookups,
    rateBases: account.rateBases ?? {},
    ratesLookedAt: account.ratesCheckedAt ?? {},
    searchedAll: account.searchedAll ?? {},
    // Null is stored as JSON too.
    clockAhead: JSON.stringify(account.clockAhead ?? null),
  })
}

export const accountOperations = {
  'accounts/list': listAccounts,
  'accounts/put': putAccount,
  /** Removes the account from this file. The caller removes its data in other files (src-main/database/store-session.ts). */
  'accounts/remove': removeAccount,
} as const
