import type { Mover } from '../../../src-shared/reports/answer.ts'
import type { Count } from '../../../src-shared/service/answers.ts'
import { headersOf } from '../../../src-shared/service/dimensions.ts'
import type { Movers } from './asking.ts'
import { byCodePoints } from '../../../src-shared/values/code-points.ts'
import type { SubjectKind } from './merge.ts'
import { unpackLabel } from './packed-rows.ts'
import type { PackedLabel } from './packed-rows.ts'
import { aggregatePlace } from './rows-index.ts'
import type { SummedTable } from './summed-table.ts'

type Moved = Mover & { readonly by: number; readonly name: string }

/**
 * The rows that moved most between two sums of one subject, by the count under a header. A row that is not there counts
 * nothing; one whose count is not known is left out.
 */
export function moversBetween(
  now: SummedTable,
  before: SummedTable,
  kind: SubjectKind,
  header: string,
  most: number,
): Movers {
  const countsNow = countsUnder(header, now, kind)
  const countsBefore = countsUnder(header, before, kind)
  const moved: Moved[] = []
  const compare = (label: PackedLabel, name: string) => {
    const mover = { label: unpackLabel(label), now: countsNow(label), before: countsBefore(label) }
    if (mover.now === null || mover.before === null || mover.now === mover.before) return
    moved.push({ ...mover, by: mover.now - mover.before, name })
  }
  for (const [place, name] of rowNames(now)) compare(now.merged.index.labels[place] ?? '', name)
  for (const [place, name] of rowNames(before)) {
    const label = before.merged.index.labels[place] ?? ''
    if (now.merged.index.find(label) === undefined) compare(label, name)
  }
  moved.sort((one, other) => other.by - one.by || byCodePoints(one.name, other.name))
  const up = moved.filter(({ by }) => by > 0).slice(0, most)
  const down = moved
    .filter(({ by }) => by < 0)
    .sort((one, other) => one.by - other.by || byCodePoints(one.name, other.name))
    .slice(0, most)
  return { up: up.map(asMover), down: down.map(asMover) }
}

const asMover = ({ label, now, before }: Moved): Mover => ({ label, now, before })

const rowNames = (table: SummedTable) => [...table.names.entries()].slice(aggregatePlace + 1)

/** Reads the count of a label under a header. */
function countsUnder(
  header: string,
  { merged }: SummedTable,
  { family, dimension, rules }: SubjectKind,
): (label: PackedLabel) => Count {
  const column = merged.columns.find((each) => each.header === header)
  // A rule set that nobody broke has no column.
  const isRuleSet = rules && !headersOf(family, dimension).includes(header)
  const unknown: Count = isRuleSet && header !== merged.labelHeader ? 0 : null
  return (label) => {
    const place = merged.index.find(label)
    if (place === undefined) return 0
    const cell = column ? column.cell(place) : unknown
    return typeof cell === 'number' ? cell : null
  }
}
