import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { expect } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import { Exports } from '#main/exports/exports.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { dayAt, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { JobId } from '#shared/app/jobs.ts'
import { never } from '../accounts/helpers.ts'
import { exportsContext, writerHere } from '#test/src-main/exports/helpers.ts'
import { fake } from '#test/helpers/fake.ts'
import { countedOf, start } from './growing-counts.ts'
import type { Counted } from './growing-counts.ts'
import { areRowsOf, isSame, nothing, subsetsOf, sumOf, wasRestated } from './moment-oracle.ts'
import type { Oracle, RowsBy, Scope } from './moment-oracle.ts'

export type FileFormat = 'csv' | 'json'
type ExportedBy = Extract<RowsBy, 'devices' | 'sources'>

/** What is to be written, beside other days or alone: a table, or the cards of Overview. */
export type ToWrite = {
  readonly query: (TableQuery & { readonly dimension: ExportedBy }) | OverviewQuery
  readonly format: FileFormat
  readonly before: DayRange | null
}

type Around = {
  readonly accounts: Accounts
  readonly reports: Reports
  readonly events: AppEvents
  readonly now: () => number
  readonly print: SystemShell['print']
}

/** The exports of an account, into a folder of their own. */
export class ReadBackExports {
  readonly #folder: string
  readonly #jobs: Jobs
  readonly exports: Exports

  constructor(folder: string, { accounts, reports, events, now, print }: Around) {
    this.#folder = mkdtempSync(join(folder, 'exports-'))
    const refuse = () => Promise.reject(new TypeError('Nothing of that is asked for here'))
    // No disk takes too long.
    const clock = { now, wait: () => never }
    this.#jobs = new Jobs(events, clock)
    this.exports = new Exports(
      exportsContext(this.#folder, {
        ...{ accounts, reports, jobs: this.#jobs, events, clock, openWriter: writerHere },
        shell: fake<SystemShell>('shell', { copy: refuse, print, showFile: refuse, openFile: refuse }),
        workFolder: join(folder, 'exports-work'),
      }),
    )
  }

  /** Writes a table, reads the file back, and removes it. Null where it is refused. */
  async write(account: AccountId, asked: ToWrite): Promise<WrittenTable | null> {
    const { id } = await this.exports.begin({ account, order: orderOf(asked) })
    const file = await this.fileOf(id)
    if (file === null) return null
    const table = tableIn(file.name, readFileSync(file.path, 'utf8').replace('\uFEFF', ''))
    rmSync(file.path)
    expect(table.length).toBe(file.rows)
    return table
  }

