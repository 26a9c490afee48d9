import { OutOfMemory } from '#main/analytics/engine-database.ts'
import { onDisk } from '#main/analytics/engine-server.ts'
import type { Engines } from '#main/analytics/engine-server.ts'
import { historyFiles } from '#main/analytics/history-layout.ts'
import type { EngineCalls } from './table-calls.ts'
import { differencesBetween, moversFrom } from './comparisons.ts'
import { explanationFrom } from './explanations.ts'
import { rowByDayFrom } from './row-by-day.ts'
import { parquetFrom } from './parquet-file.ts'
import { namesIn, narrowedFrom, rowsFor, tableFrom } from './table-answers.ts'
import { hasDistinctLabels, isLarge } from './sums.ts'
import type { LocatedTable } from './sums.ts'
import { VerifiedTables } from './verified-tables.ts'
import { Writing } from './table-writing.ts'
import { judgeRows } from './watched-rows.ts'

/** Implements the engine's calls: queries, and writing with a separate DuckDB instance. */
export function figuresOperations(engines: Engines): EngineCalls {
  void engines.open('figures').catch(() => undefined)
  const files = historyFiles(engines.folders.history)
  const useFor = (read: readonly LocatedTable[]) => (isLarge(read) ? 'large' : 'figures')
  const verified = new VerifiedTables(files, (read) => engines.open(useFor(read)))
  const sorting = new VerifiedTables(files, (read) =>
    engines.open(isLarge(read) && hasDistinctLabels(read) ? 'sorting' : useFor(read)),
  )
  let opening: Promise<Writing> | undefined
  const writing = () =>
    (opening ??= engines.open('writing').then((database) => Writing.with(database, files)))
  const saved = <T>(work: (writing: Writing) => Promise<T>) => onDisk(writing().then(work), 'figures')
  return {
    table: (params, signal) => verified.ranked(params, signal, tableFrom),
    narrowed: (params, signal) => verified.ranked(params, signal, narrowedFrom),
    rowsOf: ({ tables, query, labels, bases = null }, signal) =>
      verified.compute([tables], signal, (database, [read = []]) =>
        rowsFor(database, read, { query, labels, bases }),
      ),
    rowByDay: ({ tables, key }, signal) =>
      verified.compute([tables], signal, (database, [read = []]) => rowByDayFrom(database, read, key)),
    snapshot: (params, signal) =>
      sorting.snapshot(params, signal).catch((error: unknown) => {
        if (!(error instanceof OutOfMemory)) throw error
        return verified.snapshot(params, signal)
      }),
    parquet: async (params, signal) =>
      onDisk(parquetFrom((await engines.open('large')).until(signal), params), 'figures'),
    movers: ({ tables, before, ...about }, signal) =>
      verified.compute([tables, before], signal, (database, [now = [], then = []]) =>
        moversFrom(database, now, then, about),
      ),
    explain: ({ tables, before, ...about }, signal) =>
      verified.compute([tables, before], signal, (database, [now = [], then = []]) =>
        explanationFrom(database, now, then, about),
      ),
    judge: ({ tables, ...about }, signal) =>
      verified.compute([tables], signal, (database, [read = []]) => judgeRows(database, read, about, signal)),
    names: ({ tables, max }, signal) =>
      verified.compute(
        tables.map((table) => [table]),
        signal,
        (database, read) => namesIn(database, read.flat(), max),
      ),
    differences: ({ before, after, max }, signal) =>
      verified.compute([[before], [after]], signal, (database, read) => {
        const [then, now] = read.flat()
        return differencesBetween(database, then, now, max)
      }),
    stage: (page) => saved((writer) => writer.stage(page)),
    write: (table) => saved((writer) => writer.write(table)),
    discard: async (staging) => (await writing()).discard(staging),
    join: (request) => saved((writer) => writer.join(request)),
    isSorted: async (path) => (await writing()).isSorted(path).catch(() => true),
    inspect: async (path) => (await writing()).inspect(path),
    entries: async (path) => (await writing()).entries(path).catch(() => null),
    look: (some) => some.map((file) => files.look(file)),
  }
}
