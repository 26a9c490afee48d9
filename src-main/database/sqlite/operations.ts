import type { Calls } from '#main/workers/rpc.ts'
import type { Writer } from './database.ts'

/** What can be asked of a database, by name: functions of it and, mostly, of one argument that can be cloned. */
export type Operations<O> = { readonly [N in keyof O]: (database: Writer, argument: never) => unknown }

/** The same operations as whoever has no database calls them; the argument is undefined where there is none. */
export type CallsOf<O extends Operations<O>> = {
  readonly [N in keyof O]: (argument: OperationArgument<O[N]>) => OperationResult<O[N]>
}

export type OperationArgument<F> = F extends (...all: infer A) => unknown
  ? A extends readonly [unknown, infer Argument]
    ? Argument
    : undefined
  : never
export type OperationResult<F> = F extends (...all: never) => infer R ? R : never

/**
 * Operations as calls.
 * @param run runs work on the database that is open at that moment
 */
export function callsOf<O extends Operations<O>>(
  operations: O,
  run: <T>(work: (database: Writer) => T) => T,
): CallsOf<O> & Calls<CallsOf<O>> {
  const calls = Object.entries<(database: Writer, argument: never) => unknown>(operations).map(
    ([name, operation]) => [name, (argument: never) => run((database) => operation(database, argument))],
  )
  // Each name has the call that is made of its operation: both types are read off it.
  return Object.fromEntries(calls) as CallsOf<O> & Calls<CallsOf<O>>
}
