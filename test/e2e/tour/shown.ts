import { expect } from 'vitest'
import type { Page } from 'playwright-core'
import type { EventOracle, Wanted } from '../oracle/figures.ts'
import { expectedScreen } from './expected.ts'
import type { Additions } from './expected.ts'
import { screenOf } from './screen.ts'
import type { TourTable } from './tables.ts'
import { tablesOf } from './tables.ts'

/** A table by what its grid is called. */
export function tableOf(name: string): TourTable {
  const table = [...tablesOf('direct'), ...tablesOf('script')].find((each) => each.name === name)
  if (!table) throw new Error(`There is no table ${name}`)
  return table
}

/** A table by its name, what it was asked for, and what was switched on. */
export type Shown = [name: string, wanted: Omit<Wanted, 'family' | 'by'>, additions?: Additions]

/** Holds the grid on screen against the oracle. @returns the words that say where the figures come from */
export async function expectShown(
  page: Page,
  oracle: EventOracle,
  ...[name, wanted, additions = {}]: Shown
): Promise<string> {
  const table = tableOf(name)
  const { headers, sort, rows, paging, origin } = await screenOf(page, name)
  const { family, by } = table
  const expected = expectedScreen(oracle, table, { ...wanted, family, by }, additions)
  expect.soft({ headers, sort, rows, paging }, `${name} ${JSON.stringify(wanted)}`).toEqual(expected)
  return origin
}
