import type { CallArgument, CallName, CallResult } from '#shared/bridge/calls.ts'

/**
 * What answers each call. Every name of `calls` has exactly one entry: leaving one out, or adding one that no window
 * can ask for, is a type error.
 */
export type Handlers = {
  readonly [N in CallName]: (argument: CallArgument<N>) => CallResult<N> | Promise<CallResult<N>>
}
