import type { CaseEntry, CaseFindings, CaseScope } from '#shared/cases/case.ts'
import { isWithin } from '#shared/cases/scope.ts'
import { commonDays } from '#shared/archives/rows-file.ts'
import { countedOnce } from '#shared/archives/rows.ts'
import type { RowsCondition } from '#shared/archives/rows.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import type { ReadRows } from '#main/archives/engine/rows-engine.ts'
import { reportOf } from '#main/archives/rows-questions.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { Concerned } from './case-figures.ts'

type Named = { readonly id: InstanceId; readonly name: string }

/** An archive of a case, with the request of its report. `left`: reason why its rows do not count; null if they do. */
export type CaseFile = {
  readonly read: ReadRows
  /** Null if unknown. */
  readonly instance: Named | null
  /** Days of the report's request; null if unknown. */
  readonly range: DayRange | null
  /** Columns of the report's filters that the case does not have. */
  readonly narrowed: readonly string[]
  readonly left: string | null
}

type Lack = CaseFindings['lacks'][number]

export const lackOf = (what: string, message: string): Lack => ({
  what,
  failure: { kind: 'invalid', message },
})

const number = new Intl.NumberFormat('en')

/**
 * Returns the archives of a case with their contents. Rows of another instance, or of another kind, do not count.
 * @param before earlier findings, which still know the instance of a report that the service has deleted
 */
export async function filesOfCase(
  account: AccountId,
  { scope }: CaseEntry,
  read: readonly ReadRows[],
  raw: { readonly reports: Pick<RawReports, 'report'> },
  before: CaseFindings | null,
): Promise<readonly CaseFile[]> {
  const judged = scope.family === 'direct' ? 'direct' : 'response'
  const hasJudged = read.some(({ entry }) => entry.type === judged)
  const files: CaseFile[] = []
  for (const readRows of read) {
    const { report, type, id } = readRows.entry
    const record = report === null ? null : await reportOf(raw.reports, account, report).catch(() => null)
    const known = before?.archives.find(({ file }) => file === id)?.instance ?? null
    const instance = instanceOf(record, scope) ?? known
    files.push({
      ...{ read: readRows, instance, range: rangeOf(record), narrowed: filtersBeyond(record, scope) },
      left: leftOf(instance, type, scope, hasJudged),
    })
  }
  return files
}

function instanceOf(record: RawReport | null, { instances }: CaseScope): Named | null {
  const id = record?.instance_id ?? null
  if (record === null || id === null) return null
  const named = instances.kind === 'some' ? instances.list.find((item) => item.id === id) : undefined
  return { id, name: named?.name || record.instance_name || id }
}

const rangeOf = (record: RawReport | null): DayRange | null =>
  record?.start && record.end ? { start: record.start, end: record.end } : null

function leftOf(
  instance: Named | null,
  type: ReadRows['entry']['type'],
  scope: CaseScope,
  hasJudged: boolean,
): string | null {
  if (instance && !isWithin(scope, instance.id))
    return `It is for another instance, ${instance.name}. Its rows don't count.`
  if (type === null) return null
  if ((type === 'direct') !== (scope.family === 'direct'))
    return "It is for the other report family. Its rows don't count."
  if (type === 'request' && hasJudged)
    return "It has requests, and other archives have responses. Its rows don't count."
  return null
}

/** Columns of a report's filters that the case does not have: the report has only some of the case's rows. */
function filtersBeyond(record: RawReport | null, { source, campaign }: CaseScope): string[] {
  const own: Readonly<Record<string, string | null>> = { source, campaign }
  return (record?.filters ?? []).flatMap(({ column, operator, value }) =>
    operator === 'equals' && value !== undefined && own[column] === value ? [] : [column],
  )
}

const covers = (file: CaseFile, range: DayRange): boolean =>
  file.narrowed.length === 0 &&
  file.range !== null &&
  file.range.start <= range.start &&
  file.range.end >= range.end

/** Whether an archive that counts has all rows of an instance. */
export const hasAllOf = (files: readonly CaseFile[], id: InstanceId, range: DayRange): boolean =>
  files.some((file) => file.left === null && file.instance?.id === id && covers(file, range))

/** Maximum number of instances that are named individually. */
const maxNamed = 10

/** Describes the parts of a case's scope that its archives lack. */
export function lacksOfFiles(
  { scope }: CaseEntry,
  files: readonly CaseFile[],
  instances: readonly Concerned[],
): Lack[] {
  const without = instances.filter(({ id, requests }) => requests !== 0 && !hasAllOf(files, id, scope.range))
  return [
    ...files.flatMap(({ read: { entry }, left, instance, narrowed, range }) => {
      if (left !== null) return [lackOf(entry.name, left)]
      return [
        ...(instance === null
          ? [lackOf(entry.name, 'The instance of its rows is unknown. They count.')]
          : []),
        ...(narrowed.length > 0
          ? [
              lackOf(
                entry.name,
                `It was requested with other filters (${narrowed.join(', ')}) and has only some rows.`,
              ),
            ]
          : []),
        ...(range !== null && (range.start > scope.range.start || range.end < scope.range.end)
          ? [lackOf(entry.name, `It covers ${range.start} to ${range.end} only.`)]
          : []),
        ...(entry.unreadable > 0
          ? [lackOf(entry.name, `${number.format(entry.unreadable)} of its lines can't be read.`)]
          : []),
      ]
    }),
    ...without
      .slice(0, maxNamed)
      .map(({ name, requests }) =>
        lackOf(
          `Raw rows of ${name}`,
          requests === null
            ? 'No raw report with all its rows.'
            : `No raw report with all its rows (${number.format(requests)} requests).`,
        ),
      ),
    ...(without.length > maxNamed
      ? [lackOf('Raw rows', `None for ${number.format(without.length - maxNamed)} more instances.`)]
      : []),
  ]
}

/** Condition that counts rows once that are in several archives of one instance. Empty if no two archives share a day. */
export function countedOnceIn(
  files: readonly Pick<CaseFile, 'read' | 'left' | 'instance'>[],
  { instances, zone }: CaseScope,
): RowsCondition[] {
  const counted = files.filter(({ left }) => left === null)
  // Rows of an unknown instance count as rows of the only instance.
  const only = instances.kind === 'some' && instances.list.length === 1 ? instances.list[0]?.id : undefined
  const labelled = counted.map(({ read, instance }) => ({ ...read.entry, label: instance?.id ?? only ?? '' }))
  if (commonDays(labelled, zone) === null) return []
  const labels = Object.fromEntries(labelled.map(({ id, label }) => [id, label]))
  return [{ ...countedOnce, test: { kind: 'once', instances: labels } }]
}
