import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { pollOptions } from '../helpers/poll-options.ts'
import { exact } from '../helpers/reports.ts'
import { readCsv, unpack } from '#test/src-main/sandbox/raw/read-archive.ts'

/** A row of an archive, by its headers. */
export type ArchiveRow = Readonly<Record<string, string>>

/** The rows of an archive, read in another way than the app does. */
export async function rowsOf(archive: Buffer): Promise<readonly ArchiveRow[]> {
  const [headers = [], ...rows] = readCsv((await unpack(archive)).text)
  return rows.map((cells) => Object.fromEntries(headers.map((header, place) => [header, cells[place] ?? ''])))
}

/** The counts of values of a column, the most frequent first. */
export function countsOf(rows: readonly ArchiveRow[], column: string): readonly [string, number][] {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(row[column] ?? '', (counts.get(row[column] ?? '') ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

export const rowsTable = (page: Page, name = 'Raw rows'): Locator => exact(page, 'grid', name)

/** Waits until a table has so many rows. */
export const expectRows = (page: Page, rows: number, name?: string): Promise<void> =>
  expect
    .poll(async () => Number(await rowsTable(page, name).getAttribute('aria-rowcount')) - 1, pollOptions)
    .toBe(rows)

/** The button of a value beside the rows. */
export const facet = (page: Page, value: string, rows: number): Locator =>
  exact(page, 'list', 'Facets').getByRole('button', {
    name: `${value}, ${rows.toLocaleString('en-US')} rows`,
    exact: true,
  })

/** A table of a case, as texts. */
export const tableOf = async (page: Page, name: string): Promise<readonly (readonly string[])[]> =>
  await exact(page, 'table', name)
    .getByRole('row')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim())),
    )

/** A count as it is shown. */
export const counted = (text: string | undefined) => Number((text ?? '').replaceAll(',', ''))
