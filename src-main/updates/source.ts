import { createPublicKey } from 'node:crypto'
import { dirname, sep } from 'node:path'
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
    throw new Error(`${feedVariable} has to be the https address of a file, and nothing behind its path.`)
  if (!isPublicKey(key))
    throw new Error(`${keyVariable} has to be an Ed25519 public key: its SPKI as base64.`)
  return { address, key }
}

/** Whether a URL uses https, or http on this computer, and has no credentials. */
export const isSafe = ({ protocol, hostname, username, password }: URL): boolean =>
  (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) &&
  username === '' &&
  password === ''

function isFeedAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return isSafe(url) && url.search === '' && url.hash === '' && !url.pathname.endsWith('/')
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

/** File name extensions of the package kinds. */
export const endings = { deb: 'deb', appimage: 'AppImage', msix: 'msix', dmg: 'dmg' } as const
type PackageKind = keyof typeof endings

/** The installed package of the app. */
export type PackageHere = {
  /** Name of the package in the feed, such as `linux-x64-deb`. */
  readonly target: string
  readonly kind: PackageKind
  /** Path of the running AppImage; null for other packages. */
  readonly appImage: string | null
}

type Circumstances = {
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** Path of the running executable. */
  readonly program: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Determines the installed package from the platform and the variables of an AppImage. */
export function packageHere({ platform, arch, program, environment }: Circumstances): PackageHere {
  const appImage = platform === 'linux' ? appImageOf(program, environment) : null
  const kind = kindOf(platform, appImage)
  return { target: `${platform}-${arch}-${kind}`, kind, appImage }
}

function kindOf(platform: NodeJS.Platform, appImage: string | null): PackageKind {
  if (platform === 'darwin') return 'dmg'
  if (platform === 'win32') return 'msix'
  return appImage === null ? 'deb' : 'appimage'
}

/** All children of an AppImage inherit its variables. The variables apply only if this executable runs from the mounted image. */
function appImageOf(program: string, { APPIMAGE: file, APPDIR: mounted }: Circumstances['environment']) {
  if (!file || !mounted) return null
  return `${dirname(program)}${sep}`.startsWith(`${mounted.replace(/\/+$/, '')}${sep}`) ? file : null
}
