import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Keychain } from '#main/accounts/keychain.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { lockCalls } from '#shared/bridge/calls/lock.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { Lock } from '#main/lock/lock.ts'
import type { LockParts } from '#main/lock/lock.ts'

export type LockOfDeskParts = Pick<LockParts, 'folder' | 'idle' | 'after' | 'now'> & {
  readonly keychain: Keychain
  readonly accounts: () => Pick<AccountStore, 'list' | 'mayRead' | 'removeToken'>
  readonly events: Emitter
  readonly changed: () => void
}

/** The lock, with what the desk knows of accounts and windows. */
export function lockOfDesk({ accounts, events, changed, ...parts }: LockOfDeskParts): Lock {
  return new Lock({
    ...parts,
    signIn: (typed) => accounts().mayRead(typed),
    removeTokens: async () => {
      for (const { id, kind } of accounts().list()) if (kind === 'service') await accounts().removeToken(id)
    },
    changed: (state) => {
      events.emit({ kind: 'lock/changed', ...state })
      changed()
    },
  })
}

export const lockHandlers = (lock: Lock): Pick<Handlers, keyof typeof lockCalls> => ({
  'lock/state': () => lock.state(),
  'lock/now': () => {
    lock.lockNow()
    return null
  },
  'lock/unlock': async ({ passphrase }) => {
    await lock.unlock(passphrase)
    return null
  },
  'lock/sign-in': async (typed) => {
    await lock.signIn(typed)
    return null
  },
  'lock/switch-on': async ({ after, passphrase }) => {
    await lock.switchOn(after, passphrase)
    return null
  },
  'lock/change': ({ after }) => {
    lock.change(after)
    return null
  },
  'lock/switch-off': async ({ passphrase }) => {
    await lock.switchOff(passphrase)
    return null
  },
})
