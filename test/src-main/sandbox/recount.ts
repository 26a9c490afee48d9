import type { EventRecord } from '#test/src-main/sandbox/events/event-records.ts'

/**
 * Tables recounted from plain rows in plain loops, sharing nothing with the sandbox's own counting: no columns, no
 * dictionaries, no interface as data. What is written here is what the specification says.
 */

export type Asked = {
  family: 'direct' | 'script'
  /** The member of a plain row that names a table's rows. */
  by: 'instance' | 'browser' | 'os' | 'manufacturer' | 'type' | 'country' | 'network' | 'connection' | 'host'
  start: string
  end: string
  filters: Partial<Record<keyof EventRecord, string>>
  instances: readonly string[]
}

export type Figures = {
  requests: number
  drops: number
  good: number
  warning: number
  bad: number
  nonsuspect: number
  suspect: number
  mobile: number
  adblocker: number | null
  rules: Map<string, number>
}

const nothing = (): Figures => ({
  requests: 0,
  drops: 0,
  good: 0,
  warning: 0,
  bad: 0,
  nonsuspect: 0,
  suspect: 0,
  mobile: 0,
  adblocker: null,
  rules: new Map(),
})

const members = {
  drop: 'drops',
  good: 'good',
  warning: 'warning',
  bad: 'bad',
  'non-suspect': 'nonsuspect',
  suspect: 'suspect',
} as const

function count(figures: Figures, record: EventRecord): void {
  figures.requests += 1
  figures[members[record.result]] += 1
  if (record.result !== 'drop' && record.type.startsWith('mobile:')) figures.mobile += 1
  if (record.adblocker !== null) figures.adblocker = (figures.adblocker ?? 0) + (record.adblocker ? 1 : 0)
  for (const code of record.rules) figures.rules.set(code, (figures.rules.get(code) ?? 0) + 1)
}

/** The figures of all rows together, and of each row by its name. */
export function recount(
  records: Iterable<EventRecord>,
  asked: Asked,
): { all: Figures; rows: Map<string, Figures> } {
  const all = nothing()
  const rows = new Map<string, Figures>()
  for (const record of records) {
    const name = record[asked.by]
    if (record.family !== asked.family || name === null) continue
    if (record.day < asked.start || record.day > asked.end) continue
    if (!asked.instances.includes(record.instance)) continue
    const wanted = Object.entries(asked.filters) as [keyof EventRecord, string][]
    if (wanted.some(([member, value]) => record[member] !== value)) continue
    const row = rows.get(name) ?? nothing()
    rows.set(name, row)
    count(row, record)
    count(all, record)
  }
  return { all, rows }
}
