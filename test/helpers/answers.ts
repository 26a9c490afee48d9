/** Answers as the specification shows them, for tests to send, change and break. */

export const scriptTotal = { drops: 1, good: 20, warning: 3, bad: 4, mobile: 5, adblocker: 6 }

export const overviewAnswer = {
  total: scriptTotal,
  query: { start: 20261114, end: 20261120, instance: false, source: false, campaign: false, chart: false },
}

export const paged = { results: 2, pages: 1 }

export const browsersAnswer = {
  total: scriptTotal,
  table: {
    headers: ['Browser', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad+Blocker'],
    all: [false, 28, 27, 20, 3, 4, 5, 6],
    rows: [
      ['Chrome+%2B+more', 18, 17, 12, 2, 3, 5, null],
      ['(undefined)', 10, 10, 8, 1, 1, 0, 6],
    ],
  },
  query: { ...overviewAnswer.query, browser: false, sort: '1:desc', page: 1, limit: 20, ...paged },
}

const encodedInstance = (id: unknown, name: string) => encodeURIComponent(JSON.stringify({ id, name }))

export const sessionsAnswer = {
  total: { nonsuspect: 5, suspect: 2, mobile: 1 },
  table: {
    headers: ['Instance', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile'],
    all: [encodedInstance('all', 'All Instances'), 7, 5, 2, 1],
    rows: [
      [encodedInstance(12, 'Café 50% + "more"'), 4, 3, 1, 1],
      [encodedInstance('13', '中 / 文'), 3, 2, 1, 0],
    ],
  },
  query: { ...overviewAnswer.query, ...paged },
}

export const instancesAnswer = {
  instances: [
    { id: 'All%20Instances', name: 'All+Instances', status: 1 },
    { id: 12, name: 'Caf%C3%A9', status: 1 },
    { id: '13', name: '%E4%B8%AD', status: 0, owner: 'a+b' },
  ],
  query: { name: false, all: false, page: 1, limit: 20, results: 3, pages: 1 },
}

export const rawRow = {
  id: 'r+1%2B',
  name: 'My+report',
  instance: 'Caf%C3%A9',
  type: 'Request',
  requested: '2026-11-20T10:00:00+01:00',
  created: null,
  failed: null,
  timed_out: null,
  cancelled: null,
  status: 'In+Progress',
  expires: '2026-12-21T00:00:00+00:00',
}

export const rawTableAnswer = {
  processing: {
    limits: { minutes_total: 360, api_concurrent: 1, dashboard_concurrent: 2, minutes_available: '359' },
  },
  table: { rows: [rawRow] },
  query: { search: false, sort: '3:desc', page: 1, limit: 20, results: 1, pages: 1, processing_usage: false },
}

export const rawReportAnswer = {
  ...rawRow,
  start: 20261101,
  end: '20261107',
  instance_id: 12,
  instance_name: 'Caf%C3%A9',
  columns: { standard: ['source', 'campaign'], additional: [1, '3'] },
  filters: [{ column: 'source', operator: 'contains', value: 'a+b' }],
  send_email: false,
  requested: '2026-11-20T10:00:00+01:00',
  file_name: 'report%201.zip',
  file_size: 1234,
  rows: 99,
  created: '2026-11-20T10:05:00+01:00',
  alerted: null,
  status: 'Ready',
  processing_minutes: 1,
}
delete (rawReportAnswer as { instance?: unknown }).instance

export const rawDoneAnswer = {
  success: true,
  message: 'Report+cancelled',
  feedback: { pass: { r1: 'a+b' }, fail: [] },
}

export const rawRequestedAnswer = { ...rawDoneAnswer, id: 'r+2' }

export const rawAddressAnswer = { url: encodeURIComponent('https://files.example/a b?sig=x%2By') }
