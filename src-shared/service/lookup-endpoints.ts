import type { Parameters } from './parameters.ts'
import { pageParameters } from './report-endpoints.ts'

const days = {
  start: { type: 'day', required: true, words: 'Start' },
  end: { type: 'day', required: true, words: 'End' },
} as const satisfies Parameters

const all = { type: 'flag', required: false, default: true, words: 'With the entry for all' } as const

/** The look-up lists that fill the filters (specification: interface endpoints). */
export const lookupEndpoints = {
  'interface/instances': {
    answer: 'instances',
    repeatable: true,
    parameters: {
      name: { type: 'text', required: false, words: 'Name' },
      all,
      ...pageParameters,
    },
  },
  'interface/sources': {
    answer: 'sources',
    repeatable: true,
    parameters: {
      ...days,
      instance: { type: 'text', required: false, words: 'Instance' },
      source: { type: 'text', required: false, words: 'Source' },
      all,
      ...pageParameters,
    },
  },
  'interface/campaigns': {
    answer: 'campaigns',
    repeatable: true,
    parameters: {
      ...days,
      instance: { type: 'text', required: false, words: 'Instance' },
      source: { type: 'text', required: false, words: 'Source' },
      campaign: { type: 'text', required: false, words: 'Campaign' },
      all,
      ...pageParameters,
    },
  },
} as const satisfies Record<string, { answer: string; repeatable: boolean; parameters: Parameters }>
