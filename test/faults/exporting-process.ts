import { Exports } from '#main/exports/exports.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { account, asking, exportsContext, headers, query, textRow } from '../src-main/exports/helpers.ts'

/** Exports for long into the folder that it is given, and says when rows are being written: it is there to be killed. */
const [folder = '', format = 'csv'] = process.argv.slice(2)
const rows = Array.from({ length: 300_000 }, (_, index) => textRow(`host ${index}`, 1, 2, 3, 4, 5, 6, 7))
// A thread keeps no process alive.
setInterval(() => undefined, 60_000)

const events = eventsTo((event) => {
  if (event.kind !== 'jobs/changed') return
  const { state } = event.job
  if (state.kind === 'running' && state.done > 0) process.stdout.write('writing\n')
})
const exported = new Exports(exportsContext(folder, { reports: asking({ rows }), events }))
await exported.begin({
  account: account.id,
  order: {
    kind: 'table',
    format: format === 'xlsx' ? 'xlsx' : 'csv',
    rows: 'all',
    query,
    columns: headers,
  },
})
