import { isDeepStrictEqual } from 'node:util'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { DiskUse } from '#shared/app/storage.ts'
import { changed, usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings, SettingChanges } from '#shared/app/settings.ts'
import type { Brand } from '#shared/exports/brand.ts'
import type { ColumnLayout, Layouts } from '#shared/views/layout.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Store as CacheStore } from '#main/database/cache/cache-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { Lane } from '#main/lib/lanes.ts'
import { diskUse } from './disk-use.ts'
import type { DataScopes } from './disk-use.ts'
import { checkFolder, isFolder } from './folders.ts'
import { readLogo } from './logo.ts'

export type SettingsParts = {
  readonly store: Store
  /** What of it can be asked for again. */
  readonly cache: Pick<CacheStore, 'run'>
  readonly events: Emitter
  /** Makes the machine follow: theme, start at login, tray. @throws DeskFailure where it refuses */
  readonly apply: (settings: DeskSettings) => Promise<void>
  /** Lets the person choose a folder. */
  readonly chooseFolder: () => Promise<string | null>
  /** Lets the person choose a picture. */
  readonly choosePicture: () => Promise<string | null>
  /** The system's folder of downloads. */
  readonly downloads: () => string
}

/** The settings of the desk, and how the columns of reports are laid out. Everything throws `DeskFailure`s. */
export type DeskSettingsRoom = {
  readonly read: () => Promise<DeskSettings>
  /** Changes what is given. Where machine or store refuse, everything stays as it was. */
  readonly write: (changes: CallArgument<'settings/write'>) => Promise<DeskSettings>
  /** Lets the person choose the folder of downloads; null where they thought better of it. */
  readonly chooseFolder: () => Promise<DeskSettings | null>
  /** Where files are saved at this moment: the folder that is set, as long as it is there, else the system's. */
  readonly downloadFolder: () => Promise<string>
  /** How PDFs look. */
  readonly brand: () => Promise<Brand>
  readonly writeBrand: (changes: CallArgument<'settings/write-brand'>) => Promise<Brand>
  /** Lets the person choose a logo; null where they thought better of it. */
  readonly chooseLogo: () => Promise<Brand | null>
  /** What lies on the disk, by account and kind, as it is written down. */
  readonly diskUse: (owners: DataScopes) => Promise<DiskUse>
  /** How the columns of a report are laid out; null where nobody changed them. */
  readonly layouts: () => Promise<Layouts>
  /** Null puts the columns back as they come. */
  readonly writeLayout: (report: string, layout: ColumnLayout | null) => Promise<null>
}

export function createSettings({ store, events, apply, ...parts }: SettingsParts): DeskSettingsRoom {
  /** One change after the other: each is made of what the one before left. */
  const lane = new Lane()

  async function read(): Promise<DeskSettings> {
    const stored = await store.run('settings/read', undefined)
    const { theme, density, formats, downloadFolder, startAtLogin, closeToTray, ...more } = stored
    const { keptLimit, mostCalls, ruleNames, readsIn, neverBlocked, raw } = more
    return {
      ...{ theme, density, formats, downloadFolder, startAtLogin, closeToTray },
      ...{ keptLimit, mostCalls, ruleNames, readsIn, neverBlocked, raw },
    }
  }

  async function change(changes: SettingChanges): Promise<DeskSettings> {
    const before = await read()
    const settings = changed(before, changes)
    if (isDeepStrictEqual(settings, before)) return before
    await apply(settings)
    try {
      // Those about raw reports lie there as one.
      const { raw, ...others } = changes
      await store.run('settings/write', raw ? { ...others, raw: settings.raw } : others)
    } catch (error) {
      // What is not kept must not hold either; why it cannot be kept is what the person has to know.
      await apply(before).catch(() => undefined)
      throw error
    }
    const names = Object.keys(settings).filter(isSetting)
    const isOther = (name: keyof DeskSettings) => !isDeepStrictEqual(settings[name], before[name])
    events.emit({ kind: 'settings/changed', settings, changed: names.filter(isOther) })
    return settings
  }

  const write = (changes: SettingChanges) => lane.run(() => change(changes))
  const writeBrand = (changes: Partial<Brand>) => lane.run(() => changeBrand(changes))

  async function changeBrand(changes: Partial<Brand>): Promise<Brand> {
    const brand = { ...(await store.run('brand/read', undefined)), ...changes }
    await store.run('brand/write', brand)
    return brand
  }

  return {
    read,
    write,
    chooseFolder: async () => {
      const downloadFolder = await parts.chooseFolder()
      if (downloadFolder === null) return null
      await checkFolder(downloadFolder)
      return await write({ downloadFolder })
    },
    downloadFolder: async () => {
      const { downloadFolder } = await read()
      return downloadFolder !== null && (await isFolder(downloadFolder)) ? downloadFolder : parts.downloads()
    },
    brand: () => store.run('brand/read', undefined),
    writeBrand,
    chooseLogo: async () => {
      const path = await parts.choosePicture()
      return path === null ? null : await writeBrand({ logo: await readLogo(path) })
    },
    diskUse: (owners) => diskUse({ store, cache: parts.cache }, owners),
    layouts: () => store.run('layouts/read', undefined),
    writeLayout: (report, layout) => store.run('layouts/write', { report, layout }),
  }
}

const isSetting = (name: string): name is keyof DeskSettings => Object.hasOwn(usualSettings, name)
