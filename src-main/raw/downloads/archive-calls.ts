import type { ProxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyAnswer, ProxyPass } from '#main/api/transport/proxy-access.ts'
import type { FetchTimeouts } from './fetching.ts'
import type { AddressScope } from './address-scope.ts'
import type { Began, Part } from './receiving.ts'
import * as v from 'valibot'
import { addressScopes } from './address-scope.ts'
import type { ThreadTrouble } from './trouble.ts'

export type FetchTask = {
  readonly kind: 'fetch'
  readonly url: string
  readonly allowed: AddressScope
  readonly path: string
  readonly part: Part
  /** The archive's size as the report's record says it; null if it says none. */
  readonly recorded: number | null
  /** What the file's time becomes, in milliseconds since 1970. */
  readonly modified: number | null
  readonly timeouts?: FetchTimeouts
}

export type FinishTask = { readonly kind: 'finish'; readonly path: string; readonly modified: number | null }

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
 * What a thread is started for; it ends when that is done. `fetch` brings an archive to the disk and finishes it; `finish`
 * tests what has come, dates it and puts it on the disk.
 */
export type ArchiveTask = FetchTask | FinishTask | UnpackTask

/** What the thread asks while it fetches. */
export type ArchiveAnswers = {
  readonly proxy: (url: string) => Promise<string>
  readonly proxyPass: (origin: ProxyOrigin) => Promise<ProxyPass>
  readonly onProxyAnswer: (answer: ProxyAnswer) => Promise<'through' | 'again'>
  readonly certificates: (argument: null) => Promise<readonly string[] | undefined>
  readonly began: (response: Began) => Promise<null>
  readonly portion: (argument: null) => Promise<number>
}

/** What the thread does, once: given up, a fetch still writes what has come. */
export type ArchiveCalls = {
  readonly run: (
    task: ArchiveTask,
    signal: AbortSignal,
  ) => Promise<{ readonly kind: 'done' } | { readonly kind: 'trouble'; readonly trouble: ThreadTrouble }>
}

/** How far a fetch is, told unasked; `arrived` says that all of it has come. */
export type ArchiveEvent = { readonly kind: 'wrote'; readonly length: number } | { readonly kind: 'arrived' }

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0))
const modified = v.nullable(v.number())

const schema: v.GenericSchema<unknown, ArchiveTask> = v.variant('kind', [
  v.object({
    kind: v.literal('fetch'),
    url: v.string(),
    allowed: v.picklist(addressScopes),
    path: v.string(),
    part: v.object({ got: bytes, validator: v.nullable(v.string()), size: v.nullable(bytes) }),
    recorded: v.nullable(bytes),
    modified,
    timeouts: v.exactOptional(v.object({ connect: v.number(), firstByte: v.number(), idle: v.number() })),
  }),
  v.object({ kind: v.literal('finish'), path: v.string(), modified }),
  v.object({
    kind: v.literal('unpack'),
    path: v.string(),
    folder: v.string(),
    stem: v.string(),
    mark: v.pipe(v.string(), v.minLength(1)),
  }),
])

/** What the thread was started for. @throws ValiError where that is nothing of the kind */
export const archiveTask = (given: unknown): ArchiveTask => v.parse(schema, given)
