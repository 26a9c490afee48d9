import type { CaseEntry } from '#shared/cases/case.ts'
import { cameToNothing, isComing } from '#shared/cases/steps.ts'
import type { RowsPlan, ShownRequest } from '#shared/cases/steps.ts'
import { earliestStart } from '#shared/raw/check-draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { limits } from '#shared/api/limits.ts'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { hasAllOf } from './archives.ts'
import type { CaseFile } from './archives.ts'
import type { Concerned } from './instances.ts'

type Planned = {
  readonly entry: CaseEntry
  readonly instances: readonly Concerned[]
  readonly files: readonly CaseFile[]
  readonly requests: readonly ShownRequest[]
  readonly today: Day
}

/** Days of a range that raw reports can still be asked for; null where there are none (specification: limits, report start date). */
function daysLeft({ start, end }: DayRange, today: Day): DayRange | null {
  const earliest = earliestStart(today)
  const left = { start: start < earliest ? earliest : start, end: end > today ? today : end }
  return left.start > left.end ? null : left
}

/**
 * The raw reports that a case needs besides what it has: one an instance, because the interface takes one, over the days that can be
 * asked for. Those that are on their way are not asked for again, nor what a person has to decide first.
 */
export function planRows({ entry, instances, files, requests, today }: Planned): RowsPlan {
  const { range } = entry.scope
  const days = daysLeft(range, today)
  if (days === null)
    return {
      reports: [],
      left: [`The service has rows of the last ${limits.rawDaysBack} days. All days of this case are older.`],
    }
  const withTraffic = instances.filter(({ requests: counted }) => counted !== 0)
  const needed = withTraffic.filter(({ id }) => !hasAllOf(files, id, days))
  const ofInstance = (id: Concerned['id']) => requests.filter((request) => request.instance.id === id)
  const undecided = needed.filter(({ id }) => ofInstance(id).some(({ state }) => state === 'stuck'))
  return {
    reports: needed
      .filter((concerned) => !undecided.includes(concerned) && !ofInstance(concerned.id).some(isComing))
      .map(({ id, name }) => ({ instance: { id, name }, range: days })),
    left: [
      ...(days.start > range.start
        ? [
            `The service has rows of the last ${limits.rawDaysBack} days: those before ${days.start} cannot be had.`,
          ]
        : []),
      ...(days.end < range.end ? [`Days after ${days.end} are not there yet.`] : []),
      ...undecided.map(({ name }) => `A request for ${name} waits in Raw reports for you to decide.`),
      ...(withTraffic.length === 0 ? ['By the tables, no instance has traffic of this case.'] : []),
    ],
  }
}

/** So much of a name tells reports apart. */
const longestName = 200

/** A draft for each raw report of a plan, limited to the scope's source and campaign, with every column of its type. */
export const draftsOf = ({ scope, name }: CaseEntry, { reports }: Pick<RowsPlan, 'reports'>): RawDraft[] => {
  const type = scope.family === 'direct' ? 'direct' : 'response'
  return reports.map(({ instance, range }) => ({
    type,
    instance: instance.id,
    ...range,
    name: `${name} (${instance.name})`.slice(0, longestName),
    standard: rawStandardColumns[type],
    additional: [],
    // Rows without a source cannot be asked for alone; of all rows the case counts its own.
    filters: (['source', 'campaign'] as const).flatMap((column) => {
      const value = scope[column]
      return value === null || value === '' ? [] : [{ column, operator: 'equals' as const, value }]
    }),
    email: false,
  }))
}

/** Whether all that a case asked for has come, or come to nothing. */
export const isAllIn = (requests: readonly ShownRequest[]): boolean =>
  requests.every((request) => request.state === 'read-in' || cameToNothing(request))
