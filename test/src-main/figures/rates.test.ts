import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '../../../src-shared/accounts/account.ts'
import type { ReportAnswer } from '../../../src-shared/reports/answer.ts'
import { answerKey } from '../../../src-shared/reports/asking.ts'
import { plainTable } from '../../../src-shared/reports/query.ts'
import type { TableQuery } from '../../../src-shared/reports/query.ts'
import { ServiceFailure } from '../../../src-main/service/service-failure.ts'
import { day } from '../../../src-shared/values/day.ts'
import { runningSandbox } from '../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../helpers/running-sandbox.ts'
import { firstId } from '../store/helpers.ts'
import { settled } from './clock.ts'
import { desk } from './helpers.ts'
import { sandboxDesk } from './sandbox-desk.ts'

/** Whose rates they are, and what is to be known of them. */
function short(answer: ReportAnswer) {
  const { from, refreshing, failure } = answer.provenance
  const by = answer.kind === 'table' ? answer.ratesBy : null
  return [by, from, ...(refreshing ? ['refreshing'] : []), ...(failure ? [failure.kind] : [])]
}

const plain: TableQuery = {
  ...plainTable,
  family: 'direct',
  dimension: 'browsers',
  range: { start: day('2026-11-01'), end: day('2026-11-07') },
}
const rated: TableQuery = { ...plain, rates: true }
const recent = { start: day('2026-11-14'), end: day('2026-11-20') }
const minute = 60_000

describe('rates that are asked for when the figures are kept without', () => {
  type Behaviour = 'gives rates' | 'gives none' | 'refuses'

  /** A desk whose service has two browsers, on a page or on two, and rates of its own that nobody would compute. */
  async function rating(behaviour: Behaviour) {
    const room = await desk()
    const { service, reports } = room
    const does = { behaviour, requests: 3 }
    const isRated = (given: object) => 'rates' in given && given.rates === true
    service.answering = (_path, given) => {
      const gives = isRated(given) && does.behaviour === 'gives rates'
      if (isRated(given) && does.behaviour === 'refuses')
        throw new ServiceFailure({ kind: 'bad-request', message: 'No rates.' })
      const rate = gives ? [77] : []
      const { requests } = does
      const rows = [
        ['Firefox', requests, 2, ...rate, 1, 0],
        ['Safari', 3, 2, ...rate, 1, 0],
      ]
      const [from, most] = 'limit' in given && given.limit === 1 ? ['page' in given ? 1 : 0, 1] : [0, 2]
      const rateHeader = gives ? ['Non-Suspect Rate'] : []
      return {
        total: { nonsuspect: 4, suspect: 2, mobile: 0 },
        table: {
          headers: ['Browser', 'Requests', 'Non-Suspect', ...rateHeader, 'Suspect', 'Mobile'],
          all: [false, requests + 3, 4, ...rate, 2, 0],
          rows: rows.slice(from, from + most),
        },
        query: { results: 2, pages: 2 / most },
      }
    }
    return {
      ...room,
      does,
      ask: (query: TableQuery, byHand = false) => reports.ask({ account: firstId, query, byHand }),
      /** Whether the requests since the last look were with rates. */
      asked: () => service.asked.splice(0).map(({ given }) => isRated(given)),
    }
  }

  it('come behind computed ones, once, and are shown from then on', async () => {
    const { ask, asked, heard } = await rating('gives rates')
    await ask(plain)
    heard()
    asked()
    expect(short(await ask(rated))).toEqual(['desk', 'computed', 'refreshing'])
    await settled()
    expect(heard()).toEqual([`changed ${answerKey(rated)}`])
    expect(asked()).toEqual([true])
    const answer = await ask(rated)
    expect(short(answer)).toEqual(['service', 'kept'])
    expect(answer.kind === 'table' && answer.figures.table.rows[0]?.cells).toEqual([3, 2, 77, 1, 0])
    await settled()
    expect(asked()).toEqual([])
  })

  it('cost nothing where they are off', async () => {
    const { ask, asked, clock } = await rating('gives rates')
    await ask(plain)
    await ask(rated)
    await settled()
    await clock.move(minute)
    asked()
    await ask(plain)
    await ask({ ...plain, search: 'fire' })
    await settled()
    expect(asked()).toEqual([])
  })

  it('are computed where the service gives none, and it is not asked again until they are too old', async () => {
    const { ask, asked, clock } = await rating('gives none')
    await ask({ ...plain, range: recent })
    await ask({ ...rated, range: recent })
    await settled()
    asked()
    const [by, , ...told] = short(await ask({ ...rated, range: recent }))
    expect([by, ...told]).toEqual(['desk'])
    await settled()
    expect(asked()).toEqual([])
    await clock.move(5 * minute)
    await ask({ ...rated, range: recent })
    await settled()
    expect(asked()).toEqual([true])
  })

  it('are computed where the service refuses them, and it is not asked again until they are too old', async () => {
    const { ask, asked, heard, clock, does } = await rating('refuses')
    await ask({ ...plain, range: recent })
    asked()
    heard()
    expect(short(await ask({ ...rated, range: recent }))).toEqual(['desk', 'computed', 'refreshing'])
    await settled()
    expect(heard()).toEqual([`changed ${answerKey({ ...rated, range: recent })}`])
    asked()
    await clock.move(minute)
    expect(short(await ask({ ...rated, range: recent }))).toEqual(['desk', 'computed'])
    await settled()
    expect(asked()).toEqual([])
    await clock.move(5 * minute)
    does.requests = 30
    await ask({ ...rated, range: recent })
    await settled()
    await ask({ ...rated, range: recent })
    await settled()
    asked()
    const answer = await ask({ ...rated, range: recent })
    expect(short(answer)).toEqual(['desk', 'computed'])
    expect(answer.kind === 'table' && answer.figures.table.rows[0]?.cells[0]).toBe(30)
    await settled()
    expect(asked()).toEqual([])
  })

  it('are asked for again by hand, with the figures, and come anew though they stand on a page of several', async () => {
    const { ask, asked, does, clock } = await rating('gives rates')
    await ask({ ...plain, limit: 1000 })
    const page = { ...rated, limit: 1 }
    await ask(page)
    await settled()
    expect(short(await ask(page))).toEqual(['service', 'kept'])
    asked()
    await clock.move(minute)
    does.requests = 30
    // Nothing jumps: the service's rates stay until the newer ones have come.
    expect(short(await ask(page, true))).toEqual(['service', 'kept', 'refreshing'])
    await settled()
    expect(asked()).toEqual([false, true])
    const answer = await ask(page)
    expect(short(answer)).toEqual(['service', 'kept'])
    expect(answer.kind === 'table' && answer.figures.table.rows[0]?.cells[0]).toBe(30)
    const whole = await ask({ ...plain, limit: 1000 })
    expect(whole.kind === 'table' && whole.figures.table.rows[0]?.cells[0]).toBe(30)
    await settled()
    expect(asked()).toEqual([])
  })

  it('come by hand too where the service refused them before', async () => {
    const { ask, asked, does } = await rating('refuses')
    await ask(plain)
    await ask(rated)
    await settled()
    does.behaviour = 'gives rates'
    expect(short(await ask(rated))).toEqual(['desk', 'computed'])
    asked()
    expect(short(await ask(rated, true))).toEqual(['desk', 'computed', 'refreshing'])
    await settled()
    expect(asked()).toEqual([false, true])
    expect(short(await ask(rated))).toEqual(['service', 'kept'])
  })

  it('follow figures that were fetched anew without them', async () => {
    const { ask, asked, does, clock } = await rating('gives rates')
    await ask(rated)
    await clock.move(minute)
    does.requests = 30
    await ask(plain, true)
    await settled()
    asked()
    expect(short(await ask(rated))).toEqual(['desk', 'computed', 'refreshing'])
    await settled()
    expect(asked()).toEqual([true])
    const answer = await ask(rated)
    expect(short(answer)).toEqual(['service', 'kept'])
    expect(answer.kind === 'table' && answer.figures.table.rows[0]?.cells[0]).toBe(30)
  })

  it('say where asking for them failed, and leave the service alone for a while', async () => {
    const { ask, asked, service } = await rating('gives rates')
    await ask(plain)
    asked()
    service.failure = 'server-trouble'
    await ask(rated)
    await settled()
    expect(short(await ask(rated))).toEqual(['desk', 'computed', 'server-trouble'])
    await settled()
    expect(asked().filter(Boolean)).toHaveLength(1)
  })

  it('are computed without a word where the service is known to be away', async () => {
    const { ask, asked, service } = await rating('gives rates')
    await ask(plain)
    service.failure = 'offline'
    await expect(ask({ ...plain, dimension: 'networks' })).rejects.toMatchObject({
      failure: { kind: 'offline' },
    })
    asked()
    expect(short(await ask(rated))).toEqual(['desk', 'computed'])
    await settled()
    expect(asked()).toEqual([])
  })
})

