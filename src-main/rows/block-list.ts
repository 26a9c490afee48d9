import type { BlockListAnswer, Facets } from '../../src-shared/rows/answers.ts'
import { blockListOf, writeBlockList } from '../../src-shared/rows/block-list.ts'
import type { BlockListForm } from '../../src-shared/rows/block-list.ts'
import { parseNetwork } from '../../src-shared/rows/network.ts'

/** So many addresses of a column are looked at, those with the most rows. */
export const mostAddresses = 200_000

type Wanted = {
  readonly whole: boolean
  readonly allowed: readonly string[]
  readonly most: number
  readonly form: BlockListForm
}

/** The list of a column's addresses. */
export function blockListFrom(
  { rows, facets }: Facets,
  { allowed, form, ...wanted }: Wanted,
): BlockListAnswer {
  const found = (facets[0]?.values ?? []).map(({ value, rows: own }) => ({ address: value, rows: own }))
  const seen = found.reduce((sum, each) => sum + each.rows, 0)
  const list = blockListOf(found, { ...wanted, allowed: allowed.flatMap((text) => parseNetwork(text) ?? []) })
  return {
    text: writeBlockList(list.ranges, form),
    ranges: list.ranges.length,
    rows: list.rows,
    left: { ...list.left, beyond: list.left.beyond + rows - seen },
  }
}
