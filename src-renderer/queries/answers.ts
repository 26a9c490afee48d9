import { queryOptions, skipToken } from '@tanstack/svelte-query'
import type { CreateQueryOptions, DataTag, QueryClient, QueryKey } from '@tanstack/svelte-query'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { CallArguments, CallName, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** Bridge and query cache. */
export type Asking = { readonly bridge: DeskBridge; readonly queries: QueryClient }

/** A call that the main process answered with a failure. Type of `error` of every query. */
export class CallFailed extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

declare module '@tanstack/svelte-query' {
  interface Register {
    defaultError: CallFailed
  }
}

/** Returns the value of a call. @throws {CallFailed} if the call failed */
export async function answerOf<T>(called: Promise<Outcome<T>>): Promise<T> {
  const outcome = await called
  if (!outcome.ok) throw new CallFailed(outcome.failure)
  return outcome.value
}

/** Options of a query that reads the result of one call. */
export const readingOf = <N extends CallName>(
  bridge: DeskBridge,
  queryKey: QueryKey,
  name: N,
  ...argument: CallArguments<N>
) => queryOptions({ queryKey, queryFn: () => answerOf(bridge.call(name, ...argument)) })

/** Like `readingOf`, for data without change events: read on every mount, and not cached. */
export const eachOpening = <N extends CallName>(
  bridge: DeskBridge,
  queryKey: QueryKey,
  name: N,
  ...argument: CallArguments<N>
) => ({ ...readingOf(bridge, queryKey, name, ...argument), gcTime: 0 })

/** A kind of query that may need many requests. */
export type QueryKind<Q, A> = {
  /** First part of its query keys (events.ts). */
  readonly group: 'reports' | 'rows' | 'saved'
  /** Key of the query. Events about progress and changes carry it. */
  readonly keyOf: (query: Q) => string
  readonly call: (bridge: DeskBridge, account: AccountId, query: Q, force: boolean) => Promise<Outcome<A>>
  /** Key of its progress events, if not that of the query. */
  readonly progressKey?: string
  /** Cancels the query in the main process. */
  readonly cancel: (bridge: DeskBridge, account: AccountId, key: string) => void
  /** Interval in ms at which an open window repeats the query. The main process decides whether a fetch is due. */
  readonly refetchInterval: number
  /** Time in ms that an unused answer stays in the cache. */
  readonly gcTime: number
  /** Whether an older answer stays visible until the newer one arrives, regardless of the time. */
  readonly stays: (older: Q, newer: Q) => boolean
  /** Whether newer figures are being fetched behind an answer. */
  readonly isRefreshing: (answer: A) => boolean
}

/** Options of a query in the cache. @param force whether the service is requested although the stored answer is fresh */
export const queryOf = <Q, A>(
  { group: of, keyOf, call, cancel, gcTime }: QueryKind<Q, A>,
  bridge: DeskBridge,
  account: AccountId,
  query: Q,
  force: () => boolean = () => false,
) => {
  const key = keyOf(query)
  const queryKey: QueryKey = [of, account, key]
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => {
      // A forced refetch aborts the running request under the same key. Cancelling that key would cancel both.
      signal.addEventListener('abort', () => force() || cancel(bridge, account, key))
      return answerOf(call(bridge, account, query, force()))
    },
    staleTime: gcTime,
    gcTime,
  })
}

/** Progress of a query; set by events only (events.ts). */
export const progressOf = (account: AccountId, key: string) =>
  queryOptions<JobProgress | null>({ queryKey: ['progress', account, key], queryFn: skipToken, gcTime: 0 })

/** Returns the failure of a call, or null. */
export async function failureOf(called: Promise<Outcome<unknown>>): Promise<Failure | null> {
  const outcome = await called
  return outcome.ok ? null : outcome.failure
}

/** Creates a function that makes a call and returns its failure, or null. */
export const changing =
  <N extends CallName>(name: N) =>
  ({ bridge }: Pick<Asking, 'bridge'>, ...argument: CallArguments<N>): Promise<Failure | null> =>
    failureOf(bridge.call(name, ...argument))

/** A query key with the type of its data. */
export type Keyed<T> = { readonly queryKey: DataTag<QueryKey, T, CallFailed> }

/** Stores the result of a call as the answer of a query, unless it is null. Returns the failure, or null. */
export async function taken<T>(
  queries: QueryClient,
  { queryKey }: Keyed<T>,
  called: Promise<Outcome<T | null>>,
): Promise<Failure | null> {
  const outcome = await called
  if (!outcome.ok) return outcome.failure
  const { value } = outcome
  if (value !== null) queries.setQueryData<T>(queryKey, () => value)
  return null
}

/** Awaits a call, then invalidates a query, whether the call succeeded or not. */
export async function thenRead<T>(
  queries: QueryClient,
  { queryKey }: { readonly queryKey: QueryKey },
  called: Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await called
  await queries.invalidateQueries({ queryKey })
  return outcome
}

/** Creates a function that makes a call, invalidates a query, and returns the failure, or null. */
export const changingQuery =
  <N extends CallName>(
    name: N,
    query: (bridge: DeskBridge, ...argument: CallArguments<N>) => { readonly queryKey: QueryKey },
  ) =>
  ({ bridge, queries }: Asking, ...argument: CallArguments<N>): Promise<Failure | null> =>
    failureOf(thenRead(queries, query(bridge, ...argument), bridge.call(name, ...argument)))

/** Reads an answer again, ignoring the cache and a running request. The query reports a failure. */
export function readAnew<T, K extends QueryKey>(
  queries: QueryClient,
  query: CreateQueryOptions<T, CallFailed, T, K> & { readonly queryKey: K },
): void {
  void queries.cancelQueries({ queryKey: query.queryKey, exact: true })
  void queries.prefetchQuery({ ...query, staleTime: 0 })
}

type Listed = { readonly id: string }

/**
 * Moves an item in a list, on screen at once, and reads the list again afterwards. Returns the failure, or null.
 * @param order sends the new order to the main process
 */
export async function moveIn<T extends Listed>(
  queries: QueryClient,
  query: Keyed<readonly T[]>,
  { id, by }: { readonly id: T['id']; readonly by: number },
  order: (moved: readonly T[]) => Promise<Outcome<unknown>>,
): Promise<Failure | null> {
  const { queryKey } = query
  const moved = withMoved(queries.getQueryData<readonly T[]>(queryKey) ?? [], id, by)
  if (moved === null) return null
  void queries.cancelQueries({ queryKey, exact: true })
  queries.setQueryData<readonly T[]>(queryKey, () => moved)
  return failureOf(thenRead(queries, query, order(moved)))
}

/** Returns a list with an item moved by a number of places; null if its place does not change. */
export function withMoved<T extends Listed>(
  list: readonly T[],
  id: T['id'],
  by: number,
): readonly T[] | null {
  const from = list.findIndex((item) => item.id === id)
  const to = Math.min(Math.max(from + by, 0), list.length - 1)
  const moved = list[from]
  if (!moved || to === from) return null
  const others = list.filter((item) => item !== moved)
  return [...others.slice(0, to), moved, ...others.slice(to)]
}
