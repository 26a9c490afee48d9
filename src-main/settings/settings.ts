import { mkdtemp, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { deskFailure } from '#shared/api/failure.ts'
import { applyChanges, usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings, SettingChanges } from '#shared/app/settings.ts'
import type { Brand } from '#shared/exports/order.ts'
import type { StateAndCache } from '#main/database/cache/cache-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { FolderHangs, slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { diskUse } from './disk-use.ts'
import type { AccountScopes } from './disk-use.ts'
import { readLogo } from './logo.ts'

/** App settings, column layouts of reports, and the brand. Every method throws `DeskFailure`s. */
export class Settings implements Module {
  readonly name = 'settings'
  readonly #store: StateAndCache
  readonly #accounts: AccountScopes
  readonly #events: AppEvents
  readonly #shell: SystemShell
  /** Changes run one at a time, because each builds on the previous state. */
  readonly #lane = new Lane()

  constructor(store: StateAndCache, accounts: AccountScopes, events: AppEvents, shell: SystemShell) {
    this.#store = store
    this.#accounts = accounts
    this.#events = events
    this.#shell = shell
  }

  readonly handlers = {
    'settings/read': () => this.read(),
    'settings/write': (changes) => this.write(changes),
    'settings/choose-folder': () => this.#chooseFolder(),
    'settings/brand': () => this.#store.run('brand/read', undefined),
    'settings/write-brand': (changes) => this.#writeBrand(changes),
    'settings/choose-logo': () => this.#chooseLogo(),
    'settings/disk': () => diskUse(this.#store, this.#accounts),
    'layouts/read': () => this.#store.run('layouts/read', undefined),
    'layouts/write': (layout) => this.#store.run('layouts/write', layout),
  } satisfies Partial<Handlers>

  /** Waits for running changes. */
  async stop(): Promise<void> {
    await this.#lane.idle()
  }

  async read(): Promise<DeskSettings> {
    const stored = await this.#store.run('settings/read', undefined)
    const { theme, density, formats, csv, downloadFolder, startAtLogin, closeToTray, ...more } = stored
    const {
      storageLimit,
      savesLooks,
      mostCalls,
      ruleNames,
      columnNames,
      readsIn,
      neverBlocked,
      raw,
      morningAt,
      quietHours,
    } = more
    return {
      ...{ theme, density, formats, csv, downloadFolder, startAtLogin, closeToTray },
      ...{ storageLimit, savesLooks, mostCalls, ruleNames, columnNames, readsIn, neverBlocked, raw },
      ...{ morningAt, quietHours },
    }
  }

  /** Applies and saves changes. If either fails, all settings remain as before. */
  write(changes: SettingChanges): Promise<DeskSettings> {
    return this.#lane.run(() => this.#change(changes))
  }

  /** Returns the folder for saved files: the configured folder if it exists, otherwise the system's downloads folder. */
  async downloadFolder(): Promise<string> {
    const { downloadFolder } = await this.read()
    return downloadFolder !== null && (await isFolder(downloadFolder))
      ? downloadFolder
      : this.#shell.downloads()
  }

  async #change(changes: SettingChanges): Promise<DeskSettings> {
    const before = await this.read()
    const settings = applyChanges(before, changes)
    if (isDeepStrictEqual(settings, before)) return before
    await this.#shell.apply(settings)
    try {
      // Settings of raw reports are stored as one value.
      const { raw, ...others } = changes
      await this.#store.run('settings/write', raw ? { ...others, raw: settings.raw } : others)
    } catch (error) {
      // Unsaved settings must not remain applied. The save error matters more than an error of this rollback.
      await this.#shell.apply(before).catch(() => undefined)
      throw error
    }
    const names = Object.keys(settings).filter(isSetting)
    const isOther = (name: keyof DeskSettings) => !isDeepStrictEqual(settings[name], before[name])
    this.#events.emit({ kind: 'settings/changed', settings, changed: names.filter(isOther) })
    return settings
  }

  /** Returns null if the user cancels. */
  async #chooseFolder(): Promise<DeskSettings | null> {
    const downloadFolder = await this.#shell.chooseFolder()
    if (downloadFolder === null) return null
    await checkFolder(downloadFolder)
    return await this.write({ downloadFolder })
  }

  #writeBrand(changes: Partial<Brand>): Promise<Brand> {
    return this.#lane.run(async () => {
      const brand = { ...(await this.#store.run('brand/read', undefined)), ...changes }
      await this.#store.run('brand/write', brand)
      return brand
    })
  }

  /** Returns null if the user cancels. */
  async #chooseLogo(): Promise<Brand | null> {
    const path = await this.#shell.choosePicture()
    return path === null ? null : await this.#writeBrand({ logo: await readLogo(path) })
  }
}

const isSetting = (name: string): name is keyof DeskSettings => Object.hasOwn(usualSettings, name)

/** Whether a folder exists; false if it does not respond. */
export async function isFolder(path: string): Promise<boolean> {
  const look = () => stat(path)
  return await slowFolderGuard.run(path, look).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

const invalid = (message: string, cause?: unknown) =>
  deskFailure('invalid', message, { field: 'downloadFolder', cause })

/** @throws DeskFailure if no file can be created in the folder, or the folder does not respond */
export async function checkFolder(path: string): Promise<void> {
  if (!(await isFolder(path))) throw invalid("Can't reach this folder. Choose another.")
  try {
    // Reported permissions are unreliable, so a folder is created as a test.
    await slowFolderGuard.run(path, async () => rmdir(await mkdtemp(join(path, '.traffic-desk-'))))
  } catch (error) {
    if (error instanceof FolderHangs) throw invalid(error.message, error)
    throw invalid("Can't save in this folder. Choose another, or check its permissions.", error)
  }
}
