import { columnWords } from '#shared/raw/draft.ts'
import type { RawReport } from '#shared/api/answers.ts'
import { count, days, formats, NOTHING, size } from '#renderer/components/formats.ts'
import { agoWords, expiryWords, filterWords, momentOf } from '#shared/texts/raw.ts'

/** A fact of a report: what it is called, and what is read; a list where there are several. */
export type Fact = {
  readonly name: string
  readonly value: string | readonly string[]
  readonly note?: string
}

const yesOrNo = (value: boolean | null) => (value === null ? NOTHING : value ? 'Yes' : 'No')
const orNothing = (value: string | null) => (value === null || value === '' ? NOTHING : value)

/** Everything that the full record says, in groups (specification: raw report). */
export function factsOf(
  report: RawReport,
  now: number,
): readonly { readonly title: string; readonly facts: readonly Fact[] }[] {
  const time = (name: string, at: string | null, note = agoWords(at, now, formats)): Fact => ({
    name,
    value: momentOf(at, now, formats),
    ...(note !== '' && { note }),
  })
  const { start, end, filters, columns } = report
  return [
    {
      title: 'What was asked for',
      facts: [
        { name: 'Type', value: orNothing(report.type) },
        {
          name: 'Instance',
          value: orNothing(report.instance_name),
          note: `ID ${report.instance_id ?? NOTHING}`,
        },
        {
          name: 'Days',
          value:
            start && end && start <= end ? days({ start, end }) : `${start ?? NOTHING} to ${end ?? NOTHING}`,
        },
        { name: 'Standard columns', value: columns.standard.map(columnWords) },
        { name: 'Additional columns', value: (columns.additional ?? []).map(String) },
        { name: 'Filters', value: (filters ?? []).map(filterWords) },
        { name: 'Email when ready', value: yesOrNo(report.send_email) },
      ],
    },
    {
      title: 'What became of it',
      facts: [
        { name: 'Status of the service', value: orNothing(report.status) },
        time('Requested', report.requested),
        time('Created', report.created),
        time('Failed', report.failed),
        time('Timed out', report.timed_out),
        time('Cancelled', report.cancelled),
        time('Email sent', report.alerted),
        time('Expires', report.expires, expiryWords(report.expires, now, formats)),
        { name: 'Processing minutes', value: count(report.processing_minutes) },
      ],
    },
    {
      title: 'Its file',
      facts: [
        { name: 'File', value: orNothing(report.file_name) },
        { name: 'Size', value: report.file_size === null ? NOTHING : size(report.file_size) },
        { name: 'Rows', value: count(report.rows) },
        { name: 'Report ID', value: report.id },
      ],
    },
  ]
}
