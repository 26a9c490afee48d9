import { firstDoubt } from '#shared/reports/answer.ts'
import { unsettled } from '#shared/reports/figure-facts.ts'
import type { FactKey } from '#shared/reports/figure-facts.ts'
import { labelText } from '#shared/reports/rows.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { valueAt } from '#shared/exports/columns.ts'
import { oldestOf } from './facts.ts'
import type { ComparedFact, Facts } from './facts.ts'
import type { Out, Sheet, TableWriter } from './table-writer.ts'

/**
 * Writes one table as JSON: facts, the rows `all` and `found`, then `rows` as one object each, by header. An instance is an object with id
 * and name. Rates are in percent; repeated headers are numbered.
 */
export function jsonFile(file: Out): TableWriter {
  let members: readonly Member[] = []
  let first = true
  return {
    begin: async (sheet) => {
      members = membersOf(sheet.columns)
      await file.appendFile(`${openFacts(sheet)},\n  "rows": [`)
    },
    rows: async (rows) => {
      const text = rows.map((row) => `\n    ${rowJson(row, members)}`).join(',')
      if (text !== '') await file.appendFile(first ? text : `,${text}`)
      first &&= text === ''
    },
    absent: () => Promise.resolve(),
    finish: async () => {
      await file.appendFile('\n  ]\n}\n')
      return { cut: [] }
    },
  }
}

/** Returns the facts of a table, and its aggregate rows `all` and `found`, as a JSON object without its end. */
export function openFacts({ columns, facts, above = [] }: Sheet): string {
  if (facts === null) throw new TypeError('A table needs facts')
  const members = membersOf(columns)
  const { all: plain, figures, range, compared, ...rest } = facts
  const known = {
    ...rest,
    ...range,
    ...knownMembers(figures),
    compared: compared && comparedMembers(compared, figures[0].zone),
    headers: columns.map(({ header }) => header),
  }
  const all = above.find(({ label }) => label.kind === 'all') ?? plain
  // The label distinguishes the total of matching rows from a total of unknown extent.
  const found = above.find(({ label }) => label.kind !== 'all') ?? null
  const [total, narrowed] = [all, found].map((row) => (row ? rowJson(row, members) : 'null'))
  return `${JSON.stringify(known, null, 2).slice(0, -2)},\n  "all": ${total},\n  "found": ${narrowed}`
}

type Known = Facts['figures']
const iso = (instant: number) => new Date(instant).toISOString()
const daysIn = (all: readonly (readonly Day[])[]) => [...new Set(all.flat())].sort()

/** JSON members of each fact. Several figures are combined: the oldest time, and everything that any of them lacks. */
const memberOf: Readonly<Record<FactKey, (known: Known) => Readonly<Record<string, unknown>>>> = {
  from: ([first, ...others]) => ({
    from: others.some(({ provenance }) => provenance.from === 'computed')
      ? 'computed'
      : first.provenance.from,
  }),
  fetchedAt: (figures) => ({ fetchedAt: iso(oldestOf({ figures })) }),
  ages: (known) => ({
    ages: known.flatMap(({ provenance }) =>
      (provenance.ages ?? []).map(({ range, fetchedAt }) => ({ ...range, fetchedAt: iso(fetchedAt) })),
    ),
  }),
  spans: (known) => ({ spans: known.flatMap(({ provenance }) => provenance.spans ?? []) }),
  missing: (known) => ({
    days: daysBetween(known[0].range.start, known[0].range.end) + 1,
    missing: daysIn(known.map(({ provenance }) => provenance.missing)),
    partial: known.some(({ provenance: { missing, composed } }) => missing.length > 0 || composed),
  }),
  composed: (known) => {
    const { requested, total, unit } =
      known.find(({ provenance }) => provenance.composed)?.provenance.composed ?? {}
    return { composed: unit ? { asked: requested, of: total, unit } : null }
  },
  notOver: (known) => ({ notOver: daysIn(known.map((figuresOf) => unsettled(figuresOf).notOver)) }),
  canChange: (known) => ({ canChange: daysIn(known.map((figuresOf) => unsettled(figuresOf).canChange)) }),
  doubt: (known) => ({ doubt: firstDoubt(known.map(({ provenance }) => provenance.doubt)) }),
  restated: (known) => {
    const [max] = known
      .flatMap(({ provenance }) => provenance.restated ?? [])
      .sort((one, other) => other.days - one.days)
    return { restated: max ? { days: max.days, latest: iso(max.latest) } : null }
  },
  failure: (known) => ({
    notRenewed: known.find(({ provenance }) => provenance.failure)?.provenance.failure?.message ?? null,
  }),
  refreshing: (known) => ({ refreshing: known.some(({ provenance }) => provenance.refreshing) }),
}

/** JSON members of a comparison; `missing` are its missing days. */
function comparedMembers({ provenance, days, ...rest }: ComparedFact, zone: string) {
  const known = provenance && knownMembers([{ title: '', provenance, range: rest.range, zone }])
  const { against } = days ?? {}
  const pairs = days && {
    days: days.days,
    of: days.total,
    against: against && { days: against.days, of: against.total },
  }
  return { ...known, ...rest, days: pairs }
}

const knownMembers = (known: Known) =>
  Object.assign({}, ...Object.values(memberOf).map((member) => member(known)))

type Member = { readonly name: string; readonly column: ExportColumn }

/** Names are already JSON text: a JavaScript object treats a header like `__proto__` specially. */
function membersOf(columns: readonly ExportColumn[]): Member[] {
  const names = numbered(columns.map(({ header }) => header))
  return columns.map((column, nth) => ({ name: JSON.stringify(names[nth]), column }))
}

/** Numbers repeated names. @param fold returns what must be unique of a name; by default all of it */
export function numbered(names: readonly string[], fold = (name: string) => name): string[] {
  const taken = new Set<string>()
  return names.map((plain) => {
    let name = plain
    for (let turn = 2; taken.has(fold(name)); turn += 1) name = `${plain} (${turn})`
    taken.add(fold(name))
    return name
  })
}

const rowJson = (row: TableRow, members: readonly Member[]): string =>
  `{${members.map(({ name, column }) => `${name}: ${valueOf(row, column)}`).join(', ')}}`

function valueOf(row: TableRow, column: ExportColumn): string {
  if (column.kind !== 'label') return JSON.stringify(valueAt(row, column))
  const { label } = row
  return JSON.stringify(label.kind === 'instance' ? { id: label.id, name: label.name } : labelText(label))
}
