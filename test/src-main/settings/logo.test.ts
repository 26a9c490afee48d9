import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readLogo } from '#main/settings/logo.ts'
import { logoLimits } from '#shared/exports/order.ts'
import { temporaryFolder } from '../database/helpers.ts'

/** The head of a PNG of so many pixels. */
function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(33)
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(head)
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

/** The head of a JPEG: a part without meaning here, then the size. */
function jpeg(width: number, height: number): Buffer {
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 1])
  head.writeUInt16BE(height, 13)
  head.writeUInt16BE(width, 15)
  return head
}

function logo(bytes: Buffer | string, name = 'logo.png'): Promise<string> {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, bytes)
  return readLogo(path)
}

it.each([
  ['image/png', png(200, 80)],
  ['image/jpeg', jpeg(200, 80)],
])('takes a picture by its first bytes, whatever it is called: %s', async (type, bytes) => {
  expect(await logo(bytes, 'logo.txt')).toBe(`data:${type};base64,${bytes.toString('base64')}`)
})

it.each([
  ['no picture at all', '<svg onload="alert(1)"/>', /neither a PNG nor a JPEG/],
  ['an empty file', '', /neither a PNG nor a JPEG/],
  ['a JPEG that ends before its size', jpeg(200, 80).subarray(0, 12), /neither/],
  ['more bytes than a logo has', Buffer.concat([png(9, 9), Buffer.alloc(logoLimits.bytes)]), /too large/],
  ['more pixels than memory holds', png(60_000, 60_000), /too many pixels/],
  ['no pixels', jpeg(0, 80), /too many pixels/],
])('refuses %s in words', async (_, bytes, words) => {
  await expect(logo(bytes)).rejects.toThrow(words)
})

it('says where a file cannot be read', async () => {
  await expect(readLogo(join(temporaryFolder(), 'gone.png'))).rejects.toThrow("Can't read")
})
