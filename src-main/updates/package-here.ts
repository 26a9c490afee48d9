import { dirname, sep } from 'node:path'

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
