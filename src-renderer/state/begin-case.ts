import type { CaseEntry } from '../../src-shared/cases/case.ts'
import { isLive } from '../../src-shared/accounts/account.ts'
import type { RowsFile } from '../../src-shared/rows/rows-file.ts'
import { dayAt } from '../../src-shared/values/day.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { ReportAddress } from '../../src-shared/views/view-address.ts'
import { rangeOf } from '../../src-shared/views/period.ts'
import { days } from '../parts/formats.ts'
import type { App } from './app.ts'

type Needed = Pick<App, 'bridge' | 'clock' | 'desk' | 'messages' | 'navigation'>

/** Whether cases can be begun: of earlier figures nobody saves raw reports. */
export const canBeginCase = ({ desk }: Pick<App, 'desk'>): boolean =>
  desk.account !== null && isLive(desk.account)

/**
 * Begins a case of what a report is limited to, over its days, with every archive that is read in and has rows of them.
 * @param view limited to the case's subject
 */
export async function beginCase(
  { bridge, clock, desk, messages, navigation }: Needed,
  view: ReportAddress,
  about: Pick<CaseEntry, 'about' | 'subject'>,
): Promise<void> {
  const { account } = desk
  if (!account) return
  const range = rangeOf(view.period, clock.today(account.dayZone))
  const listed = await bridge.call('rows/list', { account: account.id })
  const files = listed.ok ? rowsOfDays(listed.value, view.family, range, account.dayZone) : []
  const { family, instance, source, campaign } = view
  const entry: CaseEntry = {
    ...about,
    name: `${about.subject}, ${days(range)}`.slice(0, 200),
    ...{ family, instance, source, campaign, range, notes: '' },
    files: files.map(({ id }) => id),
  }
  const begun = await bridge.call('cases/begin', { account: account.id, entry })
  if (begun.ok) navigation.go({ view: 'cases', id: begun.value.id })
  else messages.say(`The case was not begun. ${begun.failure.message}`)
}

/** Archives of a family that have rows of these days; of the script family responses, which say how they were judged, and else requests. */
function rowsOfDays(
  all: readonly RowsFile[],
  family: CaseEntry['family'],
  { start, end }: DayRange,
  zone: string,
): readonly RowsFile[] {
  const ofDays = all.filter(({ state }) => {
    if (state.as !== 'whole' || state.facts.first === null || state.facts.last === null) return false
    return dayAt(state.facts.first, zone) <= end && dayAt(state.facts.last, zone) >= start
  })
  const of = (wanted: RowsFile['type']) => ofDays.filter(({ type }) => type === wanted)
  if (family === 'direct') return of('direct')
  return of('response').length > 0 ? of('response') : of('request')
}
