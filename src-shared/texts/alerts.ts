import { dimensionEntry, families } from '../api/dimensions.ts'
import { watchedCounts } from '../reports/overview-figures.ts'
import { keyText } from '../reports/rows.ts'
import { readAddress } from '../views/address.ts'
import { addDays } from '../values/day.ts'
import type { Weekday } from '../views/period.ts'
import type {
  Alert,
  AlertCondition,
  AlertConditionKind,
  AlertEntry,
  AlertMeasure,
  AlertState,
  AlertTelling,
  BandedDay,
  Dismissal,
  Finding,
  FindingList,
  ReadyMadeAlert,
} from '../watch/alerts.ts'
import { daysRead, fewestDays } from '../watch/alerts.ts'
import type { Formats } from './formats.ts'

/** Label of every button and menu item that opens the form. */
export const newAlertWords = 'New alert'

/** What the limit of saved figures spares, for the form and the setting. */
export const keptWords = `Alerts save ${daysRead} days of the figures that they watch.`

/** How an alert judges, for the form. */
export const methodWords = [
  'Each day is compared with what is usual on that weekday.',
  'You are notified if one day is far off, or several drift together.',
] as const

/** Name of a measure: `Bad rate`, `Suspect rate`, `Requests`, `Rule mix`. */
export function measureWords({ measure, family }: Pick<AlertEntry, 'measure' | 'family'>): string {
  if (measure === 'rule-mix') return 'Rule mix'
  return measure === 'requests' ? 'Requests' : `${watchedCounts[family]} rate`
}

export const conditionWords: Readonly<Record<AlertConditionKind, string>> = {
  unusual: 'Is unusual',
  above: 'Is above',
  below: 'Is below',
  rose: 'Rose by',
  fell: 'Fell by',
  stopped: 'Stopped',
}

/** Conditions that a measure can have. */
export const conditionsOf = (measure: AlertMeasure): readonly AlertConditionKind[] =>
  (Object.keys(conditionWords) as AlertConditionKind[]).filter((kind) =>
    measure === 'rule-mix' ? kind === 'unusual' : kind !== 'stopped' || measure === 'requests',
  )

export const tellingWords: Readonly<Record<AlertTelling, string>> = {
  'at-once': 'Immediately',
  morning: 'In the morning summary',
}

export const weekdayWords: Readonly<Record<Weekday, string>> = {
  ...{ 1: 'Mon', 2: 'Tue', 3: 'Wed', 4: 'Thu', 5: 'Fri', 6: 'Sat', 7: 'Sun' },
}

export const dismissalWords: Readonly<Record<Dismissal, string>> = {
  'not-a-problem': 'Not a problem',
  known: 'Known',
  wrong: 'Wrong',
}

export const readyMadeWords: Readonly<
  Record<ReadyMadeAlert, { readonly name: string; readonly hint: string }>
> = {
  'rate-by-source': {
    name: 'Unusual rate of a source',
    hint: 'One source got worse, although the total may look calm.',
  },
  'rate-by-instance': {
    name: 'Unusual rate of an instance',
    hint: 'One instance got worse.',
  },
  'rate-of-account': { name: 'Unusual rate of the account', hint: 'All traffic together got worse.' },
  'source-stopped': { name: 'A source stopped', hint: 'A source that usually has traffic has none.' },
  'mix-by-instance': {
    name: 'Rule mix of an instance',
    hint: 'Other rule sets are broken than usual, even at the same rate.',
  },
}

/** Formats a figure of a measure: a rate in percent, or requests. */
export const figureWords = (
  { measure }: Pick<AlertEntry, 'measure'>,
  value: number | null,
  { share, count }: Formats,
): string =>
  measure === 'requests'
    ? count(value === null ? null : Math.round(value))
    : share(value === null ? null : value / 100)

/** Returns what the watched view is: `Script by source`, `Script total`, with the view's own filters. */
export function viewWords({ view, family }: Pick<AlertEntry, 'view' | 'family'>): string {
  const address = readAddress(view)
  const { words } = families[family]
  if (address.kind !== 'reports' && address.kind !== 'overview') return words
  const filters = [address.instance && `Instance ${address.instance}`, address.source, address.campaign]
  const own = address.kind === 'reports' ? Object.values(address.filters) : []
  const scope = address.kind === 'reports' ? `by ${dimensionEntry(address.dimension).one}` : 'total'
  return [`${words} ${scope}`, ...[...filters, ...own].filter(Boolean)].join(' · ')
}

