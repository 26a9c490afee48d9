import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import { addDays, dayAt, dayToWire } from '#shared/values/day.ts'
import type { Body, Service } from '../service.ts'

/** What the service has to tell of raw reports in the pictures. */

const MINUTE = 60_000
/** As the sandbox writes texts. */
const written = encodeURIComponent
const HOW_MANY = 500

type Row = Readonly<Record<string, unknown>>

const rowsOf = (answer: Body): readonly Row[] => {
  const { table } = answer as { table?: { rows?: readonly Row[] } }
  return table?.rows ?? []
}
const withRows = (answer: Body, rows: readonly Row[]) => ({
  ...answer,
  table: { rows },
  query: { ...(answer['query'] as Body), results: rows.length, pages: Math.min(rows.length, 1) },
})

/** An account that never asked for a raw report. */
export const without = (answer: Body) => withRows(answer, [])

/** As many reports as an account gathers in a year, on one page. */
export function many(answer: Body): Body {
  const rows = rowsOf(answer).filter(({ created }) => typeof created === 'string')
  const clients = ['Northwind News', 'Größe+Plus 100%', 'Café "Am Eck" / Bar', 'Harbour Retail']
  const kinds = ['Bad traffic', 'Networks', 'Devices by day', 'Requests without answer', 'Campaign check']
  const more = Array.from({ length: HOW_MANY }, (_, place) => ({
    ...rows[place % Math.max(1, rows.length)],
    id: String(900_000 + place),
    name: written(`${kinds[place % kinds.length] ?? ''}, ${clients[place % clients.length] ?? ''}`),
    requested: writtenMoment(Date.now() - place * 53 * MINUTE),
    created: writtenMoment(Date.now() - place * 53 * MINUTE + 4 * MINUTE),
  }))
  return withRows(answer, more)
}

const writtenMoment = (at: number) => `${new Date(at).toISOString().slice(0, 19)}+00:00`

/** What is in progress was asked for four minutes ago: pictures do not wait that long. */
export function underWay(answer: Body): Body {
  const since = writtenMoment(Date.now() - 4.2 * MINUTE)
  const earlier = (row: Row): Row =>
    /progress/i.test(String(row['status'])) ? { ...row, requested: since } : row
  return 'table' in answer ? { ...answer, table: { rows: rowsOf(answer).map(earlier) } } : answer
}

/** The service keeps every other report. */
export function keepsOne({ raw }: Body): Body {
  const ids = Array.isArray(raw) ? raw.map(String) : [String(raw)]
  const [stored = '', ...gone] = ids
  return {
    success: false,
    message: written(`Reports not removed: 1 of ${ids.length}`),
    feedback: {
      pass: Object.fromEntries(gone.map((id) => [id, 'Removed'])),
      fail: { [stored]: written('Another user is downloading this report') },
    },
  }
}

/** A refusal that names fields. */
export const refusal = (): Body => ({
  success: false,
  message: written('The report was not requested'),
  feedback: { pass: {}, fail: { name: written('There is a report of this name already') } },
})

/** Asks for one that is ready by now, and for one that is not for a long while. */
export async function fillList(service: Service): Promise<void> {
  const today = dayAt(Date.now(), 'UTC')
  const week = { start: dayToWire(addDays(today, -7)), end: dayToWire(addDays(today, -1)) }
  const standard = ['source', 'campaign', 'result', 'rule_sets', 'country', 'network', 'device_type']
  await service.control('/behaviour', { raw: { concurrency: 9 } })
  await service.request({
    type: 'response',
    instance: '4101',
    ...week,
    standard,
    name: 'Weekly bad traffic, Northwind News',
    filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
    send_email: false,
  })
  await service.control('/clock', { advance: 5 * MINUTE })
  await service.control('/behaviour', { raw: { secondsPerMinute: 36_000 } })
  for (const name of ['Last week by network', 'Campaigns of last week']) {
    await service.request({ type: 'response', instance: '4101', ...week, standard, name, send_email: false })
  }
}

/** Asks for reports of some size, which are ready a moment later. */
export async function askForLargeOnes(service: Service): Promise<void> {
  const today = dayAt(Date.now(), 'UTC')
  const quarter = { start: dayToWire(addDays(today, -89)), end: dayToWire(addDays(today, -1)) }
  await service.control('/behaviour', { raw: { secondsPerMinute: 1, concurrency: 9 } })
  for (const [instance, name] of [
    ['4101', 'Quarter in full, Northwind News'],
    ['4117', 'Quarter in full, Größe+Plus'],
    ['4101', 'Responses of the quarter by page'],
    ['4117', 'Responses of the quarter by device'],
    ['4101', 'Visits of the quarter'],
  ] as const) {
    const standard = rawStandardColumns.response
    await service.request({ type: 'response', instance, ...quarter, standard, name, send_email: false })
  }
  await service.control('/clock', { advance: MINUTE })
}
