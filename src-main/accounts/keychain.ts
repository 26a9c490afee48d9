import { createRequire } from 'node:module'
import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'

/** The system's keychain: one secret per account. Every call can fail as `no-keychain`. */
export type Keychain = {
  readonly get: (account: string) => Promise<string | null>
  readonly set: (account: string, secret: string) => Promise<void>
  readonly remove: (account: string) => Promise<void>
}

/** The functions of keytar that are used. */
type Keytar = {
  readonly getPassword: (service: string, account: string) => Promise<string | null>
  readonly setPassword: (service: string, account: string, secret: string) => Promise<void>
  readonly deletePassword: (service: string, account: string) => Promise<boolean>
}

/** Name of the app's entries in the keychain. */
const serviceName = 'Traffic Desk'

/** Timeout in milliseconds. A locked keychain prompts for its password, and may wait indefinitely. */
const limit = { milliseconds: 60_000, late: () => silent() }

const noKeychain = (message: string, cause?: unknown) => deskFailure('no-keychain', message, { cause })

const notThere = (cause: unknown) =>
  noKeychain(
    "No keychain is available on this computer, so the token can't be saved safely. " +
      'Keep it for this session only, and enter it again at the next start.',
    cause,
  )

const silent = () => noKeychain('The keychain did not respond within a minute. Unlock it and try again.')

/**
 * @param require loads keytar on the first call. Its native part may be missing. Unlike `import`, `require` can be
 * retried after an error
 */
export function createKeychain(
  require: (name: string) => unknown = createRequire(import.meta.url),
): Keychain {
  let loaded: Keytar | undefined

  async function ask<T>(access: (keytar: Keytar) => Promise<T>): Promise<T> {
    try {
      const keytar = (loaded ??= keytarFrom(require('keytar')))
      return await withTimeout(limit, () => access(keytar))
    } catch (error) {
      throw error instanceof DeskFailure ? error : notThere(error)
    }
  }

  const remove = (account: string) =>
    ask(async (keytar) => {
      await keytar.deletePassword(serviceName, account)
    })

  async function set(account: string, secret: string): Promise<void> {
    let setting: Promise<void> | undefined
    try {
      await ask((keytar) => (setting = keytar.setPassword(serviceName, account, secret)))
    } catch (error) {
      // After a reported failure, a late write must not leave the secret stored.
      setting?.then(() => remove(account)).catch(() => undefined)
      throw error
    }
  }

  return { get: (account) => ask((keytar) => keytar.getPassword(serviceName, account)), set, remove }
}

function keytarFrom(module: unknown): Keytar {
  if (!isKeytar(module)) throw new TypeError('This is not keytar')
  return module
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const keytarMethods = ['getPassword', 'setPassword', 'deletePassword'] as const satisfies (keyof Keytar)[]

function isKeytar(value: unknown): value is Keytar {
  return isRecord(value) && keytarMethods.every((name) => typeof value[name] === 'function')
}
