import type { DataTag, QueryClient, QueryKey } from '@tanstack/svelte-query'
import type { Failure, Outcome } from '#shared/api/failure.ts'

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

/** Why a call changed nothing; null where it did what was asked. */
export async function failureOf(called: Promise<Outcome<unknown>>): Promise<Failure | null> {
  const outcome = await called
  return outcome.ok ? null : outcome.failure
}

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
