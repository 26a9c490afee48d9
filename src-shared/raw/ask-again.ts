import type { RawReport } from '../api/answers.ts'
import type { RawFilter } from '../api/parameters.ts'
import { operatorNames, operatorsWithoutValue, rawStandardColumns, rawTypes } from '../api/raw-columns.ts'
import { checkDraft } from './check-draft.ts'
import type { RawRules } from './check-draft.ts'
import { columnWords } from './columns.ts'
import type { RawDraft, RawDraftFilter } from './draft.ts'

/** A draft made from a report, and in words what of the report it could not take over. */
export type AskedAgain = { readonly draft: RawDraft; readonly left: readonly string[] }

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

/**
 * The draft that asks for a report again: its days too, though they may lie too far back by now. Whatever the interface
 * does not offer (any more) is left out, and said; and so is an email.
 */
export function draftFrom(record: RawReport, rules: RawRules): AskedAgain {
  const type = rawTypes.find((rawType) => rawType === record.type.toLowerCase())
  const offered = rawStandardColumns[type ?? 'response']
  const standard = unique(record.columns.standard)
  const additional = unique(record.columns.additional ?? [])
  const isOne = (column: number) => column >= 1 && column <= rules.additional
  const bare: RawDraft = {
    type: type ?? 'response',
    instance: record.instance_id,
    start: record.start ?? rules.today,
    end: record.end ?? record.start ?? rules.today,
    name: record.name,
    standard: standard.filter((column) => offered.includes(column)),
    additional: additional.filter(isOne),
    filters: [],
    // Off unless asked for: the service's default may have been nobody's wish (field notes: raw reports).
    email: false,
  }
  const filters = (record.filters ?? []).map(draftFilter)
  const draft = filters.reduce((all, filter) => withFilter(all, filter, rules), bare)
  const lost = [
    ...standard.filter((column) => !offered.includes(column)).map(columnWords),
    ...additional.filter((column) => !isOne(column)).map((column) => columnWords(String(column))),
    ...filters
      .filter((filter) => !draft.filters.includes(filter))
      .map(({ column }) => `the filter of ${columnWords(column)}`),
  ]
  return {
    draft,
    left: [
      ...(type ? [] : [`The type ${record.type} is not known: choose another.`]),
      ...(record.start ? [] : ['The report does not say its days: choose them.']),
      ...(record.send_email ? ['No email this time, unless you ask for it: Traffic Desk tells you.'] : []),
      ...(lost.length > 0 ? [`Left out, because it is not offered: ${lost.join(', ')}.`] : []),
    ],
  }
}

function draftFilter({ column, operator, value = '' }: RawFilter): RawDraftFilter {
  const known = operatorNames.find((operatorName) => operatorName === operator) ?? null
  return { column, operator: known, value: known && operatorsWithoutValue.includes(known) ? '' : value }
}

/** The draft with one more filter, where the rules take it. */
function withFilter(draft: RawDraft, filter: RawDraftFilter, rules: RawRules): RawDraft {
  const more = { ...draft, filters: [...draft.filters, filter] }
  const checked = checkDraft(more, rules)
  const isWrong =
    checked.kind === 'troubles' &&
    checked.troubles.some(({ filter: place }) => place === draft.filters.length)
  return isWrong ? draft : more
}
