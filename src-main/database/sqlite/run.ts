import type { ArgumentOf, Calls, ResultOf } from '#main/workers/rpc.ts'

/** Asks for one operation of a file that another thread has open. */
export type Run<C extends Calls<C>> = <N extends keyof C & string>(
  name: N,
  argument: ArgumentOf<C[N]>,
) => Promise<ResultOf<C[N]>>
