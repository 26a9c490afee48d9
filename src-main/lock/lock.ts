import type { CallArgument } from '#shared/bridge/calls.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { passphraseLength } from '#shared/app/state.ts'
import type { LockMinutes, LockState } from '#shared/app/state.ts'
import type { Instant } from '#shared/values/ids.ts'
import { Lane } from '#main/lib/lanes.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import { IdleWatch } from './idle-watch.ts'
import type { IdleWatchParts } from './idle-watch.ts'
import { LockFile } from './lock-file.ts'
import type { StoredLock } from './lock-file.ts'
import { fits, verifierOf } from './verifier.ts'

export type LockParts = Pick<IdleWatchParts, 'idle' | 'after'> & {
  readonly folder: string
  /** The system's keychain. Every call can fail as `no-keychain`. */
  readonly keychain: {
    readonly get: (entry: string) => Promise<string | null>
    readonly set: (entry: string, secret: string) => Promise<void>
    readonly remove: (entry: string) => Promise<void>
  }
  readonly now: () => number
  /** Resolves where who typed this may read what is saved. @throws DeskFailure where not */
  readonly signIn: (typed: CallArgument<'lock/sign-in'>) => Promise<void>
  /** Takes the tokens of all accounts away. @throws DeskFailure where one stays */
  readonly removeTokens: () => Promise<void>
  /** Hears of each change, once it holds. */
  readonly changed: (state: LockState) => void
}

const refuse = (message: string, field = 'passphrase') => new DeskFailure({ kind: 'invalid', message, field })

const noKeychain = (cause: unknown) =>
  new DeskFailure(
    {
      kind: 'no-keychain',
      message:
        'No keychain answers on this computer. The lock needs one: what the passphrase is checked by lies there.',
    },
    { cause },
  )

/**
 * The lock of the window. Where it is on, the app starts locked: ending it and starting it again opens nothing. It is a lock on
 * the screen: figures lie on the disk as before. Every method throws `DeskFailure`s.
 */
export class Lock {
  readonly #parts: LockParts
  readonly #file: LockFile
  readonly #idle: IdleWatch
  /** One try after the other. */
  readonly #mutex = new Lane()
  #stored: StoredLock | null
  #locked: boolean
  #waiting: (() => void)[] = []

  constructor(parts: LockParts) {
    this.#parts = parts
    this.#file = new LockFile(parts.folder)
    this.#stored = this.#file.read()
    this.#locked = this.#stored !== null
    this.#idle = new IdleWatch({ ...parts, elapsed: () => this.lock() })
  }

  get locked(): boolean {
    return this.#locked
  }

  /** Resolves once the window is not locked. */
  opened(): Promise<void> {
    return this.#locked ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve()
  }

  state(): LockState {
    const until = this.#waitsUntil()
    return { locked: this.#locked, after: this.#stored?.after ?? null, waitsUntil: until }
  }

  /** Locks, where the lock is on. */
  lock(): void {
    if (this.#stored === null || this.#locked) return
    this.#idle.stop()
    this.#locked = true
    this.#emit()
  }

  lockNow(): void {
    if (this.#stored === null) throw refuse('The lock is off. Switch it on in the settings, under “Lock”.')
    this.lock()
  }

  async switchOn(after: LockMinutes, passphrase: string): Promise<void> {
    await this.#mutex.run(async () => {
      if (this.#stored !== null) throw refuse('The lock is on already.')
      if (passphrase.length < passphraseLength.min)
        throw refuse(`A passphrase has ${passphraseLength.min} characters at least.`)
      const verifier = await verifierOf(passphrase)
      // First the keychain: a lock without its verifier could not be opened.
      await this.#parts.keychain.set(this.#file.entry, verifier).catch((error: unknown) => {
        throw noKeychain(error)
      })
      this.#keep({ after, wrong: 0, at: 0 })
      this.#idle.start(after)
      this.#emit()
    })
  }

