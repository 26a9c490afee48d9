import { closeSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { BrokenArchive, ChangedFile, RefusedStatus } from './archive-trouble.ts'
import type { Fetcher, Reply } from './fetching.ts'
import { PartWriter, openPart } from './part-file.ts'
import type { AddressScope } from './address-scope.ts'
import { continuationOf, rangeHeaders, validatorOf } from './resume.ts'
import type { Continuation, Part } from './resume.ts'
import { checkSpace } from './space.ts'

/** Who answers, and what the file can be continued with from now on. */
export type Began = {
  readonly host: string
  readonly size: number | null
  readonly validator: string | null
}

/** What one request is made with. */
export type Receiving = {
  readonly fetcher: Fetcher
  readonly url: string
  /** How near to this computer the address may lead. */
  readonly allowed: AddressScope
  readonly path: string
  /** What there is already. */
  readonly part: Part
  /** The archive's size as the report's record says it. */
  readonly size: number | null
  /** Hears of the answer before any of it is written. */
  readonly began: (told: Began) => Promise<void>
  /** Waits until more may be written. @returns how much, in bytes */
  readonly portion: () => Promise<number>
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
  const { path, part, signal, portion, wrote } = order
  if (order.size !== null && said !== null && said !== order.size) {
    throw new BrokenArchive(
      `it has ${said.toLocaleString()} bytes, and should have ${order.size.toLocaleString()}`,
    )
  }
  const size = order.size ?? said
  if (size === 0) throw new BrokenArchive('it is empty')
  // Without a size in the record, the answer's is the first that there is to check the disk against.
  if (order.size === null && size !== null) await roomHere(dirname(path), size - from)
  // What comes is taken from the beginning; it is written when the file is open and what it is, is kept.
  const file = openPart(path, from)
  const validator = validatorOf(reply.headers) ?? (from > 0 ? part.validator : null)
  const opened = order.began({ host: reply.host, size, validator }).then(() => file)
  // Whoever writes hears of it; where nothing is written, it is heard of in the end.
  opened.catch(() => undefined)
  let length = from
  const writer = new PartWriter({
    file: opened,
    from,
    max: size ?? LARGEST,
    portion,
    wrote: (now) => {
      length = now
      wrote(now)
    },
  })
  let trouble: { readonly error: unknown } | null = null
  try {
    await reply.body.pour(writer, signal).catch((error: unknown) => (trouble = { error }))
    // What has come is written also where the rest does not: it would have to come again.
    await writer.end()
  } finally {
    closeSync(file)
  }
  if (trouble !== null) throw (trouble as { readonly error: unknown }).error
  if (size !== null && length !== size) throw new BrokenArchive(`${length} of ${size} bytes came`)
}
