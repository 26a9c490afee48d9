import { describe, expect, it } from 'vitest'
import type { OverviewFigure } from '#renderer/views/overview/figures.ts'
import { loadPrinted } from '#renderer/views/print/load.ts'
import { FEW_MORE, MAX_ROWS, TOP_ROWS } from '#renderer/views/print/printed.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { ExplainedDimension } from '#shared/reports/explain-answer.ts'
import { answerKey, normalise, trendKey } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { plainOverview, readAddress, tableQueryAt } from '#shared/views/address.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { explainAnswer, explainedAs } from '#test/src-renderer/helpers/explanations.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { noteView } from '#shared/watch/notes.ts'
import { answerFor } from '#test/src-renderer/helpers/figures.ts'
import { finding } from '#test/src-renderer/helpers/watched.ts'

const now = Date.parse('2026-11-20T10:00:00Z')
/** The first day of the period before the last seven days. */
const startBefore = '2026-11-06'

const load = async (desk: FakeDesk, view: string) => {
  const loaded = await loadPrinted(desk.bridge, { account: account.id, view }, now)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  return loaded.value.sections
}

const lackingDays = () =>
  new FakeDesk().answer('reports/ask', ({ query }) => {
    const answer = answerFor(query)
    if (query.range.start !== startBefore) return good(answer)
    return good({ ...answer, provenance: { ...answer.provenance, missing: [query.range.start] } })
  })

describe.each(['#/overview?compare=period-before', '#/reports/direct/browsers?compare=period-before'])(
  'pages of %s',
  (view) => {
    it('compare the figures as they are where no day is missing', async () => {
      const desk = new FakeDesk()
      for (const { figures, comparison, compared } of await load(desk, view)) {
        expect(compared).toBeNull()
        expect(comparison?.now.find(({ name }) => name === 'Suspect')).toEqual(
          figures.find(({ name }) => name === 'Suspect'),
        )
      }
      expect(desk.argumentsOf('reports/paired')).toEqual([])
    })

    it('compare the days that are kept of both periods where some are missing', async () => {
      const side = (suspect: number) => ({ total: { suspect, bad: suspect } })
      const compared = { days: 6, total: 7 }
      const desk = lackingDays().answer('reports/paired', () =>
        good({ compared, sides: { now: side(250), before: side(200) }, fetchedAt: null, doubt: null }),
      )
      for (const { family, comparison, compared: told } of await load(desk, view)) {
        const watched = family === 'direct' ? 'Suspect' : 'Bad'
        const valueIn = (figures: readonly OverviewFigure[]) =>
          figures.find(({ header }) => header === watched)
        expect(told).toEqual(compared)
        expect(valueIn(comparison?.now ?? [])).toMatchObject({ value: 250 })
        expect(valueIn(comparison?.before ?? [])).toMatchObject({ value: 200 })
      }
    })

    it('compare nothing where no day is kept of both', async () => {
      for (const { comparison, compared } of await load(lackingDays(), view)) {
        expect({ comparison, compared }).toEqual({ comparison: null, compared: { days: 0, total: 7 } })
      }
    })
  },
)

describe.each(['#/overview?period=this-week', '#/reports/direct/browsers?period=this-week'])(
  'pages of %s',
  (view) => {
    it.each(['00:30', '10:00', '12:00'])(
      'compare the days that are over, and say so, at %s',
      async (time) => {
        const desk = new FakeDesk()
        const loaded = await loadPrinted(
          desk.bridge,
          { account: account.id, view: `${view}&compare=week-before` },
          Date.parse(`2026-11-20T${time}:00Z`),
        )
        if (!loaded.ok) throw new Error(loaded.failure.message)
        const before = { start: '2026-11-09', end: '2026-11-12' }
        expect(loaded.value).toMatchObject({
          before,
          periods: { now: { start: '2026-11-16', end: '2026-11-19' }, before, leftOut: ['2026-11-20'] },
        })
        const asked = desk.argumentsOf('reports/ask').map(({ query }) => query.range)
        expect(asked).toContainEqual({ start: '2026-11-16', end: '2026-11-19' })
        expect(asked).toContainEqual(before)
        for (const { comparison } of loaded.value.sections)
          expect(comparison?.lengths).toEqual({ now: 4, before: 4 })
      },
    )
  },
)

