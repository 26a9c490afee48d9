import { openPromise } from 'yauzl'

/** The text of one part of a ZIP, read by another library than the one that wrote it. */
export async function partOf(path: string, name: string): Promise<string> {
  const zip = await openPromise(path)
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue
    const parts: Uint8Array[] = []
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Uint8Array)
    return Buffer.concat(parts).toString('utf8')
  }
  throw new Error(`No ${name}`)
}
