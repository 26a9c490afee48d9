import { join } from 'node:path'
import type { Account } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { RawReport } from '#shared/api/answers.ts'
import { lifeOf } from '#shared/raw/life.ts'
import type { RawSettings } from '#shared/raw/settings.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { withTimeout } from '#main/lib/async.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { makeFolder } from '#main/files/draft.ts'
import { numbered } from '#shared/values/file-name.ts'
import { isTaken, namingBy, publish } from '#main/files/publish.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { StoredState } from '#main/database/state/downloads-repository.ts'
import type { Clock } from '#main/lib/async.ts'
import { timeToConnect } from '#main/api/transport/deadlines.ts'
import { inArchiveThread } from './archive-thread.ts'
import type { Bandwidth } from './bandwidth.ts'
import type { FetchOptions } from './fetching.ts'
import { stemAfter } from '#shared/raw/file-names.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { isForeign, lengthOf, takesFiles } from './part-file.ts'
import { scopeOfService } from './address-scope.ts'
import { recovered } from './recovery.ts'
import { fileIsAway } from './saved-files.ts'
import type { Entry, DownloadList } from './download-list.ts'
import { transfer } from './transfer.ts'

export type PipelineParts = {
  readonly account: (id: AccountId) => Account
  readonly clientFor: (account: AccountId) => Promise<ServiceClient>
  readonly settings: () => Promise<Pick<RawSettings, 'saving' | 'fileNames' | 'unpack' | 'bandwidth'>>
  /** The file of the thread that fetches, tests and unpacks archives (archive-worker.ts). */
  readonly archiveWorker: string | URL
  readonly clock: Clock
  readonly events: Emitter
}

export type Pipeline = PipelineParts &
  FetchOptions & {
    readonly looks: SlowFolderGuard
    readonly list: DownloadList
    readonly bandwidth: Bandwidth
  }

/** Half-written tables of an archive, in its folder. */
export const markOf = ({ id }: Entry): string => `.traffic-desk-${id}-`

export const partPath = ({ stored: { folder, part } }: Entry): string | null =>
  part === null ? null : join(folder, part)

const archivePath = ({ stored: { folder, file } }: Entry) => join(folder, file)

const ENDING = 'zip'
/** How long the system may look a name up, in milliseconds. */
const LOOK_UP = 15_000

/**
 * Takes a download as far as it goes, from wherever it stands to the saved file.
 *
 * @throws whatever stops it (trouble.ts says what follows); what is there stays, to be gone on with
 */
export async function runPipeline(entry: Entry, pipeline: Pipeline, signal: AbortSignal): Promise<void> {
  const { list, looks } = pipeline
  const settings = await pipeline.settings()
  pipeline.bandwidth.limit(settings.bandwidth)
  // Whether files can be put there is found out by putting them; that the folder answers at all has to be known before.
  await looks.at(entry.stored.folder, () => takesFiles(entry.stored.folder))
  await recover(entry, stateOfNamed(settings.unpack, pipeline), pipeline)
  if (entry.stored.state.kind === 'saved') return
  // For the tables of an archive that lies on the disk whole nothing is asked for: the service may keep it no longer.
  if (entry.stored.state.kind !== 'unpacking') {
    const record = await recordOf(entry, pipeline, signal)
    await fetchArchive(entry, record, settings.fileNames, pipeline, signal)
    await nameArchive(entry, stemOf(entry, record, settings.fileNames, pipeline), settings.unpack, pipeline)
  }
  if (entry.stored.state.kind !== 'unpacking') return
  await unpack(entry, pipeline, signal)
  await list.keep(entry, { state: { kind: 'saved', at: pipeline.clock.now() as Instant } })
}

/** What follows when an archive has its name. */
export const stateOfNamed = (unpack: boolean, { clock }: Pick<PipelineParts, 'clock'>): StoredState =>
  unpack ? { kind: 'unpacking' } : { kind: 'saved', at: clock.now() as Instant }

/** Settles what the app was in the middle of when it ended. @throws FolderHangs */
export async function recover(
  entry: Entry,
  named: StoredState,
  { list, looks }: Pick<Pipeline, 'list' | 'looks'>,
): Promise<void> {
  if (entry.stored.state.kind !== 'publishing') return
  const change = await looks.at(entry.stored.folder, () => recovered(entry.stored, named))
  if (change) await list.keep(entry, change)
}

/** The report's own record: its size, its days, and whether there is an archive (any more). */
async function recordOf({ stored }: Entry, { clientFor }: Pipeline, signal: AbortSignal): Promise<RawReport> {
  const client = await clientFor(stored.account)
  const { answer } = await client.call(
    'raw/report',
    { raw: stored.report },
    { signal, priority: 'background' },
  )
  const life = lifeOf(answer)
  if (life.state === 'ready') return answer
  const message = `This report has no archive: the service says “${life.words}”.`
  throw new DeskFailure({ kind: 'not-found', message })
}

