import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FolderHangs, slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { deskFailure } from '#shared/api/failure.ts'
import { logoLimits } from '#shared/exports/order.ts'

type Size = { readonly width: number; readonly height: number }

const invalid = (message: string, cause?: unknown) =>
  deskFailure('invalid', message, { field: 'logo', cause })

/**
 * Reads a picture as a data URL. The type is detected from the content, not from the file name.
 * @throws DeskFailure if the picture is too large, is no PNG or JPEG, or cannot be read
 */
export async function readLogo(path: string): Promise<string> {
  const bytes = await slowFolderGuard
    .run(dirname(path), () => beginningOf(path))
    .catch((error: unknown) => {
      throw error instanceof FolderHangs ? invalid(error.message, error) : error
    })
  if (bytes.length > logoLimits.bytes)
    throw invalid('This picture is too large. A logo can have up to 500 kB.')
  const png = pngSize(bytes)
  const size = png ?? jpegSize(bytes)
  if (!size) throw invalid('This file is neither a PNG nor a JPEG.')
  // A tiny file can declare dimensions that exceed any memory.
  if (Math.max(size.width, size.height) > logoLimits.pixels || Math.min(size.width, size.height) < 1) {
    throw invalid('This picture has too many pixels. A logo can have up to 4,000 each way.')
  }
  return `data:image/${png ? 'png' : 'jpeg'};base64,${bytes.toString('base64')}`
}

/** Reads one byte more than a logo may have, to detect larger files. */
async function beginningOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path)
    try {
      const room = Buffer.alloc(logoLimits.bytes + 1)
      const { bytesRead } = await file.read(room, 0, room.length, 0)
      return room.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw invalid("Can't read this file.", error)
  }
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The first chunk of a PNG contains the dimensions. */
function pngSize(bytes: Buffer): Size | null {
  if (bytes.length < 24 || !bytes.subarray(0, PNG.length).equals(PNG)) return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** JPEG segments that contain the dimensions: SOF0 to SOF15, without three other markers in that range. */
const isSize = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpegSize(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let offset = 2
  while (offset + 9 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0
    if (isSize(marker))
      return { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) }
    offset += 2 + bytes.readUInt16BE(offset + 2)
  }
  return null
}
