import type { ReportAnswer, RestatedDays, Restatement } from '#shared/reports/answer.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { FakeDesk, good } from './fake-desk.ts'
import { answerFor } from './figures.ts'

export const at = (iso: string) => Date.parse(iso) as Instant

/** A restatement of the eighteenth. */
export const restatement: Restatement = {
  range: { start: day('2026-11-18'), end: day('2026-11-18') },
  beforeFetchedAt: at('2026-11-19T06:00:00Z'),
  afterFetchedAt: at('2026-11-19T10:12:00Z'),
  totals: [
    { name: 'good', before: 5000, after: 4900 },
    { name: 'bad', before: 1000, after: 1192 },
    { name: 'adblocker', before: null, after: 7 },
  ],
  rows: [
    { label: { kind: 'all', name: null }, changes: [{ name: 'Bad', before: 1000, after: 1192 }] },
    {
      label: { kind: 'text', text: 'Chrome' },
      changes: [
        { name: 'Bad', before: 600, after: 750 },
        { name: 'Good', before: 3000, after: 2900 },
      ],
    },
    { label: { kind: 'text', text: 'Edge' }, changes: [{ name: 'Bad', before: null, after: 42 }] },
  ],
  differing: 2,
}

/** A desk whose answers touch days that were restated. */
export const restatedDesk = (
  restated: RestatedDays | null,
  found: readonly Restatement[] = [restatement],
  of = found.length,
) =>
  new FakeDesk()
    .answer('reports/ask', ({ query }) => {
      const answer: ReportAnswer = answerFor(query)
      return good({ ...answer, provenance: { ...answer.provenance, restated } })
    })
    .answer('reports/restatements', () => good({ items: found, total: of }))
