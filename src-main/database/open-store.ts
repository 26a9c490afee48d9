import { rpcClient, threadChannel, inProcessChannel } from '#main/workers/rpc-client.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { Notice } from '#shared/app/state.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { cacheNotice, newsNotice, openingNotice } from './store-notices.ts'
import type { Run } from './sqlite/database.ts'
import type { StateOpening } from './state/state-file.ts'
import type { StateStore } from './state/state-store.ts'
import type {
  CheckCalls,
  StoreTask,
  Damaged,
  StoreThreadCalls,
  StoreEvent,
  StoreCalls,
} from './store-session.ts'

type CheckOptions = {
  readonly folder: string
  readonly worker: string | URL
  /** Delay before the check starts, in ms. */
  readonly after: number
}

/**
 * Checks both files for damage once, later and in a separate thread, so that no operation waits for the check.
 * @returns cancels the check
 */
function checkLater(
  { folder, worker, after }: CheckOptions,
  replace: (damaged: Damaged) => void,
): () => void {
  const workerData: StoreTask = { task: 'check', folder }
  let channel: ReturnType<typeof threadChannel> | undefined
  const given = () => new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })
  const client = rpcClient<CheckCalls>({
    open: () =>
      (channel = { ...threadChannel(worker, { workerData, name: 'store-check' }), hold: () => undefined }),
    gone: given,
    closed: given,
  })
  const timer = setTimeout(() => {
    client
      .call('store/check', undefined)
      .then((damaged) => {
        if (damaged.state || damaged.cache) replace(damaged)
        return client.close()
      })
      // A failed check says nothing about the files.
      .catch(() => undefined)
  }, after)
  timer.unref()
  return () => {
    clearTimeout(timer)
    channel?.kill()
  }
}

/** Both database files. One thread runs their operations in order. */
export type Store = Omit<StateStore, 'run'> & { readonly run: Run<StoreCalls> }

/** The store as its opener sees it. */
export type OpenStore = Store & {
  /**
   * Sets whether the idle thread may end, which saves 7 MB; a restart takes 50 ms. The thread never ends while data exists only
   * in memory.
   */
  readonly mayRest: (may: boolean) => void
  /** Moves the store to a thread if it began `here`. */
  readonly toThread: () => void
}

export type StoreOptions = {
  /** The profile folder; created if missing. */
  readonly folder: string
  /** Script of the worker thread. */
  readonly worker: string | URL
  /**
   * If set, the store starts in the calling thread once the promise resolves. The first view gets its data earlier, because
   * starting a thread takes 60 ms of CPU time. Until `toThread`, every operation blocks the caller.
   */
  readonly here?: Promise<void> | null
  /**
   * Receives `notice/shown` for problems with the files, `cache/renewed`, and `worker/ended` if the thread crashed. The next
   * operation restarts the thread.
   */
  readonly events?: AppEvents
  /** Delay before the files are checked for damage, in ms. */
  readonly checkAfter?: number
  /** The thread may end after this many ms without operations. */
  readonly idle?: number
}

/** By then the first view is shown, so the check does not slow it down. */
const checkAfterByDefault = 5000

/** Operations come in series. By then the check and the daily backup are finished too. */
const idleByDefault = 20_000

const stopped = (cause?: unknown) =>
  new DeskFailure({ kind: 'internal', message: "Can't reach the saved data. Try again." }, { cause })

const closingFailure = () => new DeskFailure({ kind: 'internal', message: 'Traffic Desk is closing.' })

/** Loaded only on this path; the thread has its own copy. */
const channelAfter = (begin: Promise<void> | null, folder: string) =>
  inProcessChannel(async (port) => {
    await begin
    const { storeFiles } = await import('./store-worker.ts')
    storeFiles(port, folder)
  })

function showNotice(notice: Notice | null, events: AppEvents | undefined): void {
  if (notice !== null) events?.emit({ kind: 'notice/shown', notice })
}

/** Opens both files, in a thread that runs every operation; with `here`, first in the caller's thread. */
export function openStore(options: StoreOptions): OpenStore {
  const { folder, worker, events, here = null } = options
  const { checkAfter = checkAfterByDefault, idle = idleByDefault } = options
  let mayRest = false
  let inThread = here === null
  /** Result of the last opening; null before the first. */
  let opening: StateOpening | null = null
  let stopCheck: (() => void) | undefined
  let resolveOpened: (opening: StateOpening) => void = () => undefined
  const opened = new Promise<StateOpening>((resolve) => (resolveOpened = resolve))
  const thread = { workerData: { task: 'keep', folder } satisfies StoreTask, name: 'store' }

  const client = rpcClient<StoreThreadCalls>({
    open: () => (inThread ? threadChannel(worker, thread) : channelAfter(here, folder)),
    idle,
    gone: stopped,
    closed: closingFailure,
    onGone: (cause) => events?.emit({ kind: 'worker/ended', worker: 'store', cause }),
    // The worker sends only events of this type.
    onEvent: (event) => onStoreEvent(event as StoreEvent),
  })

  function onStoreEvent(event: StoreEvent): void {
    switch (event.kind) {
      case 'ready':
        return
      case 'opened': {
        const again = opening !== null
        opening = event.opening
        restWhereAllowed()
        if (again) showNotice(openingNotice(opening), events)
        return resolveOpened(opening)
      }
      case 'state':
        return showNotice(newsNotice(event.news), events)
      case 'cache':
        showNotice(cacheNotice(event.news), events)
        if (event.news === 'renewed') events?.emit({ kind: 'cache/renewed' })
    }
  }

  /** If the state could not be opened, its data exists only in this thread's memory and cannot move. */
  const goOnInThread = (): void => {
    if (inThread || opening?.kind !== 'ready') return
    inThread = true
    client.renew()
  }

  const restWhereAllowed = () => client.mayRest(mayRest && opening?.kind === 'ready')

  async function begin(): Promise<void> {
    restWhereAllowed()
    try {
      await client.call('store/begin', undefined)
    } catch (error) {
      return resolveOpened({ kind: 'unwritable', failure: failureOf(error) })
    }
    if (opening?.kind !== 'ready' || over) return
    stopCheck = checkLater({ folder, worker, after: checkAfter }, (damaged) => {
      client.call('store/replace', damaged).catch(() => undefined)
    })
  }

  let over = false
  void begin()
  return {
    opened,
    run: (name, argument) => client.call(name, argument),
    mayRest: (may) => {
      mayRest = may
      restWhereAllowed()
    },
    toThread: () => void opened.then(goOnInThread),
    close: async () => {
      over = true
      stopCheck?.()
      await client.close()
    },
  }
}
