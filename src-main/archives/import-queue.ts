import { failureOf } from '#shared/app/desk-failure.ts'
import type { RowsFileId, RowsState } from '#shared/archives/rows-file.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { AccountId, Instant, DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { RowsCatalogue } from './catalogue.ts'
import type { RowsEvent } from './engine/calls.ts'
import type { RowsEngine } from './engine/engine.ts'

/** What is to be read in. */
export type ToRead = {
  readonly account: AccountId
  readonly owner: DataScopeId
  readonly id: RowsFileId
  readonly report: RawReportId | null
  readonly name: string
  readonly type: RawType | null
  readonly source: string
  /** Whether it takes the place of rows of another file that lay there. */
  readonly replaces: boolean
}

export type ArchiveImportsDeps = {
  readonly engine: Pick<RowsEngine, 'call' | 'kill'>
  readonly catalogue: Pick<RowsCatalogue, 'put'>
  /** Looks at what lies at a path. @throws FolderHangs */
  readonly lookAt: (path: string) => Promise<unknown>
  readonly now: () => number
  readonly wait: Clock['wait']
  readonly events: Emitter
}

type Reading = {
  readonly what: ToRead
  state: Exclude<RowsState, { kind: 'whole' | 'damaged' | 'not-read' }>
  /** Aborted where it is given up. */
  readonly over: AbortController
}

/** Nothing is heard of a reading for so long before its folder is looked at. Some steps of long tables take as long. In milliseconds. */
const silence = 30_000
/** So long a reading that is given up may take to end. In milliseconds. */
const longestEnd = 5000

/** Archives that are being read in, one after the other, and those of which it came to nothing. */
export class ArchiveImports {
  readonly #parts: ArchiveImportsDeps
  readonly #readings = new Map<string, Reading>()
  readonly #turns = new Lane()

  constructor(parts: ArchiveImportsDeps) {
    this.#parts = parts
  }

  /** Those of an owner. */
  of(owner: DataScopeId): readonly { readonly what: ToRead; readonly state: RowsState }[] {
    return [...this.#readings.values()].filter(({ what }) => what.owner === owner)
  }

  /** Whether anything is being read in, or waits for that. */
  isBusy(): boolean {
    return [...this.#readings.values()].some(({ state }) => state.kind === 'reading')
  }

  /** Begins, unless it is under way; done when it is over, however it ended. */
  async begin(what: ToRead): Promise<void> {
    const name = nameOf(what)
    if (this.#readings.get(name)?.state.kind === 'reading') return
    const reading: Reading = { what, state: readingOf(what, 0, null), over: new AbortController() }
    this.#readings.set(name, reading)
    this.#changed(what)
    try {
      await this.#turns.run(() => this.#read(reading))
      if (this.#readings.get(name) === reading) this.#readings.delete(name)
    } catch (error) {
      const failure = failureOf(error)
      if (this.#readings.get(name) !== reading) return
      if (failure.kind === 'cancelled') this.#readings.delete(name)
      else reading.state = { kind: 'failed', failure }
    } finally {
      this.#changed(what)
    }
  }

  /** Gives one up, or takes one that failed off the list. */
  stop(owner: DataScopeId, id: RowsFileId): void {
    const name = nameOf({ owner, id })
    const reading = this.#readings.get(name)
    if (!reading) return
    reading.over.abort()
    this.#readings.delete(name)
    void this.#parts.engine.call('stop', name).catch(() => undefined)
    this.#changed(reading.what)
  }

  onEvent({ reading: name, done, of }: RowsEvent): void {
    const reading = this.#readings.get(name)
    if (reading?.state.kind !== 'reading') return
    const { account, id } = reading.what
    reading.state = readingOf(reading.what, done, of)
    this.#parts.events.emit({ kind: 'rows/progress', account, file: id, done, of })
  }

  async #read(reading: Reading): Promise<void> {
    const { signal } = reading.over
    if (signal.aborted) return
    const { engine, catalogue, now, wait } = this.#parts
    const { owner, id, report, name, type, source } = reading.what
    const about = { owner, id, report, name, type, readAt: now() as Instant }
    const ended = new AbortController()
    let hangs: unknown
    // What waits for a folder that does not answer goes with the engine alone, and whoever comes next has a new one.
    signal.addEventListener('abort', () => void wait(longestEnd, ended.signal).then(engine.kill, nothing))
    this.#untilItHangs(reading, ended.signal).catch((error: unknown) => {
      if (ended.signal.aborted) return
      hangs = error
      engine.kill()
    })
    const read = await engine
      .call('readIn', { reading: nameOf(reading.what), source, about })
      .catch((error: unknown) => {
        throw hangs ?? error
      })
      .finally(() => ended.abort())
    await catalogue.put(read)
  }

  /** Looks at the folder of a reading again and again, where nothing is heard of it. @throws FolderHangs; what ended it */
  async #untilItHangs(reading: Reading, ended: AbortSignal): Promise<never> {
    for (;;) {
      const before = doneOf(reading)
      await this.#parts.wait(silence, ended)
      if (doneOf(reading) === before) await this.#parts.lookAt(reading.what.source)
    }
  }

  #changed({ account }: ToRead): void {
    this.#parts.events.emit({ kind: 'rows/changed', account })
    this.#parts.events.emit({ kind: 'rows/import-changed', account })
  }
}

const readingOf = ({ replaces: replaced }: ToRead, done: number, of: number | null) =>
  ({ kind: 'reading', done, of, replaced }) as const

const doneOf = ({ state }: Reading): number | null => (state.kind === 'reading' ? state.done : null)

const nothing = () => undefined

const nameOf = ({ owner, id }: Pick<ToRead, 'owner' | 'id'>): string => `${owner} ${id}`