describe.each([
  ['#/overview?compare=period-before', 4],
  ['#/reports/direct/browsers?compare=period-before', 2],
])('pages of %s', (view, asks) => {
  /** A desk whose figures are newer from the nth answer on, and so on with each that follows. */
  const changing = (isNewer: (nth: number) => boolean) => {
    let [nth, fetchedAt] = [0, now]
    return new FakeDesk().answer('reports/ask', ({ query }) => {
      nth += 1
      if (isNewer(nth)) fetchedAt += 1000
      const answer = answerFor(query)
      return good({ ...answer, provenance: { ...answer.provenance, fetchedAt: fetchedAt as Instant } })
    })
  }
  const loaded = (desk: FakeDesk) => loadPrinted(desk.bridge, { account: account.id, view }, now)

  it('are of one moment: they are loaded again where a refresh came between their parts', async () => {
    for (let refreshed = 2; refreshed <= 2 * asks; refreshed += 1) {
      const desk = changing((nth) => nth === refreshed)
      const found = await loaded(desk)
      if (!found.ok) throw new Error(found.failure.message)
      expect(found.value.isSteady).toBe(true)
      for (const { provenance } of found.value.sections) expect(provenance.fetchedAt).toBe(now + 1000)
    }
  })

  it('say that their figures changed where they do not come to rest', async () => {
    const found = await loaded(changing(() => true))
    expect(found.ok && found.value.isSteady).toBe(false)
  })
})

it('pages of periods of unequal length are compared per day, without a line of the other in their chart', async () => {
  const view = '#/overview?compare-start=2026-10-16&compare-end=2026-11-12'
  for (const { comparison, chart } of await load(new FakeDesk(), view)) {
    expect(comparison?.lengths).toEqual({ now: 7, before: 28 })
    expect(chart).toMatchObject({ kind: 'days', before: null })
  }
})

describe('the rows of pages', () => {
  const view = '#/reports/script/browsers?sort=asc%3ABad&limit=50&compare=period-before'
  const rowsOf = async (desk: FakeDesk, whole: boolean) => {
    const loaded = await loadPrinted(desk.bridge, { account: account.id, view, whole }, now)
    const table = loaded.ok ? loaded.value.sections[0]?.table : null
    if (!table) throw new Error('There is no table.')
    return table
  }

  it('are the first of the page that is seen, in its order: of one answer with it', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => good(answerFor(query, 2200)))
    const { table, results, whole } = await rowsOf(desk, false)
    expect([table.rows.length, results, whole]).toEqual([TOP_ROWS + FEW_MORE, 2200, []])
    const seen = tableQueryAt(readAddress(view) as ReportAddress, day('2026-11-20'))
    expect(desk.argumentsOf('reports/ask')[0]?.query).toEqual(normalise(seen))
  })

  it('are all of them where the whole table is wanted, each piece with what it is compared with', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => good(answerFor(query, 2200)))
    const { whole } = await rowsOf(desk, true)
    expect(whole.map(({ rows }) => rows.length)).toEqual([1000, 1000, 200])
    const labels = new Set(whole.flatMap(({ rows }) => rows.map(({ label }) => labelKey(label))))
    expect(labels.size).toBe(2200)
    const sorts = desk.argumentsOf('reports/ask').map(({ query }) => query.kind === 'table' && query.sort)
    expect(new Set(sorts.map((sort) => JSON.stringify(sort))).size).toBe(1)
    expect(desk.argumentsOf('reports/before').map((asked) => asked.labels.length)).toEqual([
      ...[TOP_ROWS + FEW_MORE, 1000, 1000, 200],
    ])
  })

  it('are of one whole table: first rows and all, loaded again where a refresh came between its pages', async () => {
    let nth = 0
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      nth += 1
      const answer = answerFor(query, 2200)
      const fetchedAt = (nth > 2 ? now : now - 3_600_000) as Instant
      return good({ ...answer, provenance: { ...answer.provenance, fetchedAt } })
    })
    const { whole } = await rowsOf(desk, true)
    expect(whole.map(({ rows }) => rows.length)).toEqual([1000, 1000, 200])
    const asked = desk
      .argumentsOf('reports/ask')
      .flatMap(({ query }) => (query.kind === 'table' && query.range.end === '2026-11-19' ? [query] : []))
    expect(new Set(asked.map((query) => query.whole))).toEqual(new Set([true]))
    const pages = asked.map(({ page }) => page)
    // Twice, and once more to see that nothing changed.
    expect(pages.filter((page) => page === 3).length).toBeGreaterThanOrEqual(3)
  })

  it('are not printed where the pages of the whole table never come to be of one moment', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query, 2200)
      const page = query.kind === 'table' ? query.page : 0
      return good({ ...answer, provenance: { ...answer.provenance, fetchedAt: (now - page) as Instant } })
    })
    const loaded = await loadPrinted(desk.bridge, { account: account.id, view, whole: true }, now)
    expect(loaded).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('keep changing') },
    })
  })

  it('are no more than a person leafs through', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => good(answerFor(query, 120_000)))
    const { whole } = await rowsOf(desk, true)
    expect(whole.reduce((sum, { rows }) => sum + rows.length, 0)).toBe(MAX_ROWS)
  })
})