/** Returns the condition with its value: `rose by 20% compared with the 7 days before`. */
export function conditionInFull(
  { measure, condition }: { readonly measure: AlertMeasure; readonly condition: AlertCondition },
  formats: Formats,
): string {
  const words = conditionWords[condition.kind].replace('Is ', '').toLowerCase()
  if ('value' in condition) return `${words} ${figureWords({ measure }, condition.value, formats)}`
  if ('percent' in condition)
    return `${words} ${formats.count(condition.percent)}% compared with the ${condition.days} days before`
  return words
}

/** Returns an alert as one line: `Bad rate unusual`, `Requests above 1,000`. */
export const alertWords = (alert: AlertEntry, formats: Formats): string =>
  alert.condition.kind === 'stopped'
    ? `${rowsWords(alert)} stopped`
    : `${measureWords(alert)} ${conditionInFull(alert, formats)}`

/** Returns the watched rows: `Every source`, `Total`, or the name of a single row. */
export function rowsWords({ view, row }: Pick<AlertEntry, 'view' | 'row'>): string {
  if (row !== null) return keyText(row)
  const address = readAddress(view)
  return address.kind === 'reports' ? `Every ${dimensionEntry(address.dimension).one}` : 'Total'
}

/** Returns what an alert has judged, or why it has not. */
export function judgedWords(
  { judgedUpTo, notJudged, storedDays }: Pick<AlertState, 'judgedUpTo' | 'notJudged' | 'storedDays'>,
  { dayInFull, count }: Formats,
): string {
  if (notJudged === 'view-gone') return 'Not judged: this view no longer exists.'
  if (notJudged === 'no-figures') return 'Not judged: no figures are saved yet.'
  if (notJudged === 'too-few-days')
    return `Not judged yet. Needs ${fewestDays} days; ${count(storedDays)} ${storedDays === 1 ? 'is' : 'are'} saved.`
  return judgedUpTo === null ? 'Not judged yet.' : `Judged up to ${dayInFull(judgedUpTo)}`
}

/** Returns why no alert has judged anything; empty if one has, or if there is none. */
export function nothingJudgedWords(alerts: readonly AlertState[], formats: Formats): string {
  const [first] = alerts
  return first && alerts.every(({ judgedUpTo }) => judgedUpTo === null) ? judgedWords(first, formats) : ''
}

/** Returns what a finding is about: a row, `Total`, `12 sources at once`, `All sources together`. */
export function subjectWords({
  view,
  row,
  rows,
  isShared,
}: Pick<Finding, 'view' | 'row' | 'rows' | 'isShared'>) {
  if (row) return row.text === '' ? '(empty)' : row.text
  const address = readAddress(view)
  const many = address.kind === 'reports' ? dimensionEntry(address.dimension).words.toLowerCase() : 'rows'
  if (rows.length > 1) return `${rows.length} ${many} at once`
  return isShared ? `All ${many} together` : 'Total'
}

/** Returns what a finding's figure is compared with: `usually 5.1%`, `above 20.0%`, `before 5.1%`. */
export const againstWords = (
  finding: Pick<Finding, 'measure' | 'condition' | 'usual'>,
  formats: Formats,
): string => `${againstWord(finding)} ${figureWords(finding, finding.usual, formats)}`

/** Returns the word for what a finding is compared with: a limit, the days before, or what is usual. */
export function againstWord({ condition }: Pick<Finding, 'condition'>): string {
  if (condition === 'above' || condition === 'below') return condition
  return condition === 'rose' || condition === 'fell' ? 'before' : 'usually'
}

/** Returns what happened: `Bad rate 12.4%, usually 5.1%`, `UE 41.0% of broken rule sets, usually 18.0%`. */
export function findingWords(finding: Finding, formats: Formats): string {
  if (finding.isStopped)
    return `Stopped. Usually ${figureWords(finding, finding.usual, formats)} requests a day`
  const now = figureWords(finding, finding.now, formats)
  const figure =
    finding.measure === 'rule-mix'
      ? `${finding.rule ?? 'Several rule sets'} ${now} of broken rule sets`
      : `${measureWords(finding)} ${now}`
  return `${figure}, ${againstWords(finding, formats)}`
}

