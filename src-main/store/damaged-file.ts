import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Account } from '../../src-shared/accounts/account.ts'
import { accountFrom, everyAccount, putAccount } from './accounts-repository.ts'
import { openHandle, writerOver } from './database.ts'
import type { Reader, Row, Writer } from './database.ts'
import { everySetting, settingFrom, writeSettings } from './settings-repository.ts'
import type { SettingChanges } from './settings-repository.ts'

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
export type Carried = { readonly accounts: readonly Account[]; readonly settings: SettingChanges }

export const nothingLeft: Carried = { accounts: [], settings: {} }

/** Reads accounts and settings from a damaged file, as far as they can be read; the file stays as it is. */
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
    return {
      accounts: untilItBreaks(from, everyAccount).flatMap((row) => accountFrom(row) ?? []),
      settings: untilItBreaks(from, everySetting).reduce<SettingChanges>(
        (all, row) => ({ ...all, ...settingFrom(row) }),
        {},
      ),
    }
  } finally {
    handle.close()
  }
}

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
export function carryOver(into: Writer, { accounts, settings }: Carried): void {
  into.together(() => {
    for (const account of accounts) putAccount(into, account)
    writeSettings(into, settings)
  })
}

/** A file's name without its folder, for telling. */
export const nameOf = (file: string): string => basename(file)

/** The file in which the desk keeps what it keeps. */
export const deskFile = (folder: string): string => join(folder, 'desk.sqlite')
