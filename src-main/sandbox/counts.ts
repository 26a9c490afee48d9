import { dimensionEntry } from '#shared/api/dimensions.ts'
import type { Dimension, Family, families, TotalName } from '#shared/api/dimensions.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { SandboxRequest } from './contracts.ts'
import { sandboxInstances, ruleSets } from './events/catalogue.ts'
import { clients, isMobile } from './events/clients.ts'
import {
  fieldNamed,
  DROP,
  familyOf,
  results,
  ADBLOCK_UNKNOWN,
  BAD,
  GOOD,
  NON_SUSPECT,
  SUSPECT,
  WARNING,
} from './events/columns.ts'
import type { EventColumns, IndexedColumn } from './events/columns.ts'
import type { Events, Judge } from './events/events.ts'
import { byCodePoints } from '#shared/values/text.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { requireInstance, sees } from './rights.ts'

/** Criteria for the events to count, without the range, because a chart counts each day separately. */
export type Selection = {
  readonly columns: EventColumns
  readonly judge: Judge
  /** Whether each result counts. Referrers exclude drops, because drops have no referrer. */
  readonly results: Uint8Array
  /** Allowed indexes of each filtered column. */
  readonly limits: readonly { readonly column: IndexedColumn; readonly open: Uint8Array }[]
}

/** Returns the filters that apply. A filter without its parent is ignored. */
function applied(
  parameters: Readonly<Record<string, unknown>>,
  dimension: Dimension | undefined,
): [name: string, value: string][] {
  const own = dimension ? Object.entries(dimensionEntry(dimension).filters) : []
  const names = own
    .filter(([, { needs }]) => (needs ?? []).every((parent) => parameters[parent] !== undefined))
    .map(([name]) => name)
  return ['source', 'campaign', ...names].flatMap((name) => {
    const value = parameters[name]
    return value === undefined ? [] : [[name, String(value)]]
  })
}

/** Returns the indexes that a filter allows, by exact or case-insensitive comparison. */
function limitTo(name: string, value: string, { filterCase, forgotten }: SandboxRequest['behaviour']) {
  const { column, texts } = fieldNamed(name)
  const folds = filterCase === 'any' && (name === 'source' || name === 'campaign')
  const folded = (text: string) => (folds ? text.toLowerCase() : text)
  const isMet = (text: string) => folded(text) === folded(value) && !forgotten.includes(value)
  return { column, open: Uint8Array.from(texts, (text) => (isMet(text) ? 1 : 0)) }
}

/** Allows the requested instance, or all that the token sees. */
function limitToInstances({ parameters, rights, behaviour }: SandboxRequest, events: Events) {
  const { instance } = parameters
  const one =
    instance === undefined ? undefined : requireInstance(rights, String(instance), events.instances).id
  const isChosen = (id: InstanceId) => id === one && !behaviour.forgotten.includes(id)
  const open = events.instances.map(({ id }) => (one === undefined ? sees(rights, id) : isChosen(id)))
  return { column: 'instance' as const, open: Uint8Array.from(open, Number) }
}

/**
 * Returns the criteria of a request for a table, or for an overview without a dimension.
 * @throws Refusal if the instance is unknown or the token does not see it
 */
export function selectionFor(
  request: SandboxRequest,
  events: Events,
  family: Family,
  dimension: Dimension | undefined,
): Selection {
  const withoutDrops = dimension !== undefined && dimensionEntry(dimension).lacks?.totals.includes('drops')
  const counted = results.map(
    (_, result) => familyOf(result) === family && !(withoutDrops && result === DROP),
  )
  return {
    columns: events.columns,
    judge: events.judge(request.behaviour.restated),
    results: Uint8Array.from(counted, Number),
    limits: [
      limitToInstances(request, events),
      ...applied(request.parameters, dimension).map(([name, value]) =>
        limitTo(name, value, request.behaviour),
      ),
    ],
  }
}

