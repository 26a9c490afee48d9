import type { RuleName } from '../reports/query.ts'
import type { AccountId } from '../values/ids.ts'

/** A rule set of a row: its share of all that the row's requests broke. */
export type MixedRow = {
  /** Key of the row (reports/rows.ts: labelKey). */
  readonly row: string
  /** Code of the rule set. */
  readonly code: string
}

/** Returns the label under which a rule set of a row is judged. */
export const mixLabel = ({ row, code }: MixedRow): string => JSON.stringify([row, code])

/** Parses such a label; undefined if it is none. */
export function mixedRowOf(label: string): MixedRow | undefined {
  try {
    const parsed: unknown = JSON.parse(label)
    const [row, code]: readonly unknown[] = Array.isArray(parsed) ? parsed : []
    return typeof row === 'string' && typeof code === 'string' ? { row, code } : undefined
  } catch {
    return undefined
  }
}

/** Replaces the code of a finding's rule set by the account's name for it. */
export const findingWithRuleName = <F extends { readonly account: AccountId; readonly rule: string | null }>(
  finding: F,
  names: readonly RuleName[],
): F => ({
  ...finding,
  rule:
    names.find(({ account, code }) => account === finding.account && code === finding.rule)?.name ??
    finding.rule,
})
