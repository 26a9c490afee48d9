import { open } from 'node:fs/promises'

/** Looked at where a line might be long; only where no line ends within is more read. */
const glance = 4096

/**
 * Whether a file may have a line of so many bytes: surely true where it has one, surely false where none has half of them. Little of
 * the file is read.
 * @param ending the last byte of a line break
 * @throws what the disk refuses
 */
export async function mayHaveLongLine(path: string, length: number, ending: number): Promise<boolean> {
  const step = Math.floor(length / 2)
  const bytes = Buffer.alloc(step)
  const file = await open(path)
  try {
    const endsNone = async (at: number, max: number) => {
      const { bytesRead } = await file.read(bytes, 0, max, at)
      return bytesRead === max && !bytes.subarray(0, max).includes(ending)
    }
    const { size } = await file.stat()
    // A line of this length covers one of these pieces, wherever it begins.
    for (let at = 0; at + step <= size; at += step)
      if ((await endsNone(at, Math.min(glance, step))) && (await endsNone(at, step))) return true
    return false
  } finally {
    await file.close()
  }
}
