import { closeSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Decoder, codingOf } from './content-coding.ts'
import { BrokenArchive, ChangedFile, RefusedStatus } from './trouble.ts'
import type { Fetcher, Reply } from './fetching.ts'
import { PartWriter, openPart } from './part-file.ts'
import { header } from './socket-body.ts'
import type { Headers } from './socket-body.ts'
import type { AddressScope } from './address-scope.ts'
import { checkSpace } from '#main/lib/disk-room.ts'

/** Who answers, and what the file can be continued with from now on. */
export type Began = {
  readonly host: string
  /** What progress is measured by: bytes of the answer, with those that were there before it. Null if the answer has no length. */
  readonly size: number | null
  /** Length of the file. Null if the answer does not tell. */
  readonly fileSize: number | null
  readonly validator: string | null
}

/** What one request is made with. */
type Receiving = {
  readonly fetcher: Fetcher
  readonly url: string
  /** How near to this computer the address may lead. */
  readonly allowed: AddressScope
  readonly path: string
  /** What there is already. */
  readonly part: Part
  /** The archive's size as the report's record says it, in whatever unit. Believed only if the answer has no length. */
  readonly recorded: number | null
  /** Hears of the answer before any of it is written. */
  readonly began: (response: Began) => Promise<void>
  /** Waits until more may be written. @returns how much, in bytes */
  readonly portion: () => Promise<number>
  /** Called with the bytes there are: those of the file, or those taken of an encoded answer. */
  readonly wrote: (length: number) => void
  readonly signal: AbortSignal
}

/** Checks the room of a disk without leaving the thread. @throws as `checkSpace` does */
export const roomHere = (folder: string, bytes: number): Promise<void> =>
  checkSpace(folder, bytes, (place) => statfsSync(place))

/** No archive is larger; what comes without end is stopped. In bytes. */
const LARGEST = 64 * 1024 ** 3

/**
 * Fetches what is missing of a file, and writes it.
 *
 * @throws what the network, the disk or the server refuse; BrokenArchive and ChangedFile where what is there is of no use
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

async function take(reply: Reply, found: Continuation, order: Receiving): Promise<void> {
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
  reply: Reply,
  { from, size: said }: Extract<Continuation, { kind: 'body' }>,
  order: Receiving,
): Promise<void> {
  const { path, part, recorded, signal, portion, wrote } = order
  const coding = codingOf(reply.headers, reply.host)
  // A range of an encoded answer is none of the file (RFC 9110, 14.2).
  if (from > 0 && (coding !== null || (part.size !== null && said !== part.size)))
    throw new ChangedFile('It is another file')
  if (said === 0) throw new BrokenArchive('it is empty')
  const needed = said ?? recorded
  if (needed !== null && needed <= LARGEST) await roomHere(dirname(path), needed - from)
  // What comes is taken from the beginning; it is written when the file is open and what it is, is kept.
  const file = openPart(path, from)
  const fileSize = coding === null ? said : null
  // Bytes of the file say nothing about where in the encoded answer it would be gone on with.
  const validator =
    coding === null ? (validatorOf(reply.headers) ?? (from > 0 ? part.validator : null)) : null
  const opened = order.began({ host: reply.host, size: said, fileSize, validator }).then(() => file)
  // Whoever writes hears of it; where nothing is written, it is heard of in the end.
  opened.catch(() => undefined)
  let length = from
  const writer = new PartWriter({
    file: opened,
    from,
    max: fileSize ?? LARGEST,
    portion,
    wrote: (now) => {
      length = now
      if (coding === null) wrote(now)
    },
  })
  const decoder = coding === null ? null : new Decoder(coding, writer, wrote)
  const sink = decoder ?? writer
  let trouble: { readonly error: unknown } | null = null
  try {
    await reply.body.pour(sink, signal).catch((error: unknown) => (trouble = { error }))
    if (trouble !== null) decoder?.abandon()
    // What has come is written also where the rest does not: it would have to come again.
    await sink.end()
  } finally {
    closeSync(file)
  }
  if (trouble !== null) throw (trouble as { readonly error: unknown }).error
  if (fileSize !== null && length !== fileSize) throw new BrokenArchive(`${length} of ${fileSize} bytes came`)
}

/**
 * What If-Range may be given, so that a part is continued only with the same file (RFC 9110, 13.1.5): a strong tag, or a
 * date that is strong because it lay back when the answer was made. Null where an answer has neither.
 */
export function validatorOf(headers: Headers): string | null {
  const tag = header(headers, 'etag')
  if (tag !== undefined && /^"[^"\r\n]{1,500}"$/.test(tag)) return tag
  const changed = header(headers, 'last-modified')
  const age = Date.parse(header(headers, 'date') ?? '') - Date.parse(changed ?? '')
  return changed !== undefined && age >= 1000 ? changed : null
}

/** What there is of a file, what it is continued with, and how long the answer that it began with says that it is. */
export type Part = { readonly got: number; readonly validator: string | null; readonly size: number | null }

/** The headers that ask for what is missing; of what cannot be continued, all of it is asked for. */
export function rangeHeaders({ got, validator }: Omit<Part, 'size'>): Record<string, string> {
  return got > 0 && validator !== null ? { range: `bytes=${got}-`, 'if-range': validator } : {}
}

/** What an answer means for what is there already. */
type Continuation =
  /** What comes belongs at `from`; the whole has `size` bytes, where that is said. */
  | { readonly kind: 'body'; readonly from: number; readonly size: number | null }
  /** Nothing is missing. */
  | { readonly kind: 'whole' }
  /** It is another file, or the server is not to be understood: begin again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly status: number }

/** Reads an answer to a request for `part` (RFC 9110, 14.4 and 15.3.7). */
export function continuationOf(status: number, headers: Headers, part: Omit<Part, 'size'>): Continuation {
  const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header(headers, 'content-range')?.trim() ?? '')
  if (status === 416) return range?.[3] === String(part.got) ? { kind: 'whole' } : { kind: 'changed' }
  if (status === 200) return { kind: 'body', from: 0, size: lengthOf(headers) }
  if (status !== 206) return { kind: 'refused', status }
  const [from, to, size] = [Number(range?.[1]), Number(range?.[2]), Number(range?.[3])]
  const tag = validatorOf(headers)
  const same = tag === null || !tag.startsWith('"') || tag === part.validator
  if (!same || from !== part.got || !Number.isSafeInteger(to) || !Number.isSafeInteger(size))
    return { kind: 'changed' }
  // A part of what is missing would do no harm, but nobody asked for one.
  return to === size - 1 ? { kind: 'body', from, size } : { kind: 'changed' }
}

function lengthOf(headers: Headers): number | null {
  const length = header(headers, 'content-length') ?? ''
  return /^\d{1,15}$/.test(length) ? Number(length) : null
}
