import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { ExchangeEnded, networkCodeOf, isCertificateCode, isLossCode } from './transport/exchange.ts'

/** Advice if it is unknown whether a request was carried out. */
export const doubtWords = 'The request may have been carried out. Check before you try again.'

/**
 * The only error that this module throws. `failure` is plain data for the user. The error has no cause, because a cause may
 * contain parts of the request that must not be printed.
 */
export class ServiceFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'ServiceFailure'
    this.failure = failure
  }
}

/** A failure before anything was sent. The request has certainly not been carried out. */
export class NeverSent extends ServiceFailure {}

/** Name of a rejected parameter and the service's message about it, for display. The message may be empty. */
export type NamedFault = readonly [name: string, words: string]

/** A refusal that names the rejected parameters. The sender of the request interprets the names. */
export class RefusedByName extends ServiceFailure {
  readonly faults: readonly NamedFault[]

  constructor(failure: Failure, faults: readonly NamedFault[]) {
    super(failure)
    this.faults = faults
  }
}

/** Creates the failure for a response that does not match the interface. @param what the position at which decoding failed */
export function malformed(what: string): ServiceFailure {
  return new ServiceFailure({
    kind: 'malformed',
    message:
      `Can't read the service's answer: ${what}. ` +
      'Try again. If it happens again, contact whoever runs the service.',
  })
}

/** Creates the failure for a response from another kind of server: a web page, or other JSON. */
export function noSuchService(): ServiceFailure {
  return new ServiceFailure({
    kind: 'malformed',
    message:
      'There is no Traffic Reporting Service at this address. ' +
      'Check the service address, and whether the network asks you to sign in first.',
  })
}

export function cancelled(): ServiceFailure {
  return new ServiceFailure({ kind: 'cancelled', message: 'Cancelled.' })
}

const failure = (kind: FailureKind, message: string) => new ServiceFailure({ kind, message })

/** Message about an invalid certificate, with advice. */
function certificateWords(code: string, host: string): string {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return (
      `The certificate of ${host} is not valid at this time. Check this computer's clock. ` +
      'If it is right, the service must renew its certificate.'
    )
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return `The certificate of ${host} is for another name, so nothing was sent. Check the service address.`
  }
  return (
    `This computer doesn't trust the certificate of ${host}, so nothing was sent. If your company issues its own ` +
    'certificates, this computer has to trust its authority.'
  )
}

const unreachable: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `Can't find ${host}. Check the network and the service address.`,
  EAI_AGAIN: (host) => `Can't look up ${host}. Check the network.`,
  ECONNREFUSED: (host) => `${host} refused the connection. Check the address, or try again later.`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} doesn't respond. Check the network.`,
  ETIMEDOUT: (host) => `${host} doesn't respond. Check the network.`,
  ENETUNREACH: () => 'This computer is offline. Traffic Desk tries again when the network is back.',
  ENETDOWN: () => 'This computer is offline. Traffic Desk tries again when the network is back.',
  EHOSTUNREACH: (host) => `The network can't reach ${host}. Check the network.`,
}

/** TLS alerts of a server that requires a client certificate. Older servers send a generic alert. */
const wantsCertificate = /^ERR_SSL_.*ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE)$/

function ended(error: ExchangeEnded, host: string): ServiceFailure {
  switch (error.by) {
    case 'cancelled':
      return cancelled()
    case 'first-byte':
      return failure(
        'timed-out',
        `${host} did not respond within ${error.amount} s. Try again, or choose fewer days.`,
      )
    case 'idle':
      return failure('timed-out', `${host} stopped responding for ${error.amount} s. Try again.`)
    case 'whole':
      return failure(
        'timed-out',
        `${host} did not finish within ${error.amount} s. Try again, or request fewer rows.`,
      )
    case 'size':
      return malformed(`it is larger than ${error.amount} MiB`)
    case 'coding':
      return malformed('it is packed in a way that is not known')
    case 'charset':
      return malformed('its letters are neither UTF-8 nor what it says that they are')
  }
}

/**
 * Converts the error of an exchange into a failure.
 * @param error error of undici, Node.js or the exchange
 * @param host host of the request, for display
 * @throws the error itself if it is not a network error: then the app has a bug
 */
export function networkFailure(error: unknown, host: string): ServiceFailure {
  if (error instanceof ServiceFailure) return error
  if (error instanceof ExchangeEnded) return ended(error, host)
  const code = networkCodeOf(error)
  const refusedByProxy = error instanceof Error && /^Proxy response \(\d+\)/.test(error.message)
  if (refusedByProxy)
    return failure('server-trouble', `The proxy can't connect to ${host}. Ask whoever runs the network.`)
  if (code === undefined) throw error
  const words = unreachable[code]
  if (words) return failure('offline', words(host))
  if (isCertificateCode(code)) return failure('server-trouble', certificateWords(code, host))
  if (isLossCode(code)) return failure('offline', `The connection to ${host} was lost. Try again.`)
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI')) return malformed('it cannot be unpacked')
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') return noSuchService()
  if (wantsCertificate.test(code)) {
    return failure(
      'server-trouble',
      `${host} refused the encrypted connection. It may require a client certificate, which ` +
        "Traffic Desk doesn't send. Ask whoever runs the service.",
    )
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return failure('server-trouble', `${host} doesn't use HTTPS on this port. Check the service address.`)
  }
  return failure('offline', `Can't reach ${host} (${code}). Check the network.`)
}
