import type { Failure } from '../../../src-shared/service/failure.ts'
import type { Asked, Reckoned, ReckoningName } from './asking.ts'

export type AskMessage<N extends ReckoningName = ReckoningName> = {
  readonly id: number
  readonly name: N
  readonly asked: Asked<N>
}

export type ReckonedMessage =
  | { readonly id: number; readonly ok: true; readonly reckoned: Reckoned<ReckoningName> }
  | { readonly id: number; readonly ok: false; readonly failure: Failure }
