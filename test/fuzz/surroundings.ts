import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { expect, onTestFinished, vi } from 'vitest'
import { connectionsChannel, followConnections } from './connections.ts'

/** What a person has beside what the app may write: what reaches out of a folder meets one of these first. */
const decoys = [
  ...['home/.bashrc', 'home/.config/autostart/other.desktop', 'home/Downloads/letter.txt'],
  ...['app/profile2/state.sqlite', 'app/downloads 2/table.csv', 'app/here/table.csv', 'temporary/other'],
  // Paths that lead up from a folder in `app` once, or twice, end here.
  ...['app/decoys/x', 'decoys/x'],
]

/** Where the process is told that a person's files lie. */
const places = {
  HOME: 'home',
  USERPROFILE: 'home',
  XDG_CONFIG_HOME: 'home/.config',
  XDG_DATA_HOME: 'home/.local/share',
  XDG_CACHE_HOME: 'home/.cache',
  TMPDIR: 'temporary',
}

export type Surroundings = {
  /** The path of one of the folders, or of a file of the root. */
  readonly path: (name: string) => string
  /** Where connections were opened to, such as `127.0.0.1:4000`; of a socket file its path. */
  readonly contacts: ReadonlySet<string>
  /**
   * Fails where anything but the folders that may be written to is other than it was, where a rejection or an exception
   * was caught by nobody, or where a connection led anywhere but to these hosts.
   */
  readonly check: (hosts: Iterable<string>) => void
}

/**
 * Until the test ends: a home, a folder of temporary files and a working folder of its own, with files that nobody may touch,
 * beside `folders`, which may be written to (`temporary` where the test's own helpers make theirs); a record of every connection of this thread, and of threads that tell of theirs
 * (watched-archive-worker.ts); and of what nobody caught.
 */
export function surroundings(folders: readonly string[]): Surroundings {
  const root = mkdtempSync(join(tmpdir(), 'traffic-desk-fuzz-'))
  const path = (name: string) => join(root, name)
  for (const name of [...folders, ...Object.values(places)]) mkdirSync(path(name), { recursive: true })
  for (const name of decoys) {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), 'Not to be touched')
  }
  const cwd = process.cwd()
  for (const [name, place] of Object.entries(places)) vi.stubEnv(name, path(place))
  process.chdir(path('app/here'))

  const troubles: unknown[] = []
  const remember = (trouble: unknown) => void troubles.push(trouble)
  process.on('unhandledRejection', remember).on('uncaughtException', remember)

  const contacts = new Set<string>()
  const unfollow = followConnections((place) => void contacts.add(place))
  const others = new BroadcastChannel(connectionsChannel)
  others.onmessage = ({ data }) => void contacts.add(String(data))

  onTestFinished(() => {
    unfollow()
    others.close()
    process.off('unhandledRejection', remember).off('uncaughtException', remember)
    process.chdir(cwd)
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true, force: true })
  })
  const found = listing(root, folders)
  return {
    path,
    contacts,
    check: (hosts) => {
      const now = listing(root, folders)
      const names = new Set([...found.keys(), ...now.keys()])
      expect([...names].filter((name) => found.get(name) !== now.get(name))).toEqual([])
      expect(troubles).toEqual([])
      const known = new Set(hosts)
      expect([...contacts].filter((each) => !known.has(each))).toEqual([])
    },
  }
}

/** Everything below a folder: a file that came and went again shows by the time of its folder. */
function listing(root: string, but: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const left = new Set(but.map((name) => join(root, name)))
  const look = (path: string) => {
    const at = lstatSync(path, { bigint: true })
    if (left.has(path)) return
    found.set(
      relative(root, path).replaceAll(sep, '/'),
      [at.size, at.mode, at.ino, at.mtimeNs, at.ctimeNs].join(' '),
    )
    if (at.isDirectory()) for (const each of readdirSync(path)) look(join(path, each))
  }
  look(root)
  return found
}