/** Name of a chart of a figure by day. @param rule name of the rule set of a rule mix, null with other measures */
export function bandWords(
  about: Pick<AlertEntry, 'measure' | 'family'>,
  row: string | null,
  rule: string | null,
): string {
  const figure = rule === null ? measureWords(about) : `Share of ${rule}`
  return row === null ? `${figure} by day` : `${figure} of ${row}, by day`
}

/** Returns how sure a finding is, from its distance in standard deviations; empty if it was not measured. */
export function sureWords({ z }: Pick<Finding, 'z'>): string {
  if (z === null) return ''
  const distance = Math.abs(z)
  if (distance >= 10) return 'Beyond doubt'
  if (distance >= 7) return 'Very clear'
  return distance >= 4.5 ? 'Clear' : 'Adds up over several days'
}

export const stateWords: Readonly<Record<Finding['state'], string>> = {
  'so-far': 'So far',
  standing: 'Open',
  over: 'Ended',
  usual: 'New usual',
  withdrawn: 'Withdrawn',
  unwatched: 'Not watched',
}

/** Returns the state of a finding in a sentence. */
export function stateInFull(finding: Finding, formats: Formats): string {
  switch (finding.state) {
    case 'so-far':
      return 'So far: these figures can still change.'
    case 'standing':
      return `Open since ${formats.dayInFull(finding.from)}.`
    case 'over':
      return finding.to ? `Ended ${formats.dayInFull(addDays(finding.to, -1))}.` : 'Ended.'
    case 'usual':
      return 'Lasted 28 days and is now usual.'
    case 'unwatched':
      return 'No alert watches this any longer.'
    case 'withdrawn': {
      const words = (value: number | null) => figureWords(finding, value, formats)
      return finding.settled === null
        ? 'Withdrawn: the final figures did not confirm it.'
        : `Withdrawn: ${words(finding.now)} at first, ${words(finding.settled)} in the end.`
    }
  }
}

/** Returns the app's own rate of false alarms; empty if nothing was judged. */
export const falseAlarmWords = ({ wrong, judged }: FindingList['falseAlarms']): string =>
  judged === 0
    ? ''
    : `Dismissed as wrong in the last 90 days: ${wrong} of ${judged} ${judged === 1 ? 'finding' : 'findings'}.`

/** Returns how often an alert would have notified. */
export function previewWords(mornings: number, told: number): string {
  const times =
    told === 0
      ? 'not have notified you'
      : told === 1
        ? 'have notified you once'
        : `have notified you ${told} times`
  const days = mornings === 1 ? 'On the last day' : `In the last ${mornings} days`
  return `${days} this would ${times}.`
}

/** Returns why a preview judged no morning. @param isEmptyMix whether it is a rule mix without a broken rule set */
export function notPreviewedWords(storedDays: number, isEmptyMix: boolean, formats: Formats): string {
  if (storedDays < fewestDays)
    return judgedWords({ judgedUpTo: null, notJudged: 'too-few-days', storedDays }, formats)
  return isEmptyMix ? 'No broken rule sets are saved.' : 'Too little traffic to judge.'
}

/** Returns what is noticeable at all, from the smallest lasting factor. */
export function noticeableWords(noticeable: number | null): string {
  if (noticeable === null) return 'Too small to judge: there are too few bad requests.'
  const size =
    noticeable <= 1.25
      ? 'a quarter'
      : noticeable <= 1.4
        ? 'a third'
        : noticeable <= 1.7
          ? 'half'
          : noticeable <= 2.2
            ? 'twice'
            : `${Math.round(noticeable)} times`
  return noticeable <= 1.7
    ? `A lasting rise of about ${size} is noticed within a week.`
    : `A lasting rise to about ${size} the usual is noticed within a week.`
}

/** Returns what is usual on a day: `5.1% (4.2% to 6.3%)`. */
export function usualWords(
  about: Pick<Alert, 'measure'>,
  { usual, low, high }: Pick<BandedDay, 'usual' | 'low' | 'high'>,
  formats: Formats,
): string {
  const words = (value: number | null) => figureWords(about, value, formats)
  return low === null || high === null ? words(usual) : `${words(usual)} (${words(low)} to ${words(high)})`
}
