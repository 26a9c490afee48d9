import type { ProxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyAnswer, ProxyPass } from '#main/api/transport/proxy-access.ts'
import type { FetchTimeouts } from '#main/fetching/fetcher.ts'
import type { AddressScope } from '#main/fetching/address-scope.ts'
import type { Began, ReceivedPart } from './receiving.ts'
import * as v from 'valibot'
import type { TaskTrouble } from './trouble.ts'

export type FetchTask = {
  readonly kind: 'fetch'
  readonly url: string
  readonly allowed: AddressScope
  readonly path: string
  readonly part: ReceivedPart
  /** Archive size by the report's record; null if absent. */
  readonly recorded: number | null
  /** Modification time of the file, in milliseconds since 1970. */
  readonly modified: number | null
  readonly timeouts?: FetchTimeouts
}

export type FinishTask = { readonly kind: 'finish'; readonly path: string; readonly modified: number | null }

export type UnpackTask = {
  readonly kind: 'unpack'
  readonly path: string
  readonly folder: string
  /** Archive name without extension. */
  readonly stem: string
  /** Prefix of temporary files, unique to this archive. */
  readonly mark: string
}

/**
 * Task of a process, which ends after it. `fetch` downloads and finishes an archive. `finish` tests a downloaded
 * archive, sets its time and syncs it.
 */
export type ArchiveTask = FetchTask | FinishTask | UnpackTask

/** Calls from the process during a fetch. */
export type ArchiveAnswers = {
  readonly proxy: (url: string) => Promise<string>
  readonly proxyPass: (origin: ProxyOrigin) => Promise<ProxyPass>
  readonly onProxyAnswer: (answer: ProxyAnswer) => Promise<'through' | 'again'>
  readonly certificates: (argument: null) => Promise<readonly string[] | undefined>
  readonly began: (response: Began) => Promise<null>
  readonly portion: (argument: null) => Promise<number>
}

/** The process's only call. A cancelled fetch still writes the bytes received. */
export type ArchiveCalls = {
  readonly run: (
    task: ArchiveTask,
    signal: AbortSignal,
  ) => Promise<{ readonly kind: 'done' } | { readonly kind: 'trouble'; readonly trouble: TaskTrouble }>
}

/** Progress of a fetch; `arrived` means that all bytes have arrived. */
export type ArchiveEvent = { readonly kind: 'wrote'; readonly length: number } | { readonly kind: 'arrived' }

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0))
/** Checked like a file, because the process reads untrusted files and responses. */
export const archiveEvent: v.GenericSchema<unknown, ArchiveEvent> = v.variant('kind', [
  v.object({ kind: v.literal('wrote'), length: bytes }),
  v.object({ kind: v.literal('arrived') }),
])

export const beganResponse: v.GenericSchema<unknown, Began> = v.object({
  host: v.string(),
  size: v.nullable(bytes),
  fileSize: v.nullable(bytes),
  validator: v.nullable(v.string()),
})
