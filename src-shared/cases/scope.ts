import { bareTitle, bytesOf, charactersOf, safeStem } from '../values/text.ts'
import type { InstanceId } from '../values/ids.ts'
import type { CaseScope } from './case.ts'

/** Whether a scope includes an instance. */
export const isWithin = ({ instances }: CaseScope, id: InstanceId): boolean =>
  instances.kind === 'all' || instances.list.some((item) => item.id === id)

/** Returns a text that is equal exactly for equal scopes. Names of instances do not matter. */
export const scopeKey = ({ family, instances, source, campaign, range: days, zone }: CaseScope): string =>
  JSON.stringify([
    ...[family, source, campaign, days.start, days.end, zone],
    instances.kind === 'all' ? null : instances.list.map(({ id }) => id).toSorted(),
  ])

const orAny = (value: string | null, any: string) => (value === null ? any : value || '(empty)')

/** Returns the instances as text: `All instances`, or their names. */
export function instancesWords({ instances }: Pick<CaseScope, 'instances'>): string {
  if (instances.kind === 'all') return 'All instances'
  return instances.list.map(({ id, name }) => (name === id ? `Instance ${id}` : name)).join(', ')
}

const familyWords = { direct: 'Direct', script: 'Script' } as const

/** Formats a range of days for files and sheets: `2026-11-15 to 2026-11-17`. */
export const plainDays = ({ start, end }: CaseScope['range']): string =>
  start === end ? start : `${start} to ${end}`

/** Returns the parts of a scope for pages and the workbook. */
export const scopeFacts = (
  scope: CaseScope,
  days = plainDays,
): readonly (readonly [name: string, value: string])[] => [
  ['Report family', familyWords[scope.family]],
  ['Instances', instancesWords(scope)],
  ['Source', orAny(scope.source, 'All sources')],
  ['Campaign', orAny(scope.campaign, 'All campaigns')],
  ['Days', days(scope.range)],
  ['Time zone', scope.zone],
  ['Other filters', 'None'],
]

/** Returns a scope as one line, for titles and the heads of pages and sheets. */
export function scopeLine(scope: CaseScope, days = plainDays): string {
  const { family, source, campaign, range: asked, zone } = scope
  return [
    familyWords[family],
    instancesWords(scope),
    source === null ? 'All sources' : `Source ${source || '(empty)'}`,
    campaign === null ? 'All campaigns' : `Campaign ${campaign || '(empty)'}`,
    ...[days(asked), zone],
  ].join(' · ')
}

/** Returns a short form of a scope for file names. */
function scopeInFileName({ family, instances, range: days }: CaseScope): string {
  const [first] = instances.kind === 'all' ? [] : instances.list
  const whose =
    instances.kind === 'all'
      ? 'all instances'
      : instances.list.length === 1
        ? charactersOf(first?.name ?? '')
            .slice(0, longestInstance)
            .join('')
        : `${instances.list.length} instances`
  return safeStem(`${familyWords[family]}, ${whose}, ${plainDays(days)}`)
}

/** Maximum length of an instance's name in a file name, in characters. */
const longestInstance = 20
/** Maximum length of a file name (values/text.ts), with room for a suffix inside a pack. */
const [longestStem, maxBytes] = [92, 160]

/** Returns the name of a case's file without extension. The subject is shortened to fit; the scope is not. */
export function scopedStem(about: string, scope: CaseScope): string {
  const named = scopeInFileName(scope)
  let short = ''
  for (const character of charactersOf(safeStem(bareTitle(about, scope.range), 'Case'))) {
    const longer = short + character
    if (`${longer} - ${named}`.length > longestStem || bytesOf(`${longer} - ${named}`) > maxBytes) break
    short = longer
  }
  return safeStem(`${short.trimEnd()} - ${named}`)
}
