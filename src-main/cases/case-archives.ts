import type { CaseEntry, CaseFindings, CaseScope } from '#shared/cases/case.ts'
import { isWithin } from '#shared/cases/scope.ts'
import { overlappingDays } from '#shared/archives/rows-file.ts'
import { countedOnce } from '#shared/archives/rows.ts'
import type { RowsCondition } from '#shared/archives/rows.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import type { ImportedFile } from '#main/archives/engine/rows-engine.ts'
import { findReport } from '#main/archives/imported-rows.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import { gapOf } from './case-figures.ts'
import type { Concerned, Gap } from './case-figures.ts'

type Named = { readonly id: InstanceId; readonly name: string }

/** An archive of a case, with the request of its report. */
export type CaseFile = {
  readonly read: ImportedFile
  /** Null if unknown. */
  readonly instance: Named | null
  /** Days of the report's request; null if unknown. */
  readonly range: DayRange | null
  /** Columns of the report's filters that the case does not have. */
  readonly narrowed: readonly string[]
  /** Why its rows do not count; null if they do. */
  readonly excludedBecause: string | null
}

/** Archive, and whether and for which instance its rows count. */
export type CountedFile = Pick<CaseFile, 'read' | 'excludedBecause' | 'instance'>

export const isCounted = ({ excludedBecause }: CountedFile): boolean => excludedBecause === null

const number = new Intl.NumberFormat('en')

/**
 * Returns the archives of a case with their contents. Rows of another instance, or of another kind, do not count.
 * @param before earlier findings, which still know the instance of a report that the service has deleted
 */
export async function filesOfCase(
  account: AccountId,
  { scope }: CaseEntry,
  read: readonly ImportedFile[],
  rawReports: RawReports,
  before: CaseFindings | null,
): Promise<readonly CaseFile[]> {
  const judged = scope.family === 'direct' ? 'direct' : 'response'
  const hasJudged = read.some(({ entry }) => entry.type === judged)
  const files: CaseFile[] = []
  for (const readRows of read) {
    const { report, type, id } = readRows.entry
    const record = await findReport(rawReports, account, report)
    const known = before?.archives.find(({ file }) => file === id)?.instance ?? null
    const instance = instanceOf(record, scope) ?? known
    files.push({
      ...{ read: readRows, instance, range: rangeOf(record), narrowed: filtersBeyond(record, scope) },
      excludedBecause: exclusionOf(instance, type, scope, hasJudged),
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

function exclusionOf(
  instance: Named | null,
  type: ImportedFile['entry']['type'],
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
  files.some((file) => isCounted(file) && file.instance?.id === id && covers(file, range))

/** Maximum number of instances that are named individually. */
const maxNamed = 10

/** Describes the parts of a case's scope that its archives lack. */
export function gapsOfFiles(
  { scope }: CaseEntry,
  files: readonly CaseFile[],
  instances: readonly Concerned[],
): Gap[] {
  const without = instances.filter(({ id, requests }) => requests !== 0 && !hasAllOf(files, id, scope.range))
  return [
    ...files.flatMap(({ read: { entry }, excludedBecause, instance, narrowed, range }) => {
      if (excludedBecause !== null) return [gapOf(entry.name, excludedBecause)]
      return [
        ...(instance === null ? [gapOf(entry.name, 'The instance of its rows is unknown. They count.')] : []),
        ...(narrowed.length > 0
          ? [
              gapOf(
                entry.name,
                `It was requested with other filters (${narrowed.join(', ')}) and has only some rows.`,
              ),
            ]
          : []),
        ...(range !== null && (range.start > scope.range.start || range.end < scope.range.end)
          ? [gapOf(entry.name, `It covers ${range.start} to ${range.end} only.`)]
          : []),
        ...(entry.unreadable > 0
          ? [gapOf(entry.name, `${number.format(entry.unreadable)} of its lines can't be read.`)]
          : []),
      ]
    }),
    ...without
      .slice(0, maxNamed)
      .map(({ name, requests }) =>
        gapOf(
          `Raw rows of ${name}`,
          requests === null
            ? 'No raw report with all its rows.'
            : `No raw report with all its rows (${number.format(requests)} requests).`,
        ),
      ),
    ...(without.length > maxNamed
      ? [gapOf('Raw rows', `None for ${number.format(without.length - maxNamed)} more instances.`)]
      : []),
  ]
}

/** Condition that counts rows once that are in several archives of one instance. Empty if no two archives share a day. */
export function countedOnceIn(
  files: readonly CountedFile[],
  { instances, zone }: CaseScope,
): RowsCondition[] {
  const counted = files.filter(isCounted)
  // Rows of an unknown instance count as rows of the only instance.
  const only = instances.kind === 'some' && instances.list.length === 1 ? instances.list[0]?.id : undefined
  const labelled = counted.map(({ read, instance }) => ({ ...read.entry, label: instance?.id ?? only ?? '' }))
  if (overlappingDays(labelled, zone) === null) return []
  const labels = Object.fromEntries(labelled.map(({ id, label }) => [id, label]))
  return [{ ...countedOnce, test: { kind: 'once', instances: labels } }]
}
