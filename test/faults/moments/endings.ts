import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { runs } from '#test/helpers/long.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'

/** Where processes work that end in the middle of it. */
export type Place = {
  readonly folder: string
  /** What their end takes with it, besides them. */
  readonly lose: () => void
}

/** How processes end in the middle of their work: `place` makes an empty folder for some. */
export type Ending = {
  readonly ending: string
  readonly moments: number
  readonly place: () => Place
}

/** The endings that this machine can make. @param long how many kills there are where tests take their time */
export function endings(short: number, long: number): readonly Ending[] {
  const killed = {
    ending: 'killed',
    moments: runs(short, long),
    place: () => ({ folder: temporaryFolder(), lose: () => undefined }),
  }
  const moments = Math.max(3, Math.ceil(runs(short, long) / 4))
  const place = powered()
  return place === null ? [killed] : [killed, { ending: 'cut off from power', moments, place }]
}

/** Makes an empty folder whose power can be cut: null where this machine can have none, and that is said. */
export function powered(): (() => Place) | null {
  const none = whyNoPower()
  if (none !== null) console.log(`no power is cut here: ${none}`)
  return none === null ? poweredFolder : null
}

const mebibytes = 96
/** The system itself writes nothing by and by, keeps no order of data and names, and helps nobody who forgets to sync. */
const options = 'loop,commit=300,data=writeback,noauto_da_alloc'

/** Why no disk can be made here whose power is cut; null where one can. */
function whyNoPower(): string | null {
  if (process.platform !== 'linux') return 'only Linux mounts a disk that is a file'
  if (process.getuid?.() !== 0) return 'only root may mount'
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-power-'))
  try {
    const disk = new Disk(folder)
    disk.leave()
    return null
  } catch {
    return 'no disk can be mounted that is a file'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A folder on a disk of its own. Its power is cut by going on with what lay on the disk itself at that moment. */
function poweredFolder(): Place {
  const disk = new Disk(temporaryFolder())
  onTestFinished(() => disk.leave())
  return { folder: disk.folder, lose: () => disk.cut() }
}

/** ext4 in a file, mounted. What processes wrote and did not sync lies in the system's memory and not in the file. */
class Disk {
  readonly folder: string
  readonly #images: string
  #image: string
  #cuts = 0

  constructor(parent: string) {
    // A disk in memory, where there is one, keeps the machine's own disk out of it.
    this.#images = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/traffic-desk-power-') : parent
    this.folder = mkdtempSync(join(parent, 'disk-'))
    this.#image = join(this.#images, 'image-0')
    execFileSync('truncate', ['--size', `${mebibytes}M`, this.#image])
    execFileSync('mkfs.ext4', ['-q', '-F', this.#image], { stdio: 'pipe' })
    this.#mount()
  }

  cut(): void {
    this.#cuts += 1
    const image = join(this.#images, `image-${this.#cuts}`)
    copyFileSync(this.#image, image)
    this.#unmount()
    this.#image = image
    this.#mount()
  }

  leave(): void {
    this.#unmount()
    rmSync(this.#images, { recursive: true, force: true })
  }

  #mount(): void {
    execFileSync('mount', ['-t', 'ext4', '-o', options, this.#image, this.folder], { stdio: 'pipe' })
  }

  /** Readers that stay, such as an engine, keep what they read open until they let it go. */
  #unmount(): void {
    execFileSync('umount', ['--lazy', this.folder])
    rmSync(this.#image)
  }
}