  change(after: LockMinutes): void {
    if (this.#stored === null) throw refuse('The lock is off.')
    this.#keep({ ...this.#stored, after })
    if (!this.#locked) this.#idle.start(after)
    this.#emit()
  }

  async unlock(passphrase: string): Promise<void> {
    await this.#trying(() => this.#check(passphrase))
    this.#open()
  }

  async switchOff(passphrase: string): Promise<void> {
    await this.#trying(() => this.#check(passphrase))
    await this.#takeOff()
  }

  /**
   * For a passphrase that was forgotten. Who only found the computer has no token that sees what is saved; one that is
   * stored is not asked for, and goes.
   */
  async signIn(typed: CallArgument<'lock/sign-in'>): Promise<void> {
    await this.#trying(() => this.#parts.signIn(typed))
    await this.#parts.removeTokens()
    await this.#takeOff()
  }

  /** Counts a try before it is made, so that ending the app in the middle of it gains nothing; a right one counts for none. */
  async #trying(check: () => Promise<void>): Promise<void> {
    await this.#mutex.run(async () => {
      const stored = this.#stored
      if (stored === null) throw refuse('The lock is off.')
      const until = this.#waitsUntil()
      if (until !== null) throw refuse(`Wait ${waitWords(until - this.#parts.now())} before the next try.`)
      this.#count({ ...stored, wrong: stored.wrong + 1, at: this.#parts.now() })
      try {
        await check()
      } catch (error) {
        // What was not looked at was not wrong either.
        if (
          !(error instanceof DeskFailure) ||
          !['invalid', 'refused-token', 'no-right'].includes(error.failure.kind)
        )
          this.#count(stored)
        throw error
      }
      this.#count({ ...stored, wrong: 0, at: 0 })
    })
  }

  async #check(passphrase: string): Promise<void> {
    const verifier = await this.#parts.keychain.get(this.#file.entry).catch((error: unknown) => {
      throw noKeychain(error)
    })
    if (verifier === null)
      throw new DeskFailure({
        kind: 'no-keychain',
        message:
          'The keychain of this computer does not know the passphrase (any more). Sign in again instead.',
      })
    if (await fits(verifier, passphrase)) return
    const wait = pauseAfter('passphrase', this.#stored?.wrong ?? 0)
    throw refuse(
      `This is not the passphrase.${wait > 0 ? ` Wait ${waitWords(wait)} before the next try.` : ''}`,
    )
  }

  async #takeOff(): Promise<void> {
    this.#keep(null)
    this.#idle.stop()
    await this.#parts.keychain.remove(this.#file.entry).catch(() => undefined)
    this.#open()
  }

  #open(): void {
    this.#locked = false
    if (this.#stored !== null) this.#idle.start(this.#stored.after)
    this.#emit()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #emit(): void {
    this.#parts.changed(this.state())
  }

  #waitsUntil(): Instant | null {
    if (this.#stored === null) return null
    const now = this.#parts.now()
    // The clock was set back since: the wait begins anew, and is no longer for it.
    if (this.#stored.at > now) this.#stored = { ...this.#stored, at: now }
    const until = this.#stored.at + pauseAfter('passphrase', this.#stored.wrong)
    return until > now ? (until as Instant) : null
  }

  /** @throws DeskFailure `disk` */
  #keep(stored: StoredLock | null): void {
    try {
      this.#file.write(stored)
    } catch (error) {
      const message = 'The profile folder cannot be written to, so the lock stays as it is.'
      throw new DeskFailure({ kind: 'disk', message }, { cause: error })
    }
    this.#stored = stored
  }

  /** Where the disk refuses, it is counted until the app ends. */
  #count(stored: StoredLock): void {
    try {
      this.#keep(stored)
    } catch {
      this.#stored = stored
    }
  }
}

function waitWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds === 1) return 'a second'
  return seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}