/** Returns the range of a report request, whose days are already validated. */
export const rangeOf = ({ parameters }: SandboxRequest): DayRange =>
  ({ start: parameters['start'], end: parameters['end'] }) as DayRange

/** Share of today's events that is not counted at first, and the factor by which each answer reduces it. */
const uncounted = { first: 0.5, left: 0.99 } as const

/** Returns the events of a range. With `growing`, the counted part of today grows with the number of answers. */
export function countedSpan(
  events: Events,
  request: SandboxRequest,
  answers: number,
): ReturnType<Events['span']> {
  const { first, end } = events.span(rangeOf(request))
  if (!request.behaviour.growing) return { first, end }
  const today = events.span({ start: request.today, end: request.today })
  const share = 1 - uncounted.first * uncounted.left ** answers
  const counted = today.first + Math.floor((today.end - today.first) * share)
  return { first: Math.min(first, counted), end: Math.min(end, counted) }
}

/** Assignment of a dimension's events to rows. */
export type Grouping = {
  readonly column: IndexedColumn
  /** Row of each index of the column. */
  readonly rowOf: Uint16Array
  /** Label of each row, for search and for sorting by the first column. */
  readonly labels: readonly string[]
  /** Rank of each label in code point order, which also breaks ties. */
  readonly ranks: Uint32Array
}

function ranksOf(labels: readonly string[]): Uint32Array {
  const ranks = new Uint32Array(labels.length)
  const order = labels.map((_, row) => row)
  order.sort((one, other) => byCodePoints(labels[one] as string, labels[other] as string))
  order.forEach((row, rank) => (ranks[row] = rank))
  return ranks
}

function groupingOf(dimension: Dimension): Grouping {
  const { label, filters } = dimensionEntry(dimension)
  if (label === 'instance') {
    const labels = sandboxInstances.map((sandboxInstance) => sandboxInstance.name)
    return { column: 'instance', rowOf: Uint16Array.from(labels.keys()), labels, ranks: ranksOf(labels) }
  }
  // The first filter's values are the labels of the rows.
  const { column, texts } = fieldNamed(Object.keys(filters)[0] ?? dimension)
  const rows = new Map<string, number>()
  const rowOf = Uint16Array.from(texts, (text) => {
    const row = rows.get(text) ?? rows.size
    rows.set(text, row)
    return row
  })
  const labels = [...rows.keys()]
  return { column, rowOf, labels, ranks: ranksOf(labels) }
}

const groupings = new Map<Dimension, Grouping>()

/** Returns the grouping of a dimension. Cached, because ranking 50,000 hosts is slow. */
export function grouping(dimension: Dimension): Grouping {
  const known = groupings.get(dimension) ?? groupingOf(dimension)
  groupings.set(dimension, known)
  return known
}

/** Offsets of figures in a row's counts: first the results, last the rule sets. */
export const slots = {
  mobile: results.length,
  adblockMet: results.length + 1,
  adblockKnown: results.length + 2,
  rules: results.length + 3,
} as const

/** Number of counts per row. */
export const SLOTS = slots.rules + ruleSets.length

/** Counts of all rows, `SLOTS` per row. */
export type EventCounts = Int32Array

const mobile = Uint8Array.from(clients, (client) => Number(isMobile(client)))

/**
 * Counts the selected events from `first` to `end` (exclusive) by row; one row without a grouping. Drops never count as
 * mobile or with an ad blocker, because nothing came back.
 */
