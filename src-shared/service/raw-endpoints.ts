import type { Parameters } from './parameters.ts'
import { pageParameters } from './report-endpoints.ts'

const raw = { type: 'text', required: true, words: 'Raw report' } as const

/**
 * The raw data endpoints (specification: raw data endpoints). `repeatable` is false where asking twice does
 * something twice: those are never retried by machine.
 */
export const rawEndpoints = {
  'raw/table': {
    answer: 'raw-table',
    repeatable: true,
    parameters: {
      search: { type: 'text', required: false, words: 'Search' },
      startswith: { type: 'flag', required: false, default: false, words: 'Starts with' },
      sort: { type: 'sort', required: false, default: '3:desc', words: 'Sort' },
      ...pageParameters,
      processing_usage: { type: 'flag', required: false, default: false, words: 'Processing usage' },
    },
  },
  'raw/report': { answer: 'raw-report', repeatable: true, parameters: { raw } },
  'raw/request': {
    answer: 'raw-requested',
    repeatable: false,
    parameters: {
      type: { type: 'text', required: true, words: 'Type' },
      instance: { type: 'text', required: true, words: 'Instance' },
      start: { type: 'day', required: true, words: 'Start' },
      end: { type: 'day', required: true, words: 'End' },
      standard: { type: 'texts', required: true, words: 'Standard columns' },
      name: { type: 'text', required: false, words: 'Name' },
      additional: { type: 'wholes', required: false, words: 'Additional columns' },
      filters: { type: 'filters', required: false, words: 'Filters' },
      send_email: { type: 'flag', required: false, default: true, words: 'Email me when ready' },
    },
  },
  'raw/cancel': { answer: 'raw-done', repeatable: false, parameters: { raw } },
  'raw/download': { answer: 'raw-address', repeatable: true, parameters: { raw } },
  'raw/remove': {
    answer: 'raw-done',
    repeatable: false,
    parameters: { raw: { type: 'text-or-texts', required: true, words: 'Raw reports' } },
  },
} as const satisfies Record<string, { answer: string; repeatable: boolean; parameters: Parameters }>
