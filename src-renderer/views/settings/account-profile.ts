import type { LiveAccount, Windows } from '#shared/accounts/account.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Outcome } from '#shared/api/failure.ts'
import { windowNames, windowWords } from '#shared/texts/accounts.ts'

/** The longest range that the desk reckons with: ten years. */
const MAX_DAYS = 3_660

export type TypedWindows = { -readonly [Name in keyof Windows]: string }

type Profile = Omit<CallArgument<'accounts/edit'>, 'account'>

/** An account's profile as it stands in the fields. */
export type TypedProfile = Omit<Profile, 'windows'> & { windows: TypedWindows }

export function typedProfile({ name, address, bodyEncoding, dayZone, windows }: LiveAccount): TypedProfile {
  const { tables, overview, lookups } = windows
  const days = (value: number | null) => (value === null ? '' : String(value))
  return {
    name,
    address,
    bodyEncoding,
    dayZone,
    windows: { tables: days(tables), overview: days(overview), lookups: days(lookups) },
  }
}

/** Reads the fields; a limit that is left blank is not known. */
export function readProfile(typed: TypedProfile): Outcome<Profile> {
  const windows: TypedWindows = typed.windows
  const wrong = windowNames.find((name) => readDays(windows[name]) === undefined)
  if (wrong) {
    const message = `${windowWords[wrong]}: enter a whole number of days from 1 to ${MAX_DAYS}, or nothing.`
    return { ok: false, failure: { kind: 'invalid', message, field: 'windows' } }
  }
  const { name, address, bodyEncoding, dayZone } = typed
  return {
    ok: true,
    value: {
      name: name.trim(),
      address: address.trim(),
      bodyEncoding,
      dayZone,
      windows: {
        tables: readDays(windows.tables) ?? null,
        overview: readDays(windows.overview) ?? null,
        lookups: readDays(windows.lookups) ?? null,
      },
    },
  }
}

/** Days of a limit; null for blank, undefined for what is none. */
function readDays(text: string): number | null | undefined {
  const typed = text.trim()
  if (typed === '') return null
  const days = /^\d{1,4}$/.test(typed) ? Number(typed) : 0
  return days >= 1 && days <= MAX_DAYS ? days : undefined
}
