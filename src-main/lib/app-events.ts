import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { StuckRequest } from '#shared/raw/requests.ts'
import type { Notice, UpdateState } from '#shared/app/state.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'

/** Threads and processes that restart automatically after a crash. */
export type WorkerName = 'store' | 'engine' | 'rows' | 'archives'

/** Change events forwarded to windows. `desk/…` events are commands to a window, not changes. */
export type WindowEventName = Exclude<DeskEventName, `desk/${string}`>

type OfAccount = { readonly account: AccountId }

type AccountEvents = {
  'account/activated': { readonly account: AccountId | null }
  /** The user edited the profile. */
  'account/edited': OfAccount
  /** The token or address changed. Earlier connection errors of the service no longer apply. */
  'account/renewed': OfAccount
  /** The account has another data scope. Figures shown before belong to the old one. */
  'account/other-data-scope': OfAccount
  /** Former data scopes without stored data were removed. */
  'account/scopes-dropped': OfAccount
  /** Provisional figures were confirmed, and are stored from now on. */
  'account/confirmed': OfAccount
  /** Whether the list of instances is in doubt changed; views mark figures accordingly. */
  'account/doubted': OfAccount
  /** The account, or its earlier figures, was removed with these data scopes. */
  'account/removed': OfAccount & { readonly dataScopes: readonly DataScopeId[] }
}

/** Payload of each event. */
type Carried = Omit<Pick<DeskEvents, WindowEventName>, 'settings/changed' | 'updates/changed'> &
  AccountEvents & {
    'settings/changed': {
      readonly settings: DeskSettings
      /** Settings whose value differs from before. */
      readonly changed: readonly (keyof DeskSettings)[]
    }
    'updates/changed': { readonly state: UpdateState }
    /** A refresh of the pinned views ended. */
    'sync/ended': object
    /** A list of raw reports was stored. Queued requests may now be sent, or be found in the list. */
    'raw/list-stored': OfAccount
    /** An archive import started, ended or failed. */
    'rows/import-changed': OfAccount
    /** Progress in bytes read, or in rows written. Bytes of a table that is unpacked first count twice: unpacked, then read. */
    'rows/import-progress': {
      readonly reading: string
      readonly done: number
      readonly total: number | null
    }
    /** The service requested a pause until then; null once it responds again. */
    'service/rests': OfAccount & { readonly until: Instant | null }
    /** The service responds again after an outage. */
    'connection/back': OfAccount
    /** A proxy that required credentials may now accept waiting requests. */
    'proxies/open': object
    /** A table of figures was stored. */
    'tables/stored': { readonly dataScope: DataScopeId }
    /** The user removed the stored figures of an account. */
    'figures/removed': OfAccount
    /** The cache was damaged and recreated. It lists no tables. */
    'cache/renewed': object
    /** The tray needs an update. */
    'tray/changed': object
    /** Whether the settings enable a tray icon. */
    'tray/wanted': { readonly wanted: boolean }
    /** The first view has loaded. Background work starts. */
    'app/begun': object
    /** A window should navigate to this address. */
    'window/wanted': { readonly address: string }
    /** The desktop shows notifications again. */
    'notifications/back': object
    /** A raw request needs the user's attention, and no form is waiting for it. */
    'raw/stuck': { readonly request: StuckRequest }
    /** A newer version is available. Emitted once per version. */
    'updates/found': { readonly version: string }
    /** Shows a notice, replacing the one with the same id. */
    'notice/shown': { readonly notice: Notice }
    /** Removes the notice with this id. */
    'notice/over': { readonly id: Notice['id'] }
    /** A worker thread or process crashed. */
    'worker/ended': { readonly worker: WorkerName; readonly cause: unknown }
  }

type AppEventKind = keyof Carried

export type AppEventOf<K extends AppEventKind> = { readonly kind: K } & Carried[K]

export type AppEvent = EventOf<AppEventKind>

export type AccountEvent = EventOf<keyof AccountEvents>

type EventOf<Kinds extends AppEventKind> = { [K in Kinds]: AppEventOf<K> }[Kinds]

type Listener = (event: AppEvent) => void

/** Event bus between modules, windows and the tray. */
export class AppEvents {
  readonly #listeners = new Map<AppEventKind, Set<Listener>>()
  readonly #onFailure: (kind: AppEventKind, error: unknown) => void

  /** @param failed called when a listener throws; the other listeners still run. Throws by default */
  constructor(failed: (kind: AppEventKind, error: unknown) => void = rethrow) {
    this.#onFailure = failed
  }

  /** Calls the listeners of the event's kind in the order of registration. */
  emit(event: AppEvent): void {
    for (const listener of [...(this.#listeners.get(event.kind) ?? [])])
      try {
        listener(event)
      } catch (error) {
        this.#onFailure(event.kind, error)
      }
  }

  /** Adds a listener. @returns a function that removes it */
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