export function countEvents(selection: Selection, first: number, end: number, rows?: Grouping): EventCounts {
  const { columns, judge, limits } = selection
  const counts = new Int32Array(SLOTS * (rows?.labels.length ?? 1))
  const keys = rows && columns[rows.column]
  const checks = limits.map(({ column, open }) => ({ values: columns[column], open }))
  for (let event = first; event < end; event++) {
    const result = judge.result(event)
    if (selection.results[result] === 0) continue
    if (!checks.every(({ values, open }) => open[values[event] as number] === 1)) continue
    const base = rows && keys ? SLOTS * (rows.rowOf[keys[event] as number] as number) : 0
    add(counts, base + result)
    if (result === DROP) continue
    add(counts, base + slots.mobile, mobile[columns.client[event] as number])
    const adblock = columns.adblock[event] as number
    if (adblock !== ADBLOCK_UNKNOWN) {
      add(counts, base + slots.adblockKnown)
      add(counts, base + slots.adblockMet, adblock)
    }
    for (let rules = judge.rules(event), bit = 0; rules !== 0; rules >>>= 1, bit++) {
      if (rules & 1) add(counts, base + slots.rules + bit)
    }
  }
  return counts
}

function add(counts: EventCounts, slot: number, count = 1): void {
  counts[slot] = (counts[slot] as number) + count
}

/** Sums some rows, or all by default, into one row. */
export function sumOf(
  counts: EventCounts,
  rows: Iterable<number> = Array(counts.length / SLOTS).keys(),
): EventCounts {
  const sum = new Int32Array(SLOTS)
  for (const row of rows) {
    for (let slot = 0; slot < SLOTS; slot++) add(sum, slot, counts[row * SLOTS + slot])
  }
  return sum
}

/** A figure; null if unknown. */
export type Figure = number | null

type Reading = (counts: EventCounts, base: number) => Figure

const sumOfSlots =
  (...slots: readonly number[]): ((counts: EventCounts, base: number) => number) =>
  (counts, base) =>
    slots.reduce((sum, slot) => sum + (counts[base + slot] as number), 0)

/**
 * Null if no response is from an instance with ad-blocker detection. Sums skip nulls, and a sum of only nulls is null.
 * So daily figures add up to those of the range.
 */
const adblocker: Reading = (counts, base) =>
  counts[base + slots.adblockKnown] === 0 ? null : (counts[base + slots.adblockMet] as number)

type CountHeader = (typeof families)[Family]['counts'][number]

const byHeader: Readonly<Record<CountHeader, Reading>> = {
  Requests: sumOfSlots(DROP, GOOD, WARNING, BAD, NON_SUSPECT, SUSPECT),
  Responses: sumOfSlots(GOOD, WARNING, BAD),
  Good: sumOfSlots(GOOD),
  Warning: sumOfSlots(WARNING),
  Bad: sumOfSlots(BAD),
  'Non-Suspect': sumOfSlots(NON_SUSPECT),
  Suspect: sumOfSlots(SUSPECT),
  Mobile: sumOfSlots(slots.mobile),
  'Ad Blocker': adblocker,
}

/** Returns the reader of a header's figure. Throws RangeError if the header is no count. */
export function countUnder(header: string): (counts: EventCounts, row: number) => Figure {
  const reading = Object.hasOwn(byHeader, header) ? byHeader[header as CountHeader] : undefined
  if (reading === undefined) throw new RangeError(`${header} is no count`)
  return (counts, row) => reading(counts, row * SLOTS)
}

const totals: Readonly<Record<TotalName, Reading>> = {
  drops: sumOfSlots(DROP),
  good: sumOfSlots(GOOD),
  warning: sumOfSlots(WARNING),
  bad: sumOfSlots(BAD),
  nonsuspect: sumOfSlots(NON_SUSPECT),
  suspect: sumOfSlots(SUSPECT),
  mobile: sumOfSlots(slots.mobile),
  adblocker,
}

/** Returns the members of `total` from the counts of one row. */
export function totalOf(names: readonly TotalName[], sum: EventCounts): Record<string, Figure> {
  return Object.fromEntries(names.map((name) => [name, totals[name](sum, 0)]))
}

const events = sumOfSlots(DROP, GOOD, WARNING, BAD, NON_SUSPECT, SUSPECT)

/** Returns the number of events in a row. Rows without events are not sent. */
export const eventsIn = (counts: EventCounts, row: number): number => events(counts, row * SLOTS)
