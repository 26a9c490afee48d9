import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Keychain } from '#main/accounts/keychain.ts'
import type { Presence } from '#main/lock/idle-watch.ts'
import { LockFile } from '#main/lock/lock-file.ts'
import { Lock } from '#main/lock/lock.ts'
import { fits, verifierOf } from '#main/lock/verifier.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { systemClock } from '#main/lib/async.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { LockState } from '#shared/app/state.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { account } from '../database/helpers.ts'

const passphrase = 'correct horse battery'
const second = 1000

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'traffic-desk-lock-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
})

type Given = {
  readonly keychain?: Keychain
  readonly now?: () => number
  readonly mayRead?: () => Promise<void>
  readonly removeToken?: () => Promise<void>
}

/** A lock over the folder, with a keychain, a clock and input of our own. */
function newLock(given: Given = {}, entries = new Map<string, string>()) {
  const clock = { now: 1_000_000, idle: 0 }
  const told: LockState[] = []
  const due: (() => void)[] = []
  const keychain: Keychain = {
    get: (entry) => Promise.resolve(entries.get(entry) ?? null),
    set: async (entry, secret) => void entries.set(entry, secret),
    remove: async (entry) => void entries.delete(entry),
  }
  const nothing = () => Promise.resolve()
  const { mayRead = nothing, removeToken = nothing } = given
  const accounts = fake<Accounts>('accounts', { list: () => [account()], mayRead, removeToken })
  const events = eventsTo((event) => {
    if (event.kind !== 'lock/changed') return
    const { kind: _kind, ...state } = event
    told.push(state)
  })
  const presence: Presence = {
    idle: () => clock.idle,
    after: (_, run) => {
      due.push(run)
      return () => void due.splice(due.indexOf(run), 1)
    },
  }
  const now = given.now ?? (() => clock.now)
  const lock = new Lock({
    ...{ folder, keychain: given.keychain ?? keychain, accounts, events, presence },
    clock: { ...systemClock, now },
  })
  /** So many seconds go by without input. */
  const wait = (seconds: number) => {
    clock.now += seconds * second
    clock.idle += seconds
    for (const run of due.splice(0)) run()
  }
  return { lock, clock, told, wait, entries }
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof DeskFailure ? error.failure.message : String(error)),
  )

describe('what a passphrase is checked against', () => {
  it('fits that one alone, and holds nothing of it', async () => {
    const verifier = await verifierOf(passphrase)
    expect(await fits(verifier, passphrase)).toBe(true)
    expect(await fits(verifier, `${passphrase} `)).toBe(false)
    expect(await fits(verifier, '')).toBe(false)
    expect(verifier).not.toContain('horse')
    // The same passphrase of another person looks otherwise.
    expect(await verifierOf(passphrase)).not.toBe(verifier)
  })

  it('fits letters however the keyboard composes them', async () => {
    expect(await fits(await verifierOf('Zu\u0308richsee 12'), 'Z\u00fcrichsee 12')).toBe(true)
  })

  it('costs what scrypt is recommended to cost for people who wait', async () => {
    expect(JSON.parse(await verifierOf(passphrase))).toMatchObject({ N: 65_536, r: 8, p: 1 })
  })

  it.each(['', 'null', '{}', '{"N":1,"r":8,"p":1,"salt":"","hash":""}'])(
    'is fitted by nothing where it is none: %s',
    async (verifier) => {
      expect(await fits(verifier, '')).toBe(false)
    },
  )
})

