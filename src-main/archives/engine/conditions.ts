import type { CellTest, RowsCondition } from '#shared/archives/question.ts'
import type { Bind } from '#main/reports/engine/sums.ts'
import { isInNetwork } from './addresses.ts'
import type { Relation, Slot } from './relation.ts'

/** What rows have to meet, behind WHERE; every condition. */
export function whereOf(conditions: readonly RowsCondition[], relation: Relation, bind: Bind): string {
  const met = conditions.map(({ column, out, test }) => {
    const passes =
      test.kind === 'once' ? relation.once(test.of ?? {}) : testSql(test, relation.slot(column), bind)
    // What a cell that is not there makes of a test is not known to the engine: such a row does not pass.
    return out ? `NOT coalesce(${passes}, false)` : `(${passes})`
  })
  return met.length > 0 ? met.join(' AND ') : 'true'
}

function testSql(test: Exclude<CellTest, { kind: 'once' }>, { text, utc }: Slot, bind: Bind): string {
  switch (test.kind) {
    case 'is':
      return isOneOf(text, [test.value], bind)
    case 'one-of':
      return isOneOf(text, test.values, bind)
    case 'contains':
      return test.value === '' ? 'true' : `contains(lower(${text}), lower(${bind(test.value)}))`
    case 'begins-with':
      return test.value === '' ? 'true' : `starts_with(lower(${text}), lower(${bind(test.value)}))`
    case 'empty':
      return `${text} IS NULL`
    case 'in-network':
      return isInNetwork(text, test.network, bind)
    case 'between': {
      if (utc === null) return 'false'
      const ends = [
        ...(test.from === null ? [] : [`${utc} >= ${moment(test.from, bind)}`]),
        ...(test.to === null ? [] : [`${utc} < ${moment(test.to, bind)}`]),
      ]
      return [`${utc} IS NOT NULL`, ...ends].join(' AND ')
    }
  }
}

function isOneOf(text: string, values: readonly string[], bind: Bind): string {
  const filled = values.filter((value) => value !== '')
  const parts = [
    ...(filled.length > 0 ? [`${text} IN (${filled.map(bind).join(', ')})`] : []),
    ...(filled.length < values.length ? [`${text} IS NULL`] : []),
  ]
  return parts.length > 1 ? `(${parts.join(' OR ')})` : (parts[0] ?? 'false')
}

/** A moment, in milliseconds since 1970, as the engine's. */
export const moment = (milliseconds: number, bind: Bind): string =>
  `make_timestamp(${bind(BigInt(milliseconds) * 1000n)}::BIGINT)`
