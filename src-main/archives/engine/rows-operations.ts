import { rmSync } from 'node:fs'
import { deskFailure } from '#shared/api/failure.ts'
import { onDisk } from '#main/analytics/engine-server.ts'
import type { Engines } from '#main/analytics/engine-server.ts'
import { rowsFiles } from '#main/analytics/rows-layout.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'
import type { EngineEvent } from '#main/analytics/engine-client.ts'
import type { RowsCalls, RowsParams } from './rows-engine.ts'
import type { Reading } from './bound-query.ts'
import { clustersFrom } from './clusters.ts'
import { blockListFrom, daysFrom, groupsFrom, histogramFrom } from './groups.ts'
import { longCellsFrom, pageFrom, Remembered, writeRows } from './rows-pages.ts'
import { previewArchive, importArchive } from './importing.ts'
import { facetsFrom, searchFrom, unreadableFrom } from './searching.ts'
import { VerifiedRows } from './verified-rows.ts'

/** Minimum interval between progress events in milliseconds. */
const progressIntervalMs = 200

/** Returns the operations of the rows process. */
export function rowsOperations(engines: Engines, emit: (event: EngineEvent) => void): RowsCalls {
  const files = rowsFiles(engines.folders.history)
  const counts = new Remembered<number>()
  const results = new Remembered<readonly string[]>()
  const candidates: Parameters<typeof blockListFrom>[2] = new Remembered(1)
  const verified = new VerifiedRows(files, engines)
  const answers =
    <P extends Pick<RowsParams, 'files'>, A>(read: (params: P, reading: Reading) => Promise<A>) =>
    (params: P, signal: AbortSignal) =>
      verified.answer(params.files, signal, (reading) => read(params, reading))
  const progressOf = (reading = '') => {
    let emittedAt = 0
    return (done: number, total: number | null) => {
      const now = Date.now()
      if (now - emittedAt < progressIntervalMs && done > 0) return
      emittedAt = now
      emit({ kind: 'rows/import-progress', reading, done, total })
    }
  }
  return {
    importArchive: (request, signal) => {
      const progress = progressOf(request.reading)
      const work = importArchive(request, { files, folders: engines.folders, progress, signal })
      return onDisk(work.catch(refuseArchive), 'rows')
    },
    preview: (request, signal) =>
      onDisk(previewArchive(request, engines.folders, signal).catch(refuseArchive), 'rows'),
    inspect: (entryPath) => verified.inspect(entryPath),
    remove: (paths) => {
      for (const path of paths) rmSync(files.placeOf(path), { force: true })
      return null
    },
    page: answers((params, reading) => pageFrom(params, reading, counts)),
    facets: answers(facetsFrom),
    histogram: answers(histogramFrom),
    groups: answers((params, reading) => groupsFrom(params, reading, results)),
    clusters: answers(clustersFrom),
    blockList: (params, signal) =>
      verified.answer(params.files, signal, (reading) =>
        blockListFrom(params, reading, candidates, (percentage) => {
          const total = params.files.reduce((sum, { count }) => sum + count, 0)
          const done = Math.round((total * percentage) / 100)
          if (params.progress)
            emit({ kind: 'reports/progress', ...params.progress, done, total, unit: 'rows' })
        }),
      ),
    search: (params, signal) =>
      verified.answer([params.file], signal, (reading) => searchFrom(params, reading)),
    days: answers(daysFrom),
    unreadable: (params, signal) =>
      verified.answer(
        [params.file],
        signal,
        (reading) => unreadableFrom(params, files.placeOf(params.entryPath), reading),
        { beside: [params.entryPath] },
      ),
    longCells: answers((params, reading) => longCellsFrom(params, reading, counts)),
    write: (params, signal) =>
      onDisk(
        verified.answer(
          params.files,
          signal,
          (reading) => writeRows(params, reading, counts, progressOf(params.reading)),
          { use: 'savedRows' },
        ),
        'rows',
      ),
  }
}

/** Turns the error of a malformed archive into a failure with the reason. */
function refuseArchive(error: unknown): never {
  if (!(error instanceof BrokenArchive || error instanceof HostileArchive)) throw error
  const message = `Can't read the archive: ${error.message}.`
  throw deskFailure('invalid', message, { cause: error })
}
