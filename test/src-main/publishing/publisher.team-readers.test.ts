import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TableQuery } from '#shared/reports/query.ts'
import { subjectOf } from '#shared/reports/query.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { engineForAll } from '../reports/engine/engine-thread.ts'
import { browsers, oneDay, dataScope, query, TeamShare } from './team-share.ts'

const days = 16
const filtered = query({ instance: '7' as InstanceId })
let made: ReturnType<typeof engineForAll>
beforeAll(() => (made = engineForAll()))
afterAll(() => made.end())

/** Days of two subjects over two months, some compacted, one restated, as they are published. */
async function published(): Promise<TeamShare> {
  const desk = new TeamShare(made.engine, made.history)
  const random = randomFrom(20261122)
  const names = ['Firefox', 'Chrome', 'Safari', 'Ünïcode “x”', "Quote'd", '']
  for (const of of [query(), filtered])
    for (let number = 0; number < days; number += 1)
      await desk.keep(
        { ...of, range: oneDay(number) },
        browsers(
          Math.floor(random() * 1e6),
          names.filter(() => random() < 0.7),
        ),
      )
  await desk.compact(query(), '2026-10')
  await desk.keep(query({ range: oneDay(2) }), browsers(77), 9_000)
  await desk.storeTotals(0, 5)
  await desk.history.rewriteReplaced(dataScope)
  await desk.publish()
  return desk
}

/** What the app itself answers over all the days: by label, each count by its header. */
async function ownAnswer(desk: TeamShare, of: TableQuery) {
  const asked = { ...of, range: { start: oneDay(0).start, end: oneDay(days - 1).start }, limit: 300 }
  const tables = await desk.history.list({ dataScope, subject: subjectOf(of) })
  const computed = await desk.engine.call('table', { tables, query: asked, bases: null })
  if (computed.kind !== 'computed') throw new Error('Not computed')
  const { headers, rows } = computed.figures.table
  return rows
    .map(({ label, cells }) => ({
      label: label.kind === 'text' ? label.text : '',
      ...Object.fromEntries(cells.map((cell, place) => [headers[place + 1], cell])),
    }))
    .sort((one, other) => (one.label < other.label ? -1 : 1))
}

/** A statement in DuckDB, run where it knows nothing of the app. */
async function inDuckDb(...statements: readonly string[]) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    for (const statement of statements.slice(0, -1)) await connection.run(statement)
    return (await connection.runAndReadAll(statements.at(-1) ?? '')).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const counts = headersOf('script', 'browsers').slice(1)
const nameOf = (header: string) => header.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')
const sums = counts.map((header) => `sum(${nameOf(header)})::DOUBLE AS "${header}"`).join(', ')

it('DuckDB sums the published files to what the app itself answers', async () => {
  const desk = await published()
  const files = join(desk.share, 'traffic-desk-history', '**', '*.parquet')
  for (const [report, of] of [
    ['script-browsers', query()],
    ['script-browsers.instance-7', filtered],
  ] as const) {
    const rows = await inDuckDb(
      `SELECT label, ${sums} FROM read_parquet('${files}', hive_partitioning = true, union_by_name = true)
       WHERE account = 'Kestrel-Media' AND report = '${report}' AND kind <> 'all' GROUP BY label ORDER BY encode(label)`,
    )
    const own = await ownAnswer(desk, of)
    expect(rows.length).toBeGreaterThan(3)
    expect(rows.toSorted((one, other) => (String(one['label']) < String(other['label']) ? -1 : 1))).toEqual(
      own,
    )
  }
})

it('DuckDB reads one report by its folder, and its days by month', async () => {
  const desk = await published()
  const files = join(desk.place, 'report=script-browsers', '**', '*.parquet')
  const rows = await inDuckDb(
    `SELECT month, count(DISTINCT day)::INTEGER AS days, max(days)::INTEGER AS longest
     FROM read_parquet('${files}', hive_partitioning = true) GROUP BY month ORDER BY month`,
  )
  expect(rows).toEqual([
    { month: '2026-10', days: 7, longest: 1 },
    { month: '2026-11', days: 9, longest: 1 },
  ])
})

it('DuckDB reads exactly the files that the manifest names', async () => {
  const desk = await published()
  const rows = await inDuckDb(
    `SET VARIABLE published = (
       SELECT list('${desk.place}/' || file.path)
       FROM (SELECT unnest(files) AS file FROM read_json('${join(desk.place, 'manifest.json')}'))
       WHERE file.report = 'script-browsers')`,
    `SELECT label, ${sums} FROM read_parquet(getvariable('published'), union_by_name = true)
     WHERE kind <> 'all' GROUP BY label`,
  )
  expect(rows.toSorted((one, other) => (String(one['label']) < String(other['label']) ? -1 : 1))).toEqual(
    await ownAnswer(desk, query()),
  )
})

it('DuckDB runs the statements of the documentation', async () => {
  const desk = await published()
  const text = readFileSync(new URL('../../../docs/team-history.md', import.meta.url), 'utf8')
  const chapter = text.slice(text.indexOf('## DuckDB'), text.indexOf('## Spark'))
  const blocks = [...chapter.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) =>
    sql.replaceAll('/mnt/team', desk.share).split(/;\n/).slice(0, -1),
  )
  expect(blocks).toHaveLength(2)
  const own = (await ownAnswer(desk, query())).map(({ label, ...cells }) => [
    label,
    String(cells['Requests']),
    String(cells['Bad']),
  ])
  for (const statements of blocks) {
    const rows = await inDuckDb(...statements)
    expect(rows.map(({ label, requests, bad }) => [label, requests, bad]).sort()).toEqual(own.sort())
  }
})

it('an engine that is not DuckDB reads a file, with the columns that the manifest says', async () => {
  const desk = await published()
  const { files, schemas } = desk.manifest()
  for (const { path, rows, schema, firstDay, lastDay } of files) {
    const file = await asyncBufferFromFile(join(desk.place, path))
    const read = await parquetReadObjects({ file, compressors })
    expect(read).toHaveLength(rows)
    expect(Object.keys(read[0] ?? {})).toEqual(schemas[schema]?.map(({ name }) => name))
    const days = read.map(({ day }) => day.toISOString().slice(0, 10)).sort()
    expect([days[0], days.at(-1)]).toEqual([firstDay, lastDay])
  }
  const overview = files.find(({ report }) => report === 'direct-overview')
  const file = await asyncBufferFromFile(join(desk.place, overview?.path ?? ''))
  expect(await parquetReadObjects({ file, compressors })).toEqual([
    { day: new Date('2026-10-25'), days: 1, suspect: 5n, nonsuspect: 10n, mobile: null },
  ])
})
