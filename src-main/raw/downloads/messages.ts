import type { Failure } from '../../../src-shared/service/failure.ts'

export type UnpackTask = {
  readonly task: 'unpack'
  readonly path: string
  readonly folder: string
  /** The archive's name without its ending. */
  readonly stem: string
  /** How names of half-written files begin, for this archive alone. */
  readonly mark: string
}

/** What a thread is started for; it ends when that is done. */
export type ArchiveTask = { readonly task: 'check'; readonly path: string } | UnpackTask

export type FromArchiveThread =
  | { readonly as: 'done' }
  /** `words` says what is wrong with the archive, as the end of a sentence. */
  | { readonly as: 'broken'; readonly words: string }
  | { readonly as: 'hostile'; readonly words: string }
  | { readonly as: 'failed'; readonly failure: Failure; readonly full: boolean }
