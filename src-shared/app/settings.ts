import { usualRawSettings } from '../raw/settings.ts'
import type { ColumnName } from '../archives/rows-file.ts'
import type { RawSettings } from '../raw/settings.ts'
import type { CsvForm } from '../values/delimited.ts'
import type { RuleName } from '../reports/query.ts'

/** Colour themes. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

/** Formats of numbers and dates: the system's, or those of a language tag. */
export const formatTags = ['system', 'en-GB', 'en-US', 'de-DE', 'fr-FR', 'es-ES', 'sv-SE', 'ja-JP'] as const
export type FormatTag = (typeof formatTags)[number]

/** Disk limits for stored tables, in megabytes (a million bytes). */
export const storageLimits = [250, 500, 1000, 2000, 5000] as const

/**
 * Maximum number of background requests per day and account for viewed tables. Enough for ten weeks of seven tables, a
 * minute or two of the service's time.
 */
export const maxLookRequests = 500

/** Limits of `mostCalls`. */
export const callLimits = { min: 10, max: 5_000 } as const

/** A time of day by the computer's clock, such as `08:00`. */
export type TimeOfDay = string & { readonly __brand: 'TimeOfDay' }

/** Hours without notifications of findings, possibly over midnight. */
export type QuietHours = { readonly from: TimeOfDay; readonly to: TimeOfDay }

/** Settings of the app, for all accounts. */
export type DeskSettings = {
  readonly theme: Theme
  readonly density: Density
  readonly formats: FormatTag
  /** Format of every CSV. */
  readonly csv: CsvForm
  /** Folder for files; null for the system's downloads folder. */
  readonly downloadFolder: string | null
  readonly startAtLogin: boolean
  /** Whether closing the window leaves the app in the tray, to watch and save raw reports. */
  readonly closeToTray: boolean
  /** In megabytes. The oldest tables that are not pinned are removed first. */
  readonly storageLimit: number
  /** Whether the days of viewed tables are saved one by one in the background. */
  readonly savesLooks: boolean
  /** Maximum number of calls for one composed table. */
  readonly mostCalls: number
  /** Names of rule sets. */
  readonly ruleNames: readonly RuleName[]
  /** Names of additional columns of raw rows. */
  readonly columnNames: readonly ColumnName[]
  /** Whether saved archives are imported and recounted automatically. */
  readonly readsIn: boolean
  /** Address ranges that are never in a block list, as typed: `203.0.113.0/24`. */
  readonly neverBlocked: readonly string[]
  /** When findings of the kind `morning` are announced. */
  readonly morningAt: TimeOfDay
  /** When no findings are announced; null for never. */
  readonly quietHours: QuietHours | null
  /** Settings of raw reports, their files and announcements. */
  readonly raw: RawSettings
}

export const usualSettings: DeskSettings = {
  theme: 'system',
  density: 'comfortable',
  formats: 'system',
  csv: 'comma',
  downloadFolder: null,
  startAtLogin: false,
  closeToTray: true,
  storageLimit: 1000,
  savesLooks: true,
  mostCalls: 200,
  ruleNames: [],
  columnNames: [],
  readsIn: true,
  neverBlocked: [],
  morningAt: '08:00' as TimeOfDay,
  quietHours: null,
  raw: usualRawSettings,
}

/** State of updates before the first check. */
export const noUpdates = { daily: true, checkedAt: null, newest: null, announced: null, feed: null }

/** Changed settings. Nested members may be partial, too. */
export type SettingChanges = Partial<Omit<DeskSettings, 'raw'>> & {
  readonly raw?: Partial<Omit<RawSettings, 'announce'>> & {
    readonly announce?: Partial<RawSettings['announce']>
  }
}

/** Returns the settings with the changes applied. */
export const applyChanges = (settings: DeskSettings, { raw, ...others }: SettingChanges): DeskSettings => ({
  ...settings,
  ...others,
  raw: { ...settings.raw, ...raw, announce: { ...settings.raw.announce, ...raw?.announce } },
})

/** Size of saved figures on the disk. */
export type StoredSize = {
  /** Size in bytes of stored answers and tables of all accounts. */
  readonly bytes: number
  readonly days: number
}
