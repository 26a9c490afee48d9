import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import yazl from 'yazl'
import { csvPieces } from './csv.ts'
import type { SandboxReport } from './report.ts'

/** A report's archive: a ZIP with one CSV. */
export type Archive = { readonly bytes: Buffer; readonly etag: string }

/** Makes archives when they are first asked for, and again when they are asked for after others were. */
export type Archives = {
  readonly of: (report: SandboxReport, version: number) => Promise<Archive>
  readonly sizeOf: (report: SandboxReport, version: number) => Promise<number>
}

/** A few megabytes each, compressed: two are kept, so that a download in ranges is not made anew for each. */
const KEPT = 2

export function createArchives(): Archives {
  const stored = new Map<string, Promise<Archive>>()
  const sizes = new Map<string, number>()

  const of = (report: SandboxReport, version: number): Promise<Archive> => {
    const key = `${report.id} ${version}`
    const archive = stored.get(key) ?? makeArchive(report, version)
    stored.delete(key)
    stored.set(key, archive)
    for (const oldest of [...stored.keys()].slice(0, -KEPT)) stored.delete(oldest)
    return archive
  }
  const sizeOf = async (report: SandboxReport, version: number): Promise<number> => {
    const key = `${report.id} ${version}`
    const size = sizes.get(key) ?? (await of(report, version)).bytes.length
    sizes.set(key, size)
    return size
  }
  return { of, sizeOf }
}

async function makeArchive({ fileName, order, source }: SandboxReport, version: number): Promise<Archive> {
  const zip = new yazl.ZipFile()
  const [year, month, date] = order.range.end.split('-').map(Number)
  zip.addReadStream(
    Readable.from(csvPieces(order, source), { objectMode: false }),
    fileName.replace(/\.zip$/, '.csv'),
    // ZIP's own timestamps are in local time: a local date gives the same bytes in every zone.
    {
      mtime: new Date(year ?? 0, (month ?? 1) - 1, date),
      forceDosTimestamp: true,
      mode: 0o100644,
      // Another version of the same rows: other bytes throughout, packed another way.
      compressionLevel: version === 0 ? 6 : 1,
    },
  )
  const comment = version === 0 ? '' : `Version ${String(version).padStart(4, '0')}`
  zip.end({ comment, forceZip64Format: false })
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    zip.on('error', reject)
    buffer(zip.outputStream).then(resolve, reject)
  })
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` }
}
