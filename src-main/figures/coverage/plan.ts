import { addDays, daysBetween, daysOf } from '../../../src-shared/values/day.ts'
import type { Day, DayRange } from '../../../src-shared/values/day.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import type { Block } from '../cache/tables-repository.ts'

/** Which kept tables answer for a range: they lie in it, and none of its days in two of them. */
export type Plan = {
  /** In the order of their days. */
  readonly blocks: readonly Block[]
  /** Days that none of them is about. */
  readonly missing: readonly Day[]
  /** Days of those that are too old to stand. */
  readonly stale: readonly Day[]
  /** When the oldest of them was fetched; null where there is none. */
  readonly fetchedAt: Instant | null
}

/** What counts against a choice, the weightier first: missing days, stale days, age added up over days, blocks. */
type Cost = readonly [missing: number, stale: number, age: number, blocks: number]

type Choice = { readonly cost: Cost; readonly from: number; readonly block: Block | null }

/**
 * The best choice of kept tables for a range: the fewest days missing, then the fewest stale, then the newest figures.
 * @param kept tables of one subject, of any days
 * @param isFresh whether a table can stand
 * @param now milliseconds since 1970
 */
export function planFor(
  range: DayRange,
  kept: readonly Block[],
  isFresh: (block: Block) => boolean,
  now: number,
): Plan {
  const days = daysOf(range)
  const ending = blocksByEnd(range, kept)
  const fresh = new Set([...ending.values()].flat().filter(isFresh))
  /** The best choice for the first so many days. */
  const best: Choice[] = [{ cost: [0, 0, 0, 0], from: 0, block: null }]
  for (let end = 1; end <= days.length; end += 1) {
    let chosen: Choice = { cost: plus(costAt(best, end - 1), [1, 0, 0, 0]), from: end - 1, block: null }
    for (const block of ending.get(end) ?? []) {
      const from = end - lengthOf(block.range)
      const cost = plus(costAt(best, from), costOf(block, fresh.has(block), now))
      if (isLess(cost, chosen.cost)) chosen = { cost, from, block }
    }
    best.push(chosen)
  }
  return planFrom(best, days, fresh)
}

/** Follows the choices back from the last day to the first. */
function planFrom(best: readonly Choice[], days: readonly Day[], fresh: ReadonlySet<Block>): Plan {
  const choices: Choice[] = []
  for (let choice = best.at(-1); choice !== undefined && choice !== best[0]; choice = best[choice.from]) {
    choices.push(choice)
  }
  choices.reverse()
  const blocks = choices.flatMap(({ block }) => block ?? [])
  const missing = choices.flatMap(({ block, from }) => (block ? [] : days.slice(from, from + 1)))
  const stale = blocks.filter((block) => !fresh.has(block)).flatMap((block) => daysOf(block.range))
  const oldest = Math.min(...blocks.map((block) => block.fetchedAt))
  return { blocks, missing, stale, fetchedAt: blocks.length > 0 ? (oldest as Instant) : null }
}

/** The tables that lie in a range, by how many of its days are over with their last. */
function blocksByEnd(range: DayRange, kept: readonly Block[]): ReadonlyMap<number, readonly Block[]> {
  const ending = new Map<number, Block[]>()
  for (const block of kept) {
    if (block.range.start < range.start || block.range.end > range.end) continue
    const end = daysBetween(range.start, block.range.end) + 1
    ending.set(end, [...(ending.get(end) ?? []), block])
  }
  return ending
}

function costOf({ range, fetchedAt }: Block, fresh: boolean, now: number): Cost {
  const days = lengthOf(range)
  return [0, fresh ? 0 : days, days * Math.max(0, now - fetchedAt), 1]
}

const costAt = (best: readonly Choice[], index: number): Cost => best[index]?.cost ?? [0, 0, 0, 0]

const plus = (one: Cost, other: Cost): Cost => [
  one[0] + other[0],
  one[1] + other[1],
  one[2] + other[2],
  one[3] + other[3],
]

function isLess(one: Cost, other: Cost): boolean {
  for (const [place, value] of one.entries()) {
    const against = other[place] ?? 0
    if (value !== against) return value < against
  }
  return false
}

/** How many days a range has. */
export const lengthOf = ({ start, end }: DayRange): number => daysBetween(start, end) + 1

/** The last days of a range, at most so many. */
export const lastDays = (range: DayRange, most: number): DayRange =>
  lengthOf(range) <= most ? range : { start: addDays(range.end, 1 - most), end: range.end }

/**
 * What is asked for so that these days are there: the newest first.
 * @param days in their order
 * @param each one by one, so that any range can be made of them; otherwise in as few runs as there are
 */
export function portionsOf(days: readonly Day[], each: boolean): DayRange[] {
  const portions: DayRange[] = []
  for (const day of days) {
    const last = portions.at(-1)
    if (!each && last && daysBetween(last.end, day) === 1)
      portions[portions.length - 1] = { ...last, end: day }
    else portions.push({ start: day, end: day })
  }
  return portions.reverse()
}
