import { createPublicKey } from 'node:crypto'
import { dirname, sep } from 'node:path'
import { isLoopback } from '#main/api/token.ts'

/** Where updates are announced, and whose signature they have. */
export type UpdateSource = {
  /** The address of the feed; its signature lies beside it, with `.sig` behind the name. */
  readonly address: string
  /** The public key, Ed25519, as base64 of its SPKI form. */
  readonly key: string
}

/** Written in by the build (electron.vite.config.ts). */
declare const BUILT_IN_UPDATES: UpdateSource | null

/** What this build was made with; null for no feed, and where nothing was built. */
export const builtInSource: UpdateSource | null =
  typeof BUILT_IN_UPDATES === 'undefined' ? null : BUILT_IN_UPDATES

/** The variables of the environment that name the source. */
export const feedVariable = 'TRAFFIC_DESK_UPDATE_FEED'
export const keyVariable = 'TRAFFIC_DESK_UPDATE_KEY'

/**
 * The source that an environment names: when the app is built, and for a checkout when it starts. The installed app does not look.
 * @returns null where it names none
 * @throws an Error in words where one is without the other, or one of them is of no use
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

/** https, or http on this computer. */
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

/** @throws where it is no key */
export const publicKey = (key: string) =>
  createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })

/** The kinds of packages that there are, and how their files' names end. */
export const endings = { deb: 'deb', appimage: 'AppImage', msix: 'msix', dmg: 'dmg' } as const
type PackageKind = keyof typeof endings

/** Which package of the app runs here. */
export type PackageHere = {
  /** What the feed calls it: `linux-x64-deb`. */
  readonly target: string
  readonly kind: PackageKind
  /** The file that runs, where it is an AppImage. */
  readonly appImage: string | null
}

type Circumstances = {
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** The program that runs. */
  readonly program: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Tells which package runs, by what the system and an AppImage's own start say. */
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

/** Every program that an AppImage starts inherits its variables: they are about this one only where it runs from there. */
function appImageOf(program: string, { APPIMAGE: file, APPDIR: mounted }: Circumstances['environment']) {
  if (!file || !mounted) return null
  return `${dirname(program)}${sep}`.startsWith(`${mounted.replace(/\/+$/, '')}${sep}`) ? file : null
}
