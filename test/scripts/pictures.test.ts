import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { paletteOf } from '../screenshots/palette.ts'
import { chunkOf, pixelsOf } from '../screenshots/png.ts'
import { smaller } from '../screenshots/smaller.ts'

const WIDTH = 40
const HEIGHT = 30
const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** As a browser may write it: each line as the difference to the one above, but for the first. */
function picture(colours: Uint32Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH)
  header.writeUInt32BE(HEIGHT, 4)
  header.set([8, 2], 8)
  const channel = (pixel: number, at: number) => ((colours[pixel] ?? 0) >> (16 - 8 * at)) & 255
  const lines = Array.from({ length: HEIGHT }, (_, line) => [
    line === 0 ? 0 : 2,
    ...Array.from({ length: WIDTH * 3 }, (__, column) => {
      const [pixel, at] = [line * WIDTH + Math.floor(column / 3), column % 3]
      return (channel(pixel, at) - (line === 0 ? 0 : channel(pixel - WIDTH, at))) & 255
    }),
  ])
  return Buffer.concat([
    signature,
    chunkOf('IHDR', header),
    chunkOf('IDAT', deflateSync(Buffer.from(lines.flat()))),
    chunkOf('IEND', Buffer.alloc(0)),
  ])
}

/** So many colours, each once and then again. */
const colourful = (count: number) =>
  Uint32Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => ((pixel % count) * 7919) & 0xffffff)

const shades = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255]

describe('a picture of the documentation', () => {
  it('is read as it was written', () => {
    const colours = colourful(1000)
    expect(pixelsOf(picture(colours))).toEqual({ width: WIDTH, height: HEIGHT, colours })
  })

  it('keeps every colour where there are no more than a palette has', () => {
    const colours = colourful(256)
    const { palette, places } = paletteOf(colours)
    expect(Array.from(places, (place) => palette[place])).toEqual(Array.from(colours))
  })

  it('has the nearest of 256 colours where there are more', () => {
    const colours = Uint32Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => (pixel % 800) * 0x000101)
    const { palette, places } = paletteOf(colours)
    expect(palette.length).toBeLessThanOrEqual(256)
    const farthest = Array.from(places, (place, pixel) => {
      const [was, is] = [shades(colours[pixel] ?? 0), shades(palette[place] ?? 0)]
      return Math.max(...was.map((shade, at) => Math.abs(shade - (is[at] ?? 0))))
    })
    expect(Math.max(...farthest)).toBeLessThanOrEqual(4)
  })

  it('is written with its palette and a place for each pixel', () => {
    const colours = colourful(200)
    const written = smaller(picture(colours))
    const chunks = new Map<string, Buffer>()
    for (let at = signature.length; at < written.length;) {
      const length = written.readUInt32BE(at)
      chunks.set(written.toString('latin1', at + 4, at + 8), written.subarray(at + 8, at + 8 + length))
      at += length + 12
    }
    const lines = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))
    const shown = Uint32Array.from(
      colours,
      (_, pixel) =>
        chunks
          .get('PLTE')
          ?.readUIntBE(3 * (lines[Math.floor(pixel / WIDTH) * (WIDTH + 1) + 1 + (pixel % WIDTH)] ?? 0), 3) ??
        0,
    )
    expect(chunks.get('IHDR')?.[9]).toBe(3)
    expect(shown).toEqual(colours)
  })
})
