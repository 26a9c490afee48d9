import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { LiveAccount } from '../../src-shared/accounts/account.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import type { SavedView } from '../../src-shared/views/saved.ts'
import { accountFrom, everyAccount, putAccount } from './accounts-repository.ts'
import { openHandle, writerOver } from './database.ts'
import type { Reader, Row, Writer } from './database.ts'
import { downloadFrom, everyDownload, putDownloads } from './downloads-repository.ts'
import type { KeptDownload } from './downloads-repository.ts'
import { askingLeft, carryAsking, noAsking } from './raw-asking-carried.ts'
import type { CarriedAsking } from './raw-asking-carried.ts'
import { carryRaw, noRaw, rawLeft } from './raw-carried.ts'
import type { CarriedRaw } from './raw-carried.ts'
import { everySetting, layoutFrom, settingFrom, writeLayout, writeSettings } from './settings-repository.ts'
import type { LayoutOf, SettingChanges } from './settings-repository.ts'
import { addViews, everyView, mostViews, viewFrom } from './views-repository.ts'
import type { ViewOfAccount } from './views-repository.ts'

/** The two files that SQLite keeps beside its own belong to it. */
const companions = ['', '-wal', '-shm']

/**
 * Puts a damaged file out of the way, with the time in its name, so that nothing of it is lost.
 * @returns the path it has now
 */
export function setAside(file: string, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(':', '-')
  const named = (count: number) =>
    file.replace(/\.sqlite$/, `.damaged-${time}${count > 1 ? `-${count}` : ''}.sqlite`)
  let count = 1
  while (existsSync(named(count))) count += 1
  for (const companion of companions) {
    if (existsSync(file + companion)) renameSync(file + companion, named(count) + companion)
  }
  return named(count)
}

/** What is small and hard to get again. */
export type Carried = {
  readonly accounts: readonly LiveAccount[]
  readonly settings: SettingChanges
  readonly layouts: readonly LayoutOf[]
  /** Saved views, in their order. */
  readonly views: readonly ViewOfAccount[]
  readonly raw: CarriedRaw
  readonly asking: CarriedAsking
  /** In their order: without them, files in the making would lie about for ever. */
  readonly downloads: readonly KeptDownload[]
}

export const nothingLeft: Carried = {
  accounts: [],
  settings: {},
  layouts: [],
  views: [],
  raw: noRaw,
  asking: noAsking,
  downloads: [],
}

/**
 * Reads accounts, settings, saved views and raw reports from a damaged file, as far as they can be read; the file
 * stays as it is.
 */
export function readWhatIsLeft(file: string): Carried {
  const beside = companions.filter((companion) => existsSync(file + companion))
  try {
    return readFrom(file)
  } catch {
    return nothingLeft
  } finally {
    // Looking at it makes files beside it anew.
    const made = companions.filter((companion) => !beside.includes(companion))
    for (const companion of made) rmSync(file + companion, { force: true })
  }
}

function readFrom(file: string): Carried {
  const handle = openHandle(file, { readonly: true })
  try {
    // SQLite reads a file that was cut short only where it is told not to trust what the file says of itself.
    handle.unsafeMode()
    handle.pragma('writable_schema = ON')
    const from = writerOver(handle)
    const settings = untilItBreaks(from, everySetting)
    const views = untilItBreaks(from, everyView)
    return {
      accounts: untilItBreaks(from, everyAccount).flatMap((row) => accountFrom(row) ?? []),
      settings: settings.reduce<SettingChanges>((all, row) => ({ ...all, ...settingFrom(row) }), {}),
      layouts: settings.flatMap((row) => layoutFrom(row) ?? []),
      views: inOrder(views).flatMap((row) => viewFrom(row) ?? []),
      raw: rawLeft((sql) => untilItBreaks(from, sql)),
      asking: askingLeft((sql) => untilItBreaks(from, sql)),
      downloads: inOrder(untilItBreaks(from, everyDownload)).flatMap((row) => downloadFrom(row) ?? []),
    }
  } finally {
    handle.close()
  }
}

/** Sorted here: SQLite would read to the end before it gives the first row. */
const inOrder = (rows: readonly Row[]) => rows.toSorted((a, b) => Number(a['place']) - Number(b['place']))

function untilItBreaks(from: Reader, sql: string): Row[] {
  const rows: Row[] = []
  try {
    for (const row of from.each(sql)) rows.push(row)
  } catch {
    // What was read before the damage is all there is.
  }
  return rows
}

/** Writes what was left of the damaged file into the new one. */
export function carryOver(
  into: Writer,
  { accounts, settings, layouts, views, raw, asking, downloads }: Carried,
  now = Date.now() as Instant,
): void {
  into.together(() => {
    for (const account of accounts) putAccount(into, account)
    writeSettings(into, settings)
    for (const { report, layout } of layouts) writeLayout(into, report, layout)
    for (const { id } of accounts) addViews(into, id, soundViews(views, id))
    const ids = new Set(accounts.map(({ id }) => id))
    carryRaw(into, ids, raw)
    for (const id of ids) carryAsking(into, id, asking, now)
    putDownloads(into, downloads)
  })
}

/** The views of one account, without what a damaged file may have twice: ids, start views, and more than there is room for. */
function soundViews(all: readonly ViewOfAccount[], account: AccountId): SavedView[] {
  const views = new Map(all.filter((each) => each.account === account).map(({ view }) => [view.id, view]))
  const start = [...views.values()].find((view) => view.start)
  return [...views.values()].slice(0, mostViews).map((view) => ({ ...view, start: view === start }))
}

/** A file's name without its folder, for telling. */
export const nameOf = (file: string): string => basename(file)

/** The file in which the desk keeps what it keeps. */
export const deskFile = (folder: string): string => join(folder, 'desk.sqlite')
