import { failureOf } from '#shared/api/failure.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { StoredRecount, Recount, RecountFigure, RecountReason } from '#shared/archives/rows.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import { addDays, dayAt, daysOf, parseDay } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { DayCount, ReadRows } from './engine/rows-engine.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { ArchiveImports, ArchivesRaw } from './imports.ts'
import { reportOf } from './rows-questions.ts'
import type { Questions } from './rows-questions.ts'
import { idOfReport } from './source-files.ts'

/** So long nobody has to have asked for rows before anything is read in automatically, in milliseconds. */
const minIntervalMs = 3000

/** What is older is left to the person: they may have let its rows go, or never wanted them. In milliseconds. */
const lately = 7 * 86_400_000

/** Counts rows against the tables, and keeps what that comes to. */
export class Recounting {
  readonly #accounts: Pick<AccountStore, 'account'>
  readonly #raw: ArchivesRaw
  readonly #reports: Pick<Reports, 'trend'>
  readonly #state: Pick<StateStore, 'run'>
  readonly #events: Emitter
  readonly #clock: Pick<Clock, 'now'>
  readonly #questions: Questions

  constructor(
    accounts: Pick<AccountStore, 'account'>,
    raw: ArchivesRaw,
    reports: Pick<Reports, 'trend'>,
    state: Pick<StateStore, 'run'>,
    events: Emitter,
    clock: Pick<Clock, 'now'>,
    questions: Questions,
  ) {
    this.#accounts = accounts
    this.#raw = raw
    this.#reports = reports
    this.#state = state
    this.#events = events
    this.#clock = clock
    this.#questions = questions
  }