const stemOf = ({ stored }: Entry, record: RawReport, pattern: string, { account }: Pipeline) =>
  stemAfter(pattern, account(stored.account).name, record)

async function fetchArchive(
  entry: Entry,
  record: RawReport,
  pattern: string,
  pipeline: Pipeline,
  signal: AbortSignal,
): Promise<void> {
  const { list, looks, bandwidth, archiveWorker } = pipeline
  const { folder } = entry.stored
  // Nothing has no size: a service that does not know it says nought.
  const size = record.file_size === null || record.file_size <= 0 ? null : record.file_size
  await list.keep(entry, { name: record.name, expires: record.expires, size: size ?? entry.stored.size })
  const path = await partFor(entry, stemOf(entry, record, pattern, pipeline), pipeline)
  const got = (await looks.at(folder, () => lengthOf(path))) ?? 0
  list.live(entry, { kind: 'running', got })
  await transfer({
    archiveWorker,
    looks,
    fetching: pipeline,
    bandwidth,
    address: () => addressOf(entry, pipeline, signal),
    allowed: await withTimeout(timeToConnect(LOOK_UP, signal), () =>
      scopeOf(pipeline.account(entry.stored.account)),
    ),
    path,
    size,
    validator: entry.stored.etag,
    modified: madeAt(record),
    asked: (host) => void list.keep(entry, { host }),
    began: ({ host, size: told, validator }) => list.keep(entry, { host, size: told, etag: validator }),
    wrote: (length) => list.live(entry, { kind: 'running', got: length }),
    arrived: () => list.live(entry, { kind: 'checking' }),
    signal,
  })
  signal.throwIfAborted()
}

/** When the service made the archive: the time that its files get. */
function madeAt({ created }: RawReport): number | null {
  const at = Date.parse(created ?? '')
  return Number.isNaN(at) ? null : at
}

async function addressOf({ stored }: Entry, { clientFor }: Pipeline, signal: AbortSignal): Promise<string> {
  const client = await clientFor(stored.account)
  const asked = { raw: stored.report }
  return (await client.call('raw/download', asked, { signal, priority: 'background' })).answer.url
}

/** The stand-in service runs inside this app. */
const scopeOf = ({ kind, address }: Account) =>
  kind === 'sample' ? Promise.resolve('loopback' as const) : scopeOfService(address)

/** The file in the making: the one there is, or a new one beside where the archive is going to lie. Its name is kept first. */
async function partFor(
  entry: Entry,
  stem: string,
  { list, looks }: Pick<Pipeline, 'list' | 'looks'>,
): Promise<string> {
  const { folder } = entry.stored
  const { create } = namingBy((call) => looks.at(folder, call))
  const known = partPath(entry)
  if (known !== null && !(await looks.at(folder, () => isForeign(known)))) return known
  await looks.at(folder, () => makeFolder(folder))
  for (let turn = 1; ; turn += 1) {
    const file = numbered(stem, ENDING, turn)
    const part = `${file}.part`
    const taken = async () => (await isTaken(join(folder, file))) || (await isTaken(join(folder, part)))
    if (await looks.at(folder, taken)) continue
    await list.keepFirst(entry, { file, part, etag: null })
    const path = join(folder, part)
    try {
      await create(path)
      return path
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

/** From here to its end it is not broken off: what is tested gets its name. */
async function nameArchive(
  entry: Entry,
  stem: string,
  andUnpack: boolean,
  { list, looks, clock }: Pipeline,
): Promise<void> {
  const path = partPath(entry)
  if (path === null) throw new RangeError('There is nothing to name')
  const { folder } = entry.stored
  const size = await looks.at(folder, () => lengthOf(path))
  const intend = (file: string) => list.keepFirst(entry, { file, size, state: { kind: 'publishing' } })
  const calls = namingBy((call) => looks.at(folder, call))
  const file = await publish(path, folder, stem, ENDING, calls, intend)
  await list.keep(entry, {
    file,
    part: null,
    state: stateOfNamed(andUnpack, { clock }),
  })
}

async function unpack(entry: Entry, pipeline: Pipeline, signal: AbortSignal): Promise<void> {
  pipeline.list.live(entry, { kind: 'unpacking' })
  const { folder, file } = entry.stored
  if ((await pipeline.looks.at(folder, () => lengthOf(archivePath(entry)))) === null) throw fileIsAway()
  const task = {
    kind: 'unpack',
    path: archivePath(entry),
    folder,
    stem: file.slice(0, -ENDING.length - 1),
    mark: markOf(entry),
  } as const
  await inArchiveThread(pipeline.archiveWorker, task, signal)
}
