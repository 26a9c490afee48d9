import { headersOf } from '#shared/api/dimensions.ts'
import type { TableRow, Totals } from '#shared/api/answers.ts'

/** What each test table is about. */
export const [labelHeader = '', ...counts] = headersOf('script', 'referrers')

/** A day's table: its rows, their sums, and what all of the day is. */
export type MadeDay = { readonly all: TableRow; readonly total: Totals; readonly rows: readonly TableRow[] }

/** Numbers from 0 to 1, always the same after the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const kinds = ['news', 'shop', 'video', 'games', 'mail', 'forum', 'weather', 'sport']
const zones = ['com', 'net', 'org', 'co.uk', 'de', 'com.br']

/** Hosts have names of different lengths that nothing sorts by their weight. */
export function hostName(index: number): string {
  const random = seeded(index + 1)
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? ''
  const letters = Math.floor(random() * 36 ** 4).toString(36)
  return `${letters}-${pick(kinds)}${index}.${pick(zones)}`
}

/**
 * A day of so many rows out of so many hosts. Few hosts have most of the traffic (their weights fall as 1 / place), and
 * what of it is bad stays about the same from day to day.
 */
export function madeDay(day: number, rows: number, hosts: readonly string[]): MadeDay {
  const random = seeded(1_000_003 * (day + 1))
  const places = drawn(random, rows, hosts.length)
  const made = places.map((place): TableRow => {
    const weight = 400_000 / (place + 1)
    const responses = 1 + Math.floor(weight * (0.7 + 0.6 * random()))
    const share = (max: number) => Math.floor(responses * max * random())
    const [bad, warning] = [share(0.2), share(0.1)]
    return {
      label: { kind: 'text', text: hosts[place] ?? '' },
      cells: [responses, responses - bad - warning, warning, bad, share(0.6), share(0.3)],
    }
  })
  const sums = counts.map((_, at) => made.reduce((sum, { cells }) => sum + Number(cells[at]), 0))
  const [, good = 0, warning = 0, bad = 0, mobile = 0, adblocker = 0] = sums
  return {
    all: { label: { kind: 'all', name: null }, cells: sums },
    total: { good, warning, bad, mobile, adblocker },
    // As the service gives them: the largest first.
    rows: made.sort((one, other) => Number(other.cells[0]) - Number(one.cells[0])),
  }
}

/** So many different places out of all: the first ones of a shuffled list. */
function drawn(random: () => number, some: number, of: number): number[] {
  const places = Array.from({ length: of }, (_, place) => place)
  for (let at = 0; at < some; at += 1) {
    const other = at + Math.floor(random() * (of - at))
    const [here = 0, there = 0] = [places[at], places[other]]
    places[at] = there
    places[other] = here
  }
  return places.slice(0, some)
}
