import { writeFile } from 'node:fs/promises'
import { invalid } from '#shared/api/failure.ts'
import { familyNames } from '#shared/api/dimensions.ts'
import { longestTitle, usualPaper, writePrintAddress } from '#shared/exports/paper.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import { accountDayOf } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { todayIsOver } from '#shared/texts/schedules.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import {
  beforeAt,
  overviewQueryAt,
  plainOverview,
  readAddress,
  tableQueryAt,
  writeAddress,
} from '#shared/views/address.ts'
import { noComparison, rangeOf } from '#shared/views/period.ts'
import type { SavedView } from '#shared/views/saved-views.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import type { ScheduleFormat } from '#shared/watch/schedules.ts'
import type { StoredReportSchedule } from '#main/database/state/schedules-repository.ts'
import type { FileExport } from '#main/exports/export-maker.ts'
import { isKnownView, queriesOf, workbookTables } from '#main/saved-views/view-queries.ts'
import type { SchedulesContext } from './schedules-context.ts'

/** A file to make. */
export type ScheduledFile = {
  /** What it shows: the id of a view, or the kind of another subject. */
  readonly item: string
  /** Name of what it shows, for the file's name. */
  readonly name: string
  readonly what: ExportOrder | FileExport
  /** Figures that must be stored before. */
  readonly queries: readonly ReportQuery[]
  /** Tables that must be, too, unless the user wants the file without them. */
  readonly tables: readonly ReportQuery[]
  /** When its figures were fetched, if no queries say so. */
  readonly oldest: Instant | null
}

/**
 * Returns the files of a due day. Days that move with the calendar are those of the due day, also if the file is made later.
 * @throws DeskFailure `invalid` if a view or case is gone, or cannot be made
 */
export async function filesOf(
  context: SchedulesContext,
  { account, subject, format }: StoredReportSchedule,
  dueAt: Instant,
): Promise<readonly ScheduledFile[]> {
  const { store, accounts, packOf } = context
  switch (subject.kind) {
    case 'views': {
      const views = await store.run('views/list', account)
      const today = accountDayOf(dueAt, accounts.account(account))
      return subject.views.map((id) => fileOfView(viewOf(views, id), format, today))
    }
    case 'today':
      return [fileOfToday(context, account, dueAt)]
    case 'case': {
      const { entry, made } = await store.run('cases/of', { account, id: subject.id })
      const what = await packOf(account, subject.id)
      const oldest = made === null ? null : instantOf(made.madeAt)
      return [{ item: 'case', name: `Case ${entry.name}`, what, queries: [], tables: [], oldest }]
    }
  }
}

/** Returns a saved view that a schedule can make. @throws DeskFailure `invalid` about `subject` */
export function viewOf(views: readonly SavedView[], id: SavedView['id']): ReportedView {
  const view = views.find((listed) => listed.id === id)
  if (!view) throw invalid('A view of this schedule was deleted. Choose its views again.', 'subject')
  const address = readAddress(view.address)
  if (!isKnownView(view.address) || (address.kind !== 'overview' && address.kind !== 'reports'))
    throw invalid(`“${view.name}” has no figures to save. Choose Overview or a report.`, 'subject')
  return { id: view.id, name: view.name, address }
}

/** Today is of now: a file of the due day can only be made on that day. @throws DeskFailure `invalid` later */
function fileOfToday(
  { accounts, clock, shell }: SchedulesContext,
  account: AccountId,
  dueAt: Instant,
): ScheduledFile {
  const dayOf = (time: number) => accountDayOf(time, accounts.account(account))
  const today = dayOf(dueAt)
  const throwIfOver = () => {
    if (dayOf(clock.now()) !== today) throw invalid(todayIsOver, 'subject')
  }
  throwIfOver()
  const yesterday = { kind: 'preset', preset: 'yesterday' } as const
  const queries = queriesOf(writeAddress({ ...plainOverview, period: yesterday }), today)
  const what: FileExport = {
    ...{ name: 'Today', ending: 'pdf' },
    write: async (path, signal) => {
      const view = writeAddress({ kind: 'today' })
      const printed = writePrintAddress({ account, view, day: addDays(today, -1) })
      const pdf = await shell.print(printed, signal)
      // Its findings are of now, and the day may have ended meanwhile.
      throwIfOver()
      await writeFile(path, pdf)
      return { rows: null }
    },
  }
  return { item: 'today', name: 'Today', what, queries, tables: [], oldest: null }
}

type ReportedView = {
  readonly id: SavedView['id']
  readonly name: string
  readonly address: OverviewAddress | ReportAddress
}

function fileOfView({ id, name, address }: ReportedView, format: ScheduleFormat, today: Day): ScheduledFile {
  const fixed = fixedAt(address, today)
  const what = orderOf(fixed, name, format, today)
  const queries = queriesOf(writeAddress(fixed), today)
  const tables = what.kind === 'report' && fixed.kind === 'overview' ? workbookTables(fixed, today) : []
  return { item: id, name, what, queries, tables, oldest: null }
}

/** The view on the days that it shows on a day. */
function fixedAt<A extends OverviewAddress | ReportAddress>(address: A, today: Day): A {
  const before = beforeAt(address, today)
  return {
    ...address,
    period: { kind: 'custom', range: rangeOf(address.period, today) },
    compare: before ? { kind: 'custom', range: before } : noComparison,
  }
}

function orderOf(
  address: OverviewAddress | ReportAddress,
  name: string,
  format: ScheduleFormat,
  today: Day,
): ExportOrder {
  const written = writeAddress(address)
  if (format === 'pdf') {
    const paper = { ...usualPaper, title: name.slice(0, longestTitle) }
    return { kind: 'pdf', address: written, paper }
  }
  const range = beforeAt(address, today)
  const before = range && { before: range }
  // A view is no ZIP.
  const ending = format === 'zip' ? 'csv' : format
  if (address.kind === 'reports') {
    const query = tableQueryAt(address, today)
    // Every column of the table: what is hidden on a screen belongs to that screen.
    return { kind: 'table', format: ending, rows: 'all', query, columns: [], ...before }
  }
  if (ending === 'xlsx') return { kind: 'report', address: written }
  const queries = familyNames.map((family) => overviewQueryAt(address, family, today))
  return { kind: 'overview', format: ending, queries, ...before }
}
