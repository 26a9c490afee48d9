import tls from 'node:tls'
import type { SecureContext } from 'node:tls'
import { Worker } from 'node:worker_threads'

/** Certificates of all the authorities that are trusted, in PEM; undefined leaves it to the runtime. */
export type Certificates = () => Promise<readonly string[] | undefined>

/**
 * Reads the runtime's own authorities and the operating system's. It runs beside the main thread, because reading
 * some hundred certificates takes longer than anything may hold up a window.
 */
const reader = `
  const { parentPort } = require('node:worker_threads')
  const { getCACertificates } = require('node:tls')
  const own = new Set(getCACertificates('default'))
  const all = new Set([...own, ...getCACertificates('system')])
  parentPort.postMessage(all.size > own.size ? [...all] : undefined)
`

async function read(): Promise<readonly string[] | undefined> {
  const known: typeof tls.getCACertificates | undefined = tls.getCACertificates
  if (known === undefined) return undefined
  return new Promise((resolve) => {
    const worker = new Worker(reader, { eval: true })
    worker.once('message', (certificates: readonly string[] | undefined) => resolve(certificates))
    worker.once('error', () => resolve(undefined))
    worker.once('exit', () => resolve(undefined))
  })
}

let reading: Promise<readonly string[] | undefined> | undefined

/**
 * The authorities that this computer trusts, where the runtime can tell (Node 22.15 and newer); read once. Companies
 * whose proxy opens TLS have theirs only in the operating system's store.
 */
export const systemCertificates: Certificates = () => (reading ??= read())

function contextWith(ca: readonly string[] | undefined): SecureContext {
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ...(ca && { ca: [...ca] }) })
}

/** What TLS connections are made with; made once for all of a client's. */
export async function secureContext(certificates: Certificates): Promise<SecureContext> {
  const trusted = await certificates()
  try {
    return contextWith(trusted)
  } catch {
    // One unreadable certificate in the system's store must not keep everybody from every service.
    return contextWith(undefined)
  }
}
