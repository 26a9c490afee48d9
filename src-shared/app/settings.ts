import { usualRawSettings } from '../raw/settings.ts'
import type { RawSettings } from '../raw/settings.ts'
import type { CsvForm } from '../values/delimited.ts'
import type { RuleName } from '../reports/query.ts'

/** Whose light the window follows. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

/** Whose way numbers and dates are written in: the system's, or that of a language tag. */
export const formatTags = ['system', 'en-GB', 'en-US', 'de-DE', 'fr-FR', 'es-ES', 'sv-SE', 'ja-JP'] as const
export type FormatTag = (typeof formatTags)[number]

/** How much disk kept tables may use, in megabytes (a million bytes). */
export const storageLimits = [250, 500, 1000, 2000, 5000] as const

/**
 * So many requests a day and account are made to save the days of what was looked at: ten weeks of seven tables, a minute or two
 * of a service's time.
 */
export const maxLookRequests = 500

/** How many calls one look at sources or campaigns may make. */
export const callLimits = { min: 10, max: 5_000 } as const

/** The settings of the desk, for all accounts. */
export type DeskSettings = {
  readonly theme: Theme
  readonly density: Density
  readonly formats: FormatTag
  /** How every CSV is written. */
  readonly csv: CsvForm
  /** Where files are saved; null for the system's folder of downloads. */
  readonly downloadFolder: string | null
  readonly startAtLogin: boolean
  /** Whether raw reports are watched and saved without a window, from the tray. */
  readonly closeToTray: boolean
  /** In megabytes; what is oldest and not pinned goes first. */
  readonly storageLimit: number
  /** Whether the days of views that were looked at are saved one by one, behind what is shown. */
  readonly savesLooks: boolean
  /** How many calls one look at a table may make that the desk composes. */
  readonly mostCalls: number
  /** What the rule sets of accounts are called. */
  readonly ruleNames: readonly RuleName[]
  /** Whether a saved archive is read in, and its rows counted against the tables, without being asked. */
  readonly readsIn: boolean
  /** Ranges of addresses that never get into a block list, as they were typed: `203.0.113.0/24`. */
  readonly neverBlocked: readonly string[]
  /** About raw reports, their files and what is announced of them. */
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
  readsIn: true,
  neverBlocked: [],
  raw: usualRawSettings,
}

/** What is known of updates before one was looked for. */
export const noUpdates = { daily: true, checkedAt: null, newest: null, announced: null, feed: null }

/** Settings that are to be changed: of those about raw reports, and of what is announced of them, only what is given. */
export type SettingChanges = Partial<Omit<DeskSettings, 'raw'>> & {
  readonly raw?: Partial<Omit<RawSettings, 'announce'>> & {
    readonly announce?: Partial<RawSettings['announce']>
  }
}

/** The settings after a change of them. */
export const changed = (settings: DeskSettings, { raw, ...others }: SettingChanges): DeskSettings => ({
  ...settings,
  ...others,
  raw: { ...settings.raw, ...raw, announce: { ...settings.raw.announce, ...raw?.announce } },
})

/** What kept figures take on disk. */
export type StoredSize = {
  /** In bytes, of all accounts: kept answers and kept tables. */
  readonly bytes: number
  readonly days: number
}
