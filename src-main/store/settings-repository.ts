import * as v from 'valibot'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Reader, Row, Writer } from './database.ts'

const schemas = {
  /** The account that was active last. */
  activeAccount: v.nullable(
    v.pipe(
      v.string(),
      v.transform((id) => id as AccountId),
    ),
  ),
  /** The address of the view that was open last, as the renderer wrote it. */
  lastView: v.nullable(v.string()),
}

/** The settings of the desk; each is null until it is set. */
export type Settings = { readonly [K in keyof typeof schemas]: v.InferOutput<(typeof schemas)[K]> }

export type SettingChanges = { readonly [K in keyof Settings]?: Settings[K] }

const nothingSet: Settings = { activeAccount: null, lastView: null }

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
export function settingFrom({ key, value }: Row): SettingChanges {
  if (!isSetting(key)) return {}
  const read = v.safeParse(schemas[key], valueOf(value))
  return read.success ? { [key]: read.output } : {}
}

export const everySetting = 'SELECT key, value FROM settings'

export function readSettings(from: Reader): Settings {
  return from.rows(everySetting).reduce<Settings>((all, row) => ({ ...all, ...settingFrom(row) }), nothingSet)
}

/** Writes the settings that are given and leaves the others. */
export function writeSettings(into: Writer, changes: SettingChanges): void {
  for (const [key, value] of Object.entries(changes)) {
    into.write(
      'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      key,
      JSON.stringify(value),
    )
  }
}

export const settingsOperations = {
  'settings/read': (from: Reader): Settings => readSettings(from),
  /** Writes the settings that are given and leaves the others. */
  'settings/write': (into: Writer, changes: SettingChanges): null => {
    into.together(() => writeSettings(into, changes))
    return null
  },
} as const
