import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { lockMinutes } from '#shared/app/state.ts'
import { readJson } from '#shared/values/schemas.ts'
import { codeOf } from '#main/lib/error-code.ts'
import { replaceFile, syncFolder } from '#main/lib/sync-folder.ts'

const schema = v.object({
  after: v.picklist(lockMinutes),
  /** Number of wrong passphrases in a row, and the time of the last attempt. */
  wrong: v.pipe(v.number(), v.integer(), v.minValue(0)),
  at: v.number(),
})

/** Stored settings of the lock while it is on. */
export type StoredLock = v.InferOutput<typeof schema>

/** ENOTDIR: the folder is not a folder, so there is no lock file either. */
const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')

/** Used if the file is unreadable: a damaged file must not unlock the app. */
const fallbackLock: StoredLock = { after: 15, wrong: 0, at: 0 }

/**
 * The lock's settings, in a separate file of the profile folder. The first window must not wait for the store. A backup of the
 * state must not lock another computer whose keychain lacks the passphrase.
 */
export class LockFile {
  readonly #file: string
  /** Name of the verifier's keychain entry; unique per profile. */
  readonly entry: string

  constructor(folder: string) {
    this.#file = join(folder, 'lock.json')
    this.entry = `lock ${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 32)}`
  }

  /** Returns null if the lock is off. */
  read(): StoredLock | null {
    try {
      return readJson(schema, readFileSync(this.#file, 'utf8')) ?? fallbackLock
    } catch (error) {
      return isMissing(error) ? null : fallbackLock
    }
  }

  /** Null turns the lock off. Written data survives a power failure. @throws errors of the file system */
  write(stored: StoredLock | null): void {
    if (stored !== null) return replaceFile(this.#file, JSON.stringify(stored))
    rmSync(this.#file, { force: true })
    syncFolder(dirname(this.#file))
  }
}
