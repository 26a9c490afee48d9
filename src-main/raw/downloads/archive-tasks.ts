import { closeSync, fsyncSync, openSync, readdirSync, statSync, utimesSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { namingHere, publish } from '#main/files/publish.ts'
import { numbered, safeStem } from '#shared/values/text.ts'
import { archiveFilesHere } from './archive-entries.ts'
import type { ArchiveFile } from './archive-entries.ts'
import { createFetcher } from './fetching.ts'
import type { ToMain } from '#main/workers/rpc-server.ts'
import type { ArchiveAnswers, ArchiveEvent, FetchTask, FinishTask, UnpackTask } from './archive-calls.ts'
import { finishPart, sweepDrafts, writeWhole } from './part-file.ts'
import { receive, roomHere } from './receiving.ts'

// All of this runs in a thread for one archive, and waits for the disk there: of the threads with which the whole process
// reaches files and looks up names, a disk that never answers takes none.

/**
 * Reads every file of an archive to its end, and keeps nothing.
 * @throws BrokenArchive and HostileArchive
 */
export async function checkArchive(path: string): Promise<void> {
  for await (const file of archiveFilesHere(path)) {
    for await (const piece of file.read()) void piece
  }
}

/**
 * Tests what has come, dates it and puts it on the disk.
 * @throws BrokenArchive, HostileArchive, what the disk refuses
 */
export async function finishArchive({ path, modified }: Omit<FinishTask, 'kind'>): Promise<void> {
  await checkArchive(path)
  finishPart(path, modified)
}

/**
 * Brings an archive to the disk, and settles it.
 * @throws what `receive` and `settleArchive` throw
 */
export async function fetchArchive(
  task: FetchTask,
  main: ToMain<ArchiveAnswers>,
  signal: AbortSignal,
): Promise<void> {
  const progress = new Progress((event) => main.notify(event))
  const { timeouts, url, allowed, path, part, recorded, modified } = task
  const fetcher = createFetcher({
    resolveProxy: (place) => main.ask('proxy', place),
    // Name and password come for one connection at a time, and are not kept here.
    proxyAccess: {
      passFor: (origin) => main.ask('proxyPass', origin),
      onProxyAnswer: (answer) => main.ask('onProxyAnswer', answer),
    },
    certificates: () => main.ask('certificates', null),
    ...(timeouts && { timeouts }),
  })
  try {
    await receive({
      ...{ fetcher, url, allowed, path, part, recorded },
      began: async (response) => void (await main.ask('began', response)),
      portion: async () => {
        progress.notifyLength()
        // Others fill the disk meanwhile, and where no size is known nobody has looked yet.
        await roomHere(dirname(path), 0)
        return await main.ask('portion', null)
      },
      wrote: (length) => progress.wrote(length),
      signal,
    })
  } finally {
    progress.notifyLength()
  }
  main.notify({ kind: 'arrived' } satisfies ArchiveEvent)
  await finishArchive({ path, modified })
}

/** How often it is told how far a file is, in milliseconds. */
const NOTIFY_EVERY = 100

class Progress {
  readonly #notify: (event: ArchiveEvent) => void
  #notifiedAt = 0
  #notified = 0
  #length = 0

  constructor(notify: (event: ArchiveEvent) => void) {
    this.#notify = notify
  }

  /** Tells how long the file is, now and then. */
  wrote(length: number): void {
    this.#length = length
    const now = performance.now()
    if (now - this.#notifiedAt < NOTIFY_EVERY) return
    this.#notifiedAt = now
    this.notifyLength()
  }

  /** Tells how long the file is, where that was not told yet. */
  notifyLength(): void {
    if (this.#length === this.#notified) return
    this.#notified = this.#length
    this.#notify({ kind: 'wrote', length: this.#length })
  }
}

/** Files whose names end otherwise stay in the archive: nothing that a system would run is put beside it. */
const UNPACKED = /\.csv$/i

/**
 * Puts the tables of an archive beside it, each under the archive's own name or, where there are several, that and its
 * own, and dated as it is. What lies there already from an earlier attempt stays.
 * @throws BrokenArchive, HostileArchive, DeskFailure `disk`; nothing half-written stays
 */
export async function unpackArchive(task: UnpackTask): Promise<void> {
  await sweepDrafts(task.folder, task.mark, { ...namingHere, readdir: async (folder) => readdirSync(folder) })
  const names: string[] = []
  for await (const { name } of archiveFilesHere(task.path)) if (UNPACKED.test(name)) names.push(name)
  const { mtime } = statSync(task.path)
  /** Names that tables of this archive have, as systems see them that do not tell capitals apart. */
  const taken = new Set<string>()
  for await (const file of archiveFilesHere(task.path)) {
    if (!UNPACKED.test(file.name)) continue
    const stem = names.length === 1 ? task.stem : safeStem(`${task.stem} - ${stemOf(file.name)}`)
    const draft = join(task.folder, `${task.mark}${taken.size + 1}.part`)
    taken.add((await unpackFile({ file, draft, stem, folder: task.folder, mtime, taken })).toLowerCase())
  }
}

const stemOf = (name: string) => safeStem((name.split('/').at(-1) ?? '').replace(UNPACKED, ''), 'table')

type Unpacking = {
  readonly file: ArchiveFile
  readonly draft: string
  readonly stem: string
  readonly folder: string
  readonly mtime: Date
  readonly taken: ReadonlySet<string>
}

/** @returns the name that its table has now */
async function unpackFile({ file, draft, stem, folder, mtime, taken }: Unpacking): Promise<string> {
  // Tables whose names differ by capitals alone are told apart by numbers, as elsewhere a name that is taken.
  const own = unlike(stem, taken)
  const there = earlier(file, folder, own, mtime, taken)
  if (there !== null) return there
  try {
    await roomHere(folder, file.size)
    await write(file, draft)
    utimesSync(draft, mtime, mtime)
    return await publish(draft, folder, own, ENDING, namingHere)
  } catch (error) {
    await namingHere.unlink(draft).catch(() => undefined)
    throw asDiskFailure(error)
  }
}

const ENDING = 'csv'

function unlike(stem: string, taken: ReadonlySet<string>): string {
  for (let turn = 1; ; turn += 1) {
    const own = turn === 1 ? stem : `${stem} (${turn})`
    if (!taken.has(`${own}.${ENDING}`.toLowerCase())) return own
  }
}

/** The name under which an earlier attempt has put this table: as large as it is, dated as it would be. */
function earlier(
  file: ArchiveFile,
  folder: string,
  stem: string,
  mtime: Date,
  taken: ReadonlySet<string>,
): string | null {
  for (let turn = 1; ; turn += 1) {
    const name = numbered(stem, ENDING, turn)
    const there = found(join(folder, name))
    if (there === null) return null
    const same = there.isFile() && there.size === file.size && sameMoment(there.mtimeMs, mtime.getTime())
    if (same && !taken.has(name.toLowerCase())) return name
  }
}

function found(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

async function write(file: ArchiveFile, draft: string): Promise<void> {
  const descriptor = openSync(draft, 'wx')
  try {
    let length = 0
    for await (const piece of file.read()) {
      writeWhole(descriptor, piece, length)
      length += piece.length
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** File systems keep times as exactly as two seconds. */
const sameMoment = (one: number, other: number) => Math.abs(one - other) <= 2000
