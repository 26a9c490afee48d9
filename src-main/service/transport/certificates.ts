import tls from 'node:tls'
import type { SecureContext } from 'node:tls'

/** Certificates of the authorities that are trusted, in PEM; undefined leaves it to the runtime. */
export type Certificates = () => readonly string[] | undefined

/**
 * The runtime's own authorities and the operating system's, where this runtime can read them (Node 22.15 and
 * newer). Companies with a proxy that opens TLS have theirs only in the latter.
 */
export const systemCertificates: Certificates = () => {
  const read: typeof tls.getCACertificates | undefined = tls.getCACertificates
  if (read === undefined) return undefined
  try {
    return [...new Set([...read('default'), ...read('system')])]
  } catch {
    return undefined
  }
}

/** Made once for all connections of a client: reading some hundred certificates is not done for each of them. */
export function secureContext(certificates: Certificates): SecureContext {
  const trusted = certificates()
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ...(trusted && { ca: [...trusted] }) })
}
