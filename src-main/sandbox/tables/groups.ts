import type { Dimension } from '#shared/api/dimensions.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import { sandboxInstances } from '../events/catalogue/instances.ts'
import type { IndexedColumn } from '../events/columns.ts'
import { fieldNamed } from '../events/fields.ts'
import { byCodePoints } from '../request/code-points.ts'

/** How the events of a dimension fall into rows. */
export type Grouping = {
  readonly column: IndexedColumn
  /** The row that each index of the column belongs to. */
  readonly rowOf: Uint16Array
  /** What each row is called: what is searched, and what the first column sorts by. */
  readonly labels: readonly string[]
  /** The place of each label in code point order, which also breaks ties. */
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
  // A table's rows are named by what its first filter limits to.
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

const made = new Map<Dimension, Grouping>()

/** The grouping of a dimension; ranking 50,000 hosts takes a moment, so it is done once. */
export function grouping(dimension: Dimension): Grouping {
  const known = made.get(dimension) ?? groupingOf(dimension)
  made.set(dimension, known)
  return known
}
