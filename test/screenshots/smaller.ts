import { deflateSync } from 'node:zlib'
import { paletteOf } from './palette.ts'
import { chunkOf, pixelsOf } from './png.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** The kind of PNG whose pixels are places in a palette, a byte each. */
const PALETTE = 3

/**
 * A picture as small as it can be while it looks the same: of the few thousand shades that the edges of letters have, the
 * 256 that are needed most, and each other one as the nearest of them. Areas keep their colours exactly.
 */
export function smaller(picture: Buffer): Buffer {
  const { width, height, colours } = pixelsOf(picture)
  const { palette, places } = paletteOf(colours)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = PALETTE
  const shades = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  // A line begins with how it was filtered, here not at all: places of a palette are no amounts.
  const lines = Buffer.alloc(height * (width + 1))
  for (let line = 0; line < height; line += 1) {
    lines.set(places.subarray(line * width, (line + 1) * width), line * (width + 1) + 1)
  }
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    chunkOf('PLTE', shades),
    chunkOf('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunkOf('IEND', Buffer.alloc(0)),
  ])
}
