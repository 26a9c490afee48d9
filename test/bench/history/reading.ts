import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { ColumnSort, TableQuery } from '#shared/reports/query.ts'
import { subjectOf } from '#shared/reports/query.ts'
import { median, quantile } from '../measure/figures.ts'
import { spread } from '../measure/target.ts'
import type { Target } from '../measure/target.ts'
import { bareSql } from './bare.ts'
import type { Bare } from './bare.ts'
import { account, dataScope } from './figures-desk.ts'
import type { FiguresDesk } from './figures-desk.ts'
import { layDownLike, tableOf, year } from './laid-down.ts'
import { counts } from './made-days.ts'

const ROUNDS = 40
const WARM_UP = 3

/** Asks no question twice, so that nothing remembered answers it: each has another number of rows a page. */
type Asking = (round: number) => TableQuery

const page = (round: number) => 50 + round

export const firstPage =
  (source: string | null): Asking =>
  (round) => ({
    ...tableOf(source),
    limit: page(round),
    sort: [{ header: counts[round % counts.length] ?? '', direction: 'desc' }],
  })

const searches = ['news', 'shop', 'video', 'games', 'mail', 'forum', 'weather', 'sport']

export const searched: Asking = (round) => ({
  ...tableOf(null),
  limit: page(round),
  search: searches[round % searches.length] ?? '',
  sort: [0, 1, 2].map((nth): ColumnSort => ({
    header: counts[(round + 2 * nth) % counts.length] ?? '',
    direction: nth === 1 ? 'asc' : 'desc',
  })),
})

type Times = { readonly ours: number[]; readonly bare: number[] }

/** The same questions to the app and to DuckDB by itself, in turn. Each time the files have to be looked at anew. */
async function inTurn(desk: FiguresDesk, bare: Bare, asking: Asking, rounds = ROUNDS): Promise<Times> {
  const files = await filesOf(desk, asking(0))
  const times: Times = { ours: [], bare: [] }
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    const query = asking(round)
    for (const file of files) utimesSync(file, new Date(), new Date())
    const began = performance.now()
    const answer = await desk.reports.ask({ account: account.id, query, force: false })
    const ours = performance.now() - began
    const { took, rows, first } = await bare.ask(bareSql(files, query))
    checkAlike(answer, rows, first)
    if (round < WARM_UP) continue
    times.ours.push(ours)
    times.bare.push(took)
  }
  return times
}

/** Both have found the same, and the app has computed it. */
function checkAlike(answer: ReportAnswer, rows: number, first: string): void {
  if (answer.kind !== 'table' || answer.provenance.from !== 'computed') throw new Error('It was not computed')
  const found = answer.figures.table.rows
  const label = found[0]?.label.kind === 'text' ? found[0].label.text : ''
  if (found.length !== rows || label !== first) throw new Error(`${label} and ${first} are not the same row`)
}

async function filesOf(desk: FiguresDesk, query: TableQuery): Promise<string[]> {
  const tables = await desk.store.run('tables/list', { dataScope, subject: subjectOf(query) })
  return [...new Set(tables.map(({ file }) => join(desk.folder, file.path)))]
}

const told = (figures: readonly number[]) =>
  `${spread(figures, 'ms', median(figures))}, p95 ${quantile(figures, 0.95).toFixed(1)} ms`

/** A year of 5,000 rows a day: the first page of its sum, and one that is searched and sorted by three keys. */
export async function readingYear(desk: FiguresDesk, bare: Bare): Promise<readonly Target[]> {
  const first = await inTurn(desk, bare, firstPage(null))
  const found = await inTurn(desk, bare, searched)
  const max = (value: number, unit = ' ms') => ({ kind: 'most', value, unit }) as const
  const both = ({ ours, bare: yardstick }: Times) => ({
    measured: told(ours),
    against: `DuckDB ${told(yardstick)}`,
  })
  return [
    { what: '(a) First page, p95', ...both(first), figure: quantile(first.ours, 0.95), reach: max(100) },
    {
      ...{ what: '(a) First page, medians', ...both(first) },
      ...{ figure: median(first.ours) / median(first.bare), reach: max(1.5, '×') },
    },
    {
      ...{ what: '(a) Search and three keys, p95', ...both(found) },
      ...{ figure: quantile(found.ours, 0.95), reach: max(100) },
    },
  ]
}

/** The hosts of the year's whose rows make about so many, and how often each stands there. */
const sizes = {
  '10 k': { hosts: 110, copies: 1 },
  '100 k': { hosts: 1_096, copies: 1 },
  '1 M': { hosts: 10_960, copies: 1 },
  '10 M': { hosts: 18_270, copies: 6 },
} as const

/** The first page over a year of days with ever more rows. */
export async function readingMore(desk: FiguresDesk, bare: Bare): Promise<readonly Target[]> {
  const times = new Map<string, Times & { readonly rows: number }>()
  for (const [source, size] of Object.entries(sizes)) {
    const rows = await layDownLike(desk, { source, ...size })
    const rounds = source === '10 M' ? ROUNDS / 4 : ROUNDS / 2
    times.set(source, { rows, ...(await inTurn(desk, bare, firstPage(source), rounds)) })
  }
  const under = (source: keyof typeof sizes) => times.get(source) ?? { ours: [], bare: [], rows: 0 }
  const [min, middle, many, max] = [under('10 k'), under('100 k'), under('1 M'), under('10 M')]
  const line = ({ rows, ours, bare: yardstick }: typeof min) =>
    `${rows.toLocaleString('en')} rows ${told(ours)} (DuckDB ${median(yardstick).toFixed(1)} ms)`
  return [
    {
      what: '(b) First page, 1 M rows to 10 k',
      measured: line(many),
      against: `${line(min)}; ${line(middle)}`,
      figure: median(many.ours) / median(min.ours),
      reach: { kind: 'most', value: 2, unit: '×' },
    },
    {
      ...{ what: '(b) First page, 10 M rows, p95', measured: line(max), against: '' },
      figure: quantile(max.ours, 0.95),
      reach: { kind: 'most', value: 500, unit: ' ms' },
    },
  ]
}

/** What a kept row takes on disk: all that lies in the history folder. */
export function bytesPerRow(desk: FiguresDesk): readonly Target[] {
  const bytes = readdirSync(desk.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  const rows = year.days * year.rowsPerDay
  return [
    {
      what: '(c) On disk, a row',
      measured: `${(bytes / 2 ** 20).toFixed(1)} MiB`,
      against: `${rows.toLocaleString('en')} rows`,
      figure: bytes / rows,
      reach: { kind: 'most', value: 10, unit: ' bytes' },
    },
  ]
}
