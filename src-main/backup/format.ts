import { statfsSync, writeSync } from 'node:fs'
import * as v from 'valibot'
import { isHistoryPath } from '#main/analytics/history-layout.ts'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { diskRoom } from '#main/lib/disk-room.ts'

/** A backup is a ZIP of the state, the stored figures as in the history folder, and a manifest of both. */
export const stateName = 'state.sqlite'
export const manifestName = 'manifest.json'
const historyIn = 'history/'

/** Version of the layout. */
export const formatVersion = 1

/** Maximum number of files, more than any history has. Each takes disk space, even if it is empty. */
export const maxFiles = 500_000

export const nameOf = (path: HistoryPath): string => historyIn + path

/** Returns the history path of a name in the ZIP; null for other names. */
export function historyPathOf(name: string): HistoryPath | null {
  const path = name.slice(historyIn.length)
  return name.startsWith(historyIn) && isHistoryPath(path) ? path : null
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** Fields of a manifest of any version. */
export const anyManifest = v.object({ kind: v.literal('traffic-desk-backup'), format: count })

const packedFile = v.strictObject({
  path: v.pipe(v.string(), v.maxLength(300)),
  bytes: count,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** Modification time in ms since 1970. */
  writtenAt: count,
})

export type PackedFile = v.InferOutput<typeof packedFile>

export const manifest = v.strictObject({
  ...anyManifest.entries,
  /** Version of Traffic Desk, for information. */
  app: v.pipe(v.string(), v.maxLength(100)),
  /** Version of the state's schema. */
  schema: count,
  /** All other files in the ZIP. */
  files: v.pipe(v.array(packedFile), v.maxLength(maxFiles)),
})

export type Manifest = v.InferOutput<typeof manifest>

/** Bytes read at a time. */
export const portion = 1 << 20

/** Writes all bytes at a position of an open file. @returns the number of bytes @throws errors of `fs` */
export function writeAll(file: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
  return bytes.length
}

/** @throws an error with the code of a full disk, if too little would be left for other programs */
export async function checkRoom(folder: string, bytes: number): Promise<void> {
  // If the free space is unknown, the write itself fails.
  const found = await diskRoom(folder, statfsSync).catch(() => null)
  if (found !== null && found.room < bytes) throw Object.assign(new Error('No room'), { code: 'ENOSPC' })
}
