import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, deflate, deflateRaw, gzip } from 'node:zlib'
import type { Behaviour } from '../contracts.ts'
import type { SandboxState } from '../control/state.ts'
import { closeServer, listenOnLoopback, writeReply, writtenStatus } from '../control/write-reply.ts'
import type { SandboxReply } from '../control/write-reply.ts'
import type { Archive, SandboxArchives } from './archive.ts'
import type { SandboxReport } from './report.ts'

/** A part of a file in bytes, both ends included. */
type ByteRange = { readonly start: number; readonly end: number }

/**
 * Parses a Range header (RFC 9110, 14.2).
 * @param size of the file in bytes
 * @returns `whole` without a range, or if the range is unsupported (such as several parts)
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  const [first, last] = [parts?.[1], parts?.[2]]
  if (!first && !last) return 'whole'
  if (!first) {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  if (last && Number(last) < start) return 'whole'
  if (start >= size) return 'unsatisfiable'
  return { start, end: last ? Math.min(Number(last), size - 1) : size - 1 }
}

/** Lifetime of an address in milliseconds of the sandbox's clock. */
const ADDRESS_LIVES = 5 * 60_000

type Issued = { readonly report: SandboxReport; readonly signature: string; readonly until: number }

/** Creates the temporary addresses of archives. They look random, but the seed determines them. */
export function createAddresses(seed: number) {
  const issued = new Map<string, Issued>()
  const digest = (part: string) => createHash('sha256').update(`${seed} address ${issued.size} ${part}`)
  return {
    /** Issues an address of a report's archive, as a path on the download server. */
    issue: (report: SandboxReport, now: number): string => {
      const path = `/${digest('path').digest('hex').slice(0, 32)}/${report.fileName}`
      // The plus sign detects clients that decode the address too often.
      const signature = `1+${digest('signature').digest('base64')}`
      issued.set(path, { report, signature, until: now + ADDRESS_LIVES })
      return `${path}?signature=${encodeURIComponent(signature)}`
    },
    /** Returns the report of an address. */
    resolve: (path: string, signature: string | null, now: number): SandboxReport | 'unknown' | 'expired' => {
      const found = issued.get(path)
      if (!found || found.signature !== signature) return 'unknown'
      return now < found.until ? found.report : 'expired'
    },
  }
}

type Downloads = {
  readonly state: SandboxState
  readonly addresses: ReturnType<typeof createAddresses>
  readonly archives: SandboxArchives
  /** Whether a report still exists. */
  readonly exists: (report: SandboxReport) => boolean
}

/**
 * Starts the download server: another origin than the service, plain GET, with ranges unless the behaviour forbids
 * them. Requests with credentials get a 400, so that a leaked token is noticed. Expired addresses get a 403.
 * @returns the address without a trailing slash, and a function that closes the server
 */
export async function startDownloadServer(downloads: Downloads) {
  const { state } = downloads
  const server = createServer((request, response) => {
    const fault = state.faults.take('download')
    void replyTo(request, downloads)
      .catch((error: unknown) => words(500, String(error)))
      .then((reply) => {
        const { range, 'if-range': ifRange } = request.headers
        const parameters = { file: fileOf(request), range: range ?? null, if_range: ifRange ?? null }
        state.requests.add({ path: 'download', status: writtenStatus(reply, fault), parameters })
        return writeReply(response, reply, fault)
      })
  })
  const address = await listenOnLoopback(server, 0)
  return { address, close: () => closeServer(server) }
}

async function replyTo(request: IncomingMessage, downloads: Downloads): Promise<SandboxReply> {
  const { state, addresses, archives, exists } = downloads
  const url = urlOf(request)
  if (bringsCredentials(request, url)) return words(400, 'No credentials belong here')
  if (request.method !== 'GET') return words(405, 'Only GET is answered here', { allow: 'GET' })
  const report = addresses.resolve(url.pathname, url.searchParams.get('signature'), state.clock.now())
  if (report === 'expired') return words(403, 'This address has expired')
  if (report === 'unknown' || !exists(report)) return words(404, 'There is no such file')
  const behaviour = state.behaviour()
  const archive = await archives.get(report, behaviour.archiveVersion)
  return await archiveReply(request, report, archive, behaviour)
}

/** Zstandard is only a header: no client needs to decode it. */
const coders: Readonly<Record<Behaviour['downloadCoding'], (bytes: Buffer) => Promise<Buffer>>> = {
  identity: (bytes) => Promise.resolve(bytes),
  gzip: (bytes) => promisify(gzip)(bytes),
  deflate: (bytes) => promisify(deflate)(bytes),
  'raw-deflate': (bytes) => promisify(deflateRaw)(bytes),
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes) => Promise.resolve(bytes),
  'gzip, gzip': async (bytes) => await promisify(gzip)(await promisify(gzip)(bytes)),
}

async function archiveReply(
  request: IncomingMessage,
  report: SandboxReport,
  archive: Archive,
  { downloadRanges: ranges, downloadTags, downloadCoding, downloadChunks, emptyArchives }: Behaviour,
): Promise<SandboxReply> {
  const bytes = await coders[downloadCoding](emptyArchives ? Buffer.alloc(0) : archive.bytes)
  const tags = tagsOf(archive, downloadTags)
  const headers = {
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="${report.fileName}"`,
    ...tags,
    'accept-ranges': ranges ? 'bytes' : 'none',
    ...(downloadCoding !== 'identity' && { 'content-encoding': downloadCoding.replace('raw-', '') }),
    ...(downloadChunks && { 'transfer-encoding': 'chunked' }),
  }
  const ifRange = request.headers['if-range']
  // Only strong validators match (RFC 9110, 13.1.5).
  const same =
    ifRange === undefined || Object.values(tags).some((tag) => tag === ifRange && !tag.startsWith('W/'))
  const range = ranges && same ? readRange(request.headers.range, bytes.length) : 'whole'
  if (range === 'whole') return { status: 200, headers, body: bytes }
  if (range === 'unsatisfiable') {
    return words(416, 'No such range', { 'content-range': `bytes */${bytes.length}` })
  }
  const { start, end } = range
  const part = { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` }
  return { status: 206, headers: part, body: bytes.subarray(start, end + 1) }
}

/** A date only validates a range if it is long past (RFC 9110, 8.8.2.2). */
const LAST_MODIFIED = 'Wed, 01 Jan 2020 00:00:00 GMT'

function tagsOf({ etag }: Archive, tags: Behaviour['downloadTags']): Readonly<Record<string, string>> {
  switch (tags) {
    case 'strong':
      return { etag }
    case 'weak':
      return { etag: `W/${etag}` }
    case 'dates':
      return { 'last-modified': LAST_MODIFIED }
    case 'none':
      return {}
  }
}

function bringsCredentials({ headers }: IncomingMessage, url: URL): boolean {
  const named = [...Object.keys(headers), ...url.searchParams.keys()]
  const body = 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0
  return body || named.some((name) => /^(authorization|cookie)$|token/i.test(name))
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://sandbox')
}

function fileOf(request: IncomingMessage): string {
  return urlOf(request).pathname.split('/').at(-1) ?? ''
}

function words(status: number, text: string, headers: Readonly<Record<string, string>> = {}): SandboxReply {
  return { status, headers: { ...headers, 'content-type': 'text/plain' }, body: Buffer.from(`${text}\n`) }
}
