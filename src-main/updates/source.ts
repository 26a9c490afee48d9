import { createPublicKey } from 'node:crypto'
import { isLoopback } from '#main/api/token.ts'

/** Address and public key of an update feed. */
export type UpdateSource = {
  /** Address of the feed. The signature is at the same address with `.sig` appended. */
  readonly address: string
  /** Public Ed25519 key, as base64 of its SPKI form. */
  readonly key: string
}

/** Defined by the build (electron.vite.config.ts). */
declare const BUILT_IN_UPDATES: UpdateSource | null

/** The source defined by the build; null without a feed or a build. */
export const builtInSource: UpdateSource | null =
  typeof BUILT_IN_UPDATES === 'undefined' ? null : BUILT_IN_UPDATES

/** Environment variables that define the source. */
export const feedVariable = 'TRAFFIC_DESK_UPDATE_FEED'
export const keyVariable = 'TRAFFIC_DESK_UPDATE_KEY'

/**
 * Reads the source from the environment: during a build, or when a checkout starts. A packaged app ignores the environment.
 * @returns null if the environment defines none
 * @throws Error if only one variable is set, or one is invalid
 */
export function sourceFrom(environment: Readonly<Record<string, string | undefined>>): UpdateSource | null {
  const address = environment[feedVariable] ?? ''
  const key = environment[keyVariable] ?? ''
  if (address === '' && key === '') return null
  if (key === '') throw new Error(`${feedVariable} is given without ${keyVariable}: nobody could trust it.`)
  if (address === '') throw new Error(`${keyVariable} is given without ${feedVariable}.`)
  if (!isFeedAddress(address))
    throw new Error(`${feedVariable} has to be the https address of a file, without a query.`)
  if (!isPublicKey(key))
    throw new Error(`${keyVariable} has to be an Ed25519 public key: its SPKI as base64.`)
  return { address, key }
}

/** Whether an address uses https, or http on this computer, and has no credentials. */
export function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  const isEncrypted = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isEncrypted && username === '' && password === ''
}

function isFeedAddress(address: string): boolean {
  if (!isSafe(address)) return false
  const { search, hash, pathname } = new URL(address)
  return search === '' && hash === '' && !pathname.endsWith('/')
}

function isPublicKey(key: string): boolean {
  try {
    return publicKey(key).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

/** @throws if the text is not a key */
export const publicKey = (key: string) =>
  createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
