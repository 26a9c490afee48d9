import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TableRow } from '#shared/api/answers.ts'
import { answerKey, plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { asSentWords, foundWords, labelText } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { sandboxDesk } from '../sandbox-desk.ts'

const range = { start: day('2026-11-18'), end: day('2026-11-20') }
const traits = ['everything', 'found'] as const
const families = ['script', 'direct'] as const

let running: RunningSandbox
/** The requests of every row, by family: what is found among them is looked up here, not asked for. */
const rows = new Map<string, readonly { readonly name: string; readonly requests: number }[]>()

beforeAll(async () => {
  running = await runningSandbox()
  for (const family of families) {
    const { answer } = await running.client().call(`${family}/networks`, { ...range, limit: 1000 })
    rows.set(
      family,
      answer.table.rows.map(({ label, cells }) => ({ name: labelText(label), requests: Number(cells[0]) })),
    )
  }
})
afterAll(() => running.close())

const sum = (found: readonly { readonly requests: number }[]) =>
  found.reduce((all, each) => all + each.requests, 0)

function expected(family: string, search: string) {
  const every = rows.get(family) ?? []
  const found = every.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
  return { every, found, all: sum(every), of: sum(found) }
}

const requestsOf = (row: TableRow | null | undefined) => row?.cells[0] ?? null

describe('the total of a search', () => {
  it('is called what it is about, whatever is searched on pages of any size, and until that is known as it was sent', async () => {
    const searches = fc.constantFrom('e', 'net', 'tel', 'a', 'co', 'zzz', 'Télécom', ' ')
    await checkAsyncProperty(
      'totals of searches',
      fc.asyncProperty(
        fc.constantFrom(...traits),
        fc.constantFrom(...families),
        fc.array(fc.tuple(searches, fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 3 }),
        async (searchedAll, family, asked) => {
          await running.behave({ searchedAll })
          const desk = await sandboxDesk(running)
          for (const [search, limit] of asked) {
            const query: TableQuery = { ...plainTable, family, dimension: 'networks', range, search, limit }
            const { found, all, of } = expected(family, search)
            const look = async () => {
              const answer = await desk.ask(query)
              if (answer.kind !== 'table') throw new TypeError('A table was asked for')
              return { all: answer.figures.table.all, found: answer.matching, trait: traitOf(desk, family) }
            }
            const check = (seen: Awaited<ReturnType<typeof look>>) => {
              const called = seen.found && labelText(seen.found.label)
              if (seen.all) expect(requestsOf(seen.all)).toBe(all)
              if (called === asSentWords) expect([seen.trait, found.length > limit]).toEqual([null, true])
              else if (seen.found)
                expect([called, requestsOf(seen.found) ?? 0]).toEqual([foundWords(found.length), of])
              expect(seen.all ?? seen.found).not.toBeNull()
            }
            check(await look())
            if (found.length <= limit) continue
            // More than a page: it is learnt behind, and then it has its name.
            await eventually(() => expect(traitOf(desk, family)).toBe(searchedAll))
            const then = await look()
            check(then)
            expect(then.all !== null).toBe(searchedAll === 'everything')
          }
          const trait = traitOf(desk, family)
          expect(trait === null || trait === searchedAll).toBe(true)
          await desk.reports.stop()
        },
      ),
      100,
    )
  })

  it('is learnt by two small requests, once, and the window is told', async () => {
    await running.behave({ searchedAll: 'found' })
    const desk = await sandboxDesk(running)
    const query: TableQuery = {
      ...plainTable,
      family: 'script',
      dimension: 'networks',
      range,
      search: 'e',
      limit: 3,
    }
    await desk.asked()
    const changed = desk.until(`changed ${answerKey(query)}`)
    await desk.ask(query)
    await changed
    expect(await desk.asked()).toEqual(['script/networks', 'script/networks', 'script/networks'])
    expect(desk.account().searchedAll).toEqual({ script: 'found' })
    await desk.ask({ ...query, limit: 4 })
    expect(await desk.asked()).toEqual(['script/networks'])
  })

  it('is not taken for that of a day', async () => {
    await running.behave({ searchedAll: 'found' })
    const desk = await sandboxDesk(running)
    const one = { start: day('2026-11-14'), end: day('2026-11-14') }
    const query: TableQuery = {
      ...plainTable,
      family: 'script',
      dimension: 'networks',
      range: one,
      search: 'e',
      limit: 3,
    }
    await desk.ask(query)
    const { answer } = await running.client().call('script/overview', one)
    const overview = await desk.ask({
      kind: 'overview',
      family: 'script',
      range: one,
      instance: null,
      source: null,
      campaign: null,
      chart: false,
    })
    expect(overview.figures.total).toEqual(answer.total)
  })
})

const traitOf = (desk: Awaited<ReturnType<typeof sandboxDesk>>, family: (typeof families)[number]) =>
  desk.account().searchedAll?.[family] ?? null
