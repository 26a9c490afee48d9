import type { AlertMeasure, Finding } from '../watch/alerts.ts'
import { againstWord, measureWords } from './alerts.ts'
import { oneLine } from './formats.ts'
import type { DeskNotification } from './raw.ts'

/** Maximum length of a row's name, because a notification has two lines. */
const longestName = 80
/** Maximum number of accounts in a summary. */
const maxAccounts = 3

/** A finding with the name of its row, or of its account without one. An empty name: no names may be shown. */
export type NamedFinding = Finding & { readonly name: string }

/** Returns the name that a notification gives a finding. */
export const nameOfFinding = ({ row, rows }: Pick<Finding, 'row' | 'rows'>, account: string): string =>
  row ? oneLine(row.text, longestName) || '(empty)' : rows.length > 0 ? `${rows.length} rows` : account

function figureWords(value: number, measure: AlertMeasure): string {
  const options = { maximumFractionDigits: measure === 'requests' || value >= 10 ? 0 : 1 }
  const written = value.toLocaleString(undefined, options)
  return measure === 'requests' ? written : `${written}%`
}

/** Returns a figure with what it is of: `bad rate 20%`, `1,200 requests a day`, `UE 41% of broken rule sets`. */
function namedFigure(finding: Finding, value: string): string {
  switch (finding.measure) {
    case 'requests':
      return `${value} requests a day`
    case 'rule-mix':
      return `${finding.rule === null ? 'several rule sets' : oneLine(finding.rule, longestName)} ${value} of broken rule sets`
    case 'bad-rate':
      return `${measureWords(finding).toLowerCase()} ${value}`
  }
}

function changeWords(finding: Finding): string {
  const { measure, isShared, isStopped, usual, now } = finding
  if (isShared) return 'all rows changed together'
  if (isStopped) return 'no requests any more'
  return `${namedFigure(finding, figureWords(now, measure))}, ${againstWord(finding)} ${figureWords(usual, measure)}`
}

/** Returns the notification of one finding. @param account the account's name */
export function notificationOfFinding(finding: NamedFinding, account: string): DeskNotification {
  const { name, state } = finding
  return {
    title: name === '' ? 'Some figures changed' : `${name}: ${changeWords(finding)}`,
    body: state === 'so-far' ? `${account} · So far. These figures can still change.` : account,
    actions: [],
    urgent: false,
  }
}

/** Returns one notification for many findings: numbers by account. @param accounts name of each finding's account */
export function summaryOfFindings(accounts: readonly string[]): DeskNotification {
  const names = [...new Set(accounts)]
  const parts = names
    .slice(0, maxAccounts)
    .map((name) => `${name}: ${accounts.filter((account) => account === name).length}`)
  const others = accounts.filter((account) => names.indexOf(account) >= maxAccounts).length
  return {
    title: accounts.length === 1 ? '1 finding' : `${accounts.length} findings`,
    body: [...parts, ...(others > 0 ? [`${others} more`] : [])].join(' · '),
    actions: [],
    urgent: false,
  }
}
