import type { ProxyOrigin } from '#shared/accounts/proxy.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { EndedBy } from '#main/api/transport/deadlines.ts'
import type { ProxyAnswer, ProxyPass } from '#main/api/transport/proxy-access.ts'
import type { FetchTimeouts } from './fetching.ts'
import type { AddressScope } from './address-scope.ts'
import type { Began } from './receiving.ts'
import type { Part } from './resume.ts'

export type FetchTask = {
  readonly kind: 'fetch'
  readonly url: string
  readonly allowed: AddressScope
  readonly path: string
  readonly part: Part
  readonly size: number | null
  /** What the file's time becomes, in milliseconds since 1970. */
  readonly modified: number | null
  readonly timeouts?: FetchTimeouts
}

export type SettleTask = { readonly kind: 'settle'; readonly path: string; readonly modified: number | null }

export type UnpackTask = {
  readonly kind: 'unpack'
  readonly path: string
  readonly folder: string
  /** The archive's name without its ending. */
  readonly stem: string
  /** How names of half-written files begin, for this archive alone. */
  readonly mark: string
}

/**
 * What a thread is started for; it ends when that is done. `fetch` brings an archive to the disk and settles it; `settle`
 * tests what has come, dates it and puts it on the disk.
 */
export type ArchiveTask = FetchTask | SettleTask | UnpackTask

/** What the thread asks while it fetches, and what each is answered with. */
export type Questions = {
  readonly proxy: { readonly asked: string; readonly answer: string }
  readonly 'proxy-pass': { readonly asked: ProxyOrigin; readonly answer: ProxyPass }
  readonly 'proxy-answered': { readonly asked: ProxyAnswer; readonly answer: 'through' | 'again' }
  readonly certificates: { readonly asked: null; readonly answer: readonly string[] | undefined }
  readonly began: { readonly asked: Began; readonly answer: null }
  readonly portion: { readonly asked: null; readonly answer: number }
}

export type Question = {
  [Name in keyof Questions]: { readonly kind: Name; readonly asked: Questions[Name]['asked'] }
}[keyof Questions]

/** How a task went wrong; `words` are the end of a sentence. */
export type ThreadTrouble =
  | { readonly kind: 'broken' | 'hostile' | 'changed'; readonly words: string }
  | { readonly kind: 'refused'; readonly status: number; readonly host: string }
  /** This side ended it. */
  | { readonly kind: 'ended'; readonly by: EndedBy; readonly amount: number }
  | {
      readonly kind: 'network'
      readonly message: string
      readonly code: string
      readonly syscall: string | undefined
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly full: boolean }

export type FromArchiveThread =
  | { readonly kind: 'done' }
  | { readonly kind: 'trouble'; readonly trouble: ThreadTrouble }
  | { readonly kind: 'asks'; readonly id: number; readonly question: Question }
  | { readonly kind: 'wrote'; readonly length: number }
  /** All of it has come. */
  | { readonly kind: 'arrived' }

export type ToArchiveThread =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Questions[keyof Questions]['answer'] }
  /** Whoever was asked could not answer: nothing more comes of it. */
  | { readonly kind: 'no-answer'; readonly id: number }
  /** Nobody wants it any more: what has come is written still. */
  | { readonly kind: 'stop' }
