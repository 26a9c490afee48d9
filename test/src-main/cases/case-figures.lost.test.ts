import { expect, it } from 'vitest'
import type { Around } from '../archives/open-rows.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import type { Failure } from '#shared/api/failure.ts'
import { localStore } from '../database/helpers.ts'
import { account } from '../archives/open-rows.ts'
import { entry, events, openService, range, zone } from './made-service.ts'

type Query = OverviewQuery | TableQuery
/** What a service in trouble does with a question: it fails, or answers with less. */
type Trouble = { readonly fails: Failure } | Partial<Provenance> | null
const offline: Failure = { kind: 'offline', message: 'No answer came.' }

/** A service that counts, until a question is in trouble. */
async function openTroubled() {
  let ofTable: (query: Query) => Trouble = () => null
  let ofTrend: () => Trouble = () => null
  const sound = await openService(events, { zone })
  const through = async <A extends { provenance: Provenance }>(trouble: Trouble, asked: Promise<A>) => {
    if (trouble && 'fails' in trouble) throw new DeskFailure(trouble.fails)
    const answer = await asked
    return { ...answer, provenance: { ...answer.provenance, ...trouble } }
  }
  const service = await openService(events, {
    zone,
    more: {
      ask: ((asked: Parameters<Around['ask']>[0]) =>
        through(ofTable(asked.query as Query), sound.ask(asked))) as Around['ask'],
      trend: async (of, query) => {
        const { chart, provenance } = await through(ofTrend(), sound.trend(of, query))
        const isThere = chart.days.map((each) => !provenance.missing.includes(each))
        const series = chart.series.map(({ header, values }) => ({
          header,
          values: values.map((value, place) => (isThere[place] ? value : null)),
        }))
        return { provenance, chart: { ...chart, series } }
      },
    },
  })
  return {
    ...service,
    becomes: (tables: typeof ofTable, trend: typeof ofTrend = () => null) => {
      ofTable = tables
      ofTrend = trend
    },
  }
}

async function begun({ cases }: Pick<Awaited<ReturnType<typeof openTroubled>>, 'cases'>) {
  const { id } = await cases.begin({ account: account.id, entry, fitting: false })
  return { account: account.id, id }
}

const keeps = 'he case keeps figures from Nov 24, 2026, 4:14 AM.'
const fails = { fails: offline }
const short = { missing: [range.end], failure: offline }
const isOf = (query: Query, start: string) => query.kind === 'overview' && query.range.start === start
const troubles: readonly {
  readonly what: string
  readonly tables?: (query: Query) => Trouble
  readonly trend?: Trouble
}[] = [
  { what: 'nothing can be asked', tables: () => fails, trend: fails },
  { what: 'days are missing', tables: ({ kind }) => (kind === 'overview' ? short : null) },
  {
    what: 'the days before alone cannot be had',
    tables: (query) => (isOf(query, '2026-11-08') ? fails : null),
  },
  {
    what: 'the others alone cannot be had',
    tables: (query) => (isOf(query, range.start) && query.source === null ? fails : null),
  },
  { what: 'the instances cannot be had', tables: ({ kind }) => (kind === 'table' ? fails : null) },
  { what: 'figures by day cannot be had', trend: fails },
  { what: 'figures by day have fewer days', trend: short },
]

for (const { what, tables = () => null, trend = null } of troubles)
  it(`keeps what a case came to where ${what}, also through a restart, and says so`, async () => {
    const service = await openTroubled()
    const of = await begun(service)
    const { cases } = service
    await cases.make(of)
    const good = await cases.make(of)
    service.becomes(tables, () => trend)
    for (const nth of ['first', 'second'])
      await expect(cases.make(of), nth).rejects.toMatchObject({
        failure: {
          kind: 'offline',
          message: `The service is offline: t${keeps} Update again when it is back.`,
        },
      })
    expect(await cases.read(of)).toEqual(good)
    await service.store.close()
    const stored = await localStore(service.folder).run('cases/of', of)
    expect([stored.made, stored.before]).toEqual([good.made, good.before])
  })

it('says what else went wrong in its own words, and is updated as soon as that is over', async () => {
  const service = await openTroubled()
  const of = await begun(service)
  const { made: first } = await service.cases.make(of)
  const message = 'The service has a problem.'
  service.becomes(() => ({ fails: { kind: 'server-trouble', message, said: 'Oops' } }))
  await expect(service.cases.make(of)).rejects.toMatchObject({
    failure: {
      ...{ kind: 'server-trouble', said: 'Oops' },
      message: `${message} T${keeps} Update again later, or start a new case without them.`,
    },
  })
  service.becomes(({ kind }) => (kind === 'overview' ? { missing: [range.end] } : null))
  await expect(service.cases.make(of)).rejects.toMatchObject({
    failure: {
      kind: 'not-found',
      message: expect.stringContaining(`1 day is missing: these figures are a part. T${keeps}`) as string,
    },
  })
  service.becomes(() => null)
  const { made, before } = await service.cases.make(of)
  expect(made?.now).toEqual(first?.now)
  expect(before).toEqual(first)
})

it('is made of what there is where it had no figures, and never of less than what it had before', async () => {
  const service = await openTroubled()
  const of = await begun(service)
  const { cases } = service
  service.becomes(
    () => fails,
    () => fails,
  )
  for (const nth of ['first', 'second'])
    expect(await cases.make(of), nth).toMatchObject({ made: { now: null, days: [] } })
  const { made: none } = await cases.make(of)
  if (!none) throw new Error('Not made')
  service.becomes(() => null)
  const { made: good } = await cases.make(of)
  // As an older version did: what could not be had stands in the place of what was.
  await service.store.run('cases/made', { ...of, made: none })
  service.becomes(() => fails)
  await expect(cases.make(of)).rejects.toThrow(keeps)
  expect(await cases.read(of)).toMatchObject({ made: { now: null }, before: { now: good?.now } })
})
