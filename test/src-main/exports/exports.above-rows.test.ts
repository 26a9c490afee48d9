import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import type { Reports } from '#main/reports/reports.ts'
import { aggregatesOf } from '#shared/reports/rows.ts'
import type { SearchedAll } from '#shared/reports/rows.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { exportsTo, fromPages, neverCompared, pageOf, query, temporaryFolder, textRow } from './helpers.ts'

const headers = ['Browser', 'Requests', 'Bad']
const rows = [textRow('Chrome', 30, 3), textRow('Chromium', 20, null)]
const all: TableRow = { label: { kind: 'all', name: null }, cells: [100, 7] }
const results = 17

/** The reports of a service of whose row for all is known what it is about under a search; `isOnePage`: its rows are all there are. */
const reportsWith = (trait: SearchedAll | null, isOnePage: boolean): Reports =>
  fromPages({
    ask: ({ query: asked }) => {
      if (asked.kind !== 'table') throw new TypeError('Tables only')
      const made = pageOf(asked, { headers, rows, all })
      const { table } = made.figures
      const whole = isOnePage ? rows.length : results
      const { all: everything, matching } = aggregatesOf(
        asked,
        { table, query: { results: whole, pages: 1, echo: {} } },
        trait,
      )
      const figures = { ...made.figures, table: { ...table, all: everything } }
      return Promise.resolve({ ...made, figures, ...(matching && { matching }) })
    },
    ...neverCompared,
  })

const cases = [
  { name: 'no search', search: null, trait: null, isOnePage: false, said: ['All'] },
  { name: 'all is everything', search: 'chrom', trait: 'everything', isOnePage: false, said: ['All'] },
  {
    name: 'all is what was found',
    search: 'chrom',
    trait: 'found',
    isOnePage: false,
    said: ['Found, 17 rows'],
  },
  { name: 'all is one of both', search: 'chrom', trait: null, isOnePage: false, said: ['Total as sent'] },
  {
    name: 'both are known',
    search: 'chrom',
    trait: 'everything',
    isOnePage: true,
    said: ['All', 'Found, 2 rows'],
  },
  {
    name: 'the rows add up to what was found',
    search: 'chrom',
    trait: null,
    isOnePage: true,
    said: ['Found, 2 rows'],
  },
] as const

// Pages and snapshots take turns.
const scopes = ['seen', 'all'] as const

it.each(cases.map((each, place) => ({ ...each, scope: scopes[place % 2] ?? 'seen' })))(
  'stands above the rows of JSON as above those of CSV: $name, $scope rows',
  async ({ search, trait, isOnePage, said, scope }) => {
    const written = async (format: 'csv' | 'json') => {
      const folder = temporaryFolder()
      const { run } = exportsTo(folder, { reports: reportsWith(trait, isOnePage) })
      const asked = { ...query, search }
      const state = await run({ kind: 'table', format, rows: scope, query: asked, columns: headers })
      if (state.kind !== 'done' || state.file === null) throw new Error(JSON.stringify(state))
      return readFileSync(join(folder, state.file), 'utf8').replace('\ufeff', '')
    }
    const { data } = Papa.parse<string[]>((await written('csv')).trimEnd())
    const inCsv = data.slice(1, data.length - rows.length)
    const read = JSON.parse(await written('json')) as Record<'all' | 'found', Record<string, unknown> | null>
    const inJson = [read.all, read.found].flatMap((row) =>
      row ? [headers.map((header) => String(row[header] ?? ''))] : [],
    )
    expect(inCsv.map(([label]) => label)).toEqual(said)
    expect(inJson).toEqual(inCsv)
    expect([read.all !== null, read.found !== null]).toEqual([said[0] === 'All', said.at(-1) !== 'All'])
  },
)
