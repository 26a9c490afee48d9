import Database from 'better-sqlite3'
import { createEvents } from '#main/sandbox/events/events.ts'
import { eventRecords } from '#test/src-main/sandbox/events/event-records.ts'
import type { Events } from '#main/sandbox/events/events.ts'
import type { EventRecord } from '#test/src-main/sandbox/events/event-records.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/**
 * What a report has to show, counted by SQL over the sandbox's events: it shares nothing with the sandbox's own counting,
 * with the interface as data, or with the app.
 */

type Family = 'direct' | 'script'
type Figure = number | null

/** The column of a plain row that names a table's rows. */
export type By =
  | 'instance'
  | 'source'
  | 'campaign'
  | 'browser'
  | 'os'
  | 'manufacturer'
  | 'type'
  | 'country'
  | 'network'
  | 'connection'
  | 'host'

/** Which events count. */
export type Limited = {
  readonly family: Family
  readonly start: Day
  readonly end: Day
  /** Columns of a plain row and the one value that each is limited to. */
  readonly filters?: Partial<Record<keyof EventRecord, string>>
}

export type Wanted = Limited & {
  readonly by: By
  readonly search?: string
  readonly startsWith?: boolean
  /** Headers; the first column's is `label`. */
  readonly sort?: readonly (readonly [header: string, direction: 'asc' | 'desc'])[]
  readonly page?: number
  readonly limit?: number
}

export type WantedRow = { readonly label: string; readonly figures: Readonly<Record<string, Figure>> }

export type WantedTable = {
  /** The counts' headers, in the specification's order. */
  readonly counts: readonly string[]
  /** Rule sets that were broken at all. */
  readonly rules: readonly string[]
  readonly all: Readonly<Record<string, Figure>>
  readonly rows: readonly WantedRow[]
  readonly results: number
}

/** A row whose rate is another than before: its counts, and what these are of. */
export type WantedMover = Readonly<Record<'before' | 'now' | 'beforeOf' | 'nowOf', number>> & {
  readonly label: string
}

const ruleCodes = ['BT', 'DC', 'FR', 'GE', 'HD', 'PX', 'SP', 'UE'] as const

const columns = [
  'family',
  'day',
  'instance',
  'source',
  'campaign',
  'browser',
  'browser_version',
  'os',
  'os_version',
  'manufacturer',
  'model',
  'type',
  'country',
  'region',
  'city',
  'network',
  'connection',
  'host',
  'path',
  'result',
] as const satisfies readonly (keyof EventRecord)[]

/** What stands under each header, in SQL. A sum leaves nulls out, and is null where there is nothing else. */
const figures: Readonly<Record<string, string>> = {
  Requests: 'count(*)',
  Drops: `sum(result = 'drop')`,
  Responses: `sum(result <> 'drop')`,
  Good: `sum(result = 'good')`,
  Warning: `sum(result = 'warning')`,
  Bad: `sum(result = 'bad')`,
  'Non-Suspect': `sum(result = 'non-suspect')`,
  Suspect: `sum(result = 'suspect')`,
  Mobile: `sum(result <> 'drop' AND type LIKE 'mobile:%')`,
  'Ad Blocker': 'sum(adblocker)',
}

const countsOf = (family: Family, by: By): string[] => {
  if (family === 'direct') return ['Requests', 'Non-Suspect', 'Suspect', 'Mobile']
  const counts = ['Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker']
  // A drop never told its referrer.
  return by === 'host' ? counts.slice(1) : counts
}

/** What an overview counts: each is of all events, and of none of them zero where it is not unknown. */
const overviewCounts = {
  direct: ['Requests', 'Non-Suspect', 'Suspect', 'Mobile'],
  script: ['Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Drops', 'Mobile', 'Ad Blocker'],
} as const satisfies Record<Family, readonly string[]>

const overviewFigures = (family: Family): string =>
  overviewCounts[family]
    .map((each) => {
      const figure = each === 'Ad Blocker' ? figures[each] : `coalesce(${figures[each]}, 0)`
      return `${figure} AS ${quoted(each)}`
    })
    .join(', ')

const quoted = (name: string) => `"${name}"`

/** The columns of the database's one table. */
const written = [...columns, 'adblocker', ...ruleCodes, 'instance_name'].map(quoted)

