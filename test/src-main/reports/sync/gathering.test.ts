import { describe, expect, it } from 'vitest'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { gather } from '#main/reports/sync/gathering.ts'
import type { Behind } from '#main/reports/sync/gathering.ts'
import type { Clock } from '#main/lib/async.ts'
import { RequestTimes } from '#main/reports/requests/request-times.ts'
import { RangeLimits } from '#main/reports/requests/range-limits.ts'
import type { Catalogued, TableFetchOptions } from '#main/reports/coverage/plan.ts'
import { account, dataScopeOf } from '#test/src-main/database/helpers.ts'
import { settled } from '../clock.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { fake } from '#test/helpers/fake.ts'

/** More days than may be asked for, and wait to be written, at the same time. */
const range = { start: day('2026-06-01'), end: addDays(day('2026-06-01'), 59) }

/** Ends one table's fetching: its answer comes, it is written, or there is none. */
type Fetched = {
  readonly range: DayRange
  readonly comes: (rows?: number) => Promise<void>
  readonly isWritten: () => Promise<void>
  readonly fails: (kind: 'refused-token' | 'server-trouble') => Promise<void>
}

/** Days that are gathered from a service that answers when the test says so. */
function gathering(behind?: Behind) {
  const fetched: Fetched[] = []
  const fetch = (portion: DayRange, { onFetchProgress }: TableFetchOptions) =>
    new Promise<void>((resolve, reject) => {
      fetched.push({
        range: portion,
        comes: async (rows = 10) => {
          onFetchProgress?.({ kind: 'fetched', rows })
          await settled()
        },
        isWritten: async () => {
          resolve()
          await settled()
        },
        fails: async (kind) => {
          reject(new DeskFailure({ kind, message: 'No.' }))
          await settled()
        },
      })
    })
  const { id } = account()
  const accounts = fake<Accounts>('accounts', {
    ...{ account: () => account(), dataScopeOf, learn: () => Promise.resolve() },
  })
  const context = {
    accounts,
    clock: { now: () => Date.parse('2026-11-20T12:00:00Z') },
    connections: { onlineAgainAt: () => null, obstacle: () => null },
    history: { restatements: { since: () => Promise.resolve(() => false) }, waits: () => false },
    rangeLimits: new RangeLimits(accounts),
    times: new RequestTimes(fake<Clock>('clock', { now: () => 0 })),
  } as unknown as Parameters<typeof gather>[0]
  const catalogued: Catalogued = {
    ...{
      account: id,
      scope: { dataScope: dataScopeOf(id), term: 0 },
      subject: 'script/browsers?',
      kind: 'whole days',
      composed: null,
      window: 'tables',
    },
    ...{
      list: () => Promise.resolve([]),
      provisional: () => Promise.resolve([]),
      restated: () => Promise.resolve(null),
    },
    ...{ fetch, probe: () => Promise.resolve(), sofar: () => 0 },
  }
  const told: number[] = []
  const ended = gather(
    context,
    { catalogued, range },
    {
      ...{ force: true, dayByDay: true, priority: 'background', signal: new AbortController().signal },
      behind,
      onProgress: ({ done }) => void told.push(done),
    },
  )
  return { fetched, told, ended }
}

describe('days that are gathered', () => {
  it('are asked for four at a time, the next one as soon as one has come, while that is being written', async () => {
    const { fetched, told } = gathering()
    await settled()
    expect(fetched.map((each) => each.range.start)).toEqual(daysOf(range).reverse().slice(0, 4))
    await fetched[2]?.comes()
    expect(fetched).toHaveLength(5)
    expect(told).toEqual([0])
    await fetched[2]?.isWritten()
    expect(fetched).toHaveLength(5)
    expect(told).toEqual([0, 1])
  })

  it('wait for those that are being written where these are 48', async () => {
    const { fetched } = gathering()
    await settled()
    for (let nth = 0; nth < 48; nth += 1) await fetched[nth]?.comes()
    expect(fetched).toHaveLength(52)
    await fetched[48]?.comes()
    expect(fetched).toHaveLength(52)
    await fetched[0]?.isWritten()
    expect(fetched).toHaveLength(53)
  })

  it('wait for those that are being written where these have many rows', async () => {
    const { fetched } = gathering()
    await settled()
    await fetched[0]?.comes(40_000)
    await fetched[1]?.comes(40_000)
    expect(fetched).toHaveLength(5)
    await fetched[1]?.isWritten()
    expect(fetched).toHaveLength(6)
  })

  it('are not asked for any more once one was refused for good; what has come is written', async () => {
    const { fetched, told, ended } = gathering()
    await settled()
    await fetched[0]?.comes()
    expect(fetched).toHaveLength(5)
    await fetched[1]?.fails('refused-token')
    for (const nth of [2, 3, 4]) await fetched[nth]?.fails('refused-token')
    await fetched[0]?.isWritten()
    expect(await ended).toMatchObject({ kind: 'refused-token' })
    expect(fetched).toHaveLength(5)
    expect(told).toEqual([0, 1])
  })
})

describe('days that nobody waits for', () => {
  /** How many requests each table took, until no more may be asked for. */
  function counting(most: number) {
    const counted: number[] = []
    const requested = (requests: number) => counted.push(requests) < most
    return { counted, behind: { staleBefore: 0, requested } }
  }

  it('are asked for one after the other, each once the one before is written', async () => {
    const { counted, behind } = counting(Infinity)
    const { fetched } = gathering(behind)
    await settled()
    await fetched[0]?.comes(2_500)
    expect(fetched).toHaveLength(1)
    await fetched[0]?.isWritten()
    expect(fetched).toHaveLength(2)
    expect(counted).toEqual([3])
  })

  it('are not asked for any more once no more may be, without a word', async () => {
    const { behind } = counting(2)
    const { fetched, ended } = gathering(behind)
    await settled()
    for (const nth of [0, 1]) {
      await fetched[nth]?.comes()
      await fetched[nth]?.isWritten()
    }
    expect(await ended).toBeNull()
    expect(fetched).toHaveLength(2)
  })

  it('are not asked for any more once the service stumbled over one', async () => {
    const { counted, behind } = counting(Infinity)
    const { fetched, ended } = gathering(behind)
    await settled()
    await fetched[0]?.fails('server-trouble')
    expect(await ended).toMatchObject({ kind: 'server-trouble' })
    expect(fetched).toHaveLength(1)
    expect(counted).toEqual([1])
  })
})
