import { statfsSync, writeSync } from 'node:fs'
import * as v from 'valibot'
import { isHistoryPath } from '#main/analytics/history-layout.ts'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { diskRoom } from '#main/lib/disk-room.ts'

/** A backup is a ZIP: the state, the saved figures as they lie in the history folder, and a manifest that names both. */
export const stateName = 'state.sqlite'
export const manifestName = 'manifest.json'
const historyIn = 'history/'

/** The version of that layout. */
export const formatVersion = 1

/** More files than any history has: each takes a place on the disk, whatever is in it. */
export const maxFiles = 500_000

export const nameOf = (path: HistoryPath): string => historyIn + path

/** The file of the history that a name stands for; null where it stands for none. */
export function historyPathOf(name: string): HistoryPath | null {
  const path = name.slice(historyIn.length)
  return name.startsWith(historyIn) && isHistoryPath(path) ? path : null
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** What can be said of a manifest of any version. */
export const anyManifest = v.object({ kind: v.literal('traffic-desk-backup'), format: count })

const packedFile = v.strictObject({
  path: v.pipe(v.string(), v.maxLength(300)),
  bytes: count,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** When it was written, in milliseconds since 1970. */
  writtenAt: count,
})

export type PackedFile = v.InferOutput<typeof packedFile>

export const manifest = v.strictObject({
  ...anyManifest.entries,
  /** Which version of Traffic Desk made it: for who reads it. */
  app: v.pipe(v.string(), v.maxLength(100)),
  /** The version of the state's schema. */
  schema: count,
  /** Everything else in the ZIP. */
  files: v.pipe(v.array(packedFile), v.maxLength(maxFiles)),
})

export type Manifest = v.InferOutput<typeof manifest>

/** So much is read at a time, in bytes. */
export const portion = 1 << 20

/** Writes all of it, from this place of an open file on. @returns how many bytes that are. @throws as `fs` does */
export function writeAll(file: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
  return bytes.length
}

/** @throws an error as of a full disk, where what is left to other programs would have to be taken */
export async function checkRoom(folder: string, bytes: number): Promise<void> {
  // Where that cannot be told, the writing itself says what the disk refuses.
  const found = await diskRoom(folder, statfsSync).catch(() => null)
  if (found !== null && found.room < bytes) throw Object.assign(new Error('No room'), { code: 'ENOSPC' })
}
