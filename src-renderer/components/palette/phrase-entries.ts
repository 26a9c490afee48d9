import { composedOf, dimensionEntry, offers, reportName } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { valueWords } from '#shared/texts/palette.ts'
import type { StoredNames } from '#shared/bridge/calls.ts'
import { isSameRange } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instanceId } from '#shared/values/ids.ts'
import { beforeOf, comparisonNames, comparisons, presets, rangeOf } from '#shared/views/period.ts'
import type { ComparedWith, Period } from '#shared/views/period.ts'
import type { OverviewAddress, ReportAddress, SharedAddress } from '#shared/views/view-address.ts'
import type { WindowApp } from '../../stores/app.ts'
import { days, periodWords } from '../formats.ts'
import { anew } from './entries.ts'
import type { PaletteEntry } from './find.ts'
import type { FoundName, NameIndex } from './names.ts'
import { rankedBy, saysMore } from './phrase.ts'
import type { Phrase } from './phrase.ts'

type Needed = Pick<WindowApp, 'navigation'>
type Figures = OverviewAddress | ReportAddress

/** Names in a phrase: none, one, or an instance with one of its sources or campaigns. */
type Named = readonly FoundName[]

/** Fit of the best phrase: below an exact name, above the start of one. */
const FIT_OF_PHRASE = 0.97
const FIT_OF_PART_OF_NAME = 0.6

/** Stored names, and names that the service found for the phrase. */
type KnownNames = { readonly index: NameIndex; readonly byService: StoredNames }

/** Entries for a phrase; empty if a word was not understood. */
export function phraseEntries(
  app: Needed,
  phrase: Phrase,
  typed: readonly string[],
  names: KnownNames,
  today: Day,
): PaletteEntry[] {
  const plain = { ...nothingSaid, name: typed }
  const isName = phrase.name.length === typed.length
  const all = isName ? names.index.findWith(names.byService, typed) : names.index.find(typed)
  const whole = all.map((name) => entryOf(app, plain, [name], today))
  if (whole.length > 0 && (isName || !saysMore(phrase))) return whole
  if (phrase.name.length > 0)
    return [...whole, ...namedIn(phrase, names).map((named) => entryOf(app, phrase, named, today))]
  const { isLargest, ranking, period, compare } = phrase
  // A phrase with only a report equals that report's own entry.
  const isMore = isLargest || [ranking, period, compare].some((part) => part !== null)
  return isMore ? [...whole, entryOf(app, phrase, [], today)] : whole
}

const nothingSaid = {
  ...{ period: null, compare: null, family: null, dimension: null, ranking: null, isLargest: false },
}

/** Names that match the words of a phrase, together or split into two that both filter every report. */
function namedIn({ name, dimension }: Phrase, { index, byService }: KnownNames): readonly Named[] {
  const one = [
    ...(dimension === null ? [] : index.findWith(byService, name, dimension)),
    ...index.findWith(byService, name),
  ].filter((known) => canBeShown(known, dimension))
  if (one.length > 0) return unique(one).map((known) => [known])
  for (let place = 1; place < name.length; place += 1) {
    const [first] = index.find(name.slice(0, place)).filter(isShared)
    const isOther = (known: FoundName) => isShared(known) && known.dimension !== first?.dimension
    const second = index.find(name.slice(place)).find(isOther)
    if (first && second && Math.min(first.fit, second.fit) > FIT_OF_PART_OF_NAME) return [[first, second]]
  }
  return []
}

const unique = (names: readonly FoundName[]) =>
  names.filter(
    ({ dimension, value }, place) =>
      names.findIndex((other) => other.dimension === dimension && other.value === value) === place,
  )

/** Whether a name filters every report, not only its own table. */
const isShared = ({ dimension }: FoundName): boolean =>
  dimension === 'sessions' || composedOf(dimension) !== null

/** A country filters only its own table, so it cannot be combined with another dimension. */
const canBeShown = (name: FoundName, dimension: Dimension | null): boolean =>
  dimension === null || isShared(name) || name.dimension === dimension

function entryOf(app: Needed, phrase: Phrase, named: Named, today: Day): PaletteEntry {
  const view = viewOf(app, phrase, named, today)
  const [name] = named
  const said = saidOf(phrase, today)
  const fit = named.reduce((min, { fit: other }) => Math.min(min, other), FIT_OF_PHRASE)
  const run = () => app.navigation.go(view)
  if (!name)
    return { id: `phrase:${writtenOf(view)}`, group: 'Days', words: wordsFor(phrase, view, said), fit, run }
  const kind = valueWords[name.dimension]
  return {
    id: `name:${named.map(({ dimension, value }) => `${dimension} ${value}`).join(' ')}`,
    ...{ group: 'Names', words: named.map(({ text }) => text).join(', '), fit, run },
    note: [kind, ...said].join(' · '),
  }
}

