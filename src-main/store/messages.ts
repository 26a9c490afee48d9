import type { Failure } from '../../src-shared/service/failure.ts'
import type { Opening, Rebuilt } from './opening.ts'
import type { OperationArgument, OperationName, OperationResult } from './operations.ts'

/** What the worker is started for: to keep the store, or to look through its file once. */
export type WorkerTask = { readonly task: 'keep' | 'check'; readonly folder: string }

export type RunMessage<N extends OperationName> = {
  readonly kind: 'run'
  readonly id: number
  readonly name: N
  readonly argument: OperationArgument<N>
}

export type ToWorker =
  RunMessage<OperationName> | { readonly kind: 'begin-anew' } | { readonly kind: 'close' }

export type FromWorker =
  | { readonly kind: 'opened'; readonly opening: Opening }
  | { readonly kind: 'done'; readonly id: number; readonly result: OperationResult<OperationName> }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'rebuilt'; readonly rebuilt: Rebuilt }
  | { readonly kind: 'checked'; readonly sound: boolean }
