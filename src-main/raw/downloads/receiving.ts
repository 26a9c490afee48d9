import { closeSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { codingOf, decoded } from './content-coding.ts'
import { ChangedFile, RefusedStatus } from './trouble.ts'
import type { Fetcher, UnreadResponse } from '#main/fetching/fetcher.ts'
import { PartWriter, openPart } from './part-file.ts'
import { header } from '#main/fetching/response.ts'
import type { ResponseHeaders } from '#main/fetching/response.ts'
import type { AddressScope } from '#main/fetching/address-scope.ts'
import { BrokenArchive } from '#main/files/zip-errors.ts'
import { checkSpace } from '#main/lib/disk-room.ts'

/** Facts of a response that are stored to continue the file. */
export type Began = {
  readonly host: string
  /** Total bytes for progress: of the response, plus those already present. Null if the response has no length. */
  readonly size: number | null
  /** Length of the file; null if the response does not state it. */
  readonly fileSize: number | null
  readonly validator: string | null
}

type Receiving = {
  readonly fetcher: Fetcher
  readonly url: string
  /** Nearest network scope that the address may have. */
  readonly allowed: AddressScope
  readonly path: string
  /** Bytes already present. */
  readonly part: ReceivedPart
  /** Archive size by the report's record, in an unknown unit. Used only if the response has no length. */
  readonly recorded: number | null
  /** Called with the response before any byte is written. */
  readonly began: (response: Began) => Promise<void>
  /** Waits for permission to write. @returns the number of bytes */
  readonly portion: () => Promise<number>
  /** Called with the current length of the file, or with the bytes taken from an encoded response. */
  readonly wrote: (length: number) => void
  readonly signal: AbortSignal
}

/** Checks free space synchronously. @throws as `checkSpace` does */
export const roomHere = (folder: string, bytes: number): Promise<void> =>
  checkSpace(folder, bytes, (place) => statfsSync(place))

/** Maximum size of an archive in bytes; longer responses are stopped. */
const LARGEST = 64 * 1024 ** 3

/**
 * Fetches the missing bytes of a file and writes them.
 *
 * @throws errors of the network, the disk or the server; BrokenArchive and ChangedFile if the part is useless
 */
export async function receive(order: Receiving): Promise<void> {
  const { fetcher, url, part, allowed, signal } = order
  const reply = await fetcher.get(url, rangeHeaders(part), allowed, signal)
  try {
    await take(reply, continuationOf(reply.status, reply.headers, part), order)
  } finally {
    reply.body.destroy()
  }
}

async function take(reply: UnreadResponse, found: Continuation, order: Receiving): Promise<void> {
  switch (found.kind) {
    case 'whole':
      return
    case 'changed':
      throw new ChangedFile('It is another file')
    case 'refused':
      throw new RefusedStatus(found.status, reply.host)
    case 'body':
      return await write(reply, found, order)
  }
}

async function write(
  reply: UnreadResponse,
  { from, size: said }: Extract<Continuation, { kind: 'body' }>,
  order: Receiving,
): Promise<void> {
  const { path, part, recorded, portion, wrote } = order
  const coding = codingOf(reply.headers, reply.host)
  // A range of an encoded response is not a range of the file (RFC 9110, 14.2).
  if (from > 0 && (coding !== null || (part.size !== null && said !== part.size)))
    throw new ChangedFile('It is another file')
  if (said === 0) throw new BrokenArchive('it is empty')
  const needed = said ?? recorded
  if (needed !== null && needed <= LARGEST) await roomHere(dirname(path), needed - from)
  const fileSize = coding === null ? said : null
  // A length of the decoded file is no position in the encoded response, so the file cannot be continued.
  const validator =
    coding === null ? (validatorOf(reply.headers) ?? (from > 0 ? part.validator : null)) : null
  // The response's facts are stored before any of its bytes: they tell whether the part can be continued.
  const file = openPart(path, from)
  try {
    await order.began({ host: reply.host, size: said, fileSize, validator })
    // Progress of an encoded response is counted in its own bytes, like its size.
    const progress = coding === null ? wrote : () => undefined
    const writer = new PartWriter(file, { from, max: fileSize ?? LARGEST, portion, wrote: progress })
    const pieces = coding === null ? reply.body : decoded(reply.body, coding, wrote)
    for await (const piece of pieces) await writer.write(piece)
    if (fileSize !== null && writer.length !== fileSize)
      throw new BrokenArchive(`${writer.length} of ${fileSize} bytes came`)
  } finally {
    closeSync(file)
  }
}

/**
 * Returns a validator for If-Range, which continues a part only with the same file (RFC 9110, 13.1.5): a strong tag, or
 * a date at least one second before the response. Null if there is neither.
 */
export function validatorOf(headers: ResponseHeaders): string | null {
  const tag = header(headers, 'etag')
  if (tag !== undefined && /^"[^"\r\n]{1,500}"$/.test(tag)) return tag
  const changed = header(headers, 'last-modified')
  const age = Date.parse(header(headers, 'date') ?? '') - Date.parse(changed ?? '')
  return changed !== undefined && age >= 1000 ? changed : null
}

/** Part of a file: its length, its validator, and the file's length by the first response. */
export type ReceivedPart = {
  readonly got: number
  readonly validator: string | null
  readonly size: number | null
}

/** Headers that request the missing bytes; empty if the part cannot be continued. */
export function rangeHeaders({ got, validator }: Omit<ReceivedPart, 'size'>): Record<string, string> {
  return got > 0 && validator !== null ? { range: `bytes=${got}-`, 'if-range': validator } : {}
}

/** Relation of a response to the existing part. */
type Continuation =
  /** The body starts at offset `from`; `size` is the length of the whole file, if stated. */
  | { readonly kind: 'body'; readonly from: number; readonly size: number | null }
  | { readonly kind: 'whole' }
  /** The file differs or the response is invalid: start over. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly status: number }

/** Interprets a response to a request for `part` (RFC 9110, 14.4 and 15.3.7). */
export function continuationOf(
  status: number,
  headers: ResponseHeaders,
  part: Omit<ReceivedPart, 'size'>,
): Continuation {
  const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header(headers, 'content-range')?.trim() ?? '')
  if (status === 416) return range?.[3] === String(part.got) ? { kind: 'whole' } : { kind: 'changed' }
  if (status === 200) return { kind: 'body', from: 0, size: lengthOf(headers) }
  if (status !== 206) return { kind: 'refused', status }
  const [from, to, size] = [Number(range?.[1]), Number(range?.[2]), Number(range?.[3])]
  const tag = validatorOf(headers)
  const same = tag === null || !tag.startsWith('"') || tag === part.validator
  if (!same || from !== part.got || !Number.isSafeInteger(to) || !Number.isSafeInteger(size))
    return { kind: 'changed' }
  // A shorter range than requested is unexpected, so the file starts over.
  return to === size - 1 ? { kind: 'body', from, size } : { kind: 'changed' }
}

function lengthOf(headers: ResponseHeaders): number | null {
  const length = header(headers, 'content-length') ?? ''
  return /^\d{1,15}$/.test(length) ? Number(length) : null
}
