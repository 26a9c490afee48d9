import { dirname } from 'node:path'
import { BrokenArchive } from './archive-trouble.ts'
import type { Bandwidth } from './bandwidth.ts'
import type { Fetcher, Reply } from './fetching.ts'
import { PartWriter, lengthOf, openPart } from './part-file.ts'
import type { Reach } from './reach.ts'
import { continuationOf, rangeHeaders, validatorOf } from './resume.ts'
import type { Continuation } from './resume.ts'
import { checkSpace } from './space.ts'
import { ChangedFile, RefusedStatus } from './trouble.ts'

/** What one attempt works with. */
export type Transfer = {
  readonly fetcher: Fetcher
  readonly bandwidth: Bandwidth
  /** Asks the service for an address: those live for minutes only, so every attempt has its own. */
  readonly address: () => Promise<string>
  /** How near to this computer the address may lead. */
  readonly allowed: Reach
  readonly path: string
  /** The archive's size as the report's record says it. */
  readonly size: number | null
  readonly validator: string | null
  /** Hears who is asked. */
  readonly asked: (host: string) => void
  /** Hears who answers, and what the file can be continued with from now on, before any of it is written. */
  readonly began: (told: {
    readonly host: string
    readonly size: number | null
    readonly validator: string | null
  }) => Promise<void>
  readonly wrote: (length: number) => void
  readonly signal: AbortSignal
}

/** No archive is larger; what comes without end is stopped. In bytes. */
const LARGEST = 64 * 1024 ** 3

/**
 * One attempt to bring a file to its end, from where it is.
 *
 * @throws what the network, the disk or the service refuse; BrokenArchive and ChangedFile where what is there is of no use
 */
export async function transfer(order: Transfer): Promise<void> {
  const { path, size, validator, signal } = order
  const got = (await lengthOf(path)) ?? 0
  if (size !== null && got > size) throw new BrokenArchive('more came than belongs to it')
  // With a size to go by, a part that has it all needs nobody: what it is worth, the test of the archive says.
  if (size !== null && size > 0 && got === size && validator !== null) return
  const usable = validator === null ? 0 : got
  // What cannot be continued takes room that is needed.
  if (usable < got) await (await openPart(path, 0)).close()
  if (size !== null) await checkSpace(dirname(path), size - usable)
  const part = { got: usable, validator }
  const address = await order.address()
  signal.throwIfAborted()
  order.asked(new URL(address).host)
  const reply = await order.fetcher.get(address, rangeHeaders(part), order.allowed, signal)
  try {
    await take(reply, continuationOf(reply.status, reply.headers, part), order)
  } finally {
    reply.body.destroy()
  }
}

async function take(reply: Reply, found: Continuation, order: Transfer): Promise<void> {
  switch (found.as) {
    case 'whole':
      return
    case 'changed':
      throw new ChangedFile('It is another file')
    case 'refused':
      throw new RefusedStatus(found.status, reply.host)
    case 'body':
      return await receive(reply, found, order)
  }
}

async function receive(
  reply: Reply,
  { from, size: said }: Extract<Continuation, { as: 'body' }>,
  order: Transfer,
): Promise<void> {
  const { path, signal, bandwidth, wrote } = order
  if (order.size !== null && said !== null && said !== order.size) {
    throw new BrokenArchive(`it has ${said} bytes, and should have ${order.size}`)
  }
  const size = order.size ?? said
  if (size === 0) throw new BrokenArchive('it is empty')
  // Without a size in the record, the answer's is the first that there is to check the disk against.
  if (order.size === null && size !== null) await checkSpace(dirname(path), size - from)
  // What comes is taken from the beginning; it is written when the file is open and what it is, is kept.
  const opened = openPart(path, from).then(async (file) => {
    const validator = validatorOf(reply.headers) ?? (from > 0 ? order.validator : null)
    await order.began({ host: reply.host, size, validator })
    return file
  })
  // Whoever writes hears of it; where nothing is written, it is heard of in the end.
  opened.catch(() => undefined)
  let length = from
  const writer = new PartWriter({
    file: opened,
    from,
    most: size ?? LARGEST,
    allow: (bytes) => bandwidth.take(bytes, signal),
    mostAtOnce: () => bandwidth.atOnce(),
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
    await (await opened).close()
  }
  if (trouble !== null) throw (trouble as { readonly error: unknown }).error
  if (size !== null && length !== size) throw new BrokenArchive(`${length} of ${size} bytes came`)
}
