import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { InstanceId } from '#shared/values/ids.ts'
import { EncodedText, encodedText } from './contracts.ts'
import type { Behaviour, SandboxRequest } from './contracts.ts'
import type { SandboxReply } from './control/write-reply.ts'
import { sentUnencoded } from './events/catalogue.ts'
import { hash32, hashText } from './events/random.ts'

const compressors = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
} as const

/** Minimum size in bytes. Compressing less costs more than it saves. */
const WORTH_COMPRESSING = 1024

/** Returns the best compression that the client accepts, if any. */
export function acceptedCompression(accepts: string | undefined): keyof typeof compressors | undefined {
  const taken = new Set(
    (accepts ?? '')
      .toLowerCase()
      .split(',')
      .filter((value) => !/;\s*q=0(\.0*)?\s*$/.test(value))
      .map((value) => value.split(';')[0]?.trim()),
  )
  return (['br', 'gzip'] as const).find((item) => taken.has(item))
}

/** Serialises data to JSON, with each `EncodedText` passed through `encode`. */
export function writeJson(data: unknown, encode: (text: string) => string): string {
  return JSON.stringify(data, (_, value: unknown) =>
    value instanceof EncodedText ? encode(value.text) : value,
  )
}

/** Returns a reply with a body, compressed if the client accepts that. */
export async function bodyReply(
  status: number,
  contentType: string,
  text: string,
  accepts: string | undefined,
): Promise<SandboxReply> {
  const body = Buffer.from(text)
  const headers = { 'content-type': contentType, vary: 'accept-encoding' }
  const compression = body.length < WORTH_COMPRESSING ? undefined : acceptedCompression(accepts)
  if (compression === undefined) return { status, headers, body }
  return {
    status,
    headers: { ...headers, 'content-encoding': compression },
    body: await compressors[compression](body),
  }
}

const asHtml = (text: string) =>
  text.replace(/[&<>]/g, (value) => (value === '&' ? '&amp;' : value === '<' ? '&lt;' : '&gt;'))

/** Returns an error body in one of the observed forms (field notes: answers and failures). */
export function errorBody(
  form: Behaviour['errorBodies'],
  status: number,
  words: string,
): { readonly contentType: string; readonly text: string } {
  const json = (data: unknown) => ({ contentType: 'application/json', text: JSON.stringify(data) })
  switch (form) {
    case 'error-text':
      return json({ error: words })
    case 'error-object':
      return json({ error: { code: status, message: words } })
    case 'message':
      return json({ message: words })
    case 'html':
      return {
        contentType: 'text/html; charset=utf-8',
        text: `<!doctype html><title>${status}</title><h1>${status}</h1><p>${asHtml(words)}</p>`,
      }
    case 'empty':
      return { contentType: 'text/plain', text: '' }
  }
}

/**
 * Returns the URL encoder of a behaviour (specification: conventions for values; field notes: values). A literal plus
 * is always `%2B`. Some labels are sent unencoded although they are invalid encodings, as observed.
 * @param salt determines the mixture of `+` and `%20`, so that a request always has the same answer
 */
export function textEncoder(spaces: Behaviour['spaces'], salt: number): (text: string) => string {
  let written = 0
  const space = () => {
    if (spaces === 'mixed') return hash32(written++, salt) % 2 === 0 ? '+' : '%20'
    return spaces === 'plus' ? '+' : '%20'
  }
  return (text) => {
    if (sentUnencoded.has(text)) return text
    // An echo may contain a lone surrogate, which has no encoding.
    const whole = text.replace(/\p{Surrogate}/gu, '\ufffd')
    return encodeURIComponent(whole).replaceAll('%20', space)
  }
}

type Members = Readonly<Record<string, unknown>>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists with odd entries, besides the rows of `table`. */
const lists = ['instances', 'sources', 'campaigns'] as const

/** Makes an entry odd (`Behaviour.oddEntries`). */
function oddEntry(entry: unknown, odd: Exclude<Behaviour['oddEntries'], 'none'>): unknown {
  if (odd === 'null' || !(Array.isArray(entry) || isMembers(entry))) return null
  const replaced = odd === 'without-id' ? null : { odd: true }
  if (Array.isArray(entry)) return entry.with(odd === 'without-id' ? 0 : 1, replaced)
  return { ...entry, [odd === 'without-id' ? 'id' : 'name']: replaced }
}

/** Makes every third row of the table and entry of a list odd. */
function withOddEntries(data: Members, odd: Behaviour['oddEntries']): Members {
  if (odd === 'none') return data
  const changed = (entries: unknown) =>
    Array.isArray(entries)
      ? entries.map((entry: unknown, place) => (place % 3 === 2 ? oddEntry(entry, odd) : entry))
      : entries
  const { table } = data
  return {
    ...data,
    ...Object.fromEntries(lists.filter((name) => name in data).map((name) => [name, changed(data[name])])),
    ...(isMembers(table) && { table: { ...table, rows: changed(table['rows']) } }),
  }
}

/** Adds behaviour that all endpoints share: an echoed token, unspecified members, and odd entries. */
export function finished(answer: unknown, token: string, { behaviour, path }: SandboxRequest): unknown {
  if (!isMembers(answer)) return answer
  const data = withOddEntries(answer, behaviour.oddEntries)
  const echoed = behaviour.echoesToken ? { token } : {}
  const unknown = behaviour.unknownMembers
    ? { served_by: encodedText(`Sandbox 1 + ${path}`), revision: 3 }
    : {}
  const query = isMembers(data['query']) ? { query: { ...data['query'], ...echoed, ...unknown } } : {}
  return { ...data, ...query, ...unknown }
}

/** Returns a hash of a request's path and parameters. */
export const fingerprint = (request: Pick<SandboxRequest, 'path' | 'parameters'>): number =>
  hashText(`${request.path} ${JSON.stringify(request.parameters)}`)

/** Returns an instance's id as a number or string. `mixed` varies by request. */
export function wireId(id: InstanceId, request: SandboxRequest): number | string {
  switch (request.behaviour.instanceIds) {
    case 'number':
      return Number(id)
    case 'text':
      return id
    case 'mixed':
      return fingerprint(request) % 2 === 0 ? Number(id) : id
  }
}
