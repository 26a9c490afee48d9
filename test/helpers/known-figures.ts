import type { Provenance } from '#shared/reports/answer.ts'
import type { FactKey } from '#shared/reports/figure-facts.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

const at = (text: string) => Date.parse(text) as Instant

type Example = {
  /** What figures of Nov 13 to 19, 2026, in days of UTC, have to be for the fact to be said. */
  readonly provenance: Partial<Provenance>
  readonly name: string
  /** How files say it. */
  readonly words: string
  /** What stands in a file's name. */
  readonly mark: string | null
  readonly json: object
}

/** Figures of which each fact is to be said. Whoever adds a fact adds an example: every way out is tried with all of these. */
export const knownExamples: Readonly<Record<FactKey, Example>> = {
  from: {
    provenance: { from: 'stored' },
    ...{ name: 'Figures', words: 'Saved, from the service', mark: null },
    json: { from: 'stored' },
  },
  fetchedAt: {
    provenance: { fetchedAt: at('2026-11-24T08:07:00Z') },
    ...{ name: 'Updated', words: '2026-11-24 08:07 (UTC)', mark: null },
    json: { fetchedAt: '2026-11-24T08:07:00.000Z' },
  },
  ages: {
    provenance: {
      ages: [
        {
          range: { start: day('2026-11-13'), end: day('2026-11-18') },
          fetchedAt: at('2026-11-23T09:00:00Z'),
        },
        {
          range: { start: day('2026-11-19'), end: day('2026-11-19') },
          fetchedAt: at('2026-11-24T09:00:00Z'),
        },
      ],
    },
    name: 'Updated by day',
    words: '2026-11-13 to 2026-11-18: 2026-11-23 09:00 (UTC); 2026-11-19: 2026-11-24 09:00 (UTC)',
    mark: null,
    json: {
      ages: [
        { start: '2026-11-13', end: '2026-11-18', fetchedAt: '2026-11-23T09:00:00.000Z' },
        { start: '2026-11-19', end: '2026-11-19', fetchedAt: '2026-11-24T09:00:00.000Z' },
      ],
    },
  },
  spans: {
    provenance: { spans: [{ start: day('2026-11-13'), end: day('2026-11-18') }] },
    ...{ name: 'Saved as one', words: '2026-11-13 to 2026-11-18', mark: null },
    json: { spans: [{ start: '2026-11-13', end: '2026-11-18' }] },
  },
  missing: {
    provenance: { missing: [day('2026-11-14'), day('2026-11-15')] },
    ...{ name: 'Partial', words: '5 of 7 days. Missing: 2026-11-14, 2026-11-15', mark: 'partial' },
    json: { missing: ['2026-11-14', '2026-11-15'], partial: true, days: 7 },
  },
  composed: {
    provenance: { composed: { requested: 10, total: 19, unit: 'campaigns' } },
    name: 'Not all loaded',
    words: '10 of 19 campaigns. The others are part of “Other or none”',
    mark: 'partial',
    json: { partial: true, composed: { asked: 10, of: 19, unit: 'campaigns' } },
  },
  notOver: {
    provenance: { fetchedAt: at('2026-11-19T15:02:00Z') },
    ...{ name: 'In progress', words: '2026-11-19, counted to 2026-11-19 15:02 (UTC)', mark: 'in progress' },
    json: { notOver: ['2026-11-19'], partial: false },
  },
  canChange: {
    provenance: { fetchedAt: at('2026-11-20T15:02:00Z') },
    ...{ name: 'Still changing', words: '2026-11-18, 2026-11-19', mark: null },
    json: { canChange: ['2026-11-18', '2026-11-19'] },
  },
  doubt: {
    provenance: { doubt: 'fewer-rows' },
    name: 'Does not add up',
    words: 'the service sent fewer rows than it announced',
    mark: 'does not add up',
    json: { doubt: 'fewer-rows' },
  },
  restated: {
    provenance: { restated: { days: 2, latest: at('2026-11-19T10:12:30Z') } },
    ...{ name: 'Restated', words: '2 days, the last on 2026-11-19 10:12 (UTC)', mark: 'restated' },
    json: { restated: { days: 2, latest: '2026-11-19T10:12:30.000Z' } },
  },
  failure: {
    provenance: { failure: { kind: 'offline', message: 'Nobody answers.' } },
    ...{ name: 'Not refreshed', words: 'Nobody answers.', mark: 'not refreshed' },
    json: { notRenewed: 'Nobody answers.' },
  },
  refreshing: {
    provenance: { refreshing: true },
    ...{ name: 'Refreshing', words: 'Newer figures were loading', mark: null },
    json: { refreshing: true },
  },
}

/** Figures of which there is nothing to warn of. */
export const soundFigures: Provenance = {
  from: 'computed',
  fetchedAt: at('2026-11-24T09:14:00Z'),
  refreshing: false,
  failure: null,
  missing: [],
  doubt: null,
  restated: null,
}
