import { bareTitle, bytesOf, charactersOf, safeStem } from '../values/text.ts'
import type { InstanceId } from '../values/ids.ts'
import type { CaseScope } from './case.ts'

/** Whether an instance's figures and rows belong to a scope. */
export const isWithin = ({ instances }: CaseScope, id: InstanceId): boolean =>
  instances.kind === 'all' || instances.list.some((item) => item.id === id)

/** Text that is equal for two scopes exactly where they count the same. Names of instances do not matter. */
export const scopeKey = ({ family, instances, source, campaign, range: days, zone }: CaseScope): string =>
  JSON.stringify([
    ...[family, source, campaign, days.start, days.end, zone],
    instances.kind === 'all' ? null : instances.list.map(({ id }) => id).toSorted(),
  ])

const orAny = (value: string | null, any: string) => (value === null ? any : value || '(empty)')

/** The instances in words: `All instances`, or their names. */
export function instancesWords({ instances }: Pick<CaseScope, 'instances'>): string {
  if (instances.kind === 'all') return 'All instances'
  return instances.list.map(({ id, name }) => (name === id ? `Instance ${id}` : name)).join(', ')
}

const familyWords = { direct: 'Direct', script: 'Script' } as const

/** A run of days as files and sheets name it: `2026-11-15 to 2026-11-17`. */
export const plainDays = ({ start, end }: CaseScope['range']): string =>
  start === end ? start : `${start} to ${end}`

/** A scope, part by part, as pages and the workbook name it. */
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

/** A scope on one line, each part named, for titles, the head of each page and each sheet. */
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

/** A scope as file names have it: short, because a file's name is. */
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

/** So much of an instance's name stands in the name of a file, in characters. */
const longestInstance = 20
/** So long a name may be (values/text.ts), with room for what stands behind it inside a pack. */
const [longestStem, maxBytes] = [92, 160]

/** The name of a file of a case, without its ending. What it is of gives way to the scope, which stands whole in it. */
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
