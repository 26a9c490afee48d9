import { headersOf } from '../api/dimensions.ts'
import type { AccountId } from '../values/ids.ts'
import type { TableQuery } from './query.ts'

/** What an account's rule set is called by the people who read its figures; the service has a code for it alone. */
export type RuleName = { readonly account: AccountId; readonly code: string; readonly name: string }

/** A rule set that a column counts. */
export type NamedRule = {
  readonly code: string
  /** Null where nobody named it. */
  readonly name: string | null
  /** What its column is called: by its name where it has one. */
  readonly header: string
}

const RATE = / Rate$/

/** The rule set that stands under a header of a query's table; null where that is something else. */
export function ruleOf(
  names: readonly RuleName[],
  account: AccountId,
  { family, dimension, rules }: Pick<TableQuery, 'family' | 'dimension' | 'rules'>,
  header: string,
): NamedRule | null {
  const code = header.replace(RATE, '')
  if (!rules || headersOf(family, dimension).includes(code)) return null
  const name = names.find((ruleName) => ruleName.account === account && ruleName.code === code)?.name ?? null
  return { code, name, header: name === null ? header : header.replace(code, () => name) }
}

/** The names with another one for a rule set; an empty name takes its name off. */
export function withRuleName(names: readonly RuleName[], { account, code, name }: RuleName): RuleName[] {
  const others = names.filter((ruleName) => ruleName.account !== account || ruleName.code !== code)
  return name === '' ? others : [...others, { account, code, name }]
}
