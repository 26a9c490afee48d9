import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { knownOf } from '#main/exports/facts.ts'
import { jsonFile } from '#main/exports/json-file.ts'
import { xlsxFile } from '#main/exports/xlsx-file.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import { marksOf } from '#shared/reports/figure-facts.ts'
import { day } from '#shared/values/day.ts'
import { knownExamples, soundFigures } from '#test/helpers/known-figures.ts'
import { withFile } from './files.ts'
import {
  asking,
  exportsTo,
  fromPages,
  headers,
  neverCompared,
  query,
  temporaryFolder,
  textRow,
} from './helpers.ts'

const rows = [textRow('Chrome', 1, 2, 3, 4, 5, 6, 7)]
const stem = 'Kestrel Media - Script by browser - 2026-11-13 to 2026-11-19'

async function saved(format: 'csv' | 'clipboard', provenance: Partial<Provenance>, asked = query) {
  const reports = asking({ headers, rows, provenance: { ...soundFigures, ...provenance } })
  const { run, copied } = exportsTo(temporaryFolder(), { reports })
  const state = await run({ kind: 'table', format, rows: 'seen', query: asked, columns: headers })
  if (state.kind !== 'done') throw new Error(JSON.stringify(state))
  return { file: state.file, copied: copied[0] ?? '' }
}

const jsonOf = (provenance: Partial<Provenance>) =>
  withFile(jsonFile, { rows, provenance: { ...soundFigures, ...provenance } }, async (path) => {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'))
    return found
  })

const aboutOf = (provenance: Partial<Provenance>) =>
  withFile(xlsxFile, { rows, provenance: { ...soundFigures, ...provenance } }, async (path) => {
    const about = (await readSheets(await readFile(path))).find(({ sheet }) => sheet === 'About')
    return new Map(about?.data.map(([name, value]) => [String(name), value]))
  })

describe.each(Object.entries(knownExamples))('%s is said', (key, { provenance, name, words, mark, json }) => {
  it('about a workbook', async () => {
    const about = await aboutOf(provenance)
    if (key === 'fetchedAt')
      // A spreadsheet's days are fractions.
      expect(Math.round(Number(about.get('Updated (UTC)')) / 1000)).toBe(
        Date.parse('2026-11-24T08:07:00Z') / 1000,
      )
    else expect(about.get(name)).toBe(words)
  })

  it('in JSON', async () => expect(await jsonOf(provenance)).toMatchObject(json))

  it('below what is copied, where a reader has to know it', async () => {
    const [, below] = (await saved('clipboard', provenance)).copied.split('\n\n')
    expect(below).toBe(mark === null ? undefined : `${name}\t${words}\n`)
  })

  it('in the name of a file, where a reader has to know it', () => {
    const { range } = query
    const figures = { title: '', range, zone: 'UTC', provenance: { ...soundFigures, ...provenance } }
    expect(marksOf(knownOf({ figures: [figures] }))).toEqual(mark === null ? [] : [mark])
  })
})

it('is said in the name of a CSV', async () => {
  const { missing, composed, doubt, restated, failure, notOver } = knownExamples
  const all = [missing, composed, doubt, restated, failure, notOver].map(({ provenance }) => provenance)
  const marks = 'partial, in progress, does not add up, restated, not refreshed'
  expect((await saved('csv', Object.assign({}, ...all))).file).toBe(`${stem} (${marks}).csv`)
  // Nothing that was typed takes its place.
  const long = { ...query, search: 'x'.repeat(500), source: 'y'.repeat(500) }
  expect((await saved('csv', missing.provenance, long)).file).toMatch(/^.{90,96} \(partial\)\.csv$/)
})

it('says that the scope of figures is in doubt under a name of its own', async () => {
  expect((await saved('csv', { doubt: 'scope' })).file).toBe(`${stem} (doubtful scope).csv`)
  const about = await aboutOf({ doubt: 'scope' })
  expect(about.get('Doubtful scope')).toMatch(/^figures may include or lack instances/)
  expect([...about.keys()]).not.toContain('Does not add up')
})

it('is not said of figures of which there is nothing to say', async () => {
  expect((await saved('csv', {})).file).toBe(`${stem}.csv`)
  expect((await saved('clipboard', {})).copied.split('\n')).toHaveLength(3)
  const about = await aboutOf({})
  for (const { name, mark } of Object.values(knownExamples))
    if (mark !== null) expect([...about.keys()]).not.toContain(name)
  expect(await jsonOf({})).toMatchObject({
    ...{ partial: false, missing: [], composed: null, notOver: [], canChange: [], doubt: null },
    ...{ restated: null, notRenewed: null, refreshing: false },
  })
})

