import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { StuckRequest } from '#shared/raw/requests.ts'
import type { Notice, UpdateState } from '#shared/app/state.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'

/** The threads and processes beside the main one that begin again by themselves. */
export type WorkerName = 'store' | 'engine' | 'rows' | 'archives'

/** What windows hear of changes. What a link or a menu asks of a window is no change. */
export type WindowEventName = Exclude<DeskEventName, `desk/${string}`>

type OfAccount = { readonly account: AccountId }

/** What happens to accounts, for the other modules. */
type AccountEvents = {
  'account/activated': { readonly account: AccountId | null }
  /** A person changed its profile. */
  'account/edited': OfAccount
  /** It has another token, or none, or is asked at another address: whatever its service said of that is over. */
  'account/renewed': OfAccount
  /** The account has another data scope; figures shown before belong to the old one. */
  'account/other-owner': OfAccount
  /** Earlier data scopes of which nothing is stored have gone. */
  'account/scopes-dropped': OfAccount
  /** What came provisionally is stored from now on. */
  'account/confirmed': OfAccount
  /** Its list of instances is not believed, or is again: what is shown of it is marked, or not any more. */
  'account/doubted': OfAccount & { readonly isDoubted: boolean }
  /** It has gone, or earlier figures have: with these data scopes. */
  'account/removed': OfAccount & { readonly owners: readonly DataScopeId[] }
}

/** What each kind of event carries. */
type Carried = Omit<Pick<DeskEvents, WindowEventName>, 'settings/changed' | 'updates/changed'> &
  AccountEvents & {
    'settings/changed': {
      readonly settings: DeskSettings
      /** Those that are other than before. */
      readonly changed: readonly (keyof DeskSettings)[]
    }
    'updates/changed': { readonly state: UpdateState }
    /** Figures of pinned views are as new as can be for now. */
    'sync/ended': object
    /** A list of raw reports was stored: requests of its account may have places, or be found. */
    'raw/list-stored': OfAccount
    /** An archive began to be read in, is done, or could not be. */
    'rows/import-changed': OfAccount
    /** Bytes of an archive's tables that are read, of how many; twice each where they are unpacked first. Or rows that are written. */
    'rows/import-progress': {
      readonly reading: string
      readonly done: number
      readonly total: number | null
    }
    /** An account's service asks for rest until then; null once it answers again. */
    'service/rests': OfAccount & { readonly until: Instant | null }
    /** An account's service answers again after it did not. */
    'connection/back': OfAccount
    /** A proxy that asked for a name and password may let through what waits. */
    'proxies/open': object
    /** A table of figures was stored for this data scope. */
    'tables/stored': { readonly owner: DataScopeId }
    /** A person removed the stored figures of an account. */
    'figures/removed': OfAccount
    /** The cache was damaged and began anew: it knows of no table. */
    'cache/renewed': object
    /** What the tray shows is other than before. */
    'tray/changed': object
    /** Whether the settings want an icon in the tray. */
    'tray/wanted': { readonly wanted: boolean }
    /** What was looked at first is there: what runs automatically begins. */
    'app/begun': object
    /** The window is to show this address. */
    'window/wanted': { readonly address: string }
    /** The desktop shows notifications again. */
    'notifications/back': object
    /** A request does not go on by itself any more, where nobody waits for it in a form. */
    'raw/stuck': { readonly request: StuckRequest }
    /** There is a version that is newer than this one: once for each. */
    'updates/found': { readonly version: string }
    /** The person should know this, in place of what stands under the same id. */
    'notice/shown': { readonly notice: Notice }
    /** What stands under this id is over. */
    'notice/over': { readonly id: Notice['id'] }
    /** A thread or process has ended by itself, and of what. */
    'worker/ended': { readonly worker: WorkerName; readonly cause: unknown }
  }

type AppEventKind = keyof Carried

/** An event of a kind. */
export type AppEventOf<K extends AppEventKind> = { readonly kind: K } & Carried[K]

/** What happens in the main process: told apart by `kind`. */
export type AppEvent = EventOf<AppEventKind>

/** What happens to an account. */
export type AccountEvent = EventOf<keyof AccountEvents>

type EventOf<Kinds extends AppEventKind> = { [K in Kinds]: AppEventOf<K> }[Kinds]

type Listener = (event: AppEvent) => void

/** What a module needs that tells of changes and follows none. */
export type Emitter = Pick<AppEvents, 'emit'>

/** The one way in which modules tell each other, the windows and the tray that something changed. */
export class AppEvents {
  readonly #listeners = new Map<AppEventKind, Set<Listener>>()
  readonly #failed: (kind: AppEventKind, error: unknown) => void

  /** @param failed hears of a listener that threw; the others are told all the same. It throws by default */
  constructor(failed: (kind: AppEventKind, error: unknown) => void = rethrow) {
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

function rethrow(_kind: AppEventKind, error: unknown): never {
  throw error
}
