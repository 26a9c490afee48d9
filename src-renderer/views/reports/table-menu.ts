import { labelKey, labelText } from '#shared/reports/rows.ts'
import type { CaseAbout } from '#shared/cases/case.ts'
import { changedHeader } from '#shared/reports/query.ts'
import { composedOf } from '#shared/api/dimensions.ts'
import type { Label, TableRow } from '#shared/api/answers.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { newAlertWords } from '#shared/texts/alerts.ts'
import { explainTitle } from '#shared/texts/explain.ts'
import { count } from '#renderer/components/formats.ts'
import { cut } from '#renderer/components/table/columns.ts'
import type { Column } from '#renderer/components/table/columns.ts'
import type { MenuRequest } from '#renderer/components/table/grid-controller.svelte.ts'
import type { MenuGroups, MenuItem } from '#renderer/stores/context-menu.svelte.ts'
import { limitedTo, withLimit } from './filter-changes.ts'
import type { Difference } from './filter-changes.ts'

/** Actions of the menu. */
type MenuDeeds = {
  readonly change: (difference: Difference) => void
  readonly filterBy: (label: Label) => void
  readonly leaveOut: (label: Label) => void
  readonly sort: (header: string, direction: 'asc' | 'desc') => void
  readonly hide: (header: string) => void
  readonly isPinned: (header: string) => boolean
  readonly pin: (header: string, pinned: boolean) => void
  readonly explain: () => void
  /** Returns an action that names the rule set below a header. Null if there is none. */
  readonly nameRule: (header: string) => (() => void) | null
  /** Returns an action that explains the change of a cell. Null if it cannot be explained. */
  readonly why: (request: MenuRequest) => (() => void) | null
  /** Opens the form of an alert for a row. */
  readonly watch: (row: { readonly key: string; readonly text: string }) => void
  /** Null if raw reports cannot be requested. */
  readonly requestRaw: ((view: ReportAddress, header: string | null) => void) | null
  /** Null if no case can be started. */
  readonly beginCase: ((view: ReportAddress, about: CaseAbout, subject: string) => void) | null
}

/** Counts that raw reports can be filtered by, as words in a sentence. */
const verdicts: Readonly<Record<string, string>> = {
  Good: 'good',
  Warning: 'warning',
  Bad: 'bad',
  Suspect: 'suspect',
  'Non-Suspect': 'non-suspect',
}

/** Returns the context menu of a cell or a header of a report's table. */
export function tableMenu(subject: MenuRequest, address: ReportAddress, deeds: MenuDeeds): MenuGroups {
  return [
    subject.row ? rowItems(subject.row, subject.column, address, deeds) : headerItems(subject.column, deeds),
    [
      { words: subject.row ? 'Copy' : 'Copy this column', run: subject.copy },
      compareItem(address, deeds),
      ...whyItems(subject, deeds),
    ],
    [
      ...rawItems(subject, address, deeds),
      ...caseItems(subject, address, deeds),
      ...alertItems(subject, deeds),
    ],
  ]
}

function rowItems(row: TableRow, column: Column, address: ReportAddress, deeds: MenuDeeds): MenuItem[] {
  const name = nameOf(row.label)
  const items: MenuItem[] = []
  if (limitedTo(address, row.label)) {
    items.push({ words: `Filter by ${name}`, run: () => deeds.filterBy(row.label) })
  }
  if (row.label.kind !== 'all') {
    items.push({ words: `Leave out ${name}`, run: () => deeds.leaveOut(row.label) })
  }
  const one = row.label.kind === 'all' ? {} : limitedTo(address, row.label)?.difference
  if (one) {
    const words = row.label.kind === 'all' ? 'Rule mix' : `Rule mix of ${name}`
    items.push({ words, run: () => deeds.change({ ...one, chart: { kind: 'rules', measures: [] } }) })
  }
  const value = valueIn(row, column)
  if (row.label.kind !== 'all' && typeof value === 'number' && value > 0) {
    const { header } = column
    for (const [words, is] of [
      ['at least', 'at-least'],
      ['at most', 'at-most'],
    ] as const) {
      items.push({
        words: `Only rows with ${words} ${count(value)} in ${header}`,
        run: () => deeds.change({ where: withLimit(address.where ?? [], { header, is, value }), page: 1 }),
      })
    }
  }
  return items
}

