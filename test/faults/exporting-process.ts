import { createExports } from '../../src-main/exports/exports.ts'
import { systemClock } from '../../src-main/lib/waiting.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import {
  account,
  exportWorker,
  headers,
  neverCompared,
  pageOf,
  query,
  textRow,
} from '../src-main/exports/helpers.ts'

/** Exports without end into the folder that it is given, and says when pages are being written: it is there to be killed. */
const [folder = '', format = 'csv'] = process.argv.slice(2)
const rows = Array.from({ length: 1000 }, (_, index) => textRow(`host ${index}`, 1, 2, 3, 4, 5, 6, 7))
let pages = 0
// A thread keeps no process alive.
setInterval(() => undefined, 60_000)

const exported = createExports({
  book: { account: () => account },
  reports: {
    ...neverCompared,
    ask: ({ query: asked }) => {
      pages += 1
      if (pages === 20) process.stdout.write('writing\n')
      const page = pageOf({ ...(asked as TableQuery), page: 1 }, { rows })
      return Promise.resolve({
        ...page,
        figures: { ...page.figures, query: { results: 1e9, pages: 1e6, echo: {} } },
      })
    },
    cancel: () => undefined,
  },
  emit: () => undefined,
  clock: systemClock,
  exportWorker,
  work: folder,
  downloads: () => Promise.resolve(folder),
  copy: () => undefined,
  print: () => Promise.reject(new Error('Nothing is printed here')),
  showFile: () => undefined,
  openFile: () => Promise.resolve(''),
})
await exported.start(account.id, {
  what: 'table',
  format: format === 'xlsx' ? 'xlsx' : 'csv',
  rows: 'all',
  query,
  columns: headers,
})