describe('what explains a change on pages', () => {
  const changesOf = async (view: string, dimensions: readonly ExplainedDimension[]) => {
    const desk = new FakeDesk().answer('reports/explain', (asked) =>
      good(explainAnswer(asked, { dimensions })),
    )
    const [section] = await load(desk, view)
    return { desk, told: section?.changes.map(({ dimension }) => dimension) }
  }
  const compared = '#/reports/script/browsers?compare=period-before'

  it('is that of the rate that is watched, from what is stored, the own dimension first', async () => {
    const dimensions = [explainedAs('networks'), explainedAs('devices'), explainedAs('browsers')]
    const { desk, told } = await changesOf(compared, dimensions)
    expect(told).toEqual(['browsers', 'networks', 'devices'])
    expect(desk.argumentsOf('reports/explain')).toMatchObject([
      { header: 'Bad', base: 'Requests', by: 'rate', load: [], before: { start: startBefore } },
    ])
  })

  it('is left out where it cannot be told, or is not of the figure on page one', async () => {
    const doubtful: Partial<Extract<ExplainedDimension, { kind: 'explained' }>>[] = [
      { agrees: false },
      { agrees: null },
      { doubt: 'rows-do-not-add-up' },
    ]
    for (const changes of doubtful)
      expect((await changesOf(compared, [explainedAs('networks', undefined, changes)])).told).toEqual([])
    expect((await changesOf(compared, [{ kind: 'missing', dimension: 'networks' }])).told).toEqual([])
    const failing = new FakeDesk().answer('reports/explain', () => failed('internal'))
    expect((await load(failing, compared))[0]?.changes).toEqual([])
  })

  it('is not asked for where nothing is compared', async () => {
    const { desk, told } = await changesOf('#/reports/script/browsers', [explainedAs('networks')])
    expect(told).toEqual([])
    expect(desk.argumentsOf('reports/explain')).toEqual([])
  })
})

describe('pages that are given up', () => {
  /** Gives pages up at their first call of this name; the questions that the main process heard to be given up, and all. */
  const givenUpAt = async (at: 'reports/ask' | 'reports/trend', view: string) => {
    const leaving = new AbortController()
    const desk = new FakeDesk()
    const call: typeof desk.bridge.call = (name, ...argument) => {
      const answer = desk.bridge.call(name, ...argument)
      if (name === at) leaving.abort()
      return answer
    }
    const loaded = await loadPrinted(
      { ...desk.bridge, call },
      { account: account.id, view },
      now,
      leaving.signal,
    )
    expect(loaded).toMatchObject({ ok: false, failure: { kind: 'cancelled' } })
    const keys = desk.argumentsOf('reports/cancel').map(({ key }) => key)
    const asked = desk.called.map(({ name }) => name).filter((name) => /^reports\/(?!cancel)/.test(name))
    return { desk, keys, asked }
  }

  it('give up the first rows that they alone ask for, and ask for nothing more', async () => {
    const { desk, keys, asked } = await givenUpAt(
      'reports/ask',
      '#/reports/script/browsers?compare=period-before&page=2',
    )
    expect(keys).toEqual(desk.argumentsOf('reports/ask').map(({ query }) => answerKey(query)))
    expect(asked).toEqual(['reports/ask'])
  })

  it('leave to the view what it asks for too: the same rows, or the figures of Overview', async () => {
    for (const view of ['#/reports/script/browsers', '#/overview']) {
      const { keys, asked } = await givenUpAt('reports/ask', view)
      expect(keys).toEqual([])
      expect(new Set(asked)).toEqual(new Set(['reports/ask']))
    }
  })

  it('give up daily figures where the view shows no chart', async () => {
    const view = '#/reports/script/browsers?compare=period-before'
    const without = await givenUpAt('reports/trend', view)
    expect(without.keys).toEqual(
      without.desk.argumentsOf('reports/trend').map(({ query }) => trendKey(query)),
    )
    expect((await givenUpAt('reports/trend', `${view}&chart=stacked`)).keys).toEqual([])
  })
})

it("marks findings by the account's name for their rule set", async () => {
  const found = finding(1, { view: noteView(plainOverview), row: null, measure: 'rule-mix', rule: 'UE' })
  const ruleNames = [{ account: account.id, code: 'UE', name: 'User agents' }]
  const desk = new FakeDesk()
    .answer('findings/since', () => good([found]))
    .answer('settings/read', () => good({ ...usualSettings, ruleNames }))
  const [section] = await load(desk, '#/overview')
  expect(section?.events).toMatchObject([{ kind: 'finding', finding: { rule: 'User agents' } }])
})
