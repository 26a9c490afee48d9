import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { answerKey, plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { hundredths } from '#test/helpers/hundredths.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { settled } from '../clock.ts'
import { desk } from '../helpers.ts'
import { sandboxDesk } from '../sandbox-desk.ts'

/** Whose rates they are, and what is to be known of them. */
function short(answer: ReportAnswer) {
  const { from, refreshing, failure } = answer.provenance
  const by = answer.kind === 'table' ? answer.ratesBy : null
  return [by, from, ...(refreshing ? ['refreshing'] : []), ...(failure ? [failure.kind] : [])]
}

const plain: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'browsers',
  range: { start: day('2026-11-01'), end: day('2026-11-07') },
}
const rated: TableQuery = { ...plain, rates: true }

/** Of 8 requests, 4 responses and 2 good ones: what is the rate of the good ones a share of? */
const rateOf = { requests: 25, responses: 50, nothing: 77 } as const
type Behaviour = keyof typeof rateOf | 'gives none' | 'refuses'

/** A desk whose service has one browser, alone or on the first of three pages, with rates of its own. */
async function rating(behaviour: Behaviour, { pages = 1 } = {}) {
  const room = await desk()
  const { service, reports } = room
  const isRated = (given: object) => 'rates' in given && given.rates === true
  service.answering = (_path, given) => {
    if (isRated(given) && behaviour === 'refuses')
      throw new ServiceFailure({ kind: 'bad-request', message: 'No rates.' })
    const rate =
      isRated(given) && behaviour !== 'gives none' && behaviour !== 'refuses' ? [rateOf[behaviour]] : []
    const gives = rate.length > 0
    const counts = [8, 4, 2, ...rate, 1, 1, 0, null]
    return {
      total: { drops: 4, good: 2, warning: 1, bad: 1, mobile: 0, adblocker: null },
      table: {
        headers: [
          ...['Browser', 'Requests', 'Responses', 'Good'],
          ...(gives ? ['Good Rate'] : []),
          ...['Warning', 'Bad', 'Mobile', 'Ad Blocker'],
        ],
        all: [false, ...counts],
        rows: [['Firefox', ...counts]],
      },
      query: { results: pages, pages },
    }
  }
  return {
    ...room,
    become: (next: Behaviour) => {
      behaviour = next
    },
    ask: (query: TableQuery, force = false) => reports.ask({ account: firstId, query, force }),
    /** Whether the requests since the last look were with rates. */
    asked: () => service.asked.splice(0).map(({ given }) => isRated(given)),
  }
}

/** The rate of the good ones that an answer has. */
function goodRate(answer: ReportAnswer) {
  const table = answer.kind === 'table' ? answer.figures.table : null
  return table?.rows[0]?.cells[table.headers.indexOf('Good Rate') - 1]
}

