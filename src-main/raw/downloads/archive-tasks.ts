import { closeSync, fsyncSync, openSync, readdirSync, statSync, utimesSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { namingHere, publish } from '#main/files/publish.ts'
import { checkZip, filesInZipSync } from '#main/files/zip.ts'
import type { ZippedFile } from '#main/files/zip.ts'
import { numbered, safeStem } from '#shared/values/text.ts'
import { createFetcher } from '#main/fetching/fetcher.ts'
import type { ToMain } from '#main/workers/rpc-server.ts'
import type { ArchiveAnswers, ArchiveEvent, FetchTask, FinishTask, UnpackTask } from './archive-calls.ts'
import { finishPart, sweepDrafts, writeWhole } from './part-file.ts'
import { receive, roomHere } from './receiving.ts'

// This code runs in a process per archive and blocks on the disk there. A disk that hangs occupies nothing of the main
// process.

/** Tests a downloaded archive, sets its time and syncs it. @throws BrokenArchive, HostileArchive, disk errors */
export async function finishArchive({ path, modified }: Omit<FinishTask, 'kind'>): Promise<void> {
  await checkZip(path)
  finishPart(path, modified)
}

/** Downloads and finishes an archive. @throws as `receive` and `finishArchive` do */
export async function fetchArchive(
  task: FetchTask,
  main: ToMain<ArchiveAnswers>,
  signal: AbortSignal,
): Promise<void> {
  const progress = new Progress((event) => main.notify(event))
  const { timeouts, url, allowed, path, part, recorded, modified } = task
  const fetcher = createFetcher({
    resolveProxy: (place) => main.ask('proxy', place),
    // Credentials are requested per connection, and not stored here.
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
        // Other programs may fill the disk meanwhile, and without a known size nothing was checked before.
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

/** Minimum interval between progress events, in milliseconds. */
const NOTIFY_EVERY = 100

class Progress {
  readonly #notify: (event: ArchiveEvent) => void
  #notifiedAt = 0
  #notified = 0
  #length = 0

  constructor(notify: (event: ArchiveEvent) => void) {
    this.#notify = notify
  }

  /** Sends the file's length, at most once per interval. */
  wrote(length: number): void {
    this.#length = length
    const now = performance.now()
    if (now - this.#notifiedAt < NOTIFY_EVERY) return
    this.#notifiedAt = now
    this.notifyLength()
  }

  /** Sends the file's length if it has changed since the last event. */
  notifyLength(): void {
    if (this.#length === this.#notified) return
    this.#notified = this.#length
    this.#notify({ kind: 'wrote', length: this.#length })
  }
}

/** Only these files are unpacked, so that nothing executable is written. */
const UNPACKED = /\.csv$/i

/**
 * Unpacks the tables of an archive beside it, with its time. A single table has the archive's name; several have their
 * own names appended. Tables from an earlier attempt remain.
 * @throws BrokenArchive, HostileArchive, DeskFailure `disk`; no partial file remains
 */
export async function unpackArchive(task: UnpackTask): Promise<void> {
  await sweepDrafts(task.folder, task.mark, { ...namingHere, readdir: async (folder) => readdirSync(folder) })
  const names: string[] = []
  for await (const { name } of filesInZipSync(task.path)) if (UNPACKED.test(name)) names.push(name)
  const { mtime } = statSync(task.path)
  /** Names already used for this archive, in lower case for case-insensitive file systems. */
  const taken = new Set<string>()
  for await (const file of filesInZipSync(task.path)) {
    if (!UNPACKED.test(file.name)) continue
    const stem = names.length === 1 ? task.stem : safeStem(`${task.stem} - ${tableStemOf(file.name)}`)
    const draft = join(task.folder, `${task.mark}${taken.size + 1}.part`)
    taken.add((await unpackFile({ file, draft, stem, folder: task.folder, mtime, taken })).toLowerCase())
  }
}

const tableStemOf = (name: string) => safeStem((name.split('/').at(-1) ?? '').replace(UNPACKED, ''), 'table')

type Unpacking = {
  readonly file: ZippedFile
  readonly draft: string
  readonly stem: string
  readonly folder: string
  readonly mtime: Date
  readonly taken: ReadonlySet<string>
}

/** @returns the final name of the table */
async function unpackFile({ file, draft, stem, folder, mtime, taken }: Unpacking): Promise<string> {
  // Names that differ only in case are numbered, like other names that are taken.
  const own = unlike(stem, taken)
  const there = earlier(file, folder, own, mtime, taken)
  if (there !== null) return there
  try {
    await roomHere(folder, file.size)
    await write(file, draft)
    utimesSync(draft, mtime, mtime)
    return await publish(draft, { folder, stem: own, ending: ENDING }, namingHere)
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

/** Name of this table from an earlier attempt, recognised by size and time; null if none. */
function earlier(
  file: ZippedFile,
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

async function write(file: ZippedFile, draft: string): Promise<void> {
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

/** Compares times with a tolerance of 2 s, the coarsest resolution of file systems. */
const sameMoment = (one: number, other: number) => Math.abs(one - other) <= 2000