  /**
   * @param inZone by whose days rows are counted; the account's where left out. A recount by another zone is not stored
   * @throws DeskFailure where the rows cannot be counted; a recount that cannot be stored is answered all the same
   */
  async run(account: AccountId, { entry }: ReadRows, inZone?: string): Promise<Recount> {
    const own = this.#accounts.account(account).dayZone
    const zone = inZone ?? own
    const request = { files: [entry], conditions: [], sort: [], zone }
    const days = await this.#questions.verified(account, this.#questions.engine.call('days', request))
    const made = await recount({ account, entry, days, zone }, this.#raw.reports, this.#reports)
    if (zone !== own) return made
    const { report, readAt } = entry
    const before = report === null ? null : await this.get(account, report).catch(() => null)
    // One that came to nothing, because nobody answered, takes no other one's place.
    if (
      report === null ||
      (made.failure !== null && before?.readAt === readAt && before.recount.failure === null)
    )
      return made
    const stored = { countedAt: this.#clock.now() as Instant, readAt, recount: made }
    await this.#state.run('recounts/keep', { account, report, stored }).catch(() => undefined)
    this.#events.emit({ kind: 'rows/changed', account })
    return made
  }

  get(account: AccountId, report: RawReportId): Promise<StoredRecount | null> {
    return this.#state.run('recounts/of', { account, report })
  }

  /** Archives of the last days that are to be read in or counted again; the newest first. */
  async due(account: AccountId): Promise<readonly RowsFileId[]> {
    const saved = await this.#raw.downloads.saved(account)
    const since = this.#clock.now() - lately
    const due: RowsFileId[] = []
    for (const { report } of saved.filter(({ addedAt }) => addedAt >= since)) {
      const id = idOfReport(report)
      const entry = (await this.#questions.readIn(account)).get(id)?.entry
      const stored = await this.get(account, report)
      // Rows that were counted and let go stay gone.
      const isOfThese = stored !== null && (!entry || stored.readAt === entry.readAt)
      if (!isOfThese || stored.recount.failure !== null) due.push(id)
    }
    return due
  }
}

/** Reads saved archives in and counts their rows again without being asked: one after the other, each once a session. */
export class AutoImport {
  readonly #accounts: Pick<AccountStore, 'list'>
  readonly #settings: Pick<Settings, 'read'>
  readonly #clock: Clock
  readonly #imports: ArchiveImports
  readonly #questions: Questions
  readonly #recounting: Recounting
  readonly #wanted = new Set<AccountId>()
  /** What was looked into in this session, by account and file; `no-figures` is tried again when the service is back. */
  readonly #tried = new Map<string, 'done' | 'no-figures'>()
  readonly #closing = new AbortController()
  #begun = false
  #paused = false
  #running: Promise<void> | null = null

  constructor(
    accounts: Pick<AccountStore, 'list'>,
    settings: Pick<Settings, 'read'>,
    clock: Clock,
    imports: ArchiveImports,
    questions: Questions,
    recounting: Recounting,
  ) {
    this.#accounts = accounts
    this.#settings = settings
    this.#clock = clock
    this.#imports = imports
    this.#questions = questions
    this.#recounting = recounting
  }

  begin(): void {
    this.#begun = true
    this.retryNow()
  }

  /** The saved archives of an account are others now. */
  changed(account: AccountId): void {
    this.#wanted.add(account)
    this.#go()
  }

  /** The service is back, or the setting is another: what could not be done is tried. */
  retryNow(): void {
    for (const [name, how] of this.#tried) if (how === 'no-figures') this.#tried.delete(name)
    for (const { id } of this.#accounts.list()) this.#wanted.add(id)
    this.#go()
  }

  /** The service of one account is back. */
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
      // What goes wrong here is said where a person asks for the same.
      .catch(() => undefined)
      .finally(() => {
        this.#running = null
        if (this.#wanted.size > 0) this.#go()
      })
  }

  #mayRun = () => this.#begun && !this.#paused && !this.#closing.signal.aborted

  async #run(): Promise<void> {
    for (const account of [...this.#wanted]) {
      this.#wanted.delete(account)
      if (!(await this.#settings.read()).readsIn) continue
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

  /** Reads an archive in where it is not, and counts its rows against the tables. */
  async #lookInto(account: AccountId, file: RowsFileId): Promise<'done' | 'gave-way' | 'no-figures'> {
    const isIn = (await this.#questions.readIn(account)).has(file)
    if (!isIn && (await this.#imports.readUnasked(account, file))) return 'gave-way'
    const read = (await this.#questions.readIn(account)).get(file)
    if (!read) return 'done'
    return (await this.#recounting.run(account, read)).failure ? 'no-figures' : 'done'
  }

  /** Resolves once nobody has asked about rows for a while. */
  async #quiet(): Promise<void> {
    const clock = this.#clock
    const { signal } = this.#closing
    const isRequested = () => clock.now() - this.#questions.lastRequest < minIntervalMs
    // What was just saved is given time to come to rest first.
    do await clock.wait(minIntervalMs, signal).catch(() => undefined)
    while (!signal.aborted && (this.#imports.isBusy() || isRequested()))
  }
}

type Counted = {
  readonly account: AccountId
  readonly entry: RowsEntry
  /** Its rows by day of the zone, and by result. */
  readonly days: readonly DayCount[]
  readonly zone: string
}

/** The table's column that counts rows of a result; of requests, which say no result, all of them. */
const members: Readonly<Record<RawType, Readonly<Record<string, string>>>> = {
  direct: { suspect: 'Suspect', 'non-suspect': 'Non-Suspect' },
  response: { good: 'Good', warning: 'Warning', bad: 'Bad' },
  request: { '': 'Requests' },
}

/** The service judges days anew until they are this old (src-main/reports/coverage/plan.ts). */
const settledAfterDays = 3

/** Counts rows against the figures of the same days. Nothing is thrown: what could not be had is said. */
export async function recount(
  { account, entry, days, zone }: Counted,
  rawReports: Pick<RawReports, 'report'>,
  reports: Pick<Reports, 'trend'>,
): Promise<Recount> {
  const { report, type } = entry
  const record = report === null ? null : await reportOf(rawReports, account, report).catch(() => null)
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

/** Rows of days that nobody asked for tell of another zone; those of no day cannot be compared. */
function reasonsOfDays(days: readonly DayCount[], { start, end }: DayRange): RecountReason[] {
  const counted = days.filter(({ rows }) => rows > 0).map(({ day }) => parseDay(day))
  const isOutside = counted.some((day) => day !== undefined && (day < start || day > end))
  return [
    ...(isOutside ? (['outside', 'zone'] as const) : []),
    ...(counted.includes(undefined) ? (['untimed'] as const) : []),
  ]
}

/** Whether one day has more of a result than the tables and another has less: rows may be counted for the day beside theirs. */
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
    // Where nothing differs there is nothing to explain.
    reasons: differing === 0 && known.length > 0 ? [] : [...reasons],
    failure: null,
  }
}

/** The days that a report was asked for, else those that its rows are of. */
function rangeOf(record: RawReport | null, days: readonly DayCount[]): DayRange | null {
  if (record?.start && record.end) return { start: record.start, end: record.end }
  const known = days.flatMap(({ day }) => parseDay(day) ?? []).sort()
  const [start, end]: (Day | undefined)[] = [known[0], known.at(-1)]
  return start && end ? { start, end } : null
}

/** What a report's rows are limited to, as far as a table can be limited to the same; `rest` where it is limited further. */
function scopeOf(record: RawReport | null): {
  readonly source: string | null
  readonly campaign: string | null
  readonly rest: boolean
} {
  const filters = record?.filters ?? []
  const only = (column: string) =>
    filters.find((filter) => filter.column === column && filter.operator === 'equals')?.value ?? null
  const source = only('source')
  // A table is limited to a campaign within a source.
  const campaign = source === null ? null : only('campaign')
  const used = (source === null ? 0 : 1) + (campaign === null ? 0 : 1)
  return { source, campaign, rest: filters.length > used }
}
