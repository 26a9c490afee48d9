import * as v from 'valibot'
import { lockMinutes, passphraseLength } from '#shared/app/state.ts'
import type { LockState } from '#shared/app/state.ts'
import { call, nothing } from '../call.ts'
import { shortText, token } from '../schemas.ts'

const after = v.picklist(lockMinutes)
const passphrase = v.pipe(v.string(), v.maxLength(passphraseLength.max))

export const lockCalls = {
  'lock/state': call(nothing)<LockState>(),
  /** Locks at once; a failure in words where the lock is off. */
  'lock/now': call(nothing)<null>(),
  'lock/unlock': call(v.strictObject({ passphrase }))<null>(),
  /** Takes the lock off with the token of an account, typed again, and all tokens with it. */
  'lock/sign-in': call(v.strictObject({ address: shortText, token }))<null>(),
  /** A failure in words where no keychain answers. */
  'lock/switch-on': call(v.strictObject({ after, passphrase }))<null>(),
  'lock/change': call(v.strictObject({ after }))<null>(),
  'lock/switch-off': call(v.strictObject({ passphrase }))<null>(),
} as const

/** What a window may ask while it is locked. */
export const callsWhileLocked: ReadonlySet<string> = new Set<keyof typeof lockCalls>([
  'lock/state',
  'lock/unlock',
  'lock/sign-in',
])