/** Events in a database of their own, as far back as they are asked about: those of all days take seconds to write. */
export class EventOracle {
  readonly #events: Events
  readonly #database: Database.Database
  readonly #names: ReadonlyMap<string, string>
  readonly #known = new Map<string, readonly object[]>()
  /** The first day that is written; the last one is today. */
  #first: Day

  constructor(seed: number, today: Day) {
    this.#events = createEvents(seed, today)
    this.#names = new Map(this.#events.instances.map(({ id, name }) => [id, name]))
    this.#first = addDays(today, 1)
    this.#database = new Database(':memory:')
    this.#database.function('folded', { deterministic: true }, (text) => String(text).toLowerCase())
    this.#database.exec(
      `CREATE TABLE events (${written.join(', ')}); CREATE INDEX events_by_day ON events (family, day)`,
    )
  }

  #writeBackTo(start: Day): void {
    if (start >= this.#first) return
    const add = this.#database.prepare(`INSERT INTO events VALUES (${written.map(() => '?').join(', ')})`)
    this.#database.transaction(() => {
      const days = { start, end: addDays(this.#first, -1) }
      for (const record of eventRecords(this.#events, [], days)) {
        add.run(
          ...columns.map((column) => record[column]),
          record.adblocker === null ? null : Number(record.adblocker),
          ...ruleCodes.map((code) => Number(record.rules.includes(code))),
          this.#names.get(record.instance),
        )
      }
    })()
    this.#first = start
  }

  /** What a table has to show. */
  table(wanted: Wanted): WantedTable {
    const { family, by, page = 1, limit = 20, search, startsWith = false } = wanted
    const counts = countsOf(family, by)
    const [where, bound] = this.#where(wanted)
    const rules = this.#brokenRules(where, bound)
    const under = [...counts, ...rules].map((header) => {
      const expression = figures[header] ?? `sum(${quoted(header)})`
      return `${expression} AS ${quoted(header)}`
    })
    const select = `SELECT ${under.join(', ')}`
    const label = by === 'instance' ? 'instance_name' : quoted(by)
    const grouped = `${select}, ${label} AS label FROM events WHERE ${where} GROUP BY ${label}`
    const met =
      search === undefined
        ? '1'
        : startsWith
          ? 'substr(folded(label), 1, length(folded(@search))) = folded(@search)'
          : 'instr(folded(label), folded(@search)) > 0'
    const sort = wanted.sort ?? [[counts[0] ?? '', 'desc'] as const]
    const order = [...sort.map(([header, direction]) => `${quoted(header)} ${direction}`), 'label ASC']
    const named = { ...bound, ...(search !== undefined && { search }) }
    const rows = this.#ask<Record<string, Figure | string>>(
      `SELECT * FROM (${grouped}) WHERE ${met} ORDER BY ${order.join(', ')}`,
      named,
    )
    const [all] = this.#ask<Record<string, Figure>>(`${select} FROM events WHERE ${where}`, bound)
    return {
      counts,
      rules,
      all: all ?? {},
      rows: rows.slice((page - 1) * limit, page * limit).map(({ label, ...figures }) => ({
        label: String(label),
        figures: figures as Record<string, Figure>,
      })),
      results: rows.length,
    }
  }

  /** The figures of each day that there were events on. */
  days(wanted: Wanted): ReadonlyMap<string, Readonly<Record<string, Figure>>> {
    const [where, bound] = this.#where(wanted)
    const under = countsOf(wanted.family, wanted.by).map((each) => `${figures[each]} AS ${quoted(each)}`)
    const rows = this.#ask<Record<string, Figure | string>>(
      `SELECT day, ${under.join(', ')} FROM events WHERE ${where} GROUP BY day`,
      bound,
    )
    return new Map(rows.map(({ day, ...figures }) => [String(day), figures as Record<string, Figure>]))
  }

  /** The totals of a family. */
  totals(limited: Limited): Readonly<Record<string, Figure>> {
    const [where, bound] = this.#where(limited)
    const select = `SELECT ${overviewFigures(limited.family)} FROM events WHERE ${where}`
    return this.#ask<Record<string, Figure>>(select, bound)[0] ?? {}
  }

  /** The same for one day after the other. */
  dailyTotals(limited: Limited, days: readonly Day[]): Readonly<Record<string, Figure>>[] {
    return days.map((day) => this.totals({ ...limited, start: day, end: day }))
  }

  /**
   * The five rows whose rate of the count under a header rose most since days before, and the five whose fell most; of rows of
   * a volume, chosen by how much there is of it.
   */
  movers(
    { by, start, end, ...limited }: Limited & { readonly by: By },
    before: { readonly start: Day; readonly end: Day },
    header: string,
    base: string,
  ): { readonly min: number; readonly up: readonly WantedMover[]; readonly down: readonly WantedMover[] } {
    const [where, bound] = this.#where({ ...limited, by, start: before.start, end })
    const label = by === 'instance' ? 'instance_name' : quoted(by)
    const during = (counted: string, first: string, last: string) =>
      `coalesce(${figures[counted]} FILTER (WHERE day BETWEEN @${first} AND @${last}), 0)`
    const sides = (counted: string, suffix: string) =>
      `${during(counted, 'first', 'last')} AS before${suffix}, ${during(counted, 'from', 'to')} AS now${suffix}`
    const grouped = `SELECT ${label} AS label, ${sides(header, '')}, ${sides(base, 'Of')}
      FROM events WHERE ${where} GROUP BY 1`
    const named = { ...bound, first: before.start, last: before.end, from: start, to: end }
    const sums = `SELECT min(sum(nowOf), sum(beforeOf)) AS total FROM (${grouped})`
    const total = this.#ask<{ total: number | null }>(sums, named)[0]?.total ?? 0
    const least = Math.max(total / 200, Math.min(50, total / 20))
    const digits = String(Math.floor(least))
    const min = least < 1 ? 0 : Number(digits[0]) * 10 ** (digits.length - 1)
    const rate = (side: string) => `${side} * 100.0 / nullif(${side}Of, 0)`
    const rated = `SELECT *, ${rate('now')} - ${rate('before')} AS moved FROM (${grouped})
      WHERE min(nowOf, beforeOf) >= ${min}`
    const max = (comparison: string, order: string) =>
      this.#ask<WantedMover>(
        `SELECT * FROM (${rated}) WHERE moved ${comparison} 0 ORDER BY moved ${order}, label LIMIT 5`,
        named,
      )
    return { min, up: max('>', 'DESC'), down: max('<', 'ASC') }
  }

  /** One value of a column that events of a table have, as a person would choose it: the most common one. */
  common(wanted: Wanted, column: keyof EventRecord): string {
    const [where, bound] = this.#where(wanted)
    const [row] = this.#ask<{ value: string }>(
      `SELECT ${quoted(column)} AS value FROM events WHERE ${where} AND ${quoted(column)} IS NOT NULL
         GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
      bound,
    )
    if (!row) throw new Error(`No event has a ${column}`)
    return row.value
  }

  instanceName(id: string): string {
    return this.#names.get(id) ?? id
  }

  #where({
    family,
    by,
    start,
    end,
    filters = {},
  }: Limited & Partial<Pick<Wanted, 'by'>>): [string, Record<string, string>] {
    this.#writeBackTo(start)
    const given = Object.entries(filters)
    const clauses = given.map(([column], index) => `${quoted(column)} = @filter${index}`)
    const bound = Object.fromEntries(given.map(([, value], index) => [`filter${index}`, value]))
    return [
      [
        'family = @family',
        'day BETWEEN @start AND @end',
        ...(by === undefined ? [] : [`${quoted(by)} IS NOT NULL`]),
        ...clauses,
      ].join(' AND '),
      { family, start, end, ...bound },
    ]
  }

  #brokenRules(where: string, bound: object): string[] {
    const sums = ruleCodes.map((code) => `sum(${quoted(code)}) AS ${quoted(code)}`)
    const [found] = this.#ask<Record<string, number | null>>(
      `SELECT ${sums.join(', ')} FROM events WHERE ${where}`,
      bound,
    )
    return ruleCodes.filter((code) => (found?.[code] ?? 0) > 0)
  }

  /** Each question is counted once: at every visit to a table, and on each of its pages, the same ones are asked. */
  #ask<Row extends object>(sql: string, bound: object): readonly Row[] {
    const question = JSON.stringify([sql, bound])
    const rows = this.#known.get(question) ?? this.#database.prepare<[object], Row>(sql).all(bound)
    this.#known.set(question, rows)
    // The same words ask for the same columns.
    return rows as readonly Row[]
  }
}
