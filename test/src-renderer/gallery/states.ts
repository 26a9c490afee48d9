import type { ReportAnswer } from '#shared/reports/answer.ts'
import { trendKey } from '#shared/reports/query.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { Count } from '#shared/api/answers.ts'
import { addDays } from '#shared/values/day.ts'
import { beforeAnswer } from '../helpers/befores.ts'
import { answerFor, tableAnswer } from '../helpers/figures.ts'
import { restatedDesk, restatement } from '../helpers/restatements.ts'
import { trendAnswer } from '../helpers/trends.ts'
import { rawStates } from './raw-states.ts'
import { watchStates } from './watch-states.ts'
import { fileOf, rowsDesk, wholeState } from '../helpers/made-rows.ts'
import { FakeDesk, account, failed, good, otherAccount } from '../helpers/fake-desk.ts'

const never = new Promise<never>(() => undefined)

const known = (change: Partial<ReportAnswer['provenance']>) => (desk: FakeDesk) =>
  desk.answer('reports/ask', ({ query }) => {
    const answer = answerFor(query)
    const missing = change.missing ? [addDays(query.range.start, 1), addDays(query.range.start, 2)] : []
    return good({ ...answer, provenance: { ...answer.provenance, ...change, missing } })
  })

const chartless = (desk: FakeDesk) =>
  desk.answer('reports/ask', ({ query }) => {
    const answer = answerFor(query)
    return good(
      answer.kind === 'overview' ? { ...answer, figures: { ...answer.figures, chart: null } } : answer,
    )
  })

const notice = (tone: 'information' | 'warning' | 'trouble') => ({
  id: tone,
  tone,
  title: `A ${tone}`,
  text: 'The saved data was damaged. The file was set aside as desk.sqlite.damaged, and a new one was begun.',
})

/** Every state of the window by the name that `?state=` takes. */
export const states: Readonly<Record<string, () => FakeDesk>> = {
  ...watchStates,
  calm: () => new FakeDesk(),
  ...rawStates,
  /** With `#/rows`, `#/rows/report-R1`, `#/rows?search=198.51.3`. */
  rows: () => rowsDesk(),
  archives: () =>
    rowsDesk([
      fileOf(wholeState),
      fileOf(
        { kind: 'importing', replaced: false },
        { id: 'report-R2' as RowsFileId, name: 'Direct of October', type: 'direct' },
      ),
      fileOf({ kind: 'not-read' }, { id: 'report-R3' as RowsFileId, name: 'Requests of Monday', type: null }),
      fileOf(
        { kind: 'damaged' },
        { id: 'file-F1' as RowsFileId, name: 'old rows.csv', report: null, archive: 'gone' },
      ),
      fileOf(
        { kind: 'failed', failure: { kind: 'disk', message: 'The disk is full: 1.2 GB are missing.' } },
        {
          id: 'file-F2' as RowsFileId,
          name: 'a file with a long name, of a client with a long name, of a year long gone.zip',
          report: null,
          type: null,
        },
      ),
    ]),
  first: () => new FakeDesk({ accounts: [], active: null }),
  several: () => new FakeDesk({ accounts: [account, otherAccount] }),
  notices: () => new FakeDesk({ notices: [notice('information'), notice('warning'), notice('trouble')] }),
  waiting: () => new FakeDesk().answer('reports/ask', () => never),
  refreshing: () => known({ refreshing: true })(new FakeDesk()),
  offline: () => known({ from: 'stored' })(new FakeDesk({ connection: { kind: 'offline' } })),
  unstored: () =>
    new FakeDesk({ connection: { kind: 'offline' } }).answer('reports/ask', () => failed('offline')),
  refused: () => known({ from: 'stored' })(new FakeDesk({ connection: { kind: 'refused' } })),
  trouble: () =>
    known({
      failure: {
        kind: 'server-trouble',
        message: 'It answered with an error of its own (503). Try again in a while.',
        said: 'upstream connect error',
      },
    })(new FakeDesk()),
  restated: () => restatedDesk({ days: 1, latest: restatement.afterFetchedAt }),
  holes: () => known({ missing: [] })(new FakeDesk()),
  window: () =>
    new FakeDesk().answer('reports/ask', () =>
      failed('out-of-window', { message: 'This service answers at most 7 days of a table at once.' }),
    ),
  failed: () =>
    new FakeDesk().answer('reports/ask', () =>
      failed('malformed', {
        message: 'The service answered with a page, not with figures.',
        said: '<html>…',
      }),
    ),
  /** No chart is recognised: the days come one by one, and are still coming. */
  days: () => {
    const desk = chartless(new FakeDesk())
    return desk.answer('reports/trend', ({ query }) => {
      const key = trendKey(query)
      setTimeout(() =>
        desk.emit('reports/progress', { account: account.id, key, done: 14, total: 31, unit: 'days' }),
      )
      return never
    })
  },
  gaps: () =>
    chartless(new FakeDesk()).answer('reports/trend', ({ query }) => {
      const { chart, provenance } = trendAnswer(query)
      const holes = (values: readonly Count[]) =>
        values.map((value, day) => (day === 2 || day === 4 ? null : value))
      const series = chart.series.map(({ header, values }) => ({ header, values: holes(values) }))
      return good({ chart: { ...chart, series }, provenance })
    }),
  trendless: () => chartless(new FakeDesk()).answer('reports/trend', () => failed('offline')),
  empty: () =>
    new FakeDesk().answer('reports/ask', ({ query }) =>
      good(query.kind === 'table' ? tableAnswer(query, 0) : answerFor(query)),
    ),
  large: () =>
    new FakeDesk().answer('reports/ask', ({ query }) =>
      good(query.kind === 'table' ? tableAnswer(query, 50_000) : answerFor(query)),
    ),
  /** With `&compare=period-before`, or any other. */
  compared: () =>
    new FakeDesk().answer('reports/before', ({ query, before, labels }) =>
      good(beforeAnswer(query, before, labels)),
    ),
  keychain: () =>
    new FakeDesk({ accounts: [], active: null }).answer('accounts/connect', ({ storage }) =>
      storage === 'keychain'
        ? failed('no-keychain', {
            message: 'No keychain answers on this computer, so the token cannot be kept.',
          })
        : failed('offline'),
    ),
  fault: () =>
    new FakeDesk({ accounts: [], active: null }).answer('accounts/connect', () =>
      failed('invalid', { message: 'The address must begin with https://', field: 'address' }),
    ),
}
