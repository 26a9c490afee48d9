import { instantOf } from '#shared/values/ids.ts'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { alone } from '#main/lib/process-lock.ts'
import { deskFailure, invalid } from '#shared/api/failure.ts'
import type { Published } from '#shared/app/storage.ts'
import { publishableOf } from '#main/reports/history/publishable.ts'
import type { PublishableFile } from '#main/reports/history/publishable.ts'
import { readManifest, rewriteManifest, writeManifest, retainedBeside } from './manifest.ts'
import type { KnownManifest, ManifestEntry, PublishedAccount, ToPublish } from './manifest.ts'
import type { PublishingContext } from './publishing-context.ts'
import { TeamFolder, defaultTimeouts } from './team-folder.ts'

/** Parameters of publishing an account. */
export type PublishingOrder = {
  readonly account: PublishedAccount
  /** The folder that the user chose. */
  readonly folder: string
  /** The account's own folder inside it, `account=…`. */
  readonly directory: string
  /** Whether every published file is read again to verify it. */
  readonly thorough: boolean
  /** Whether the account was published here before. If nothing is there now, the folder has changed. */
  readonly expected: boolean
  /** Whether published files that are no longer stored are removed. */
  readonly removing: boolean
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number) => void
}

/** In the account's folder, beside its files. */
const manifestName = 'manifest.json'

/** Maximum number of rounds, since files may be replaced while they are copied. */
const maxRounds = 10

/**
 * Copies an account's stored tables to a folder and writes a manifest, which names only complete files at any time. The order
 * is: announce pending files, copy them, list them, remove files that are no longer listed. A published day stays published
 * even if the local table is deleted.
 * @param hung receives the abandoned steps that have not ended
 * @throws DeskFailure if the folder or the store fails; `cancelled`
 */
export async function publishHistory(
  context: PublishingContext,
  order: PublishingOrder,
  hung: (steps: ReadonlySet<Promise<unknown>>) => void = () => undefined,
): Promise<Published> {
  const { historyFolder, profileFolder, timeouts = defaultTimeouts } = context
  const forbidden = [profileFolder, historyFolder]
  const folder = new TeamFolder({ ...order, chosen: order.folder, forbidden, timeouts })
  try {
    await folder.check()
    // Two concurrent runs could list files that the other one removes.
    const lock = join(dirname(historyFolder), 'publishing.lock')
    return await alone(lock, () => publishTo(folder, context, order), elsewhere)
  } finally {
    hung(folder.unfinished)
  }
}

async function publishTo(
  folder: TeamFolder,
  context: PublishingContext,
  order: PublishingOrder,
): Promise<Published> {
  const before = await manifestIn(folder, order)
  if (before === null && order.expected) throw movedFailure()
  await folder.prepare()
  return await new Publication(context, order, folder, before).run()
}

const elsewhere = () =>
  deskFailure('disk', 'Another Traffic Desk is publishing from this profile. Try again when it is done.')

/** Reads the manifest; null if there is none. @throws DeskFailure if it belongs to another data scope */
async function manifestIn(folder: TeamFolder, { account }: PublishingOrder): Promise<KnownManifest | null> {
  const text = await folder.read(manifestName)
  if (text === null) return null
  const known = readManifest(text)
  if (known.dataScope === account.dataScope) return known
  throw invalid('This folder has figures of another account, or of another access. Choose another.')
}

const movedFailure = () =>
  deskFailure(
    'disk',
    'The published files are no longer in the folder. If it is on a share, connect it. To publish everything again, use “Publish now”.',
  )

/** A single run for one account. */
class Publication {
  readonly #context: PublishingContext
  readonly #order: PublishingOrder
  readonly #folder: TeamFolder
  readonly #before: KnownManifest | null
  /** Paths of files that are published and complete. */
  readonly #there = new Set<string>()
  /** Files that exist or may exist, but must not be read until the manifest lists them. */
  readonly #pending: Set<string>
  /** Whether files of the previous manifest still exist, by path; only those checked. */
  readonly #still = new Map<string, boolean>()
  /** Published paths whose local files differ from the catalogue. */
  readonly #unsound = new Set<string>()

  constructor(
    context: PublishingContext,
    order: PublishingOrder,
    folder: TeamFolder,
    before: KnownManifest | null,
  ) {
    this.#context = context
    this.#order = order
    this.#folder = folder
    this.#before = before
    this.#pending = new Set(before?.pending)
  }

