import { rmSync } from 'node:fs'
import { DeskFailure } from '#shared/api/failure.ts'
import { onDisk } from '#main/analytics/engine-server.ts'
import type { Engines } from '#main/analytics/engine-server.ts'
import { rowsFiles } from '#main/analytics/rows-layout.ts'
import { BrokenArchive, HostileArchive } from '#main/raw/downloads/trouble.ts'
import type { EngineEvent } from '#main/analytics/engine-client.ts'
import type { RowsCalls } from './rows-engine.ts'
import { clustersFrom } from './clusters.ts'
import { daysFrom, groupsFrom, histogramFrom } from './groups.ts'
import { pageFrom, Remembered, writeRows } from './rows-pages.ts'
import { readArchive } from './read-in.ts'
import { facetsFrom, searchFrom, unreadableFrom } from './searching.ts'
import { VerifiedRows } from './verified-rows.ts'

const diskWords = {
  full: 'The disk is full. Free some space and try again.',
  gone: 'The file is no longer there: it was moved, renamed or removed.',
  refused: 'The file cannot be read, or the profile folder cannot be written to. Check who may do that.',
}

/** How often is told how far an import is, in milliseconds. */
const progressIntervalMs = 200

/** What the process of rows does. */
export function rowsOperations(engines: Engines, emit: (event: EngineEvent) => void): RowsCalls {
  const files = rowsFiles(engines.folders.history)
  const counts = new Remembered<number>()
  const results = new Remembered<readonly string[]>()
  const verified = new VerifiedRows(files, engines)
  return {
    readIn: (request, signal) => {
      let emittedAt = 0
      const progress = (done: number, total: number | null) => {
        const now = Date.now()
        if (now - emittedAt < progressIntervalMs && done > 0) return
        emittedAt = now
        emit({ kind: 'rows/import-progress', reading: request.reading, done, total: total })
      }
      const work = readArchive(request, { files, folders: engines.folders, progress, signal })
      return onDisk(work.catch(refuseArchive), diskWords)
    },
    inspect: (entryPath) => verified.inspect(entryPath),
    remove: (paths) => {
      for (const path of paths) rmSync(files.placeOf(path), { force: true })
      return null
    },
    page: (params, signal) =>
      verified.answer(params.files, signal, (reading) => pageFrom(params, reading, counts)),
    facets: (params, signal) =>
      verified.answer(params.files, signal, (reading) => facetsFrom(params, reading)),
    histogram: (params, signal) =>
      verified.answer(params.files, signal, (reading) => histogramFrom(params, reading)),
    groups: (params, signal) =>
      verified.answer(params.files, signal, (reading) => groupsFrom(params, reading, results)),
    clusters: (params, signal) =>
      verified.answer(params.files, signal, (reading) => clustersFrom(params, reading)),
    search: (params, signal) =>
      verified.answer([params.file], signal, (reading) => searchFrom(params, reading)),
    days: (params, signal) => verified.answer(params.files, signal, (reading) => daysFrom(params, reading)),
    unreadable: (params, signal) =>
      verified.answer(
        [params.file],
        signal,
        (reading) => unreadableFrom(params, files.placeOf(params.entryPath), reading),
        [params.entryPath],
      ),
    write: (params, signal) =>
      onDisk(
        verified.answer(params.files, signal, (reading) => writeRows(params, reading)),
        diskWords,
      ),
  }
}

/** Says in words what is wrong with an archive. */
function refuseArchive(error: unknown): never {
  if (!(error instanceof BrokenArchive || error instanceof HostileArchive)) throw error
  const message = `The archive cannot be read: ${error.message}.`
  throw new DeskFailure({ kind: 'invalid', message }, { cause: error })
}