it('says of several figures whose a fact is, where it is not the same of all', () => {
  const of = (name: string, provenance: Partial<Provenance>) => ({
    ...{ title: name, range: query.range, zone: 'UTC', provenance: { ...soundFigures, ...provenance } },
  })
  const { doubt, restated } = knownExamples
  const known = knownOf({
    figures: [of('Script', { ...doubt.provenance, ...restated.provenance }), of('Direct', doubt.provenance)],
  })
  const said = known.map(({ name, words }) => [name, words])
  expect(said).toContainEqual(['Does not add up', doubt.words])
  expect(said).toContainEqual(['Restated (Script)', restated.words])
  expect(said).toHaveLength(4)
})

it('says of the days compared with what has to be known of them', () => {
  const range = { start: day('2026-11-06'), end: day('2026-11-12') }
  const provenance = {
    ...soundFigures,
    ...knownExamples.composed.provenance,
    ...knownExamples.restated.provenance,
  }
  const periods = { kind: 'periods' as const, now: query.range, before: range, leftOut: [] }
  const figures = { title: 'Script', range: query.range, zone: 'UTC', provenance: soundFigures }
  const known = knownOf({
    figures: [figures],
    compared: { range, missing: [], provenance, periods, days: null },
  })
  const name = `${knownExamples.composed.name} (2026-11-06 to 2026-11-12)`
  expect(known.map((each) => [each.name, each.words])).toContainEqual([name, knownExamples.composed.words])
  // What was restated is compared as it is now.
  expect(marksOf(known)).toEqual(['comparison partial'])
})

it('writes totals that came as texts as they came, and never as zero', async () => {
  const total = { drops: ' --', good: 1234, warning: 2, bad: 818, mobile: '< 10', adblocker: 0 }
  const figures = { total, chart: null, query: { echo: {} }, unknown: {} }
  const ask: Reports['ask'] = ({ query: asked }) =>
    Promise.resolve({ kind: 'overview', query: asked, figures, provenance: soundFigures } as never)
  const folder = temporaryFolder()
  const { run } = exportsTo(folder, {
    reports: fromPages({ ask, ...neverCompared }),
  })
  const common = { instance: null, source: null, campaign: null, chart: false, range: query.range }
  const queries = [{ ...common, kind: 'overview', family: 'script' } as const]
  const written = async (format: 'csv' | 'json' | 'xlsx') => {
    const state = await run({ kind: 'overview', format, queries })
    if (state.kind !== 'done') throw new Error(JSON.stringify(state))
    return readFileSync(join(folder, state.file ?? ''))
  }
  const csv = (await written('csv')).toString()
  expect(csv).toMatch(/"Script: Drops","?'? --"?,\s/)
  expect(csv).toMatch(/"Script: Mobile","?< 10"?,\s/)
  expect(csv).toMatch(/"Script: Requests",,/)
  expect((await written('json')).toString()).toMatch(/" --"[^]*"< 10"/)
  const cells = (await readSheets(await written('xlsx'))).flatMap(({ data }) => data)
  expect(cells.find(([name]) => name === 'Script: Mobile')?.[1]).toBe('< 10')
  expect(cells.find(([name]) => name === 'Script: Drops')?.[1]).toMatch(/--$/)
  expect(cells.find(([name]) => name === 'Script: Requests')?.[1]).toBeNull()
})

it('says of the cards of Overview what is to be known of either family', async () => {
  const ask: Reports['ask'] = ({ query: asked }) => {
    if (asked.kind !== 'overview') throw new TypeError('An overview is asked for')
    const provenance = { ...soundFigures, ...(asked.family === 'direct' && knownExamples.doubt.provenance) }
    const figures = { total: {}, chart: null, query: { echo: {} }, unknown: {} }
    return Promise.resolve({ kind: 'overview', query: asked, figures, provenance } as never)
  }
  const folder = temporaryFolder()
  const { run } = exportsTo(folder, {
    reports: fromPages({ ask, ...neverCompared }),
  })
  const { range } = query
  const queries = (['script', 'direct'] as const).map((family) => ({
    ...{
      kind: 'overview' as const,
      family,
      range,
      instance: null,
      source: null,
      campaign: null,
      chart: false,
    },
  }))
  const order: ExportOrder = { kind: 'overview', format: 'json', queries }
  const state = await run(order)
  if (state.kind !== 'done') throw new Error(JSON.stringify(state))
  expect(state.file).toContain('(does not add up)')
  expect(JSON.parse(readFileSync(join(folder, state.file ?? ''), 'utf8'))).toMatchObject(
    knownExamples.doubt.json,
  )
})
