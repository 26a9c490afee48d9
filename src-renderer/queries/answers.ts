import { queryOptions, skipToken } from '@tanstack/svelte-query'
import type { CreateQueryOptions, DataTag, QueryClient, QueryKey } from '@tanstack/svelte-query'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { CallArguments, CallName, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** What answers a query, and what keeps the answers. */
export type Asking = { readonly bridge: DeskBridge; readonly queries: QueryClient }

/** A call that the main process answered with a failure: what `error` of a query is. */
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

/** What a call brought. @throws {CallFailed} why it brought nothing */
export async function answerOf<T>(called: Promise<Outcome<T>>): Promise<T> {
  const outcome = await called
  if (!outcome.ok) throw new CallFailed(outcome.failure)
  return outcome.value
}

/** How the answer of one call is read. */
export const readingOf = <N extends CallName>(
  bridge: DeskBridge,
  queryKey: QueryKey,
  name: N,
  ...argument: CallArguments<N>
) => queryOptions({ queryKey, queryFn: () => answerOf(bridge.call(name, ...argument)) })

/** The same of what no event tells the changes of: it is read with each opening, and nothing of it stays once nobody looks. */
export const eachOpening = <N extends CallName>(
  bridge: DeskBridge,
  queryKey: QueryKey,
  name: N,
  ...argument: CallArguments<N>
) => ({ ...readingOf(bridge, queryKey, name, ...argument), gcTime: 0 })

/** A kind of question that may take many requests to answer. */
export type QueryKind<Q, A> = {
  /** What the keys of its queries begin with (events.ts). */
  readonly group: 'reports' | 'rows' | 'saved'
  /** The question's name, by which the main process tells how far it is and that its answer changed. */
  readonly keyOf: (question: Q) => string
  readonly call: (bridge: DeskBridge, account: AccountId, question: Q, force: boolean) => Promise<Outcome<A>>
  /** Under which name the main process tells how far it is, where that is not the question's. */
  readonly progressKey?: string
  /** Tells the main process that nobody waits for the answer any more. */
  readonly giveUp: (bridge: DeskBridge, account: AccountId, key: string) => void
  /** A window that is left open asks again this often, in milliseconds; the main process decides whether that is due. */
  readonly refetchInterval: number
  /** An answer that nobody looks at, any more or yet, is at hand for so long, in milliseconds. */
  readonly gcTime: number
  /** Whether an older answer stays until the newer comes, however long that takes. */
  readonly stays: (older: Q, newer: Q) => boolean
  /** Whether newer figures are on their way behind an answer. */
  readonly isRefreshing: (answer: A) => boolean
}

/** How a question is read. @param force whether the service is asked even where what is stored is fresh */
export const queryOf = <Q, A>(
  { group: of, keyOf, call, giveUp, gcTime }: QueryKind<Q, A>,
  bridge: DeskBridge,
  account: AccountId,
  question: Q,
  force: () => boolean = () => false,
) => {
  const key = keyOf(question)
  const queryKey: QueryKey = [of, account, key]
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => {
      // What is asked by force takes the place of the same question: the main process would give up both.
      signal.addEventListener('abort', () => force() || giveUp(bridge, account, key))
      return answerOf(call(bridge, account, question, force()))
    },
    staleTime: gcTime,
    gcTime,
  })
}

/** How far a question is: events bring it (events.ts). */
export const progressOf = (account: AccountId, key: string) =>
  queryOptions<JobProgress | null>({ queryKey: ['progress', account, key], queryFn: skipToken, gcTime: 0 })

/** Why a call changed nothing; null where it did what was asked. */
export async function failureOf(called: Promise<Outcome<unknown>>): Promise<Failure | null> {
  const outcome = await called
  return outcome.ok ? null : outcome.failure
}

/** Makes a call; answers why it changed nothing. */
export const changing =
  <N extends CallName>(name: N) =>
  ({ bridge }: Pick<Asking, 'bridge'>, ...argument: CallArguments<N>): Promise<Failure | null> =>
    failureOf(bridge.call(name, ...argument))

/** A query, and what its key stands for. */
export type Keyed<T> = { readonly queryKey: DataTag<QueryKey, T, CallFailed> }

/** The same for a call that brings what a query answers: that is its answer from now on. Null changed nothing. */
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

/** Awaits a call, and reads anew what it may have changed, whichever way it ended. */
export async function thenRead<T>(
  queries: QueryClient,
  { queryKey }: { readonly queryKey: QueryKey },
  called: Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await called
  await queries.invalidateQueries({ queryKey })
  return outcome
}

/** Makes a call, and reads anew what it may have changed; answers why it changed nothing. */
export const changingQuery =
  <N extends CallName>(
    name: N,
    query: (bridge: DeskBridge, ...argument: CallArguments<N>) => { readonly queryKey: QueryKey },
  ) =>
  ({ bridge, queries }: Asking, ...argument: CallArguments<N>): Promise<Failure | null> =>
    failureOf(thenRead(queries, query(bridge, ...argument), bridge.call(name, ...argument)))

/** Reads an answer anew, whatever is stored or on its way. Why that fails, the query says. */
export function readAnew<T, K extends QueryKey>(
  queries: QueryClient,
  query: CreateQueryOptions<T, CallFailed, T, K> & { readonly queryKey: K },
): void {
  void queries.cancelQueries({ queryKey: query.queryKey, exact: true })
  void queries.prefetchQuery({ ...query, staleTime: 0 })
}

type Listed = { readonly id: string }

/**
 * Moves one of a list by so many places, at once on screen; answers why it could not be. The list is read anew afterwards.
 * @param order tells the main process
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

/** A list in which one thing stands so many places further on, or back; null where it stays where it is. */
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
