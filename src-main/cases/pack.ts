import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'
import { scopedStem } from '#shared/cases/scope.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import { ownFolderIn } from '#main/lib/work-folder.ts'
import type { WrittenFile } from '#main/archives/engine/calls.ts'
import { writeCaseWorkbook } from './workbook-of-case.ts'
import type { CaseWorkbook } from './workbook-of-case.ts'

/** What a pack is made of: its workbook's, and the rest. */
export type Packing = CaseWorkbook & {
  /** The folder for what is soon gone again. */
  readonly work: string
  readonly print: () => Promise<Uint8Array>
  /** All rows as CSV, in a file that goes away. */
  readonly csv: () => Promise<WrittenFile> | null
}

/**
 * Writes the evidence of a case as a ZIP with one folder: pages, workbook, rows, and SHA-256 of each, as `sha256sum -c` reads them. Each
 * file names the case and its scope.
 * @returns how many rows are in it
 * @throws DeskFailure, also where the rows are others than those that the case was made of
 */
export async function writePack(path: string, packing: Packing): Promise<number> {
  const { about, signal } = packing
  const { entry, made } = about
  const folder = ownFolderIn(packing.work)
  let rows: WrittenFile | null = null
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    rows = await packing.csv()
    throwIfCancelled(signal)
    if (rows && rows.rows !== made.rows.rows) throw otherRows()
    const pdf = join(folder, 'case.pdf')
    await writeFile(pdf, await packing.print())
    throwIfCancelled(signal)
    const workbook = join(folder, 'case.xlsx')
    await writeFile(workbook, '')
    await writeCaseWorkbook(workbook, packing)
    throwIfCancelled(signal)
    const stem = scopedStem(`Case ${entry.name}`, entry.scope)
    await zipped(path, stem, new Date(made.madeAt), [
      { path: pdf, name: `${stem}.pdf` },
      { path: workbook, name: `${stem}.xlsx` },
      ...(rows ? [{ path: rows.path, name: `${stem} - Raw rows.csv` }] : []),
    ])
    return rows?.rows ?? 0
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    if (rows) await rm(rows.path, { force: true })
    await rm(folder, { recursive: true, force: true })
  }
}

type Packed = { readonly path: string; readonly name: string }

async function zipped(path: string, folder: string, mtime: Date, files: readonly Packed[]): Promise<void> {
  const zip = new yazl.ZipFile()
  const failing = new Promise<never>((_, reject) => zip.on('error', reject))
  const sums: string[] = []
  for (const { path: from, name } of files) {
    sums.push(`${await sha256Of(from)}  ${name}\n`)
    zip.addFile(from, `${folder}/${name}`, { mtime, mode: 0o100644 })
  }
  zip.addBuffer(Buffer.from(sums.join('')), `${folder}/SHA256SUMS`, { mtime, mode: 0o100644 })
  zip.end()
  const written = pipeline(zip.outputStream, createWriteStream(path, { flags: 'r+' }))
  await Promise.race([written, failing])
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const otherRows = () =>
  new DeskFailure({
    kind: 'invalid',
    message: 'The rows are others than when the case was updated. Update it, then save it.',
  })
