import { csvPieces, fileColumns, fileHeader } from '#main/sandbox/raw/archive.ts'
import type { RawOrder } from '#main/sandbox/raw/order.ts'
import { createEvents } from '#main/sandbox/events/events.ts'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { day } from '#shared/values/day.ts'
import type { ReferenceRow } from './reference-implementation.ts'

export const events = createEvents(7, day('2026-11-20'))

/** A raw report of the sandbox: its file, and its rows read off the events themselves. */
export function reportOf(type: RawType, start = '2026-11-17', end = '2026-11-18') {
  // The instance that has the most rows of this type.
  const range = { start: day(start), end: day(end) }
  const [instance] = events.instances
    .map((each) => ({ each, rows: [...events.rows(type, each.id, range)] }))
    .toSorted((a, b) => b.rows.length - a.rows.length)
  if (!instance) throw new Error('There is no instance')
  const order: RawOrder = {
    type,
    instance: instance.each,
    range,
    standard: rawStandardColumns[type],
    additional: [1],
    filters: null,
    name: null,
    sendEmail: false,
  }
  const columns = fileColumns(order)
  const rows = instance.rows.map(
    (event): ReferenceRow =>
      Object.fromEntries([
        ['TIMESTAMP', events.timestamp(event)],
        ...columns.map((column) => [fileHeader(column), events.value(type, column, event)]),
      ]) as ReferenceRow,
  )
  return { csv: Buffer.concat([...csvPieces(order, events)]), rows, instance: instance.each, range }
}