describe('the lock', () => {
  it('is off until it is switched on, and locks nothing then', () => {
    const { lock, wait } = newLock()
    wait(100_000)
    lock.lock()
    expect(lock.state()).toEqual({ locked: false, after: null, waitsUntil: null })
    expect(() => lock.lockNow()).toThrow('The lock is off')
  })

  it('locks after so long without input, and not before', async () => {
    const { lock, wait, clock, told } = newLock()
    await lock.switchOn(5, passphrase)
    wait(299)
    expect(lock.locked).toBe(false)
    clock.idle = 0
    wait(0)
    wait(299)
    expect(lock.locked).toBe(false)
    wait(1)
    expect(lock.locked).toBe(true)
    expect(told.map(({ locked }) => locked)).toEqual([false, true])
  })

  it('counts anew once it is opened, whatever the machine calls input', async () => {
    const { lock, wait } = newLock()
    await lock.switchOn(5, passphrase)
    wait(300)
    await lock.unlock(passphrase)
    expect(lock.locked).toBe(false)
    wait(299)
    expect(lock.locked).toBe(false)
    wait(1)
    expect(lock.locked).toBe(true)
  })

  it('is locked at the next start, and opened by the passphrase alone', async () => {
    const before = newLock()
    await before.lock.switchOn(15, passphrase)
    const { lock } = newLock({}, before.entries)
    expect(lock.state()).toMatchObject({ locked: true, after: 15 })
    expect(await messageOf(lock.unlock('something else'))).toBe('Wrong passphrase.')
    expect(lock.locked).toBe(true)
    let opened = false
    const waiting = lock.opened().then(() => (opened = true))
    expect(opened).toBe(false)
    await lock.unlock(passphrase)
    await waiting
    expect(lock.locked).toBe(false)
  })

  it('keeps the passphrase nowhere, and its file for its person alone', async () => {
    const { lock, entries } = newLock()
    await lock.switchOn(30, passphrase)
    const file = join(folder, 'lock.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ after: 30, wrong: 0, at: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect([...entries.values()].join()).not.toContain('horse')
  })

  it('counts as on where its file is damaged', async () => {
    writeFileSync(join(folder, 'lock.json'), '{"after":')
    expect(newLock().lock.locked).toBe(true)
  })

  it('is off where its folder is none', () => {
    writeFileSync(join(folder, 'a-file'), '')
    expect(new LockFile(join(folder, 'a-file', 'profile')).read()).toBeNull()
  })

  it('lets three slips pass, then waits twice as long each time, up to five minutes, over starts too', async () => {
    const { lock, clock, entries } = newLock()
    await lock.switchOn(5, passphrase)
    lock.lock()
    const waits: number[] = []
    for (let time = 0; time < 13; time += 1) {
      await messageOf(lock.unlock('wrong'))
      const { waitsUntil } = lock.state()
      waits.push(waitsUntil === null ? 0 : (waitsUntil - clock.now) / second)
      if (time < 12) clock.now = waitsUntil ?? clock.now
    }
    expect(waits).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    expect(await messageOf(lock.unlock(passphrase))).toBe('Wait 5 minutes before you try again.')

    const next = newLock({ now: () => clock.now }, entries)
    expect(await messageOf(next.lock.unlock(passphrase))).toBe('Wait 5 minutes before you try again.')
    clock.now += 300 * second
    await next.lock.unlock(passphrase)
    expect(next.lock.state()).toEqual({ locked: false, after: 5, waitsUntil: null })
  })

  it('waits no longer than that where the clock was set back', async () => {
    const { lock, clock } = newLock()
    await lock.switchOn(5, passphrase)
    for (let time = 0; time < 3; time += 1) await messageOf(lock.unlock('wrong'))
    clock.now -= 900_000
    expect(lock.state().waitsUntil).toBe(clock.now + second)
    clock.now += second
    await lock.unlock(passphrase)
  })

  it('counts a try before it is made', async () => {
    const tries: number[] = []
    const { lock, entries } = newLock()
    await lock.switchOn(5, passphrase)
    const wrong = () => Number(JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8')).wrong)
    const counting = newLock({
      keychain: {
        get: async (entry) => {
          tries.push(wrong())
          return entries.get(entry) ?? null
        },
        set: () => Promise.resolve(),
        remove: () => Promise.resolve(),
      },
    })
    await messageOf(counting.lock.unlock('wrong'))
    await counting.lock.unlock(passphrase)
    expect(tries).toEqual([1, 2])
    expect(wrong()).toBe(0)
  })

  it('cannot be switched on without a keychain, nor opened, nor is that a wrong try', async () => {
    const gone = () => Promise.reject(new DeskFailure({ kind: 'no-keychain', message: 'It is away.' }))
    const without = newLock({ keychain: { get: gone, set: gone, remove: gone } })
    expect(await messageOf(without.lock.switchOn(5, passphrase))).toContain('No keychain is available')
    expect(without.lock.state().after).toBeNull()

    await newLock().lock.switchOn(5, passphrase)
    const later = newLock({ keychain: { get: gone, set: gone, remove: gone } })
    for (let time = 0; time < 5; time += 1)
      expect(await messageOf(later.lock.unlock(passphrase))).toContain('No keychain is available')
    expect(later.lock.state()).toEqual({ locked: true, after: 5, waitsUntil: null })
  })

  it('takes no short passphrase', async () => {
    expect(await messageOf(newLock().lock.switchOn(5, '1234567'))).toContain('8 characters')
  })

  it('is switched off by the passphrase, and leaves nothing', async () => {
    const { lock, entries } = newLock()
    await lock.switchOn(5, passphrase)
    expect(await messageOf(lock.switchOff('wrong'))).toBe('Wrong passphrase.')
    await lock.switchOff(passphrase)
    expect(entries.size).toBe(0)
    expect(newLock().lock.locked).toBe(false)
  })

  it('goes, with all tokens, where somebody signs in again; a token that sees something else opens nothing', async () => {
    const done: string[] = []
    const refused = new DeskFailure({ kind: 'no-right', message: 'It sees something else.', field: 'token' })
    let right = false
    const { lock } = newLock({
      mayRead: () => (right ? Promise.resolve() : Promise.reject(refused)),
      removeToken: async () => void done.push('tokens'),
    })
    await lock.switchOn(5, passphrase)
    lock.lock()
    const typed = { address: 'https://reports.example', token: 'a' }
    for (let time = 0; time < 3; time += 1) await messageOf(lock.signIn(typed))
    expect(done).toEqual([])
    expect(lock.locked).toBe(true)
    // These tries are counted like passphrases.
    expect(await messageOf(lock.signIn(typed))).toBe('Wait a second before you try again.')
    right = true
    const again = newLock({
      mayRead: () => Promise.resolve(),
      removeToken: async () => void done.push('tokens'),
    })
    again.clock.now += second
    await again.lock.signIn(typed)
    expect(done).toEqual(['tokens'])
    expect(again.lock.state()).toEqual({ locked: false, after: null, waitsUntil: null })
  })

  it('stays where a token cannot be taken away', async () => {
    const { lock } = newLock({ removeToken: () => Promise.reject(new Error('The keychain holds on to it')) })
    await lock.switchOn(5, passphrase)
    lock.lock()
    await messageOf(lock.signIn({ address: 'https://reports.example', token: 'a' }))
    expect(lock.locked).toBe(true)
  })
})
