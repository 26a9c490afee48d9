import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '#test/helpers/eventually.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { plainTable, queryKey, subjectOf } from '#shared/reports/query.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { firstId, firstDataScope, localStore } from '#test/src-main/database/helpers.ts'
import { settled } from '../clock.ts'
import { desk, recent, settledDays } from '../helpers.ts'

const changed = `changed ${queryKey(recent)}`
const minute = 60_000

/** An answer in short: the figure, and what is to be known of it. */
function short(answer: ReportAnswer) {
  const { from, refreshing, failure } = answer.provenance
  return [
    answer.figures.total.suspect,
    from,
    ...(refreshing ? ['refreshing'] : []),
    ...(failure ? [failure.kind] : []),
  ]
}

describe('a query that is not kept', () => {
  it('is asked of the service, kept, and answered from what is kept the next time', async () => {
    const { ask, service, clock } = await desk()
    const first = await ask(recent)
    expect(short(first)).toEqual([1, 'service'])
    expect(first).toMatchObject({
      kind: 'overview',
      query: recent,
      provenance: { fetchedAt: clock.now(), missing: [] },
    })
    expect(service.asked[0]).toMatchObject({
      path: 'direct/overview',
      given: { start: '2026-11-14', end: '2026-11-20' },
      options: { priority: 'person' },
    })
    await clock.move(4 * minute)
    const second = await ask(recent)
    expect(short(second)).toEqual([1, 'stored'])
    expect(second.provenance.fetchedAt).toBe(first.provenance.fetchedAt)
    expect(second.figures).toEqual(first.figures)
    expect(service.asked).toHaveLength(1)
  })

  it('is one request, however often it is asked at once', async () => {
    const { ask, service } = await desk()
    const answers = await Promise.all([ask(recent), ask({ ...recent, source: '' }), ask(recent)])
    expect(answers.map((each) => short(each))).toEqual(Array(3).fill([1, 'service']))
    expect(service.asked).toHaveLength(1)
  })

  it('fails with the service’s failure, says nothing to the views, and is asked anew each time', async () => {
    const { ask, service, received } = await desk()
    service.failure = 'offline'
    await expect(ask(recent)).rejects.toMatchObject({ failure: { kind: 'offline' } })
    await expect(ask(recent)).rejects.toMatchObject({ failure: { kind: 'offline' } })
    expect(service.count('direct/overview')).toBe(2)
    expect(received()).toEqual(['offline'])
  })

  it('that no family offers is refused without asking', async () => {
    const { reports, service } = await desk()
    const query = { ...plainTable, family: 'direct', dimension: 'connections', range: recent.range } as const
    await expect(reports.ask({ account: firstId, query, force: false })).rejects.toMatchObject({
      failure: { kind: 'invalid' },
    })
    expect(service.asked).toEqual([])
  })
})

describe('a query that is kept and stale', () => {
  it('is answered at once and asked behind it; an event follows, and then it is fresh', async () => {
    const { ask, service, clock, received } = await desk()
    await ask(recent)
    await clock.move(5 * minute)
    service.suspect = 2
    received()
    expect(short(await ask(recent))).toEqual([1, 'stored', 'refreshing'])
    await eventually(() => expect(received()).toEqual([changed]))
    expect(short(await ask(recent))).toEqual([2, 'stored'])
    expect(service.asked.at(-1)?.options.priority).toBe('background')
  })

  it('is asked once behind two answers', async () => {
    const { ask, service, clock, received } = await desk()
    await ask(recent)
    await clock.move(5 * minute)
    received()
    await Promise.all([ask(recent), ask(recent)])
    await eventually(() => expect(received()).toEqual([changed]))
    expect(service.asked).toHaveLength(2)
  })

  it('keeps its figures where the service fails, says why, and is left alone for a while', async () => {
    const { ask, service, clock, received } = await desk()
    await ask(recent)
    await clock.move(5 * minute)
    service.failure = 'server-trouble'
    received()
    await ask(recent)
    await eventually(() => expect(received()).toEqual([changed]))
    expect(short(await ask(recent))).toEqual([1, 'stored', 'server-trouble'])
    await clock.move(29_000)
    await ask(recent)
    expect(service.asked).toHaveLength(2)
    await clock.move(1_000)
    expect(short(await ask(recent))).toEqual([1, 'stored', 'refreshing'])
    await eventually(() => expect(service.asked).toHaveLength(3))
  })

  it('is not asked at all while the service is known to be away', async () => {
    const { ask, service, clock } = await desk()
    await ask(recent)
    await clock.move(5 * minute)
    service.failure = 'offline'
    await expect(ask(settledDays)).rejects.toMatchObject({ failure: { kind: 'offline' } })
    expect(short(await ask(recent))).toEqual([1, 'stored', 'offline'])
    expect(service.count('direct/overview')).toBe(2)
  })

  it('counts as stale where the clock was set back, and gives way to the new answer', async () => {
    const { ask, service, clock } = await desk()
    await ask(settledDays)
    await clock.move(-60 * minute)
    // The store's thread goes by the machine's clock, which was set back too.
    vi.useFakeTimers({ toFake: ['Date'], now: clock.now() })
    onTestFinished(() => void vi.useRealTimers())
    service.suspect = 2
    expect(short(await ask(settledDays))).toEqual([1, 'stored', 'refreshing'])
    await settled()
    expect(short(await ask(settledDays))).toEqual([2, 'stored'])
    expect(service.asked).toHaveLength(2)
  })
})

