import { crc32, inflateSync } from 'node:zlib'

const SIGNATURE = 8
/** How many bytes a pixel has by the kind of picture: those that a browser makes. */
const bytesOfPixel: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

/** A picture's pixels, line by line, each a number: red, green, blue. */
export type Pixels = { readonly width: number; readonly height: number; readonly colours: Uint32Array }

/** Reads a picture as a browser writes it: eight bits a channel, not interlaced. What is transparent is not told. */
export function pixelsOf(picture: Buffer): Pixels {
  const data: Buffer[] = []
  let [width, height, size] = [0, 0, 0]
  for (let at = SIGNATURE; at < picture.length;) {
    const length = picture.readUInt32BE(at)
    const content = picture.subarray(at + 8, at + 8 + length)
    const kind = picture.toString('latin1', at + 4, at + 8)
    if (kind === 'IHDR') {
      ;[width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)]
      size = bytesOfPixel[content[9] ?? 0] ?? 0
      if (content[8] !== 8 || size === 0 || content[12] !== 0) throw new Error('No picture of a browser')
    }
    if (kind === 'IDAT') data.push(content)
    at += length + 12
  }
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * size, size)
  const colours = new Uint32Array(width * height)
  for (let pixel = 0; pixel < colours.length; pixel += 1) colours[pixel] = bytes.readUIntBE(pixel * size, 3)
  return { width, height, colours }
}

/** The bytes of the lines themselves: each was written as a difference to its neighbours. */
function unfiltered(filtered: Buffer, line: number, size: number): Buffer {
  const height = filtered.length / (line + 1)
  const bytes = Buffer.alloc(height * line)
  for (let row = 0; row < height; row += 1) {
    const filter = filtered[row * (line + 1)] ?? 0
    for (let column = 0; column < line; column += 1) {
      const at = row * line + column
      const left = column < size ? 0 : (bytes[at - size] ?? 0)
      const above = row === 0 ? 0 : (bytes[at - line] ?? 0)
      const corner = column < size || row === 0 ? 0 : (bytes[at - line - size] ?? 0)
      const written = filtered[row * (line + 1) + 1 + column] ?? 0
      bytes[at] = written + foretold(filter, left, above, corner)
    }
  }
  return bytes
}

function foretold(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0
    case 1:
      return left
    case 2:
      return above
    case 3:
      return (left + above) >> 1
    default: {
      const guess = left + above - corner
      const toLeft = Math.abs(guess - left)
      const toAbove = Math.abs(guess - above)
      const toCorner = Math.abs(guess - corner)
      if (toLeft <= toAbove && toLeft <= toCorner) return left
      return toAbove <= toCorner ? above : corner
    }
  }
}

/** A part of a picture's file, with its length before and its check behind it. */
export function chunkOf(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
