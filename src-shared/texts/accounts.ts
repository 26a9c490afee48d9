import type { Outcome } from '../api/failure.ts'
import type { Family } from '../api/dimensions.ts'
import { doubtName, doubtWords, firstDoubt } from '../reports/answer.ts'
import type { PairedAnswer } from '../reports/answer.ts'
import type { Formats } from './formats.ts'
import type { BodyEncoding, Connection, LiveAccount, TokenPlace, WindowName } from '../accounts/account.ts'
import type { ComparedDays } from '../reports/change.ts'

/** Saved figures of a family: the days shown, and the comparable days. `compared` is null without a comparison. */
export type SavedFigures = { readonly now: PairedAnswer; readonly compared: PairedAnswer | null }

/** Saved figures of an account by family, or why they cannot be read. */
export type AccountFigures = Outcome<Readonly<Record<Family, SavedFigures>>>

const missingText = 'Missing. Enter it again'

const places: Readonly<Record<TokenPlace, string>> = {
  keychain: "In this computer's keychain",
  session: 'In memory, until Traffic Desk quits',
  absent: missingText,
  elsewhere: 'Belongs to a different address. Enter the token for this one',
}

/** Formats of request bodies. */
export const bodyEncodingWords: Readonly<Record<BodyEncoding, string>> = {
  json: 'JSON (usual)',
  form: "Form fields, for services that don't accept JSON",
}

/** Marks of accounts whose connection waits for a token. */
export const tokenMarks: Readonly<Partial<Record<Connection['kind'], string>>> = {
  refused: 'Token rejected',
  'no-token': 'No token',
}

/** Returns the location of an account's token as text. The connection is newer than the location. */
export function tokenWords(account: LiveAccount, connection: Connection): string {
  if (account.kind === 'sample') return 'Comes with the sample data'
  if (connection.kind === 'refused') return 'Rejected by the service. Enter a new one'
  if (connection.kind === 'no-token' && account.tokenPlace !== 'elsewhere') return missingText
  return account.tokenPlace
    ? places[account.tokenPlace]
    : "In this computer's keychain, unless it was entered for one session only"
}

/** Labels of the limits. */
export const windowWords: Readonly<Record<WindowName, string>> = {
  tables: 'Tables',
  overview: 'Overview',
  lookups: 'Sources and campaigns',
}

export const windowNames = Object.keys(windowWords) as readonly WindowName[]

/** Returns the longest known ranges that an account's service accepts. */
export function windowsInWords({ windows }: LiveAccount): string {
  const known = windowNames.filter((name) => windows[name] !== null)
  if (known.length === 0) return 'No known limit'
  return known.map((name) => `${windowWords[name]}: ${windows[name]} days`).join(' · ')
}

const daysWords = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`

/** Returns at most three lines: how many days are saved, their age, and the compared days. */
export function savedWords(
  figures: AccountFigures | undefined,
  now: number,
  { moment }: Formats,
): readonly string[] {
  if (!figures) return []
  if (!figures.ok) return [figures.failure.message]
  const families = [
    { words: 'Script', ...figures.value.script },
    { words: 'Direct', ...figures.value.direct },
  ]
  const stored = families.filter((family) => family.now.compared.days > 0)
  const total = Math.max(...families.map((family) => family.now.compared.total))
  const ages = stored.map((item) => item.now.fetchedAt).filter((instant) => instant !== null)
  if (ages.length === 0) return [`Nothing saved for ${total === 1 ? 'this day' : `these ${total} days`}`]
  const missing = families
    .filter((family) => family.now.compared.days < total)
    .map(({ words, now: { compared } }) => `${words}: ${compared.days} of ${daysWords(total)}`)
  return [
    ...missing,
    ...doubtLines(stored),
    `Updated ${moment(Math.min(...ages), now)}`,
    ...changeWords(stored.flatMap(({ compared }) => (compared ? [compared.compared] : []))),
  ]
}

/** Returns the main doubt of the figures or of those compared. */
function doubtLines(stored: readonly SavedFigures[]): readonly string[] {
  const found = stored.map(({ now, compared }) => firstDoubt([now.doubt, compared?.doubt ?? null]))
  const reason = firstDoubt(found)
  return reason === null ? [] : [`${doubtName(reason)}: ${doubtWords[reason]}`]
}

/** Returns the number of compared days, unless all are compared. */
function changeWords(compared: readonly ComparedDays[]): readonly string[] {
  const [fewest] = compared.toSorted((one, other) => one.days - other.days)
  if (!fewest || fewest.days === fewest.total) return []
  if (fewest.days === 0) return ['Nothing saved to compare with']
  return [`Change over ${fewest.days} of ${daysWords(fewest.total)}`]
}