describe('asking by hand', () => {
  it('asks the service for settled days too, behind what is kept', async () => {
    const { ask, service, clock } = await desk()
    await ask(settledDays)
    await clock.move(100 * 24 * 60 * minute)
    expect(short(await ask(settledDays))).toEqual([1, 'stored'])
    service.suspect = 2
    expect(short(await ask(settledDays, true))).toEqual([1, 'stored', 'refreshing'])
    await settled()
    expect(short(await ask(settledDays))).toEqual([2, 'stored'])
    expect(service.asked.at(-1)?.options.priority).toBe('person')
  })

  it('asks at once after a failure, and says where it failed again', async () => {
    const { ask, service, clock, received } = await desk()
    await ask(recent)
    await clock.move(5 * minute)
    service.failure = 'offline'
    await ask(recent)
    await settled()
    received()
    expect(short(await ask(recent, true))).toEqual([1, 'stored', 'refreshing'])
    await eventually(() => expect(received()).toEqual([changed]))
    expect(short(await ask(recent))).toEqual([1, 'stored', 'offline'])
  })
})

describe('asking fresh figures by hand', () => {
  it('says where that failed, though they are fresh', async () => {
    const { ask, service } = await desk()
    await ask(recent)
    service.failure = 'server-trouble'
    await ask(recent, true)
    await settled()
    expect(short(await ask(recent))).toEqual([1, 'stored', 'server-trouble'])
  })
})

describe('cancelling', () => {
  it('ends the waiting, and a late answer is neither shown nor kept', async () => {
    const { ask, reports, service } = await desk()
    let open = () => {}
    service.gate = new Promise((resolve) => (open = resolve))
    const waiting = ask(recent)
    await settled()
    reports.cancel(firstId, queryKey(recent))
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(service.asked[0]?.options.signal?.aborted).toBe(true)

    service.gate = null
    service.suspect = 2
    await ask(recent)
    open()
    await settled()
    expect(short(await ask(recent))).toEqual([2, 'stored'])
  })

  it('before it is known whether anything is kept asks the service nothing', async () => {
    const { ask, reports, service } = await desk()
    const waiting = ask(recent)
    reports.cancel(firstId, queryKey(recent))
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    await settled()
    expect(service.asked).toEqual([])
  })

  it('of what is asked behind a kept answer leaves that answer, without asking again by itself', async () => {
    const { ask, reports, service, clock, received } = await desk()
    await ask(recent)
    await clock.move(5 * minute)
    service.gate = new Promise(() => {})
    received()
    await ask(recent)
    await eventually(() => expect(service.asked).toHaveLength(2))
    reports.cancel(firstId, queryKey(recent))
    await eventually(() => expect(received()).toEqual([changed]))
    expect(short(await ask(recent))).toEqual([1, 'stored', 'cancelled'])
    expect(service.asked).toHaveLength(2)
  })
})

describe('a store that refuses', () => {
  const full = new DeskFailure({ kind: 'disk', message: 'The disk is full.' })

  it('does not lose the answer: it is shown from memory, and said once', async () => {
    const store = localStore()
    const run: typeof store.run = (name, argument) =>
      name === 'answers/keep' ? Promise.reject(full) : store.run(name, argument)
    const { ask, service, notices } = await desk({ store: { ...store, run } })
    expect(short(await ask(recent))).toEqual([1, 'service'])
    expect(short(await ask(recent))).toEqual([1, 'stored'])
    await ask(settledDays)
    expect(service.asked).toHaveLength(2)
    expect(notices).toMatchObject([{ id: 'answers-unwritable', text: 'The disk is full.' }])
  })

  it('to read, leaves the service to be asked', async () => {
    const store = localStore()
    const { ask, service } = await desk({
      store: {
        ...store,
        run: (name, argument) =>
          name.startsWith('answers') ? Promise.reject(full) : store.run(name, argument),
      },
    })
    expect(short(await ask(recent))).toEqual([1, 'service'])
    expect(service.asked).toHaveLength(1)
  })

  it('and what is kept but cannot be read is asked for anew', async () => {
    const { ask, store, service, clock } = await desk()
    await ask(settledDays)
    const text = '<html>'
    await store.run('answers/keep', {
      dataScope: firstDataScope,
      term: 0,
      key: queryKey(settledDays),
      path: 'direct/overview',
      range: settledDays.range,
      fetchedAt: clock.now() as never,
      text,
      madeOf: '',
    })
    // Its totals are kept as a table too, and tell the same.
    const place = { dataScope: firstId as string as DataScopeId, subject: subjectOf(settledDays) }
    const stored = await eventually(async () => {
      const tables = await store.run('tables/list', place)
      expect(tables).toHaveLength(1)
      return tables
    })
    await store.run(
      'tables/forget',
      stored.map(({ id, file }) => ({ id, path: file.path })),
    )
    expect(short(await ask(settledDays))).toEqual([1, 'service'])
    expect(service.asked).toHaveLength(2)
  })
})

describe('an account that is removed', () => {
  it('ends what is being asked for it', async () => {
    const { ask, service, tell, stored: accounts } = await desk()
    service.gate = new Promise(() => {})
    const waiting = ask(recent)
    await settled()
    accounts.length = 0
    tell({ kind: 'account/removed', account: firstId, dataScopes: [] })
    await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    await expect(ask(recent)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
  })
})
