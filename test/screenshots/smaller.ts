import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = 8

/** A picture with its lines packed as tightly as they can be: the browser packs them in a hurry. */
export function smaller(picture: Buffer): Buffer {
  const parts: Buffer[] = [picture.subarray(0, SIGNATURE)]
  const lines: Buffer[] = []
  for (let at = SIGNATURE; at < picture.length;) {
    const length = picture.readUInt32BE(at)
    const chunk = picture.subarray(at, at + length + 12)
    const kind = chunk.toString('latin1', 4, 8)
    if (kind === 'IDAT') lines.push(chunk.subarray(8, 8 + length))
    if (kind === 'IEND')
      parts.push(chunkOf('IDAT', deflateSync(inflateSync(Buffer.concat(lines)), { level: 9, memLevel: 9 })))
    if (kind !== 'IDAT') parts.push(chunk)
    at += chunk.length
  }
  return Buffer.concat(parts)
}

function chunkOf(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
