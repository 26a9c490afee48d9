import type { OverviewAnswer } from '../../../src-shared/service/answers.ts'
import type { TableQuery } from '../../../src-shared/reports/query.ts'
import type { BlockId } from '../cache/tables-repository.ts'
import type { Asked, Reckoned, ReckoningName, Reckonings } from './asking.ts'
import { inOrder } from './merge.ts'
import type { ReadBlock } from './merge.ts'
import { moversBetween } from './movers.ts'
import { Lacking } from './read-blocks.ts'
import { Recent } from './recent.ts'
import { SummedTable } from './summed-table.ts'
import { chartOf, sumOfTotals } from './totals.ts'

/** Gives `use` the blocks, which are readable until it is done. @throws Lacking */
export type BlockSource = <T>(
  ids: readonly BlockId[],
  rows: boolean,
  use: (blocks: readonly ReadBlock[]) => T,
) => T

/** How much the sums that are remembered may take together, in bytes, about. */
const remembered = 64_000_000

type Reckonable = { readonly [N in ReckoningName]: (asked: Asked<N>) => Reckonings[N]['figures'] }

/** Computes answers from kept tables (asking.ts). Remembers the sums used last. */
export class Engine {
  readonly #source: BlockSource
  readonly #sums = new Recent<SummedTable>(remembered, (sum) => sum.weight)
  readonly #reckonings: Reckonable = {
    table: ({ blocks, query }) => this.#sum(blocks, query).answer(query),
    overview: ({ blocks, query }) =>
      this.#source(blocks, false, (read): OverviewAnswer => {
        const parts = partsOf(read)
        const daily = parts.every(({ range }) => range.start === range.end)
        return {
          total: sumOfTotals(parts.map(({ total }) => total)),
          chart: query.chart && daily ? chartOf(parts, query.family) : null,
          query: {},
          unknown: {},
        }
      }),
    trend: ({ blocks, query }) =>
      this.#source(blocks, false, (read) =>
        chartOf(partsOf(read), query.family, query.kind === 'table' ? query.dimension : undefined),
      ),
    rowsOf: ({ blocks, query, labels }) => this.#sum(blocks, query).rowsOf(query, labels),
    movers: ({ blocks, before, query, header, most }) =>
      moversBetween(this.#sum(blocks, query), this.#sum(before, query), query, header, most),
  }

  constructor(source: BlockSource) {
    this.#source = source
  }

  /** @throws RangeError where blocks overlap or there are none; what the source throws, but for Lacking */
  reckon<N extends ReckoningName>(name: N, asked: Asked<N>): Reckoned<N> {
    try {
      return { kind: 'reckoned', figures: this.#reckonings[name](asked) }
    } catch (error) {
      if (error instanceof Lacking) return { kind: 'lacking', blocks: error.blocks }
      throw error
    }
  }

  /** An id names one generation for good, so that a sum of the same ids is the same sum. */
  #sum(blocks: readonly BlockId[], query: TableQuery): SummedTable {
    const { family, dimension, rules } = query
    const key = JSON.stringify([family, dimension, rules, ...[...blocks].sort((a, b) => a - b)])
    return this.#sums.take(key, () =>
      this.#source(blocks, true, (read) => new SummedTable(read, { family, dimension, rules })),
    )
  }
}

const partsOf = (blocks: readonly ReadBlock[]) =>
  inOrder(blocks).map(({ range, head }) => ({ range, total: head.total }))