  /** What a job wrote; null where it was refused. */
  async fileOf(id: JobId) {
    const state = await this.#jobs.ended(id)
    if (state.kind === 'done' && state.file !== null)
      return { name: state.file, path: join(this.#folder, state.file), rows: state.rows }
    expect(state).toMatchObject({
      kind: 'failed',
      failure: { kind: expect.not.stringMatching('internal') as string },
    })
    return null
  }

  /** Nothing is left of what was refused. */
  async end(): Promise<void> {
    await this.#jobs.stop()
    expect(readdirSync(this.#folder)).toEqual([])
    rmSync(this.#folder, { recursive: true })
  }
}

const headerOf = (by: ExportedBy) => (by === 'sources' ? 'Source' : 'Manufacturer')

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
  /** Whether its headers say until which day is compared. */
  readonly isCutOff: boolean
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
  const isCutOff = Object.keys(first).some((header) => / until [-\d]+$/.test(header))
  const said = { marks, isCutOff, known }
  if ('Figure' in first) return { ...said, all: cardsIn(cells), rows: [], length: cells.length }
  expect(Object.values(first)[0]).toBe('All')
  return { ...said, all: rowOf(first), rows: others.map(rowOf), length: others.length }
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

function countedIn(good: number | null, bad: number | null): Counted | null {
  return good === null && bad === null ? null : { good: good ?? 0, bad: bad ?? 0 }
}

function rowOf(cells: Cells): Row {
  const of = (end: string) => countedIn(numberIn(cells, `Good${end}`), numberIn(cells, `Bad${end}`))
  return { label: String(Object.values(cells)[0]), now: of('') ?? nothing, before: of(' before') }
}

/** The cards of Overview as a row. */
function cardsIn(cells: readonly Cells[]): Row {
  const card = (name: string) => cells.find(({ Figure }) => String(Figure).endsWith(`: ${name}`))
  const of = (header: string) => countedIn(numberIn(card('Good'), header), numberIn(card('Bad'), header))
  return { label: 'All', now: of('Count') ?? nothing, before: of('Count before') }
}

const isPartial = ({ marks }: WrittenTable) => marks.some((mark) => mark.endsWith('partial'))
/** Days that are not over are not compared. */
const isComparedInPart = (table: WrittenTable) =>
  isPartial(table) || table.isCutOff || table.marks.some((mark) => mark.endsWith('in progress'))

/** Days of which the figures of a file may be: those that it names, or where it only says that some are missing, any. */
function daysShown({ marks, known }: WrittenTable, range: DayRange): readonly (readonly Day[])[] {
  const days = daysOf(range)
  if (known) return [days.filter((day) => !known.missing.includes(day))]
  return marks.includes('partial') ? subsetsOf(days) : [days]
}

/** Days of which those compared with may be: of as many pairs as it says. */
function daysCompared(table: WrittenTable, now: DayRange, before: DayRange): readonly (readonly Day[])[] {
  const then = daysOf(before)
  if (!isComparedInPart(table)) return [then]
  const { known } = table
  const lacking = new Set([...(known?.missing ?? []), ...(known?.compared?.missing ?? [])])
  const pairs = daysOf(now).flatMap((day, place) => {
    const other = then[place]
    return other === undefined || lacking.has(day) || lacking.has(other) ? [] : [other]
  })
  const many = known?.compared?.days?.days
  return subsetsOf(pairs).filter((some) => many === undefined || some.length === many)
}

/** Marks of figures that are what they seem to be. */
const plainMarks = ['partial', 'not refreshed', 'in progress', 'restated']

/** Whether a file says that its figures are doubtful. */
const isMarked = ({ marks, known }: WrittenTable): boolean =>
  (known?.doubt ?? null) !== null || marks.some((mark) => !plainMarks.some((plain) => mark.endsWith(plain)))

/** What a file says of its figures that cannot be; null where it agrees with itself. */
function contradictionIn(table: WrittenTable, { query, before }: ToWrite, oracle: Oracle): string | null {
  const { marks, all, rows, known } = table
  const added = sumOf(rows.map(({ now }) => now))
  if (query.kind === 'table' && !isSame(added, all.now)) return 'its rows do not add up to all'
  const saysRestated = (known?.restated ?? null) !== null || marks.some((mark) => mark.endsWith('restated'))
  if (saysRestated && ![query.range, before ?? query.range].some((range) => wasRestated(oracle, range)))
    return 'it says that something was restated'
  if (known === null) return null
  return known.partial === marks.includes('partial') ? null : 'its name says otherwise'
}

/** What is wrong with a file; null where its rows and totals are of one scope, each day of one moment, and of days that it tells. */
export function wrongInFile(table: WrittenTable, asked: ToWrite, oracle: Oracle): string | null {
  if (isMarked(table)) return null
  const { query, before } = asked
  const { all, rows } = table
  const by = query.kind === 'table' ? query.dimension : null
  /** Scopes of which one side can be, over one of these sets of days. */
  const scopesOf = (sets: readonly (readonly Day[])[], of: (row: Row) => Counted | null, isWhole: boolean) =>
    oracle
      .scopes()
      .filter((scope) =>
        sets.some((days) =>
          oracle.find(
            oracle.anyOf(days),
            (_, levels) =>
              isSame(countedOf(scope, levels), of(all) ?? nothing) &&
              (by === null || areRowsOf(by, countedRows(rows, of), { scope, levels, part: {}, isWhole })),
            [scope],
          ),
        ),
      )
  const now = scopesOf(daysShown(table, query.range), (row) => row.now, true)
  const isCompared = before !== null && all.before !== null
  const then: readonly Scope[] = isCompared
    ? scopesOf(daysCompared(table, query.range, before), (row) => row.before, false)
    : now
  // Nothing stands beside figures that are not compared with any.
  const mayLackOthers = before === null || isComparedInPart(table) || before.end >= dayAt(start, 'UTC')
  const isAbsent = mayLackOthers && rows.every((row) => row.before === null)
  const isOfOne = now.some((scope) => then.includes(scope)) && (isCompared || isAbsent)
  const days = daysOf(query.range).concat(before ? daysOf(before) : [])
  const contradiction = contradictionIn(table, asked, oracle)
  if (contradiction !== null || isOfOne) return contradiction
  return oracle.isExcused(days) ? null : 'it is of no scope and moment'
}

const countedRows = (rows: readonly Row[], of: (row: Row) => Counted | null) =>
  rows.map((row) => ({ label: row.label, counted: of(row) ?? nothing }))
