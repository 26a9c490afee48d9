import type { CallArgument } from '#shared/bridge/calls.ts'
import { DeskFailure, invalid, deskFailure } from '#shared/api/failure.ts'
import { passphraseLength } from '#shared/app/state.ts'
import type { LockMinutes, LockState } from '#shared/app/state.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Keychain } from '#main/accounts/keychain.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import { IdleWatch } from './idle-watch.ts'
import type { Presence } from './idle-watch.ts'
import { LockFile } from './lock-file.ts'
import type { StoredLock } from './lock-file.ts'
import { fits, verifierOf } from './verifier.ts'

const refuse = (message: string, field = 'passphrase') => invalid(message, field)

const noKeychain = (cause: unknown) =>
  deskFailure(
    'no-keychain',
    'No keychain is available on this computer. The lock needs one to check the passphrase.',
    { cause },
  )

/** Services that the lock needs. */
export type LockContext = {
  /** The profile folder. */
  readonly folder: string
  /** The system's keychain. */
  readonly keychain: Keychain
  readonly accounts: Accounts
  readonly events: AppEvents
  readonly presence: Presence
  readonly clock: Clock
}

/**
 * Lock of the window. If it is on, the app also starts locked. The lock protects only the screen; files are not encrypted.
 * Every method throws `DeskFailure`s.
 */
export class Lock implements Module {
  readonly name = 'lock'
  readonly #context: LockContext
  readonly #file: LockFile
  readonly #idle: IdleWatch
  /** Attempts run one at a time. */
  readonly #mutex = new Lane()
  #storedLock: StoredLock | null
  #isLocked: boolean
  #waiting: (() => void)[] = []

  constructor(context: LockContext) {
    this.#context = context
    this.#file = new LockFile(context.folder)
    this.#storedLock = this.#file.read()
    this.#isLocked = this.#storedLock !== null
    this.#idle = new IdleWatch(context.presence, () => this.lock())
  }

  readonly handlers = {
    'lock/state': () => this.state(),
    'lock/now': () => {
      this.lockNow()
      return null
    },
    'lock/unlock': async ({ passphrase }) => {
      await this.unlock(passphrase)
      return null
    },
    'lock/sign-in': async (typed) => {
      await this.signIn(typed)
      return null
    },
    'lock/switch-on': async ({ after, passphrase }) => {
      await this.switchOn(after, passphrase)
      return null
    },
    'lock/change': ({ after }) => {
      this.change(after)
      return null
    },
    'lock/switch-off': async ({ passphrase }) => {
      await this.switchOff(passphrase)
      return null
    },
  } satisfies Partial<Handlers>

  stop(): Promise<void> {
    this.#idle.stop()
    return Promise.resolve()
  }

  get locked(): boolean {
    return this.#isLocked
  }

  /** Resolves once the window is unlocked. */
  opened(): Promise<void> {
    return this.#isLocked ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve()
  }

  state(): LockState {
    const until = this.#waitsUntil()
    return { locked: this.#isLocked, after: this.#storedLock?.after ?? null, waitsUntil: until }
  }

  /** Locks the window if the lock is on. */
  lock(): void {
    if (this.#storedLock === null || this.#isLocked) return
    this.#idle.stop()
    this.#isLocked = true
    this.#emit()
  }

  lockNow(): void {
    if (this.#storedLock === null) throw refuse('The lock is off. Turn it on in Settings, under “Lock”.')
    this.lock()
  }

  async switchOn(after: LockMinutes, passphrase: string): Promise<void> {
    await this.#mutex.run(async () => {
      if (this.#storedLock !== null) throw refuse('The lock is on already.')
      if (passphrase.length < passphraseLength.min)
        throw refuse(`A passphrase needs at least ${passphraseLength.min} characters.`)
      const verifier = await verifierOf(passphrase)
      // Keychain first: a lock without a verifier could not be opened.
      await this.#context.keychain.set(this.#file.entry, verifier).catch((error: unknown) => {
        throw noKeychain(error)
      })
      this.#save({ after, wrong: 0, at: 0 })
      this.#idle.start(after)
      this.#emit()
    })
  }

  change(after: LockMinutes): void {
    if (this.#storedLock === null) throw refuse('The lock is off.')
    this.#save({ ...this.#storedLock, after })
    if (!this.#isLocked) this.#idle.start(after)
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
   * For a forgotten passphrase: the user signs in with a token that may read the saved data. Stored tokens are no proof and are
   * removed.
   */
  async signIn(typed: CallArgument<'lock/sign-in'>): Promise<void> {
    const { accounts } = this.#context
    await this.#trying(() => accounts.mayRead(typed))
    for (const { id, kind } of accounts.list()) if (kind === 'service') await accounts.removeToken(id)
    await this.#takeOff()
  }

  /** Counts an attempt as wrong before it runs, so that quitting the app gains no attempt. A right attempt resets the count. */
  async #trying(check: () => Promise<void>): Promise<void> {
    await this.#mutex.run(async () => {
      const stored = this.#storedLock
      if (stored === null) throw refuse('The lock is off.')
      const until = this.#waitsUntil()
      if (until !== null)
        throw refuse(`Wait ${waitWords(until - this.#context.clock.now())} before you try again.`)
      this.#count({ ...stored, wrong: stored.wrong + 1, at: this.#context.clock.now() })
      try {
        await check()
      } catch (error) {
        // An attempt that could not be checked does not count.
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
    const verifier = await this.#context.keychain.get(this.#file.entry).catch((error: unknown) => {
      throw noKeychain(error)
    })
    if (verifier === null)
      throw deskFailure(
        'no-keychain',
        "The passphrase is no longer in this computer's keychain. Sign in again instead.",
      )
    if (await fits(verifier, passphrase)) return
    const wait = pauseAfter('passphrase', this.#storedLock?.wrong ?? 0)
    throw refuse(`Wrong passphrase.${wait > 0 ? ` Wait ${waitWords(wait)} before you try again.` : ''}`)
  }

  async #takeOff(): Promise<void> {
    this.#save(null)
    this.#idle.stop()
    await this.#context.keychain.remove(this.#file.entry).catch(() => undefined)
    this.#open()
  }

  #open(): void {
    this.#isLocked = false
    if (this.#storedLock !== null) this.#idle.start(this.#storedLock.after)
    this.#emit()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #emit(): void {
    this.#context.events.emit({ kind: 'lock/changed', ...this.state() })
  }

  #waitsUntil(): Instant | null {
    if (this.#storedLock === null) return null
    const now = this.#context.clock.now()
    // The clock was set back: restart the wait, so that it does not get longer.
    if (this.#storedLock.at > now) this.#storedLock = { ...this.#storedLock, at: now }
    const until = this.#storedLock.at + pauseAfter('passphrase', this.#storedLock.wrong)
    return until > now ? instantOf(until) : null
  }

  /** @throws DeskFailure `disk` if the file cannot be written */
  #save(stored: StoredLock | null): void {
    try {
      this.#file.write(stored)
    } catch (error) {
      const message = "Can't write to the profile folder, so the lock is unchanged."
      throw deskFailure('disk', message, { cause: error })
    }
    this.#storedLock = stored
  }

  /** If the file cannot be written, the count remains in memory. */
  #count(stored: StoredLock): void {
    try {
      this.#save(stored)
    } catch {
      this.#storedLock = stored
    }
  }
}

function waitWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds === 1) return 'a second'
  return seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}
