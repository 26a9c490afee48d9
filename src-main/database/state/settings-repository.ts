import * as v from 'valibot'
import type { Published } from '#shared/app/storage.ts'
import {
  densities,
  formatTags,
  noUpdates,
  storageLimits,
  themes,
  usualSettings,
} from '#shared/app/settings.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import { brandColour, columnLayout, columnNames, neverBlocked, ruleNames } from '#shared/bridge/schemas.ts'
import { morningAt, mostCalls, quietHours, rawSettings } from '#shared/bridge/setting-schemas.ts'
import { noBrand } from '#shared/exports/order.ts'
import type { Brand } from '#shared/exports/order.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { csvFormNames } from '#shared/values/delimited.ts'
import { branded, instant, json } from '#shared/values/schemas.ts'
import type { ColumnLayout, Layouts } from '#shared/views/saved-views.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, remove, table } from '../sqlite/database.ts'

const schemas = {
  /** The last active account. */
  activeAccount: v.nullable(branded<AccountId>()),
  /** Address of the last open view, as written by the renderer. */
  lastView: v.nullable(v.string()),
  /** When Today was last opened. */
  todaySeenAt: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), instant)),
  theme: v.picklist(themes),
  density: v.picklist(densities),
  formats: v.picklist(formatTags),
  csv: v.picklist(csvFormNames),
  downloadFolder: v.nullable(v.pipe(v.string(), v.minLength(1))),
  startAtLogin: v.boolean(),
  closeToTray: v.boolean(),
  storageLimit: v.picklist(storageLimits),
  savesLooks: v.boolean(),
  mostCalls,
  ruleNames,
  columnNames,
  readsIn: v.boolean(),
  neverBlocked,
  morningAt,
  quietHours,
  raw: rawSettings,
} satisfies { [K in keyof Settings]: v.GenericSchema<unknown, Settings[K]> }

/** Settings of the user, and state of the window. */
type Settings = DeskSettings & {
  readonly activeAccount: AccountId | null
  readonly lastView: string | null
  readonly todaySeenAt: Instant | null
}

type SettingChanges = Partial<Settings>

/** Defaults, also for unreadable values. */
const nothingSet: Settings = { activeAccount: null, lastView: null, todaySeenAt: null, ...usualSettings }

/** Historical key of the storage limit. */
const storageLimitKey = 'keptLimit'

const isSetting = (key: string): key is keyof Settings => Object.hasOwn(schemas, key)

/** Reader of settings with a value schema. Skips invalid values. */
const settingsOf = <T>(schema: v.GenericSchema<unknown, T>) =>
  table('settings', v.object({ key: v.string(), value: json(schema) }))

const everySetting = settingsOf(v.unknown())

export function readSettings(from: Reader): Settings {
  // The brand contains a picture and is read separately.
  const stored = everySetting.list(from, "WHERE key <> 'brand'")
  return stored.reduce<Settings>((all, { key, value }) => {
    const name = key === storageLimitKey ? 'storageLimit' : key
    const read = isSetting(name) ? v.safeParse(schemas[name], value) : undefined
    return read?.success ? { ...all, [name]: read.output } : all
  }, nothingSet)
}

/** Reads one setting; undefined if missing or unreadable. */
const readSetting = <T>(from: Reader, key: string, schema: v.GenericSchema<unknown, T>): T | undefined =>
  settingsOf(schema).first(from, 'WHERE key = ?', key)?.value

function writeSetting(into: Writer, key: string, value: unknown): void {
  put(into, 'settings', ['key'], { key, value: JSON.stringify(value) })
}

/** Writes the given settings; others remain unchanged. */
export function writeSettings(into: Writer, changes: SettingChanges): void {
  for (const [name, value] of Object.entries(changes))
    writeSetting(into, name === 'storageLimit' ? storageLimitKey : name, value)
}

/** Deletes the names that a removed account gave to rule sets and columns. */
export function forgetNames(into: Writer, account: AccountId): void {
  const before = readSettings(into)
  const isOthers = (named: { readonly account: AccountId }) => named.account !== account
  for (const key of ['ruleNames', 'columnNames'] as const) {
    const others = before[key].filter(isOthers)
    if (others.length < before[key].length) writeSettings(into, { [key]: others })
  }
}

/** Key prefix of column layouts; the report's path follows. */
const layoutMark = 'layout:'
const layouts = settingsOf(columnLayout)