const writtenOf = (view: Figures) =>
  [view.kind, ...('dimension' in view ? [view.family, view.dimension] : [])].join(' ')

/** Label of a phrase without a name: report, sort, days and comparison. */
function wordsFor(phrase: Phrase, view: Figures, said: readonly string[]): string {
  if (said.length === 1 && phrase.compare !== null)
    return raised(said.join('').replace('compared', 'compare'))
  const isReport = view.kind === 'reports' && asksForReport(phrase)
  return [...(isReport ? [reportName(view.family, view.dimension)] : []), ...said].join(', ')
}

/** Parts of a phrase besides names and reports, as text. */
function saidOf({ period, compare, ranking }: Phrase, today: Day): string[] {
  return [
    ranking && `${ranking.first} rate first`,
    period && periodWords(period),
    compare && `compared with ${lowered(comparedWords(compare, today))}`,
  ].filter((words) => words !== null)
}

function comparedWords(compare: NonNullable<Phrase['compare']>, today: Day): string {
  if (compare.kind === 'preset') return comparisons[compare.preset]
  const dates = days(rangeOf(compare.period, today))
  return compare.period.kind === 'preset' ? `${presets[compare.period.preset]} (${dates})` : dates
}

const lowered = (words: string) => words.slice(0, 1).toLowerCase() + words.slice(1)
const raised = (words: string) => words.slice(0, 1).toUpperCase() + words.slice(1)

const asksForReport = ({ dimension, family, ranking, isLargest }: Phrase): boolean =>
  isLargest || [dimension, family, ranking].some((part) => part !== null)

/** View of a phrase: the named report, else the open view of figures, else Overview. */
function viewOf(app: Needed, phrase: Phrase, named: Named, today: Day): Figures {
  const { navigation } = app
  const isReport = navigation.address.kind === 'reports'
  const base = isReport ? navigation.report : navigation.overview
  const period = phrase.period ?? base.period
  const compare = comparisonOf(phrase, period, today) ?? base.compare
  const shared = { period, compare, ...sharedFilters(named) }
  const own = named.find((name) => !isShared(name))
  if (!own && !asksForReport(phrase)) {
    return isReport ? { ...navigation.report, ...shared, page: 1 } : { ...navigation.overview, ...shared }
  }
  const dimension = own?.dimension ?? phrase.dimension ?? navigation.report.dimension
  const wanted = phrase.ranking?.family ?? phrase.family ?? navigation.report.family
  const family = offers(wanted, dimension) ? wanted : 'script'
  const view: ReportAddress = { ...navigation.report, ...shared, family, dimension, ...anew }
  if (own) return { ...view, ...filterOf(own) }
  if (phrase.ranking) return { ...view, ...rankedBy(phrase.ranking, family, dimension) }
  return view
}

/** Filters by a stored name. Other names are searched for, because the service may name them differently. */
function filterOf({ dimension, value, isStored }: FoundName): Partial<ReportAddress> {
  const [filter] = Object.keys(dimensionEntry(dimension).filters)
  return isStored && filter !== undefined ? { filters: { [filter]: value } } : { search: value }
}

function sharedFilters(named: Named): Partial<Pick<SharedAddress, 'instance' | 'source' | 'campaign'>> {
  const parts = named.filter(isShared).map(({ dimension, value }) => {
    const by = composedOf(dimension)
    return by === null ? { instance: instanceId(value) ?? null } : { [by]: value }
  })
  return Object.assign({}, ...parts)
}

/** Returns the preset within the named days, else these days; the period before if they are the days on screen. */
function comparisonOf({ compare }: Phrase, period: Period, today: Day): ComparedWith | null {
  if (compare === null) return null
  if (compare.kind === 'preset') return compare
  const range = rangeOf(period, today)
  const wanted = rangeOf(compare.period, today)
  if (isSameRange(range, wanted)) return { kind: 'preset', preset: 'period-before' }
  const found = comparisonNames.find((preset) => {
    const days = beforeOf({ kind: 'preset', preset }, range)
    return days !== null && days.start === wanted.start && days.end <= wanted.end
  })
  return found ? { kind: 'preset', preset: found } : { kind: 'custom', range: wanted }
}
