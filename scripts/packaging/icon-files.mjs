import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} folder with `<size>.png`
 * @param {number} size
 */
const png = (folder, size) => readFileSync(join(folder, `${size}.png`))

/**
 * An app's icon for Windows: a list of places, then the pictures.
 *
 * @param {string} folder
 */
export function icoOf(folder) {
  const sizes = [16, 32, 48, 64, 128, 256]
  const pictures = sizes.map((size) => png(folder, size))
  const head = Buffer.alloc(6 + 16 * sizes.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(sizes.length, 4)
  let at = head.length
  pictures.forEach((picture, index) => {
    const entry = 6 + 16 * index
    // 256 is written as 0: each side has one byte.
    head.writeUInt8((sizes[index] ?? 0) % 256, entry)
    head.writeUInt8((sizes[index] ?? 0) % 256, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(picture.length, entry + 8)
    head.writeUInt32LE(at, entry + 12)
    at += picture.length
  })
  return Buffer.concat([head, ...pictures])
}

/** Which picture macOS looks for under which name. @type {readonly (readonly [string, number])[]} */
const macNames = [
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
]

/**
 * An app's icon for macOS: named parts, each with its length.
 *
 * @param {string} folder
 */
export function icnsOf(folder) {
  const part = (/** @type {string} */ name, /** @type {Buffer} */ content) => {
    const head = Buffer.alloc(8)
    head.write(name, 'latin1')
    head.writeUInt32BE(content.length + 8, 4)
    return Buffer.concat([head, content])
  }
  return part('icns', Buffer.concat(macNames.map(([name, size]) => part(name, png(folder, size)))))
}
