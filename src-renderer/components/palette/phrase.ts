import type { Instance } from '#shared/api/answers.ts'
import {
  dimensionEntry,
  dimensionNames,
  offers,
  reportName,
  families,
  familyNames,
} from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { presetNames, presets } from '#shared/views/period.ts'
import type { Preset, Period } from '#shared/views/period.ts'
import type { OverviewAddress, ReportAddress, SharedAddress } from '#shared/views/view-address.ts'
import type { App } from '../../stores/app.ts'
import { anew } from './entries.ts'
import type { Entry } from './find.ts'

/** What is recognised in a phrase such as `northwind news yesterday`, and the words that are left: a name. */
type Phrase = {
  readonly preset: Preset | null
  readonly family: Family | null
  readonly dimension: Dimension | null
  readonly name: string
}

/** Words that join others and name nothing. */
const joining = new Set(['by', 'of', 'in', 'for', 'on', 'from', 'the'])
const isJoining = (word: string): boolean => joining.has(word.toLocaleLowerCase())

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

const isSame = (one: string | undefined, other: string): boolean =>
  one?.toLocaleLowerCase() === other.toLocaleLowerCase()

/** Where some words stand one after the other among others; -1 where they do not. */
const placeOf = (wanted: readonly string[], words: readonly string[]): number =>
  words.findIndex((_, start) => wanted.every((word, index) => isSame(words[start + index], word)))

/** The first of some names whose words stand in the phrase, the longest first, and the words without them. */
function take<N>(
  words: readonly string[],
  names: readonly (readonly [name: N, said: string])[],
): { readonly name: N | null; readonly rest: readonly string[] } {
  const longestFirst = names
    .map(([name, said]) => ({ name, said: wordsOf(said) }))
    .sort((one, other) => other.said.length - one.said.length)
  for (const { name, said } of longestFirst) {
    const place = placeOf(said, words)
    if (place >= 0) return { name, rest: [...words.slice(0, place), ...words.slice(place + said.length)] }
  }
  return { name: null, rest: words }
}

/** Periods as they are called, and without their "last" where days are counted: `7 days`. */
const periods = presetNames.flatMap((name) => {
  const said = presets[name]
  const brief = /^Last (\d.*)$/.exec(said)?.[1]
  return brief
    ? ([
        [name, said],
        [name, brief],
      ] as const)
    : ([[name, said]] as const)
})

const dimensions = dimensionNames.flatMap((name) => {
  const { words, one } = dimensionEntry(name)
  return [
    [name, words],
    [name, one],
  ] as const
})

/**
 * Reads a phrase. Words that are no period, family or dimension are a name, in the order in which they were typed; a name
 * keeps the words that join it.
 */
export function readPhrase(text: string): Phrase {
  const period = take(wordsOf(text), periods)
  const family = take(
    period.rest,
    familyNames.map((name) => [name, families[name].words] as const),
  )
  const dimension = take(family.rest, dimensions)
  const named = dimension.rest
  const isName = named.some((word) => !isJoining(word))
  return {
    preset: period.name,
    family: family.name,
    dimension: dimension.name,
    name: isName ? trimmed(named).join(' ') : '',
  }
}

/** Joining words at the ends belonged to what was taken out: `news by` of `news by browser`. */
function trimmed(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !isJoining(word))
  const last = words.findLastIndex((word) => !isJoining(word))
  return words.slice(first, last + 1)
}

type Needed = Pick<App, 'navigation'>

/** The days that a phrase is about: those that it names, else those of now. */
export const periodOf = ({ preset }: Phrase, { navigation }: Needed): Period =>
  preset ? { kind: 'preset', preset } : navigation.report.period

/** The view that a phrase leads to: the report that it names, else the view of figures that is open. */
function viewOf(phrase: Phrase, { navigation }: Needed): OverviewAddress | ReportAddress {
  const { address } = navigation
  const period = periodOf(phrase, { navigation })
  if (phrase.dimension === null && phrase.family === null) {
    if (address.kind === 'overview') return { ...address, period }
    return { ...navigation.report, period, page: 1 }
  }
  const { report } = navigation
  const dimension = phrase.dimension ?? 'sessions'
  const wanted = phrase.family ?? report.family
  const family = offers(wanted, dimension) ? wanted : 'script'
  return { ...report, family, dimension, ...anew, period }
}

/** What a phrase adds to the name that was found for it: `Yesterday, by browser`. */
function moreWords({ preset, dimension, family }: Phrase): string {
  return [
    preset && presets[preset],
    family && families[family].words,
    dimension && `by ${dimensionEntry(dimension).one}`,
  ]
    .filter((words) => words !== null)
    .join(', ')
}

function entryOf(
  app: Needed,
  phrase: Phrase,
  words: string,
  target: Pick<Entry, 'id' | 'group'> & { readonly note: string },
  filter: Partial<Pick<SharedAddress, 'instance' | 'source'>>,
): Entry {
  return {
    ...target,
    words,
    note: moreWords(phrase) || target.note,
    run: () => app.navigation.go({ ...viewOf(phrase, app), ...filter }),
  }
}

/** Entries of names that were looked up by what a phrase leaves. */
export function namedEntries(
  app: Needed,
  phrase: Phrase,
  instances: readonly Instance[],
  sources: readonly string[],
): Entry[] {
  return [
    ...instances.map(({ id: instance, name }) =>
      entryOf(
        app,
        phrase,
        name === '' ? `Instance ${instance}` : name,
        { id: `instance:${instance}`, group: 'Instances', note: 'Only this instance' },
        { instance },
      ),
    ),
    ...sources.map((source) =>
      entryOf(
        app,
        phrase,
        source,
        { id: `source:${source}`, group: 'Sources', note: 'Only this source' },
        { source },
      ),
    ),
  ]
}

/** A phrase without a name leads to its days, of the report that it names. */
export function phraseEntries(app: Needed, phrase: Phrase): Entry[] {
  const { preset, dimension, family, name } = phrase
  if (preset === null || name !== '') return []
  const view = viewOf(phrase, app)
  const report = dimension === null && family === null ? null : view.kind === 'reports' ? view : null
  const words = report
    ? `${reportName(report.family, report.dimension)}, ${presets[preset]}`
    : presets[preset]
  return [
    {
      id: 'phrase',
      group: 'Days',
      words,
      run: () => app.navigation.go(view),
    },
  ]
}
