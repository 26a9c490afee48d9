import type { CallName, CallResult } from '#shared/bridge/calls.ts'
import type { TableShape } from '#shared/archives/rows-file.ts'

type RowsAnswers = { [N in Extract<CallName, `rows/${string}`>]: CallResult<N> }

/** What the calls of raw rows answer where nothing is read in. */
export const noRows: RowsAnswers = {
  'rows/list': [],
  'rows/import': null,
  'rows/preview': {
    ...{ shape: '0'.repeat(32) as TableShape, choice: {}, lines: [], last: [], columns: [], tables: 1 },
    readAs: {
      ...{ encoding: 'utf-8', delimiter: ',', hasHeader: true, linesBefore: 0, linesAfter: 0, short: 0 },
      doubts: [],
    },
  },
  'rows/cancel-import': null,
  'rows/take': [],
  'rows/choose': [],
  'rows/let-go': null,
  'rows/page': { rows: [], total: 0 },
  'rows/facets': { rows: 0, bad: null, facets: [] },
  'rows/histogram': { zone: 'UTC', results: [], bars: [], untimed: 0 },
  'rows/groups': { results: [], groups: [], total: 0, moments: [] },
  'rows/clusters': { rows: 0, bad: null, tested: 0, clusters: [], more: 0 },
  'rows/block-list': {
    ...{ text: '', entries: 0, ranges: [], more: 0, blocked: { rows: 0, bad: 0 } },
    leftOut: {
      reserved: 0,
      allowed: 0,
      nonsense: 0,
      exported: 0,
      expired: 0,
      refused: 0,
      mild: 0,
      beyond: 0,
    },
  },
  'rows/search': {
    ...{ files: [], searched: [], unsearched: [] },
    columns: { searched: [], unsearched: [] },
  },
  'rows/recount': {
    figures: [],
    compared: { counted: 0, saved: 0, differing: 0 },
    outcome: 'nothing-saved',
    reasons: [],
    failure: null,
  },
  'rows/recounted': null,
  'rows/lists': [],
  'rows/undo-list': null,
  'rows/unreadable': { total: 0, lines: [] },
  'rows/long-cells': [],
  'rows/export': { id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9a11' as CallResult<'rows/export'>['id'] },
  'rows/export-table': {
    id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9a14' as CallResult<'rows/export-table'>['id'],
  },
  'rows/export-unreadable': {
    id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9a12' as CallResult<'rows/export-unreadable'>['id'],
  },
  'rows/save-list': { id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9a13' as CallResult<'rows/save-list'>['id'] },
  'rows/cancel': null,
}
