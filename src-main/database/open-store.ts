import { rpcClient, threadLine, lineHere } from '#main/workers/rpc-client.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { Notice } from '#shared/app/state.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { cacheNotice, newsNotice, openingNotice } from './notices.ts'
import type { Run } from './sqlite/database.ts'
import type { StateOpening } from './state/state-file.ts'
import type { Store as StateStore } from './state/state-store.ts'
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
  /** How long after the call the check begins, in milliseconds. */
  readonly after: number
}

/**
 * Looks through both files once, later and in a thread of its own: neither the first answer nor any later one waits for it.
 * @returns gives the check up
 */
function checkLater(
  { folder, worker, after }: CheckOptions,
  replace: (damaged: Damaged) => void,
): () => void {
  const workerData: StoreTask = { task: 'check', folder }
  let line: ReturnType<typeof threadLine> | undefined
  const given = () => new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })
  const client = rpcClient<CheckCalls>({
    open: () =>
      (line = { ...threadLine(worker, { workerData, name: 'store-check' }), hold: () => undefined }),
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
      // A check that fails to run says nothing about the files.
      .catch(() => undefined)
  }, after)
  timer.unref()
  return () => {
    clearTimeout(timer)
    line?.kill()
  }
}

/** Both files, whose operations are answered by one thread in the order in which they are asked. */
export type Store = Omit<StateStore, 'run'> & { readonly run: Run<StoreCalls> }

/** The store for whoever opens it. */
export type OpenStore = Store & {
  /**
   * Whether the thread may end while nothing is asked: it takes 7 MB, and 50 ms to begin again. What is kept in memory
   * alone is never given up for that.
   */
  readonly mayRest: (may: boolean) => void
  /** Goes on in a thread, where it began `here`. */
  readonly toThread: () => void
}

export type StoreOptions = {
  /** The profile folder; it is made where it is not there. */
  readonly folder: string
  /** The file that the worker thread runs. */
  readonly worker: string | URL
  /**
   * Where given, it begins in the thread that asks, once this resolves: what the first view needs is read before a thread would
   * have begun, which takes 60 ms of a processor's time. Until `toThread` every operation holds up whoever asks for it.
   */
  readonly here?: Promise<void> | null
  /**
   * Hears, as `notice/shown`, what happened to the files after the opening, and how they were opened again after a rest where
   * that did not go as it should; `cache/renewed`; and, as `worker/ended`, that the thread ended by itself: it begins again
   * with the next operation.
   */
  readonly events?: Emitter
  /** How long after the opening the files are looked through, in milliseconds. */
  readonly checkAfter?: number
  /** For how long nothing has to be asked before the thread rests where it may, in milliseconds. */
  readonly idle?: number
}

/** By then the first view stands, and the check takes nothing from it. */
const checkAfterByDefault = 5000

/** What asks at all asks several things in a row; and the check and the day's backup are over by then. */
const idleByDefault = 20_000

const stopped = (cause?: unknown) =>
  new DeskFailure({ kind: 'internal', message: "Can't reach the saved data. Try again." }, { cause })

const closed = () => new DeskFailure({ kind: 'internal', message: 'Traffic Desk is closing.' })

/** Loaded only where it is needed: the thread has its own. */
const lineAfter = (begin: Promise<void> | null, folder: string) =>
  lineHere(async (port) => {
    await begin
    const { storeFiles } = await import('./store-worker.ts')
    storeFiles(port, folder)
  })

function showNotice(notice: Notice | null, events: Emitter | undefined): void {
  if (notice !== null) events?.emit({ kind: 'notice/shown', notice })
}

/** Starts the thread that opens both files and answers every operation. */
export function openStore(options: StoreOptions): OpenStore {
  const { folder, worker, events, here = null } = options
  const { checkAfter = checkAfterByDefault, idle = idleByDefault } = options
  let mayRest = false
  let inThread = here === null
  /** How the files were opened last; null until they are. */
  let opening: StateOpening | null = null
  let stopCheck: (() => void) | undefined
  let resolveOpened: (opening: StateOpening) => void = () => undefined
  const opened = new Promise<StateOpening>((resolve) => (resolveOpened = resolve))
  const workerData: StoreTask = { task: 'keep', folder }

  const client = rpcClient<StoreThreadCalls>({
    open: () => (inThread ? threadLine(worker, { workerData, name: 'store' }) : lineAfter(here, folder)),
    idle,
    gone: stopped,
    closed,
    onGone: (cause) => events?.emit({ kind: 'worker/ended', worker: 'store', cause }),
    // The thread's own types see to it.
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

  /** What could not be opened is kept in memory alone, and stays where it is. */
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
      return resolveOpened({ kind: 'unkept', failure: failureOf(error) })
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
