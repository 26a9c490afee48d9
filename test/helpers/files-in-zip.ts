import { buffer } from 'node:stream/consumers'
import { openPromise } from 'yauzl'

/** Every file of a ZIP by its name, read by another library than the one that wrote it. */
export async function filesInZip(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await openPromise(path)
  const files = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  return files
}