describe('what rates are shares of', () => {
  it.each(['requests', 'responses'] as const)(
    'is learnt from the first page with rates, and then none are asked for: %s',
    async (behaviour) => {
      const { ask, asked, stored: accounts } = await rating(behaviour, { pages: 3 })
      expect(goodRate(await ask(rated))).toBe(rateOf[behaviour])
      expect(asked()).toEqual([true])
      const base = behaviour === 'requests' ? 'Requests' : 'Responses'
      expect(accounts[0]?.rateBases?.script).toEqual({ Good: base })
      const other = await ask({ ...rated, limit: 10 })
      expect([goodRate(other), ...short(other)]).toEqual([rateOf[behaviour], 'desk', 'service'])
      expect(asked()).toEqual([false])
    },
  )

  it('is learnt behind computed rates, once, and a change follows where the usual shares are wrong', async () => {
    const { ask, asked, received } = await rating('responses')
    await ask(plain)
    asked()
    // That the service was found to be there is of no interest here.
    received()
    const first = await ask(rated)
    expect([goodRate(first), ...short(first)]).toEqual([rateOf.requests, 'desk', 'stored'])
    await eventually(() => expect(received()).toEqual([`changed ${answerKey(rated)}`]))
    expect(asked()).toEqual([true])
    const then = await ask(rated)
    expect([goodRate(then), ...short(then)]).toEqual([rateOf.responses, 'desk', 'stored'])
    expect(asked()).toEqual([])
  })

  it('is the usual where the service gives no rates, which it is not asked for again', async () => {
    const { ask, asked } = await rating('gives none')
    await ask(plain)
    asked()
    await ask(rated)
    await eventually(() => expect(asked()).toEqual([true]))
    const answer = await ask({ ...rated, search: 'fire' })
    expect([goodRate(answer), short(answer)[0]]).toEqual([rateOf.requests, 'desk'])
    await settled()
    expect(asked()).toEqual([])
  })

  it('is the usual where the service refuses, which is left alone for a while', async () => {
    const { ask, asked, clock } = await rating('refuses')
    await ask(plain)
    asked()
    await ask(rated)
    await eventually(() => expect(asked()).toEqual([true]))
    expect(goodRate(await ask(rated))).toBe(rateOf.requests)
    await settled()
    expect(asked()).toEqual([])
    await clock.move(5 * 60_000)
    await ask(rated)
    // It may be the order that is refused, so it is asked for once more without one.
    await eventually(() => expect(asked()).toContain(true))
  })

  it('is none of the counts: then the service’s own are shown from its pages, also without it', async () => {
    const { ask, asked, service, stored: accounts } = await rating('nothing')
    const first = await ask(rated)
    expect([goodRate(first), ...short(first)]).toEqual([rateOf.nothing, 'service', 'service'])
    expect(accounts[0]?.rateBases?.script).toBe('unexplained')
    expect(asked()).toEqual([true])
    service.failure = 'offline'
    const stored = await ask(rated)
    expect([goodRate(stored), ...short(stored)]).toEqual([rateOf.nothing, 'service', 'stored'])
    // Of what no page is kept, the desk's are what there is, and are said to be.
    const searched = await ask({ ...rated, search: 'fire' })
    expect([goodRate(searched), short(searched)[0]]).toEqual([rateOf.requests, 'desk'])
  })

  it('is learnt anew when a week has passed, and a change follows where the service has another way', async () => {
    const { ask, asked, become, clock, received, stored: accounts } = await rating('requests')
    await ask(rated)
    expect(goodRate(await ask(rated))).toBe(rateOf.requests)
    become('responses')
    await clock.move(7 * 86_400_000 - 1)
    await ask(rated)
    await settled()
    expect(asked().slice(1)).not.toContain(true)
    received()
    await clock.move(1)
    expect(goodRate(await ask(rated))).toBe(rateOf.requests)
    await eventually(() => expect(received()).toContain(`changed ${answerKey(rated)}`))
    expect(asked().filter(Boolean)).toHaveLength(1)
    expect(accounts[0]?.rateBases?.script).toMatchObject({ Good: 'Responses' })
    expect(goodRate(await ask(rated))).toBe(rateOf.responses)
    await settled()
    expect(asked()).not.toContain(true)
  })

  it.each(['gives none', 'refuses'] as const)(
    'stays what it was where the service %s when it is looked at again',
    async (then) => {
      const { ask, asked, become, clock, stored: accounts } = await rating('responses')
      await ask(rated)
      asked()
      become(then)
      await clock.move(7 * 86_400_000)
      await ask(rated)
      await eventually(() => expect(asked()).toContain(true))
      await settled()
      expect(accounts[0]?.rateBases?.script).toEqual({ Good: 'Responses' })
    },
  )

  it('is not asked for while the service is known to be away', async () => {
    const { ask, asked, service } = await rating('responses')
    await ask(plain)
    service.failure = 'offline'
    await ask({ ...plain, dimension: 'devices' }).catch(() => null)
    asked()
    expect(short(await ask(rated))).toEqual(['desk', 'stored'])
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

  it('are the same, whether they were wanted before the table was opened or after', async () => {
    const script = { ...plain, limit: 1000 }
    const before = await (await sandboxDesk(running)).ask({ ...script, rates: true })
    const { ask } = await sandboxDesk(running)
    await ask(script)
    const after = await ask({ ...script, rates: true })
    const client = running.client()
    const { answer } = await client.call('script/browsers', { ...script.range, rates: true, limit: 1000 })
    await client.close()
    for (const each of [before, after])
      expect(each.kind === 'table' && hundredths(each.figures.table)).toEqual(answer.table)
  })
})
