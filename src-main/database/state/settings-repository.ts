import * as v from 'valibot'
import type { Published } from '#shared/app/storage.ts'
import { densities, formatTags, storageLimits, themes, usualSettings } from '#shared/app/settings.ts'
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
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { ColumnLayout, Layouts } from '#shared/views/saved-views.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'

const schemas = {
  /** The account that was active last. */
  activeAccount: v.nullable(branded<AccountId>()),
  /** The address of the view that was open last, as the renderer wrote it. */
  lastView: v.nullable(v.string()),
  theme: v.picklist(themes),
  density: v.picklist(densities),
  formats: v.picklist(formatTags),
  downloadFolder: v.nullable(v.pipe(v.string(), v.minLength(1))),
  startAtLogin: v.boolean(),
  closeToTray: v.boolean(),
  storageLimit: v.picklist(storageLimits),
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

type SettingChanges = { readonly [K in keyof Settings]?: Settings[K] }

/** As it is until it is set, and where it cannot be read. */
const nothingSet: Settings = { activeAccount: null, lastView: null, ...usualSettings }

/** The key under which a limit of the disk has always been stored. */
const storageLimitKey = 'keptLimit'

const isSetting = (key: unknown): key is keyof Settings =>
  typeof key === 'string' && Object.hasOwn(schemas, key)

function valueOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** One setting from its row; nothing where the row is none that this version knows. */
function settingFrom({ key, value }: Row): SettingChanges {
  const name = key === storageLimitKey ? 'storageLimit' : key
  if (!isSetting(name)) return {}
  const read = v.safeParse(schemas[name], valueOf(value))
  return read.success ? { [name]: read.output } : {}
}

/** A picture is read only where it is wanted. */
const everySetting = "SELECT key, value FROM settings WHERE key <> 'brand'"

export function readSettings(from: Reader): Settings {
  return from.rows(everySetting).reduce<Settings>((all, row) => ({ ...all, ...settingFrom(row) }), nothingSet)
}

function writeSetting(into: Writer, key: string, value: unknown): void {
  into.write(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    JSON.stringify(value),
  )
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
const layoutKey = (report: string) => layoutMark + report

type LayoutOf = { readonly report: string; readonly layout: ColumnLayout }

/** A layout from its row; undefined where the row is none, or cannot be read. */
function layoutFrom({ key, value }: Row): LayoutOf | undefined {
  if (typeof key !== 'string' || !key.startsWith(layoutMark)) return undefined
  const read = v.safeParse(columnLayout, valueOf(value))
  return read.success ? { report: key.slice(layoutMark.length), layout: read.output } : undefined
}

/** How columns are laid out, by report: of those that somebody changed, as far as what lies there can be read. */
export function readLayouts(from: Reader): Layouts {
  const found = from.rows(everySetting).flatMap((row) => layoutFrom(row) ?? [])
  return Object.fromEntries(found.map(({ report, layout }) => [report, layout]))
}

/** Null puts the columns back as they come. */
export function writeLayout(into: Writer, report: string, layout: ColumnLayout | null): void {
  if (layout === null) into.write('DELETE FROM settings WHERE key = ?', layoutKey(report))
  else writeSetting(into, layoutKey(report), layout)
}

const brandKey = 'brand'
const brand = v.object({
  colour: brandColour,
  logo: v.nullable(v.pipe(v.string(), v.regex(/^data:image\/(png|jpeg);base64,/))),
})

/** How PDFs look; as usual where nobody said, or what lies there cannot be read. */
function readBrand(from: Reader): Brand {
  const row = from.row('SELECT value FROM settings WHERE key = ?', brandKey)
  const read = v.safeParse(brand, valueOf(row?.['value']))
  return read.success ? read.output : noBrand
}

/** Where an account's history is published. */
export type PublishingSetting = {
  /** The folder that a person chose. */
  readonly folder: string
  /** The account's own folder in there. It stays when the account gets another name. */
  readonly directory: string
  /** What lay there when it was published last. */
  readonly last: Published | null
}

const whole = v.pipe(v.number(), v.integer(), v.minValue(0))
const publishingSetting = v.object({
  folder: v.pipe(v.string(), v.minLength(1)),
  directory: v.pipe(v.string(), v.regex(/^account=[^/\\]+$/)),
  last: v.nullable(
    v.pipe(
      // When it was published has always been stored as `at`.
      v.object({
        at: v.pipe(
          whole,
          v.transform((time) => time as Instant),
        ),
        files: whole,
        bytes: whole,
        leftOut: whole,
      }),
      v.transform(({ at: publishedAt, ...rest }): Published => ({ publishedAt, ...rest })),
    ),
  ),
})

const publishingKey = (account: AccountId) => `publishing:${account}`

/** Null where nothing is published, or what lies there cannot be read. */
function readPublishing(from: Reader, account: AccountId): PublishingSetting | null {
  const row = from.row('SELECT value FROM settings WHERE key = ?', publishingKey(account))
  const read = v.safeParse(publishingSetting, valueOf(row?.['value']))
  return read.success ? read.output : null
}

/** Null forgets it. */
export function writePublishing(into: Writer, account: AccountId, setting: PublishingSetting | null): void {
  const key = publishingKey(account)
  const toStore = ({ publishedAt, ...last }: Published) => ({ at: publishedAt, ...last })
  if (setting === null) into.write('DELETE FROM settings WHERE key = ?', key)
  else writeSetting(into, key, { ...setting, last: setting.last && toStore(setting.last) })
}

export const settingsOperations = {
  'publishing/read': (from: Reader, account: AccountId): PublishingSetting | null =>
    readPublishing(from, account),
  'publishing/write': (
    into: Writer,
    { account, setting }: { readonly account: AccountId; readonly setting: PublishingSetting | null },
  ): null => {
    writePublishing(into, account, setting)
    return null
  },
  'settings/read': (from: Reader): Settings => readSettings(from),
  /** Writes the settings that are given and leaves the others. */
  'settings/write': (into: Writer, changes: SettingChanges): null => {
    into.together(() => writeSettings(into, changes))
    return null
  },
  'brand/read': (from: Reader): Brand => readBrand(from),
  'brand/write': (into: Writer, changed: Brand): null => {
    writeSetting(into, brandKey, changed)
    return null
  },
  'layouts/read': (from: Reader): Layouts => readLayouts(from),
  'layouts/write': (
    into: Writer,
    { report, layout }: { readonly report: string; readonly layout: ColumnLayout | null },
  ): null => {
    writeLayout(into, report, layout)
    return null
  },
} as const

const updateRecord = v.pipe(
  v.object({
    daily: v.boolean(),
    lookedAt: v.nullable(instant),
    newest: v.nullable(v.number()),
    announced: v.nullable(v.string()),
    feed: v.nullable(v.object({ text: v.string(), signature: v.string() })),
  }),
  v.transform(({ lookedAt: checkedAt, ...record }): UpdateRecord => ({ ...record, checkedAt })),
)

/** What is known of updates from one start to the next. */
export type UpdateRecord = {
  readonly daily: boolean
  /** When a feed that held was read last. */
  readonly checkedAt: Instant | null
  /** The date of the newest feed that was ever read, in milliseconds since 1970: an older one is refused. */
  readonly newest: number | null
  /** The version that was announced last. */
  readonly announced: string | null
  /** The feed as it came. It is checked like one that comes anew whenever it is read. */
  readonly feed: { readonly text: string; readonly signature: string } | null
}

export const noUpdates: UpdateRecord = {
  ...{ daily: true, checkedAt: null, newest: null, announced: null, feed: null },
}

/** They lie among the settings. */
export const updatesKey = 'updates'

/** As at first where nothing is there, or what lies there cannot be read. */
export const updateOperations = {
  'updates/read': (from: Reader): UpdateRecord => {
    const row = from.row('SELECT value FROM settings WHERE key = ?', updatesKey)
    const read = v.safeParse(updateRecord, valueOf(row?.['value']))
    return read.success ? read.output : noUpdates
  },
  'updates/write': (into: Writer, { checkedAt: lookedAt, ...record }: UpdateRecord): null => {
    writeSetting(into, updatesKey, { lookedAt, ...record })
    return null
  },
} as const
