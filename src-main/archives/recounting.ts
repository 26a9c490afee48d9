import { failureOf } from '#shared/api/failure.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { StoredRecount, Recount, RecountFigure, RecountReason } from '#shared/archives/rows.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { settledAfterDays } from '#shared/reports/answer.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import { addDays, dayAt, daysOf, parseDay } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import type { DayCount, ImportedFile } from './engine/rows-engine.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { ArchivesContext } from './archives-context.ts'
import { findReport } from './imported-rows.ts'
import type { ImportedRows } from './imported-rows.ts'
import type { ArchiveImports } from './imports.ts'
import { idOfReport } from './source-files.ts'

/** Time in ms without a query on rows before an automatic import starts. */
const minIntervalMs = 3000

/** Maximum age in ms of an archive for automatic imports. Rows of older archives may be deleted or unwanted. */
const lately = 7 * 86_400_000

/** Compares rows with the tables and stores the result. */
export class Recounting {
  readonly #context: ArchivesContext
  readonly #rows: ImportedRows

  constructor(context: ArchivesContext, rows: ImportedRows) {
    this.#context = context
    this.#rows = rows
  }

  /**
   * @param inZone zone of the days; defaults to the account's. A recount in another zone is not stored
   * @throws DeskFailure if the rows cannot be counted. A failure to store the recount is ignored
   */
  async run(account: AccountId, { entry }: ImportedFile, inZone?: string): Promise<Recount> {
    const { store, accounts, clock, events } = this.#context
    const own = accounts.account(account).dayZone
    const zone = inZone ?? own
    const all = { files: [entry], conditions: [], sort: [], zone }
    const days = await this.#rows.ask(account, (engine) => engine.call('days', all))
    const made = await recount({ account, entry, days, zone }, this.#context)
    if (zone !== own) return made
    const { report, readAt } = entry
    const before = report === null ? null : await this.get(account, report).catch(() => null)
    // A recount without figures does not replace an earlier one with figures.
    if (
      report === null ||
      (made.failure !== null && before?.readAt === readAt && before.recount.failure === null)
    )
      return made
    const stored = { countedAt: instantOf(clock.now()), readAt, recount: made }
    await store.run('recounts/keep', { account, report, stored }).catch(() => undefined)
    events.emit({ kind: 'rows/changed', account })
    return made
  }

  get(account: AccountId, report: RawReportId): Promise<StoredRecount | null> {
    return this.#context.store.run('recounts/of', { account, report })
  }

  /** Returns recent archives to import or recount, newest first. */
  async due(account: AccountId): Promise<readonly RowsFileId[]> {
    const { raw, clock } = this.#context
    const saved = await raw.downloads.saved(account)
    const since = clock.now() - lately
    const due: RowsFileId[] = []
    for (const { report } of saved.filter(({ addedAt }) => addedAt >= since)) {
      const id = idOfReport(report)
      const entry = (await this.#rows.filesOf(account)).get(id)?.entry
      const stored = await this.get(account, report)
      // Rows that were counted and then deleted are not imported again.
      const isOfThese = stored !== null && (!entry || stored.readAt === entry.readAt)
      if (!isOfThese || stored.recount.failure !== null) due.push(id)
    }
    return due
  }
}

/** Imports and recounts saved archives automatically: one at a time, each once per session. */
export class AutoImport {
  readonly #context: ArchivesContext
  readonly #rows: ImportedRows
  readonly #imports: ArchiveImports
  readonly #recounting: Recounting
  readonly #dueAccounts = new Set<AccountId>()
  /** Archives processed in this session, by account and file. `no-figures` is retried when the service is reachable again. */
  readonly #tried = new Map<string, 'done' | 'no-figures'>()
  readonly #closing = new AbortController()
  #hasStarted = false
  #paused = false
  #running: Promise<void> | null = null

  constructor(context: ArchivesContext, rows: ImportedRows, imports: ArchiveImports, recounting: Recounting) {
    this.#context = context
    this.#rows = rows
    this.#imports = imports
    this.#recounting = recounting
  }

  begin(): void {
    this.#hasStarted = true
    this.retryNow()
  }

  /** Called when the saved archives of an account change. */
  changed(account: AccountId): void {
    this.#dueAccounts.add(account)
    this.#go()
  }

  /** Retries all accounts, including recounts without figures. */
  retryNow(): void {
    for (const [name, how] of this.#tried) if (how === 'no-figures') this.#tried.delete(name)
    for (const { id } of this.#context.accounts.list()) this.#dueAccounts.add(id)
    this.#go()
  }

  /** Called when the service of one account is reachable again. */
  wake(account: AccountId): void {
    for (const [name, how] of this.#tried) if (how === 'no-figures') this.#tried.delete(name)
    this.changed(account)
  }

  pause(paused: boolean): void {
    this.#paused = paused
    if (!paused) this.retryNow()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  #go(): void {
    if (!this.#mayRun() || this.#running) return
    this.#running = this.#run()
      // Errors are shown when the user requests the same import.
      .catch(() => undefined)
      .finally(() => {
        this.#running = null
        if (this.#dueAccounts.size > 0) this.#go()
      })
  }

  #mayRun = () => this.#hasStarted && !this.#paused && !this.#closing.signal.aborted

  async #run(): Promise<void> {
    for (const account of [...this.#dueAccounts]) {
      this.#dueAccounts.delete(account)
      if (!(await this.#context.settings.read()).readsIn) continue
      for (;;) {
        if (!this.#mayRun()) return
        const file = (await this.#recounting.due(account)).find((id) => !this.#tried.has(`${account} ${id}`))
        if (file === undefined) break
        await this.#quiet()
        if (!this.#mayRun()) return
        const how = await this.#lookInto(account, file).catch(() => 'done' as const)
        if (how !== 'gave-way') this.#tried.set(`${account} ${file}`, how)
      }
    }
  }

  /** Imports an archive if necessary, and compares its rows with the tables. */
  async #lookInto(account: AccountId, file: RowsFileId): Promise<'done' | 'gave-way' | 'no-figures'> {
    const isIn = (await this.#rows.filesOf(account)).has(file)
    if (!isIn && (await this.#imports.importUnasked(account, file))) return 'gave-way'
    const read = (await this.#rows.filesOf(account)).get(file)
    if (!read) return 'done'
    return (await this.#recounting.run(account, read)).failure ? 'no-figures' : 'done'
  }

  /** Resolves once there were no queries on rows for a while. */
  async #quiet(): Promise<void> {
    const { clock } = this.#context
    const { signal } = this.#closing
    const isRequested = () => clock.now() - this.#rows.lastRequest < minIntervalMs
    // The first wait lets a new archive settle.
    do await clock.wait(minIntervalMs, signal).catch(() => undefined)
    while (!signal.aborted && (this.#imports.isBusy() || isRequested()))
  }
}

type Counted = {
  readonly account: AccountId
  readonly entry: RowsEntry
  /** Rows by day of the zone, and by result. */
  readonly days: readonly DayCount[]
  readonly zone: string
}

/** Column of the table for each result. Requests have no result: one column counts all. */
const members: Readonly<Record<RawType, Readonly<Record<string, string>>>> = {
  direct: { suspect: 'Suspect', 'non-suspect': 'Non-Suspect' },
  response: { good: 'Good', warning: 'Warning', bad: 'Bad' },
  request: { '': 'Requests' },
}

/** Compares rows with the figures of the same days. Never throws: the result contains the failure. */
export async function recount(
  { account, entry, days, zone }: Counted,
  { raw, reports }: ArchivesContext,
): Promise<Recount> {
  const { report, type } = entry
  const record = await findReport(raw.reports, account, report)
  const range = rangeOf(record, days)
  if (type === null || range === null) return nothing(['unknown-scope'])
  const scope = scopeOf(record)
  const query: OverviewQuery = {
    kind: 'overview',
    family: type === 'direct' ? 'direct' : 'script',
    range,
    instance: record?.instance_id ?? null,
    source: scope.source,
    campaign: scope.campaign,
    chart: true,
  }
  const reasons = new Set<RecountReason>([
    ...(record === null ? (['unknown-scope'] as const) : []),
    ...(scope.rest ? (['filtered'] as const) : []),
    ...(entry.unreadable > 0 ? (['unreadable'] as const) : []),
    ...reasonsOfDays(days, range),
  ])
  try {
    const { chart, provenance } = await reports.trend({ account, query, force: false })
    if (provenance.restated !== null) reasons.add('restated')
    const madeAt = timeOf(record?.created ?? null) ?? entry.readAt
    if (addDays(range.end, settledAfterDays) > dayAt(madeAt, zone)) reasons.add('not-settled')
    const missing = new Set(provenance.missing)
    const figures = daysOf(range).flatMap((day) =>
      Object.entries(members[type]).map(([result, member]): RecountFigure => {
        const counted = days
          .filter((dayCount) => dayCount.day === day && (type === 'request' || dayCount.result === result))
          .reduce((sum, { rows }) => sum + rows, 0)
        const place = chart.days.indexOf(day)
        const saved = chart.series.find(({ header }) => header === member)?.values[place] ?? null
        return { day, member, counted, saved: missing.has(day) ? null : saved }
      }),
    )
    if (cancelsOut(figures)) reasons.add('zone')
    return compared(figures, reasons)
  } catch (error) {
    return { ...nothing([...reasons]), failure: failureOf(error) }
  }
}

/** Rows outside the requested days suggest another zone. Rows without a day cannot be compared. */
function reasonsOfDays(days: readonly DayCount[], { start, end }: DayRange): RecountReason[] {
  const counted = days.filter(({ rows }) => rows > 0).map(({ day }) => parseDay(day))
  const isOutside = counted.some((day) => day !== undefined && (day < start || day > end))
  return [
    ...(isOutside ? (['outside', 'zone'] as const) : []),
    ...(counted.includes(undefined) ? (['untimed'] as const) : []),
  ]
}

/** Whether a result has more rows than the tables on one day and fewer on another: rows may be in a neighbouring day. */
function cancelsOut(figures: readonly RecountFigure[]): boolean {
  const signs = new Map<string, Set<number>>()
  for (const { member, counted, saved } of figures) {
    const sign = saved === null ? 0 : Math.sign(counted - saved)
    if (sign !== 0) signs.set(member, (signs.get(member) ?? new Set()).add(sign))
  }
  return [...signs.values()].some(({ size }) => size > 1)
}

const nothing = (reasons: readonly RecountReason[]): Recount => ({
  figures: [],
  compared: { counted: 0, saved: 0, differing: 0 },
  outcome: 'nothing-saved',
  reasons,
  failure: null,
})

function compared(figures: readonly RecountFigure[], reasons: ReadonlySet<RecountReason>): Recount {
  const known = figures.flatMap(({ counted, saved }) => (saved === null ? [] : [{ counted, saved }]))
  const sum = (valueOf: (figure: { counted: number; saved: number }) => number) =>
    known.reduce((all, figure) => all + valueOf(figure), 0)
  const differing = sum(({ counted, saved }) => Math.abs(counted - saved))
  return {
    figures,
    compared: { counted: sum((item) => item.counted), saved: sum((item) => item.saved), differing },
    outcome: known.length === 0 ? 'nothing-saved' : differing === 0 ? 'agrees' : 'differs',
    reasons: differing === 0 && known.length > 0 ? [] : [...reasons],
    failure: null,
  }
}

/** Days of the report's request, else the days of its rows. */
function rangeOf(record: RawReport | null, days: readonly DayCount[]): DayRange | null {
  if (record?.start && record.end) return { start: record.start, end: record.end }
  const known = days.flatMap(({ day }) => parseDay(day) ?? []).sort()
  const [start, end]: (Day | undefined)[] = [known[0], known.at(-1)]
  return start && end ? { start, end } : null
}

/** Filters of a report that a table supports; `rest` if the report has more filters. */
function scopeOf(record: RawReport | null): {
  readonly source: string | null
  readonly campaign: string | null
  readonly rest: boolean
} {
  const filters = record?.filters ?? []
  const only = (column: string) =>
    filters.find((filter) => filter.column === column && filter.operator === 'equals')?.value ?? null
  const source = only('source')
  // A table filters by campaign only within a source.
  const campaign = source === null ? null : only('campaign')
  const used = (source === null ? 0 : 1) + (campaign === null ? 0 : 1)
  return { source, campaign, rest: filters.length > used }
}