/** Reads the changed column layouts, by report. Skips unreadable ones. */
export const readLayouts = (from: Reader): Layouts =>
  Object.fromEntries(
    layouts
      .list(from, `WHERE key GLOB '${layoutMark}*'`)
      .map(({ key, value }) => [key.slice(layoutMark.length), value]),
  )

/** Writes a layout; null restores the default. */
export function writeLayout(
  into: Writer,
  { report, layout }: { readonly report: string; readonly layout: ColumnLayout | null },
): void {
  const key = layoutMark + report
  if (layout === null) remove(into, 'settings', { key })
  else writeSetting(into, key, layout)
}

const brand = v.object({
  colour: brandColour,
  logo: v.nullable(v.pipe(v.string(), v.regex(/^data:image\/(png|jpeg);base64,/))),
})

const whole = v.pipe(v.number(), v.integer(), v.minValue(0))
const publishingSetting = v.object({
  /** The folder chosen by the user. */
  folder: v.pipe(v.string(), v.minLength(1)),
  /** The account's folder within it; unchanged when the account is renamed. */
  directory: v.pipe(v.string(), v.regex(/^account=[^/\\]+$/)),
  /** Result of the last publication. */
  last: v.nullable(
    v.pipe(
      // `publishedAt` is stored as `at`.
      v.object({ at: v.pipe(whole, instant), files: whole, bytes: whole, leftOut: whole }),
      v.transform(({ at: publishedAt, ...rest }): Published => ({ publishedAt, ...rest })),
    ),
  ),
})

/** Folder and last result of an account's published history. */
export type PublishingSetting = Readonly<v.InferOutput<typeof publishingSetting>>

const publishingKey = (account: AccountId) => `publishing:${account}`

/** Writes the publishing setting; null deletes it. */
export function writePublishing(into: Writer, account: AccountId, setting: PublishingSetting | null): void {
  const key = publishingKey(account)
  const toStore = ({ publishedAt, ...last }: Published) => ({ at: publishedAt, ...last })
  if (setting === null) remove(into, 'settings', { key })
  else writeSetting(into, key, { ...setting, last: setting.last && toStore(setting.last) })
}

export const settingsOperations = {
  /** Returns null if nothing is published or the setting is unreadable. */
  'publishing/read': (from: Reader, account: AccountId): PublishingSetting | null =>
    readSetting(from, publishingKey(account), publishingSetting) ?? null,
  'publishing/write': (
    into: Writer,
    { account, setting }: { readonly account: AccountId; readonly setting: PublishingSetting | null },
  ): void => writePublishing(into, account, setting),
  'settings/read': readSettings,
  /** Writes the given settings; others remain unchanged. */
  'settings/write': (into: Writer, changes: SettingChanges): void =>
    into.together(() => writeSettings(into, changes)),
  /** Returns the branding of PDFs; the default if missing or unreadable. */
  'brand/read': (from: Reader): Brand => readSetting(from, 'brand', brand) ?? noBrand,
  'brand/write': (into: Writer, changed: Brand): void => writeSetting(into, 'brand', changed),
  'layouts/read': readLayouts,
  'layouts/write': writeLayout,
} as const

const updateRecord = v.pipe(
  v.object({
    daily: v.boolean(),
    /** When a valid feed was last read. */
    lookedAt: v.nullable(instant),
    /** Date of the newest feed read so far, in ms since 1970. Older feeds are rejected. */
    newest: v.nullable(v.number()),
    /** The last announced version. */
    announced: v.nullable(v.string()),
    /** The feed as received; verified again on every read. */
    feed: v.nullable(v.object({ text: v.string(), signature: v.string() })),
  }),
  v.transform(({ lookedAt: checkedAt, ...record }) => ({ ...record, checkedAt })),
)

/** Persistent state of updates. */
export type UpdateRecord = Readonly<v.InferOutput<typeof updateRecord>>

/** Key of the update record in the settings. */
export const updatesKey = 'updates'

export const updateOperations = {
  /** Returns the default if the record is missing or unreadable. */
  'updates/read': (from: Reader): UpdateRecord => readSetting(from, updatesKey, updateRecord) ?? noUpdates,
  'updates/write': (into: Writer, { checkedAt: lookedAt, ...record }: UpdateRecord): void =>
    writeSetting(into, updatesKey, { lookedAt, ...record }),
} as const
