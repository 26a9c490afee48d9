import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { lockMinutes } from '#shared/app/state.ts'
import { readJson } from '#shared/values/schemas.ts'
import { replaceFile, syncFolder } from '#main/lib/sync-folder.ts'

const schema = v.object({
  after: v.picklist(lockMinutes),
  /** Passphrases that were wrong, one after the other, and when the last of them came. */
  wrong: v.pipe(v.number(), v.integer(), v.minValue(0)),
  at: v.number(),
})

/** What is kept of the lock while it is on. */
export type StoredLock = v.InferOutput<typeof schema>

/** Not even where the folder itself is none can there be a file: then nobody has switched anything on. */
const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

/** What holds where the file is there and cannot be read: a damaged file opens nothing. */
const locked: StoredLock = { after: 15, wrong: 0, at: 0 }

/**
 * Whether the lock is on, in a file of its own in the profile folder: the first window must not wait for the store, and a
 * backup of the state must not lock another computer, whose keychain does not know the passphrase.
 */
export class LockFile {
  readonly #file: string
  /** What the keychain has the verifier under: each profile has its own. */
  readonly entry: string

  constructor(folder: string) {
    this.#file = join(folder, 'lock.json')
    this.entry = `lock ${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 32)}`
  }

  /** Null where the lock is off. */
  read(): StoredLock | null {
    try {
      return readJson(schema, readFileSync(this.#file, 'utf8')) ?? locked
    } catch (error) {
      return isMissing(error) ? null : locked
    }
  }

  /** Null switches the lock off. What was written outlives a power cut. @throws what the file system refuses with */
  write(stored: StoredLock | null): void {
    if (stored !== null) return replaceFile(this.#file, JSON.stringify(stored))
    rmSync(this.#file, { force: true })
    syncFolder(dirname(this.#file))
  }
}
