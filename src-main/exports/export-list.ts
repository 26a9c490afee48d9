import { randomUUID } from 'node:crypto'
import type { ExportId, ExportProgress } from '#shared/exports/order.ts'

/** So many are remembered; those that run always are. */
const MAX = 20
/** How far one is, is told about five times a second. In milliseconds. */
const NOTIFY_EVERY = 200

type State = ExportProgress['state']
type Entry = { progress: ExportProgress; path: string | null; told: number }

/** The exports of this session, the newest last: how each stands, and which file is whose. */
export class ExportList {
  readonly #entries = new Map<ExportId, Entry>()
  readonly #notify: (progress: ExportProgress) => void
  readonly #now: () => number

  constructor(notify: (progress: ExportProgress) => void, now: () => number) {
    this.#notify = notify
    this.#now = now
  }

  /** Enters one that begins; `name` says in words what is saved. */
  add(name: string): ExportId {
    const id = randomUUID() as ExportId
    const state = { kind: 'running', done: 0, of: null, unit: 'rows' } as const
    this.#entries.set(id, { progress: { id, name, state }, path: null, told: this.#now() })
    this.#forgetOldest()
    this.#notify({ id, name, state })
    return id
  }

  /** Says how one stands now. What has ended stays as it ended. */
  set(id: ExportId, state: State, path: string | null = null): void {
    const entry = this.#entries.get(id)
    if (!entry || entry.progress.state.kind !== 'running') return
    entry.progress = { ...entry.progress, state }
    entry.path = path
    const now = this.#now()
    if (state.kind === 'running' && now - entry.told < NOTIFY_EVERY) return
    entry.told = now
    this.#notify(entry.progress)
  }

  list(): readonly ExportProgress[] {
    return [...this.#entries.values()].map(({ progress }) => progress)
  }

  /** Takes one that has ended off the list. */
  remove(id: ExportId): void {
    if (this.#entries.get(id)?.progress.state.kind !== 'running') this.#entries.delete(id)
  }

  /** The file that an export wrote; null where it wrote none, or is not of this session. */
  fileOf(id: ExportId): string | null {
    return this.#entries.get(id)?.path ?? null
  }

  #forgetOldest(): void {
    for (const [id, { progress }] of this.#entries) {
      if (this.#entries.size <= MAX) return
      if (progress.state.kind !== 'running') this.#entries.delete(id)
    }
  }
}
