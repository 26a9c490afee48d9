import type { RowsCondition } from '#shared/archives/question.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { ReadRows } from './engine/calls.ts'
import type { RecountParts } from './recount.ts'

/**
 * A question's conditions, with what main alone knows: rows of files of different instances are never the same row.
 * @param reportOf tells of which instance a file's report is
 */
export async function withInstances(
  conditions: readonly RowsCondition[],
  account: AccountId,
  read: readonly ReadRows[],
  reportOf: RecountParts['reportOf'],
): Promise<readonly RowsCondition[]> {
  if (!conditions.some(({ test }) => test.kind === 'once')) return conditions
  const known = new Map<RowsFileId, string>()
  for (const { entry } of read) {
    const { id, report } = entry
    const record = report === null ? null : await reportOf(account, report).catch(() => null)
    const instance = record?.instance_id ?? null
    if (instance !== null) known.set(id, instance)
  }
  // Where all are of one, those of which it is not known may be of it too.
  const of = Object.fromEntries(new Set(known.values()).size > 1 ? known : [])
  return conditions.map((condition) =>
    condition.test.kind === 'once' ? { ...condition, test: { kind: 'once', of } } : condition,
  )
}
