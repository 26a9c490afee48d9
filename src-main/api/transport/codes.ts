/** Under these statuses a service gives its answer. Which of them it chooses is left open (specification: errors). */
const answered: ReadonlySet<number> = new Set([200, 201, 202, 203])

/** Whether an answer comes with a status. */
export const isAnswered = (status: number): boolean => answered.has(status)

/** Members of an error in which another one may hide. */
type Nested = {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

/** undici gives what is no HTTP a name, and a code only in some of its versions. */
function parserCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'HTTPParserError') return undefined
  return error.message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID'
}

/**
 * The code of what the system refused. `ETIMEDOUT` and its like are told of attempts to connect, and of connections that
 * stood and broke: the request may have arrived then, so those count as lost.
 */
function systemCode({ code, syscall }: Nested): string | undefined {
  if (typeof code !== 'string') return undefined
  const stood = syscall === 'read' || syscall === 'write'
  return stood && connectCodes.has(code) ? 'ECONNRESET' : code
}

/** The code of an error, or of the first one that it wraps. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined
  const { cause, errors } = error as Nested
  const inner = codeOf(cause, depth + 1) ?? (Array.isArray(errors) ? codeOf(errors[0], depth + 1) : undefined)
  return inner ?? parserCode(error) ?? systemCode(error)
}

const certificateCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

export function isCertificateCode(code: string): boolean {
  return code.startsWith('CERT_') || certificateCodes.has(code)
}

/** A connection that stood and broke. `Z_BUF_ERROR` is packed data that ends too early. */
const lossCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
  'Z_BUF_ERROR',
])

export function isLossCode(code: string): boolean {
  return lossCodes.has(code)
}

/** Connections that failed at once, and may come about at the next try. */
const passingConnectCodes = new Set(['ECONNREFUSED', 'EAI_AGAIN'])

const connectCodes = new Set([
  ...passingConnectCodes,
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
])

/** Whether no connection came about at all, so that another proxy of the list may help. */
export function failedToConnect(error: unknown): boolean {
  return connectCodes.has(codeOf(error) ?? '')
}

/** Whether the same request may well be answered at the next try. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return isLossCode(code) || passingConnectCodes.has(code)
}
