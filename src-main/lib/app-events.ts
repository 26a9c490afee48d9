import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { UpdateState } from '#shared/app/updates.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** The threads and processes beside the main one that begin again by themselves. */
export type WorkerName = 'store' | 'engine' | 'rows' | 'archives'

/** What windows hear of changes. What a link or a menu asks of a window is no change. */
export type HeardName = Exclude<DeskEventName, `desk/${string}`>

/** What each kind of event carries. */
type Carried = Omit<Pick<DeskEvents, HeardName>, 'settings/changed' | 'updates/changed'> & {
  'settings/changed': {
    readonly settings: DeskSettings
    /** Those that are other than before. */
    readonly changed: readonly (keyof DeskSettings)[]
  }
  'updates/changed': { readonly state: UpdateState }
  /** Figures of pinned views are as new as can be for now. */
  'sync/ended': object
  /** A list of raw reports was stored: requests of its account may have places, or be found. */
  'raw/list-stored': { readonly account: AccountId }
  /** An archive began to be read in, is done, or could not be. */
  'rows/import-changed': { readonly account: AccountId }
  /** An account's service answers again after it did not. */
  'connection/back': { readonly account: AccountId }
  /** A thread or process has ended by itself, and of what. */
  'worker/ended': { readonly worker: WorkerName; readonly cause: unknown }
}

export type AppEventKind = keyof Carried

/** An event of a kind. */
export type AppEventOf<K extends AppEventKind> = { readonly kind: K } & Carried[K]

/** What happens in the main process: told apart by `kind`. */
export type AppEvent = { [K in AppEventKind]: AppEventOf<K> }[AppEventKind]

type Listener = (event: AppEvent) => void

/** What a module needs that tells of changes and follows none. */
export type Emitter = Pick<AppEvents, 'emit'>

/** The one way in which modules tell each other, the windows and the tray that something changed. */
export class AppEvents {
  readonly #listeners = new Map<AppEventKind, Set<Listener>>()
  readonly #failed: (kind: AppEventKind, error: unknown) => void

  /** @param failed hears of a listener that threw; the others are told all the same. It throws by default */
  constructor(failed: (kind: AppEventKind, error: unknown) => void = raise) {
    this.#failed = failed
  }

  /** Tells an event to those who follow its kind, in the order in which they began to. */
  emit(event: AppEvent): void {
    for (const listener of [...(this.#listeners.get(event.kind) ?? [])])
      try {
        listener(event)
      } catch (error) {
        this.#failed(event.kind, error)
      }
  }

  /** Follows events of a kind. @returns ends it */
  on<K extends AppEventKind>(kind: K, listener: (event: AppEventOf<K>) => void): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set()
    this.#listeners.set(kind, listeners)
    const ofKind: Listener = (event) => {
      if (isOf(event, kind)) listener(event)
    }
    listeners.add(ofKind)
    return () => void listeners.delete(ofKind)
  }
}

const isOf = <K extends AppEventKind>(event: AppEvent, kind: K): event is AppEvent & AppEventOf<K> =>
  event.kind === kind

function raise(_kind: AppEventKind, error: unknown): never {
  throw error
}
