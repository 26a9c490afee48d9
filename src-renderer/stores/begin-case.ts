import { instanceText } from '#shared/api/instance-names.ts'
import type { CaseEntry, CaseScope } from '#shared/cases/case.ts'
import { instancesWords } from '#shared/cases/scope.ts'
import { isLive } from '#shared/accounts/account.ts'
import type { RowsFile } from '#shared/archives/rows-file.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { rangeOf } from '#shared/views/period.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { days } from '../components/formats.ts'
import { firstInstances } from '../queries/lookups.ts'
import type { WindowApp } from './app.ts'

type Needed = Pick<WindowApp, 'bridge' | 'queries' | 'clock' | 'desk' | 'messages' | 'navigation'>

/** Whether cases can be created, which takes a live account: raw reports of an earlier one cannot be requested. */
export const canBeginCase = ({ desk }: Pick<WindowApp, 'desk'>): boolean =>
  desk.account !== null && isLive(desk.account)

/**
 * Creates a case from the filters and days of a report, with every imported archive that has rows of them. A report over all
 * instances stays so, whichever archives exist.
 * @param view filtered by the case's subject
 */
export async function beginCase(
  app: Needed,
  view: ReportAddress,
  about: Pick<CaseEntry, 'about' | 'subject'>,
): Promise<void> {
  const { bridge, clock, desk, messages, navigation } = app
  const { account } = desk
  if (!account) return
  const range = rangeOf(view.period, clock.today(account.dayZone))
  const listed = await bridge.call('rows/list', { account: account.id })
  const files = listed.ok ? rowsOfDays(listed.value, view.family, range, account.dayZone) : []
  const { family, source, campaign } = view
  const instances = await instancesOf(app, account.id, view, about)
  const scope: CaseScope = { family, instances, source, campaign, range, zone: account.dayZone }
  const entry: CaseEntry = {
    ...about,
    name: usualName(about.subject, scope),
    ...{ scope, notes: '', files: files.map(({ id }) => id) },
  }
  const begun = await bridge.call('cases/begin', { account: account.id, entry, fitting: true })
  if (begun.ok) navigation.go({ kind: 'cases', id: begun.value.id })
  else messages.show(`The case was not created. ${begun.failure.message}`)
}

/** Default name of a case: its subject, its instances unless all, and its days. */
export function usualName(subject: string, scope: CaseScope): string {
  const whose = instancesWords(scope)
  const isSaid = scope.instances.kind === 'all' || whose === subject
  return [subject, ...(isSaid ? [] : [whose]), days(scope.range)].join(', ').slice(0, 200)
}

/** Instances of a view: all, or the filtered one with its name. */
async function instancesOf(
  { bridge, queries }: Needed,
  account: AccountId,
  { instance }: Pick<ReportAddress, 'instance'>,
  { about, subject }: Pick<CaseEntry, 'about' | 'subject'>,
): Promise<CaseScope['instances']> {
  if (instance === null) return { kind: 'all' }
  if (about === 'instance') return { kind: 'some', list: [{ id: instance, name: subject }] }
  const instances = await queries.fetchQuery(firstInstances(bridge, account)).catch(() => [])
  const known = instances.find(({ id }) => id === instance)
  return { kind: 'some', list: [{ id: instance, name: known ? instanceText(known) : instance }] }
}

/** Imported archives of a family with rows of these days. Script prefers responses, which carry the judgement. */
function rowsOfDays(
  all: readonly RowsFile[],
  family: CaseScope['family'],
  { start, end }: DayRange,
  zone: string,
): readonly RowsFile[] {
  const ofDays = all.filter(({ state }) => {
    if (state.kind !== 'whole' || state.facts.first === null || state.facts.last === null) return false
    return dayAt(state.facts.first, zone) <= end && dayAt(state.facts.last, zone) >= start
  })
  const ofType = (wanted: RowsFile['type']) => ofDays.filter(({ type }) => type === wanted)
  if (family === 'direct') return ofType('direct')
  return ofType('response').length > 0 ? ofType('response') : ofType('request')
}
