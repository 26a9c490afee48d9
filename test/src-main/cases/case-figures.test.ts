import { expect, it } from 'vitest'
import { figuresOfCase } from '#main/cases/case-figures.ts'
import type { Reports } from '#main/reports/reports.ts'
import { fake } from '#test/helpers/fake.ts'
import type { CaseEntry } from '#shared/cases/case.ts'
import { sideNote } from '#shared/texts/cases.ts'
import { day } from '#shared/values/day.ts'
import { knownExamples, soundFigures } from '#test/helpers/known-figures.ts'
import { account } from '../archives/open-rows.ts'

const range = { start: day('2026-11-13'), end: day('2026-11-19') }
const entry: CaseEntry = {
  ...{ name: 'News of autumn', about: 'source', subject: 'news', files: [], notes: '' },
  scope: {
    ...{ family: 'direct', instances: { kind: 'all' }, source: 'news', campaign: null },
    ...{ range, zone: 'UTC' },
  },
}

const notExpected = () => Promise.reject(new Error('Not expected'))

it('says of the figures of a case whatever figures can say that has to be known', async () => {
  for (const [key, { provenance, mark, words }] of Object.entries(knownExamples)) {
    const ask = (({ query }: { query: unknown }) =>
      Promise.resolve({
        ...{ kind: 'overview', query, provenance: { ...soundFigures, ...provenance } },
        figures: { total: { suspect: 1, nonsuspect: 2 }, chart: null },
      })) as unknown as Reports['ask']
    const trend: Reports['trend'] = () => Promise.reject(new Error('No trend is looked at'))
    const { now: side, lacks } = await figuresOfCase(entry, {
      account: account.id,
      reports: fake<Reports>('reports', {
        ...{ ask, trend, instances: notExpected, confirm: notExpected },
        connection: () => ({ kind: 'online' }),
      }),
      clock: { now: () => 0, wait: () => Promise.resolve() },
      signal: new AbortController().signal,
      gathered: null,
    })
    if (!side) throw new Error('There are no figures')
    const open = lacks.filter(({ what }) => what === 'The last day').map(({ failure }) => failure.message)
    const note = sideNote(side)
    if (key === 'missing') expect(note).toBe('2 days missing')
    else if (key === 'restated') expect(note).toBe('2 days restated by the service')
    else if (key === 'notOver') expect(note).toBe('')
    else expect(note.includes(words), `${key}: ${note}`).toBe(mark !== null)
    // A running day is told of once, whichever of the figures have it.
    expect(open).toEqual(
      key === 'notOver' ? ['2026-11-19 was still in progress when the figures were updated.'] : [],
    )
  }
})
