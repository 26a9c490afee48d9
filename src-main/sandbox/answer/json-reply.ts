import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { EncodedText } from '../contracts/handler.ts'
import type { Reply } from '../control/write-reply.ts'

const compressors = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
} as const

/** Below this, compression costs more than it saves. */
const WORTH_COMPRESSING = 1024

/** The compression to use for a client, if any: the better one of those it takes. */
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

/** Writes data as JSON, every `EncodedText` in it through `encode`. */
export function writeJson(data: unknown, encode: (text: string) => string): string {
  return JSON.stringify(data, (_, value: unknown) =>
    value instanceof EncodedText ? encode(value.text) : value,
  )
}

/** A reply with a body, compressed where the client takes it. */
export async function bodyReply(
  status: number,
  contentType: string,
  text: string,
  accepts: string | undefined,
): Promise<Reply> {
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
