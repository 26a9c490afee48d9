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
import {
  brandColour,
  columnLayout,
  mostCalls,
  neverBlocked,
  rawSettings,
  ruleNames,
} from '#shared/bridge/schemas.ts'
import { noBrand } from '#shared/exports/order.ts'
import type { Brand } from '#shared/exports/order.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { csvFormNames } from '#shared/values/delimited.ts'
import { branded, instant, json } from '#shared/values/schemas.ts'
import type { ColumnLayout, Layouts } from '#shared/views/saved-views.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { put, remove, table } from '../sqlite/database.ts'

const schemas = {
  /** The account that was active last. */
  activeAccount: v.nullable(branded<AccountId>()),
  /** The address of the view that was open last, as the renderer wrote it. */
  lastView: v.nullable(v.string()),
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
  readsIn: v.boolean(),
  neverBlocked,
  raw: rawSettings,
} satisfies { [K in keyof Settings]: v.GenericSchema<unknown, Settings[K]> }

/** What is set at the desk, by the person and by using it. */
type Settings = DeskSettings & {
  readonly activeAccount: AccountId | null
  readonly lastView: string | null
}

type SettingChanges = Partial<Settings>

/** As it is until it is set, and where it cannot be read. */
const nothingSet: Settings = { activeAccount: null, lastView: null, ...usualSettings }

/** The key under which a limit of the disk has always been stored. */
const storageLimitKey = 'keptLimit'

const isSetting = (key: string): key is keyof Settings => Object.hasOwn(schemas, key)

/** Settings as they are stored, where their values can be read. */
const settingsOf = <T>(schema: v.GenericSchema<unknown, T>) =>
  table('settings', v.object({ key: v.string(), value: json(schema) }))

const everySetting = settingsOf(v.unknown())

export function readSettings(from: Reader): Settings {
  // A picture is read only where it is wanted.
  const stored = everySetting.list(from, "WHERE key <> 'brand'")
  return stored.reduce<Settings>((all, { key, value }) => {
    const name = key === storageLimitKey ? 'storageLimit' : key
    const read = isSetting(name) ? v.safeParse(schemas[name], value) : undefined
    return read?.success ? { ...all, [name]: read.output } : all
  }, nothingSet)
}

/** The value of one key; undefined where nothing lies there, or what does cannot be read. */
const readSetting = <T>(from: Reader, key: string, schema: v.GenericSchema<unknown, T>): T | undefined =>
  settingsOf(schema).first(from, 'WHERE key = ?', key)?.value

function writeSetting(into: Writer, key: string, value: unknown): void {
  put(into, 'settings', ['key'], { key, value: JSON.stringify(value) })
}

/** Writes the settings that are given and leaves the others. */
export function writeSettings(into: Writer, changes: SettingChanges): void {
  for (const [name, value] of Object.entries(changes))
    writeSetting(into, name === 'storageLimit' ? storageLimitKey : name, value)
}

/** Names of an account's rule sets go with it. */
export function forgetRuleNames(into: Writer, account: AccountId): void {
  const { ruleNames: names } = readSettings(into)
  const others = names.filter((name) => name.account !== account)
  if (others.length < names.length) writeSettings(into, { ruleNames: others })
}

/** Layouts lie among the settings, each under the path of its report. */
const layoutMark = 'layout:'
const layouts = settingsOf(columnLayout)

/** How columns are laid out, by report: of those that somebody changed, as far as what lies there can be read. */
export const readLayouts = (from: Reader): Layouts =>
  Object.fromEntries(
    layouts
      .list(from, `WHERE key GLOB '${layoutMark}*'`)
      .map(({ key, value }) => [key.slice(layoutMark.length), value]),
  )

/** Null puts the columns back as they come. */
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
  /** The folder that a person chose. */
  folder: v.pipe(v.string(), v.minLength(1)),
  /** The account's own folder in there. It stays when the account gets another name. */
  directory: v.pipe(v.string(), v.regex(/^account=[^/\\]+$/)),
  /** What lay there when it was published last. */
  last: v.nullable(
    v.pipe(
      // When it was published has always been stored as `at`.
      v.object({ at: v.pipe(whole, instant), files: whole, bytes: whole, leftOut: whole }),
      v.transform(({ at: publishedAt, ...rest }): Published => ({ publishedAt, ...rest })),
    ),
  ),
})

/** Where an account's history is published. */
export type PublishingSetting = Readonly<v.InferOutput<typeof publishingSetting>>

const publishingKey = (account: AccountId) => `publishing:${account}`

/** Null forgets it. */
export function writePublishing(into: Writer, account: AccountId, setting: PublishingSetting | null): void {
  const key = publishingKey(account)
  const toStore = ({ publishedAt, ...last }: Published) => ({ at: publishedAt, ...last })
  if (setting === null) remove(into, 'settings', { key })
  else writeSetting(into, key, { ...setting, last: setting.last && toStore(setting.last) })
}

export const settingsOperations = {
  /** Null where nothing is published, or what lies there cannot be read. */
  'publishing/read': (from: Reader, account: AccountId): PublishingSetting | null =>
    readSetting(from, publishingKey(account), publishingSetting) ?? null,
  'publishing/write': (
    into: Writer,
    { account, setting }: { readonly account: AccountId; readonly setting: PublishingSetting | null },
  ): void => writePublishing(into, account, setting),
  'settings/read': readSettings,
  /** Writes the settings that are given and leaves the others. */
  'settings/write': (into: Writer, changes: SettingChanges): void =>
    into.together(() => writeSettings(into, changes)),
  /** How PDFs look; as usual where nobody said, or what lies there cannot be read. */
  'brand/read': (from: Reader): Brand => readSetting(from, 'brand', brand) ?? noBrand,
  'brand/write': (into: Writer, changed: Brand): void => writeSetting(into, 'brand', changed),
  'layouts/read': readLayouts,
  'layouts/write': writeLayout,
} as const

const updateRecord = v.pipe(
  v.object({
    daily: v.boolean(),
    /** When a feed that held was read last. */
    lookedAt: v.nullable(instant),
    /** The date of the newest feed that was ever read, in milliseconds since 1970: an older one is refused. */
    newest: v.nullable(v.number()),
    /** The version that was announced last. */
    announced: v.nullable(v.string()),
    /** The feed as it came. It is checked like one that comes anew whenever it is read. */
    feed: v.nullable(v.object({ text: v.string(), signature: v.string() })),
  }),
  v.transform(({ lookedAt: checkedAt, ...record }) => ({ ...record, checkedAt })),
)

/** What is known of updates from one start to the next. */
export type UpdateRecord = Readonly<v.InferOutput<typeof updateRecord>>

/** They lie among the settings. */
export const updatesKey = 'updates'

export const updateOperations = {
  /** As at first where nothing is there, or what lies there cannot be read. */
  'updates/read': (from: Reader): UpdateRecord => readSetting(from, updatesKey, updateRecord) ?? noUpdates,
  'updates/write': (into: Writer, { checkedAt: lookedAt, ...record }: UpdateRecord): void =>
    writeSetting(into, updatesKey, { lookedAt, ...record }),
} as const
