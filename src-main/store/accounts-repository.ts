import * as v from 'valibot'
import { bodyEncodings } from '../../src-shared/accounts/account.ts'
import type { Account } from '../../src-shared/accounts/account.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Reader, Row, Writer } from './database.ts'

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== ''
  } catch {
    return false
  }
}

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
  }),
  v.transform(({ body_encoding, day_zone, ...same }): Account => ({
    ...same,
    bodyEncoding: body_encoding,
    dayZone: day_zone,
  })),
)

/** An account from a row; undefined where the row is none. */
export function accountFrom(row: Row): Account | undefined {
  const read = v.safeParse(accountRow, row)
  return read.success ? read.output : undefined
}

export const everyAccount =
  'SELECT id, name, kind, address, body_encoding, day_zone FROM accounts ORDER BY rowid'

/** Every account, the oldest first. A row that is no account is passed over. */
export function listAccounts(from: Reader): Account[] {
  return from.rows(everyAccount).flatMap((row) => accountFrom(row) ?? [])
}

/** Adds an account, or changes the one with the same id. */
export function putAccount(into: Writer, account: Account): void {
  into.write(
    `INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, kind = excluded.kind, address = excluded.address,
       body_encoding = excluded.body_encoding, day_zone = excluded.day_zone`,
    account.id,
    account.name,
    account.kind,
    account.address,
    account.bodyEncoding,
    account.dayZone,
  )
}

/** Removes an account with everything kept for it. */
export function removeAccount(from: Writer, account: AccountId): void {
  from.write('DELETE FROM accounts WHERE id = ?', account)
}