  async run(): Promise<Published> {
    for (let round = 1; round <= maxRounds; round += 1) {
      const { files, retained, leftOut } = await this.#publishable()
      const missing = await this.#missingFiles(files)
      if (!(await this.#copyAll(missing, files.length))) continue
      await this.#conclude(files, retained)
      const sizes = [...files.map(({ source }) => source.size), ...retained.map(({ size }) => size)]
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      const instant = instantOf(this.#context.clock.now())
      return { publishedAt: instant, files: sizes.length, bytes, leftOut }
    }
    throw deskFailure('internal', 'The saved figures keep changing. Publishing tries again later.')
  }

  async #publishable(): Promise<Omit<ToPublish, 'heldBack'> & { readonly leftOut: number }> {
    const tables = await this.#context.store.run('tables/in-files', this.#order.account.dataScope)
    const { files, toRewrite } = publishableOf(tables)
    const sound = files.filter(({ path }) => !this.#unsound.has(path))
    const published = this.#order.removing ? [] : await this.#stillThere(sound)
    const { heldBack, ...found } = retainedBeside(published, sound, this.#context.clock.now())
    return { ...found, leftOut: toRewrite.length + files.length - sound.length + heldBack }
  }

  /** Entries of the previous manifest whose files exist unchanged. Files of the local history are checked separately. */
  async #stillThere(stored: readonly PublishableFile[]): Promise<readonly ManifestEntry[]> {
    const here = new Set(stored.map(({ path }) => path))
    const entries = [...(this.#before?.files.values() ?? [])].filter(({ path }) => !here.has(path))
    for (const { path, size, checksum } of entries) {
      if (this.#still.has(path)) continue
      const isThere = (await this.#folder.sizeOf(path)) === size
      const isWhole = isThere && (!this.#order.thorough || (await this.#folder.checksumOf(path)) === checksum)
      this.#still.set(path, isWhole)
    }
    return entries.filter(({ path }) => this.#still.get(path) === true)
  }

  /** Files that are not published, or incomplete. */
  async #missingFiles(files: readonly PublishableFile[]): Promise<readonly PublishableFile[]> {
    const missing: PublishableFile[] = []
    for (const [place, file] of files.entries()) {
      if (this.#there.has(file.path) || (await this.#isThere(file))) this.#there.add(file.path)
      else missing.push(file)
      if (missing.length === 0) this.#order.progress(place + 1, files.length)
    }
    return missing
  }

  async #isThere({ path, source: { size, checksum } }: PublishableFile): Promise<boolean> {
    if ((await this.#folder.sizeOf(path)) !== size) return false
    const known = this.#before?.files.get(path)
    const wasWhole = known?.size === size && known.checksum === checksum
    if (wasWhole && !this.#order.thorough) return true
    return (await this.#folder.checksumOf(path)) === checksum
  }

  /** @returns false if local files were replaced meanwhile, so that another round is needed */
  async #copyAll(missing: readonly PublishableFile[], total: number): Promise<boolean> {
    if (missing.length === 0) return true
    for (const { path } of missing) this.#pending.add(path)
    const { account } = this.#order
    const announced = rewriteManifest(this.#before, { account, pending: [...this.#pending].sort() })
    await this.#folder.write(manifestName, announced)
    let complete = true
    for (const { path, source } of missing) {
      const from = join(this.#context.historyFolder, source.path)
      if (await this.#folder.copy(from, path, source)) this.#there.add(path)
      else {
        this.#unsound.add(path)
        complete = false
      }
      this.#order.progress(this.#there.size, Math.max(total, this.#there.size))
      await setImmediate()
    }
    return complete
  }

  /** Lists the published files in the manifest, and removes files that are no longer listed. */
  async #conclude(files: readonly PublishableFile[], retained: readonly ManifestEntry[]): Promise<void> {
    const named = new Set([...files, ...retained].map(({ path }) => path))
    const replaced: string[] = []
    for (const path of new Set([...(this.#before?.files.keys() ?? []), ...this.#pending]))
      if (!named.has(path) && (await this.#folder.has(path))) replaced.push(path)
    const { account } = this.#order
    const content = { account, instant: this.#context.clock.now(), files, retained, before: this.#before }
    await this.#folder.write(manifestName, writeManifest({ ...content, pending: replaced }))
    if (replaced.length === 0) return
    const left: string[] = []
    for (const path of replaced) {
      await this.#folder.remove(path)
      if (await this.#folder.has(path)) left.push(path)
    }
    if (left.length < replaced.length)
      await this.#folder.write(manifestName, writeManifest({ ...content, pending: left }))
  }
}

/** Makes a folder name from letters and digits of any script, and hyphens. Every file system and query engine accepts it. */
export function directoryName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  return safe === '' ? 'unnamed' : [...safe].slice(0, 60).join('')
}
