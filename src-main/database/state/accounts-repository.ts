import * as v from 'valibot'
import { bodyEncodings } from '#shared/accounts/account.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { searchedAlls } from '#shared/reports/rows.ts'
import { familyNames } from '#shared/api/dimensions.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { ensureOwner, removeAccount } from './data-scopes-repository.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== ''
  } catch {
    return false
  }
}

/** A window in days. */
const days = v.fallback(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))), null)

/** As text; of what is no such thing, nothing is known. */
const rateBases = v.pipe(
  v.string(),
  v.parseJson(),
  v.partial(
    v.object(
      v.entriesFromList(familyNames, v.union([v.literal('unexplained'), v.record(v.string(), v.string())])),
    ),
  ),
)

/** The same of when rates were looked at. */
const moments = v.pipe(
  v.string(),
  v.parseJson(),
  v.partial(v.object(v.entriesFromList(familyNames, v.pipe(v.number(), v.minValue(0))))),
)

const moment = v.pipe(v.number(), v.minValue(0))

/** As text; of what is no such time, nothing is known. */
const clockAhead = v.pipe(
  v.string(),
  v.parseJson(),
  v.nullable(v.object({ from: moment, until: moment, by: moment })),
)

/** The same of what the service's row for all is about. */
const searchedAll = v.pipe(
  v.string(),
  v.parseJson(),
  v.partial(v.object(v.entriesFromList(familyNames, v.picklist(searchedAlls)))),
)

const accountRow = v.pipe(
  v.object({
    id: v.pipe(
      v.string(),
      v.uuid(),
      v.transform((id) => id as AccountId),
    ),
    name: v.string(),
    kind: v.picklist(['service', 'sample']),
    address: v.string(),
    body_encoding: v.fallback(v.picklist(bodyEncodings), 'json'),
    day_zone: v.fallback(v.pipe(v.string(), v.check(isZone)), 'UTC'),
    window_tables: days,
    window_overview: days,
    window_lookups: days,
    first_column: v.fallback(v.nullable(v.picklist([0, 1])), null),
    rate_bases: v.fallback(rateBases, {}),
    rates_looked_at: v.fallback(moments, {}),
    searched_all: v.fallback(searchedAll, {}),
    clock_ahead: v.fallback(clockAhead, null),
  }),
  v.transform((row): LiveAccount => ({
    id: row.id,
    name: row.name,
    kind: row.kind,
    address: row.address,
    bodyEncoding: row.body_encoding,
    dayZone: row.day_zone,
    windows: { tables: row.window_tables, overview: row.window_overview, lookups: row.window_lookups },
    firstColumn: row.first_column,
    ...(Object.keys(row.rate_bases).length > 0 && { rateBases: row.rate_bases }),
    ...(Object.keys(row.rates_looked_at).length > 0 && { ratesCheckedAt: row.rates_looked_at }),
    ...(row.clock_ahead && { clockAhead: row.clock_ahead }),
    ...(Object.keys(row.searched_all).length > 0 && { searchedAll: row.searched_all }),
  })),
)

/** An account from a row; undefined where the row is none. */
function accountFrom(row: Row): LiveAccount | undefined {
  const read = v.safeParse(accountRow, row)
  return read.success ? read.output : undefined
}

const everyAccount = 'SELECT * FROM accounts ORDER BY rowid'

/** Every account, the oldest first. A row that is no account is passed over. */
export function listAccounts(from: Reader): LiveAccount[] {
  return from.rows(everyAccount).flatMap((row) => accountFrom(row) ?? [])
}

/** Adds an account, with a data scope, or changes the one with the same id. */
export function putAccount(into: Writer, account: LiveAccount): void {
  into.together(() => {
    writeAccount(into, account)
    ensureOwner(into, account.id, Date.now())
  })
}

function writeAccount(into: Writer, account: LiveAccount): void {
  into.write(
    `INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone,
       window_tables, window_overview, window_lookups, first_column, rate_bases, rates_looked_at, searched_all, clock_ahead)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, kind = excluded.kind, address = excluded.address,
       body_encoding = excluded.body_encoding, day_zone = excluded.day_zone, window_tables = excluded.window_tables,
       window_overview = excluded.window_overview, window_lookups = excluded.window_lookups,
       first_column = excluded.first_column, rate_bases = excluded.rate_bases, rates_looked_at = excluded.rates_looked_at,
       searched_all = excluded.searched_all, clock_ahead = excluded.clock_ahead`,
    account.id,
    account.name,
    account.kind,
    account.address,
    account.bodyEncoding,
    account.dayZone,
    account.windows.tables,
    account.windows.overview,
    account.windows.lookups,
    account.firstColumn,
    JSON.stringify(account.rateBases ?? {}),
    JSON.stringify(account.ratesCheckedAt ?? {}),
    JSON.stringify(account.searchedAll ?? {}),
    JSON.stringify(account.clockAhead ?? null),
  )
}

export const accountOperations = {
  'accounts/list': (from: Reader): readonly LiveAccount[] => listAccounts(from),
  'accounts/put': (into: Writer, account: LiveAccount): null => {
    putAccount(into, account)
    return null
  },
  /** Removes the account. Whoever has all files open removes its traces in them too (src-main/database/store-session.ts). */
  'accounts/remove': (from: Writer, account: AccountId): null => {
    removeAccount(from, account)
    return null
  },
} as const