describe('a service’s own rates', () => {
  let running: RunningSandbox
  beforeAll(async () => {
    running = await runningSandbox()
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    await running.behave({ windows: noWindows })
    await running.control('DELETE', '/requests')
  })

  const script: TableQuery = { ...plain, family: 'script', limit: 1000 }
  const withRates = { ...script, rates: true }

  it('are the same, whether they were wanted before the table was opened or after', async () => {
    const before = await (await sandboxDesk(running)).ask(withRates)
    const { ask, asked, until } = await sandboxDesk(running)
    await ask(script)
    await asked()
    const changed = until(`changed ${answerKey(withRates)}`)
    expect(short(await ask(withRates))).toEqual(['desk', 'computed', 'refreshing'])
    await changed
    expect(await asked()).toEqual(['script/browsers'])
    const after = await ask(withRates)
    expect(short(after)).toEqual(['service', 'kept'])
    expect(after.figures).toMatchObject({ total: before.figures.total })
    expect(after.kind === 'table' && after.figures.table).toEqual(
      before.kind === 'table' && before.figures.table,
    )
    expect(await asked()).toEqual([])
  })

  it('are not asked for over more days than the service answers at once', async () => {
    const traits = { windows: { ...noWindows, tables: 3 } }
    await running.behave({ windows: { ...noWindows, tables: 3 } })
    const { ask, asked } = await sandboxDesk(running, { traits })
    await ask(script)
    await asked()
    expect(short(await ask(withRates))).toEqual(['desk', 'computed'])
    expect(await asked()).toEqual([])
  })
})
