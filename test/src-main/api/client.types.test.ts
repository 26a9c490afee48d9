import { describe, expectTypeOf, it } from 'vitest'
import type { Received, ServiceClient } from '#main/api/client.ts'
import type { InstancesAnswer, OverviewAnswer, RawReport, TableAnswer } from '#shared/api/answers.ts'
import type { ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { RawFilter, SortKey } from '#shared/api/parameters.ts'
import type { Day } from '#shared/values/day.ts'
import { week } from '#test/helpers/service-client.ts'

/** Never called: what counts is what the compiler says of each line. */
async function everyMistake(client: ServiceClient): Promise<void> {
  await client.call('script/browsers', {
    ...week,
    browser: 'Chrome',
    sort: [{ column: 1, direction: 'asc' }],
  })
  // @ts-expect-error no such endpoint
  await client.call('script/planets', week)
  // @ts-expect-error the direct family has no connections
  await client.call('direct/connections', week)
  // @ts-expect-error required: end
  await client.call('script/overview', { start: week.start })
  // @ts-expect-error a day is no number
  await client.call('script/overview', { start: 20261114, end: week.end })
  // @ts-expect-error a day is no text that nobody checked
  await client.call('script/overview', { start: '2026-11-14', end: week.end })
  // @ts-expect-error overviews have no pages
  await client.call('script/overview', { ...week, page: 2 })
  // @ts-expect-error the filter of another dimension
  await client.call('script/browsers', { ...week, country: 'DE' })
  // @ts-expect-error flags are no numbers
  await client.call('script/browsers', { ...week, rates: 1 })
  // @ts-expect-error sorts are not written by hand
  await client.call('script/browsers', { ...week, sort: '1:desc' })
  // @ts-expect-error the token is never given by a caller
  await client.call('script/overview', { ...week, token: 'x' })
  // @ts-expect-error instances are named by text
  await client.call('raw/request', { ...week, type: 'direct', instance: 1, standard: ['source'] })
  // @ts-expect-error one report at a time is cancelled
  await client.call('raw/cancel', { raw: ['r1', 'r2'] })
  await client.call('raw/remove', { raw: ['r1', 'r2'] })
  // @ts-expect-error no such priority
  await client.call('script/overview', week, { priority: 'urgent' })
}

describe('the types of calls', () => {
  it('know every endpoint', () => {
    expectTypeOf<Parameters<ServiceClient['call']>[0]>().toEqualTypeOf<EndpointPath>()
    expectTypeOf<
      'direct/sessions' | 'script/referrers' | 'raw/download' | 'interface/campaigns'
    >().toExtend<EndpointPath>()
    expectTypeOf<'direct/referrers'>().not.toExtend<EndpointPath>()
  })

  it('follow the interface as data', () => {
    expectTypeOf(everyMistake).toBeFunction()
    expectTypeOf<ArgumentsFor<'direct/geography'>['start']>().toEqualTypeOf<Day>()
    expectTypeOf<ArgumentsFor<'direct/geography'>['city']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<ArgumentsFor<'script/networks'>['sort']>().toEqualTypeOf<readonly SortKey[] | undefined>()
    expectTypeOf<ArgumentsFor<'raw/request'>['filters']>().toEqualTypeOf<readonly RawFilter[] | undefined>()
    expectTypeOf<ArgumentsFor<'raw/remove'>['raw']>().toEqualTypeOf<string | readonly string[]>()
  })

  it('give each endpoint its answer', () => {
    expectTypeOf<Received<'direct/overview'>['answer']>().toEqualTypeOf<OverviewAnswer>()
    expectTypeOf<Received<'script/referrers'>['answer']>().toEqualTypeOf<TableAnswer>()
    expectTypeOf<Received<'interface/instances'>['answer']>().toEqualTypeOf<InstancesAnswer>()
    expectTypeOf<Received<'raw/report'>['answer']>().toEqualTypeOf<RawReport>()
  })
})
