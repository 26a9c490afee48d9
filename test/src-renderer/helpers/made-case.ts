import type { CaseFindings, CaseId, CaseScope, ShownCase } from '#shared/cases/case.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { madeFile, recount } from './made-rows.ts'

const range = { start: day('2026-11-16'), end: day('2026-11-17') }

const scope: CaseScope = {
  ...{ family: 'script', instances: { kind: 'all' }, source: 'newsletter', campaign: null },
  ...{ range, zone: 'UTC' },
}

const side = (bad: number, share: number) => ({
  ...{ range, fetchedAt: Date.UTC(2026, 10, 18, 9) as Instant, missing: 0, restated: 0, said: [] },
  figures: [
    { header: 'Requests', name: 'Requests', value: 1000, share: null },
    { header: 'Bad', name: 'Bad', value: bad, share },
  ],
})

/** What a case came to. */
export const findings: CaseFindings = {
  ...{ madeAt: Date.UTC(2026, 10, 18, 10) as Instant, zone: 'UTC', scope, covers: 'whole' },
  ...{ service: 'reports.example', instances: [] },
  ...{ now: side(200, 0.2), before: side(100, 0.1), others: side(50, 0.05) },
  ...{ headers: ['Bad'], days: [{ day: range.start, values: [120] }] },
  rows: { rows: 300, bad: 180 },
  results: [{ value: 'bad', rows: 180, bad: 180 }],
  rowDays: [{ value: '2026-11-16', rows: 300, bad: 180 }],
  ruleSets: [
    { value: '', rows: 120, bad: 0 },
    { value: 'UE', rows: 180, bad: 180 },
  ],
  trafficTypes: [],
  ruleTypes: [{ code: 'UE', types: ['User agent'] }],
  sources: [
    { value: 'newsletter', rows: 300, bad: 180 },
    { value: 'shop', rows: 90, bad: 3 },
  ],
  clusters: [],
  archives: [
    {
      ...{ file: madeFile, name: 'Responses of the week', rows: 390, ofCase: 300, unreadable: 0 },
      ...{ readAt: 1 as Instant, recount, instance: null, left: null },
    },
  ],
  lacks: [],
}

/** A case that was made once. */
export const madeCase: ShownCase = {
  id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01' as CaseId,
  begunAt: Date.UTC(2026, 10, 18) as Instant,
  entry: {
    ...{ name: 'Newsletter of autumn', about: 'source', subject: 'newsletter', scope },
    ...{ files: [madeFile], notes: 'Paid in advance.' },
  },
  made: findings,
  before: null,
  ...{ requests: [], rowsChanged: false, savedAt: null, savedOf: null, sentAt: null },
}
