import { dirname } from 'node:path'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { inArchiveThread } from './archive-thread.ts'
import { noProxyAccess } from '#main/api/transport/proxy-access.ts'
import { BrokenArchive } from './archive-trouble.ts'
import type { Bandwidth } from './bandwidth.ts'
import type { FetchOptions } from './fetching.ts'
import { emptyPart, lengthOf } from './part-file.ts'
import type { AddressScope } from './address-scope.ts'
import type { Began } from './receiving.ts'
import { checkSpace } from './space.ts'

/** What one attempt works with. */
export type Transfer = {
  /** The file of the thread that does it (archive-worker.ts). */
  readonly archiveWorker: string | URL
  readonly looks: SlowFolderGuard
  readonly fetching: FetchOptions
  readonly bandwidth: Bandwidth
  /** Asks the service for an address: those live for minutes only, so every attempt has its own. */
  readonly address: () => Promise<string>
  /** How near to this computer the address may lead. */
  readonly allowed: AddressScope
  readonly path: string
  /** The archive's size as the report's record says it. */
  readonly size: number | null
  /** What the part can be continued with; null for nothing. */
  readonly validator: string | null
  /** What the file's time becomes, in milliseconds since 1970. */
  readonly modified: number | null
  /** Hears who is asked. */
  readonly asked: (host: string) => void
  /** Hears of the answer before any of it is written. */
  readonly began: (told: Began) => Promise<void>
  readonly wrote: (length: number) => void
  /** Hears that everything has come, and is being tested. */
  readonly arrived: () => void
  readonly signal: AbortSignal
}

/** TLS is loaded with the first address that needs it. */
const trusted = async () => await (await import('#main/api/transport/system.ts')).systemCertificates()

/**
 * One attempt to bring a file to its end, from where it is: whole, tested, dated and on the disk.
 *
 * @throws what the network, the disk or the service refuse; BrokenArchive, HostileArchive and ChangedFile where what is
 * there is of no use
 */
export async function transfer(order: Transfer): Promise<void> {
  const { archiveWorker, looks, fetching, bandwidth, path, size, validator, modified, signal } = order
  const folder = dirname(path)
  const got = (await looks.at(folder, () => lengthOf(path))) ?? 0
  if (size !== null && got > size) throw new BrokenArchive('more came than belongs to it')
  // With a size to go by, a part that has it all needs nobody: what it is worth, the test of the archive says.
  if (size !== null && size > 0 && got === size && validator !== null) {
    order.arrived()
    return await inArchiveThread(archiveWorker, { kind: 'settle', path, modified }, signal)
  }
  const usable = validator === null ? 0 : got
  // What cannot be continued takes room that is needed.
  if (usable < got) await looks.at(folder, () => emptyPart(path))
  if (size !== null) await looks.at(folder, () => checkSpace(folder, size - usable))
  const url = await order.address()
  signal.throwIfAborted()
  order.asked(new URL(url).host)
  const part = { got: usable, validator }
  const { resolveProxy, proxyAccess = noProxyAccess, timeouts, certificates = trusted } = fetching
  await inArchiveThread(
    archiveWorker,
    { kind: 'fetch', url, allowed: order.allowed, path, part, size, modified, ...(timeouts && { timeouts }) },
    signal,
    {
      proxy: resolveProxy,
      proxyAccess,
      certificates,
      began: order.began,
      portion: () => bandwidth.portion(signal),
      wrote: order.wrote,
      arrived: order.arrived,
    },
  )
}