/** Returns the count in a cell; null for a rate or a change. */
function valueIn({ cells }: TableRow, column: Column): unknown {
  return column.kind === 'count' ? cells[column.place] : null
}

function headerItems(
  { key, header, kind }: Column,
  { sort, hide, isPinned, pin, explain, nameRule }: MenuDeeds,
): MenuItem[] {
  const isText = kind === 'label'
  const naming = isText ? null : nameRule(header)
  return [
    { words: isText ? 'Sort from A to Z' : 'Sort, the smallest first', run: () => sort(key, 'asc') },
    { words: isText ? 'Sort from Z to A' : 'Sort, the largest first', run: () => sort(key, 'desc') },
    ...(isText
      ? []
      : [
          { words: `Hide ${key}`, run: () => hide(key) },
          isPinned(header)
            ? { words: `Unpin ${header}`, run: () => pin(header, false) }
            : { words: `Pin ${header} beside the names`, run: () => pin(header, true) },
        ]),
    ...(naming ? [{ words: 'Name this rule set…', run: naming }] : []),
    { words: 'Glossary', run: explain },
  ]
}

function compareItem({ compare }: ReportAddress, { change }: MenuDeeds): MenuItem {
  const none = compare.kind === 'preset' && compare.preset === 'none'
  return none
    ? {
        words: 'Compare with the previous period',
        run: () => change({ compare: { kind: 'preset', preset: 'period-before' } }),
      }
    : { words: 'Stop comparing', run: () => change({ compare: { kind: 'preset', preset: 'none' } }) }
}

function whyItems(subject: MenuRequest, { why }: MenuDeeds): MenuItem[] {
  const run = why(subject)
  return run ? [{ words: explainTitle, run }] : []
}

function rawItems({ row, column }: MenuRequest, address: ReportAddress, deeds: MenuDeeds): MenuItem[] {
  const { requestRaw } = deeds
  if (!requestRaw) return []
  const whole = { words: 'Request raw rows for this view…', run: () => requestRaw(address, null) }
  const step = row && limitedTo(address, row.label)
  if (!row || !step) return [whole]
  const limited = { ...address, ...step.difference }
  const header = changedHeader(column.header) ?? column.header
  const judgement = verdicts[header]
  const name = nameOf(row.label)
  return [
    { words: `Request raw rows of ${name}…`, run: () => requestRaw(limited, null) },
    ...(judgement
      ? [{ words: `Request the ${judgement} raw rows of ${name}…`, run: () => requestRaw(limited, header) }]
      : []),
    whole,
  ]
}

/** A case can be about a source, a campaign within a source, or an instance. */
function caseItems({ row }: MenuRequest, address: ReportAddress, { beginCase }: MenuDeeds): MenuItem[] {
  const step = row && limitedTo(address, row.label)
  if (!row || !step || !beginCase) return []
  const limited = { ...address, ...step.difference }
  const about = row.label.kind === 'instance' ? 'instance' : composedOf(address.dimension)
  if (about === null || (about === 'campaign' && limited.source === null)) return []
  const subject = labelText(row.label)
  return [{ words: `New case of ${nameOf(row.label)}`, run: () => beginCase(limited, about, subject) }]
}

/** An alert can watch any row, but not the row of all. */
function alertItems({ row }: MenuRequest, { watch }: MenuDeeds): MenuItem[] {
  if (!row || row.label.kind === 'all') return []
  const { label } = row
  return [
    {
      words: `${newAlertWords} on ${nameOf(label)}…`,
      run: () => watch({ key: labelKey(label), text: labelText(label) }),
    },
  ]
}

/** Quoted name of a row, shortened for a menu. */
const nameOf = (label: Label): string => `“${cut(labelText(label)).slice(0, 60)}”`
