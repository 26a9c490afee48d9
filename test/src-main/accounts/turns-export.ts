import { usualSettings } from '#shared/app/settings.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { expect } from 'vitest'
import type { AccountStore } from '#main/accounts/account-store.ts'
import { Exports } from '#main/exports/exports.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import { never } from './helpers.ts'
import { writerHere } from '#test/src-main/exports/helpers.ts'
import { isSame, nothing, sumOf } from './turns-oracle.ts'
import type { ByRow, Counted, Oracle } from './turns-oracle.ts'

export type FileFormat = 'csv' | 'json'

/** What is to be written, beside other days or alone: a table, or the cards of Overview. */
export type ToWrite = {
  readonly query: (TableQuery & { readonly dimension: ByRow }) | OverviewQuery
  readonly format: FileFormat
  readonly before: DayRange | null
}

/** The exports of an account, into a folder of their own. */
export class ExportsUnderTurns {
  readonly #folder: string
  readonly #exported: Exports
  readonly #jobs: Jobs

  constructor(around: string, accounts: AccountStore, reports: Reports, now: () => number) {
    this.#folder = mkdtempSync(join(around, 'exports-'))
    const nothing = () => Promise.reject(new TypeError('Nothing of that is asked for here'))
    // No disk takes too long.
    const clock = { now, wait: () => never }
    const events = new AppEvents()
    this.#jobs = new Jobs(events, clock)
    this.#exported = new Exports(
      accounts,
      reports,
      { downloadFolder: () => Promise.resolve(this.#folder), read: () => Promise.resolve(usualSettings) },
      { copy: nothing, print: nothing, showFile: nothing, openFile: nothing },
      this.#jobs,
      events,
      clock,
      writerHere,
      join(around, 'exports-work'),
    )
  }

  /** Writes a table, reads the file back, and removes it. Null where it is refused. */
  async write(account: AccountId, asked: ToWrite): Promise<WrittenTable | null> {
    const { id } = await this.#exported.begin({ account, order: orderOf(asked) })
    const state = await this.#jobs.ended(id)
    if (state.kind !== 'done' || state.file === null) {
      expect(state.kind).toBe('failed')
      return null
    }
    const path = join(this.#folder, state.file)
    const table = tableIn(state.file, readFileSync(path, 'utf8').replace('\uFEFF', ''))
    rmSync(path)
    expect(table.length).toBe(state.rows)
    return table
  }

  /** Nothing is left of what was refused. */
  async end(): Promise<void> {
    await this.#jobs.stop()
    expect(readdirSync(this.#folder)).toEqual([])
    rmSync(this.#folder, { recursive: true })
  }
}

const headerOf = (by: ByRow) => (by === 'sources' ? 'Source' : 'Manufacturer')

function orderOf({ query, format, before }: ToWrite): ExportOrder {
  const beside = before ? { before } : {}
  if (query.kind === 'overview') return { kind: 'overview', format, queries: [query], ...beside }
  const columns = [headerOf(query.dimension), 'Good', 'Bad']
  return { kind: 'table', format, rows: query.whole ? 'all' : 'seen', query, columns, ...beside }
}

/** A row of a file; `before` is null where nothing stands there. */
type Row = { readonly label: string; readonly now: Counted; readonly before: Counted | null }

export type WrittenTable = {
  /** What the name of the file says of its figures. */
  readonly marks: readonly string[]
  readonly all: Row
  /** None of Overview. */
  readonly rows: readonly Row[]
  /** How many rows the file has. */
  readonly length: number
  /** What is said of them in the file itself; null where it has no place for it. */
  readonly known: Known | null
}

type Known = {
  readonly partial: boolean
  readonly missing: readonly Day[]
  readonly notRenewed: string | null
  readonly doubt: string | null
  readonly restated: unknown
  readonly compared: {
    readonly missing: readonly Day[]
    readonly days: { readonly days: number } | null
  } | null
}

type Cells = Readonly<Record<string, unknown>>

function tableIn(name: string, text: string): WrittenTable {
  const { cells, known } = name.endsWith('.json') ? fromJson(text) : fromCsv(text)
  const marks = [...name.matchAll(/\((\D+?)\)/gu)].flatMap(([, words]) => words?.split(', ') ?? [])
  const [first = {}, ...others] = cells
  if ('Figure' in first) return { marks, all: cardsIn(cells), rows: [], length: cells.length, known }
  expect(Object.values(first)[0]).toBe('All')
  return { marks, all: rowOf(first), rows: others.map(rowOf), length: others.length, known }
}

function fromCsv(text: string) {
  const { data, errors } = Papa.parse<Cells>(text, { header: true, skipEmptyLines: true })
  expect(errors).toEqual([])
  return { cells: data, known: null }
}

function fromJson(text: string) {
  const { all, rows, ...known } = JSON.parse(text) as Known & {
    readonly all: Cells | null
    readonly rows: readonly Cells[]
  }
  return { cells: all ? [all, ...rows] : rows, known }
}

/** What stands there; an empty cell is null. */
const numberIn = (cells: Cells | undefined, header: string): number | null => {
  const cell = cells?.[header] ?? ''
  return cell === '' ? null : Number(cell)
}

function countedOf(good: number | null, bad: number | null): Counted | null {
  return good === null && bad === null ? null : { good: good ?? 0, bad: bad ?? 0 }
}

function rowOf(cells: Cells): Row {
  const of = (end: string) => countedOf(numberIn(cells, `Good${end}`), numberIn(cells, `Bad${end}`))
  return { label: String(Object.values(cells)[0]), now: of('') ?? nothing, before: of(' before') }
}

/** The cards of Overview as a row. */
function cardsIn(cells: readonly Cells[]): Row {
  const card = (name: string) => cells.find(({ Figure }) => String(Figure).endsWith(`: ${name}`))
  const of = (header: string) => countedOf(numberIn(card('Good'), header), numberIn(card('Bad'), header))
  return { label: 'All', now: of('Count') ?? nothing, before: of('Count before') }
}

const isPartial = ({ marks }: WrittenTable) => marks.some((mark) => mark.endsWith('partial'))

const subsetsOf = (days: readonly Day[]): readonly (readonly Day[])[] =>
  days
    .reduce<readonly (readonly Day[])[]>((all, day) => all.flatMap((some) => [some, [...some, day]]), [[]])
    .filter((some) => some.length > 0)

/** Days of which the figures of a file may be: those that it names, or where it only says that some are missing, any. */
function daysShown({ marks, known }: WrittenTable, range: DayRange): readonly (readonly Day[])[] {
  const days = daysOf(range)
  if (known) return [days.filter((day) => !known.missing.includes(day))]
  return marks.includes('partial') ? subsetsOf(days) : [days]
}

/** Days of which those compared with may be: of as many pairs as it says. */
function daysCompared(table: WrittenTable, now: DayRange, before: DayRange): readonly (readonly Day[])[] {
  const then = daysOf(before)
  if (!isPartial(table)) return [then]
  const { known } = table
  const lacking = new Set([...(known?.missing ?? []), ...(known?.compared?.missing ?? [])])
  const pairs = daysOf(now).flatMap((day, place) => {
    const other = then[place]
    return other === undefined || lacking.has(day) || lacking.has(other) ? [] : [other]
  })
  const many = known?.compared?.days?.days
  return subsetsOf(pairs).filter((some) => many === undefined || some.length === many)
}

/** What a file says of its figures that cannot be; null where it agrees with itself. */
function contradictionIn(table: WrittenTable, { query }: ToWrite): string | null {
  const { marks, all, rows, known } = table
  const added = sumOf(rows.map(({ now }) => now))
  if (query.kind === 'table' && !isSame(added, all.now)) return 'its rows do not add up to all'
  if (marks.some((mark) => !mark.endsWith('partial') && !mark.endsWith('not refreshed')))
    return 'it is in doubt'
  if (known === null) return null
  if (known.partial !== marks.includes('partial')) return 'its name says otherwise'
  return known.doubt === null && known.restated === null ? null : 'it says that something was restated'
}

/**
 * What is wrong with a file; null where its rows and totals are of days of one scope, those that it says they are of.
 * @param scopes that the token saw at some time
 */
export function wrongIn(
  table: WrittenTable,
  asked: ToWrite,
  oracle: Oracle,
  scopes: readonly (readonly InstanceId[])[],
): string | null {
  const { query, before } = asked
  const { all, rows } = table
  const by = query.kind === 'table' ? query.dimension : null
  const isOf = (scope: readonly InstanceId[], days: readonly Day[], of: (row: Row) => Counted | null) =>
    isSame(oracle.of(scope, days), of(all) ?? nothing) &&
    (by === null || rows.every((row) => isRowOf(oracle, by, scope, days, row.label, of(row) ?? nothing)))
  const isComparedIn = (scope: readonly InstanceId[]) => {
    if (before === null) return true
    if (all.before === null) return isPartial(table)
    return daysCompared(table, query.range, before).some((days) => isOf(scope, days, (row) => row.before))
  }
  const isWhole = (scope: readonly InstanceId[], days: readonly Day[]) =>
    by === null ||
    [...oracle.rowsOf(scope, days, by).keys()].every((text) => rows.some(({ label }) => label === text))
  const isOfOne = scopes.some(
    (scope) =>
      daysShown(table, query.range).some(
        (days) => isOf(scope, days, ({ now }) => now) && isWhole(scope, days),
      ) && isComparedIn(scope),
  )
  return contradictionIn(table, asked) ?? (isOfOne ? null : 'it is of no scope')
}

/** Whether a row counts what the events say; rows that they do not name, such as that for all others, are of no one. */
function isRowOf(
  oracle: Oracle,
  by: ByRow,
  scope: readonly InstanceId[],
  days: readonly Day[],
  label: string,
  counted: Counted,
): boolean {
  return !oracle.labels[by].has(label) || isSame(oracle.of(scope, days, `${by} ${label}`), counted)
}
