import type { Instance } from '#shared/api/answers.ts'
import { dimensionEntry, offers, reportName } from '#shared/api/dimensions.ts'
import { families } from '#shared/api/families.ts'
import { presets } from '#shared/views/period.ts'
import type { Period } from '#shared/views/period.ts'
import type { OverviewAddress, ReportAddress, SharedAddress } from '#shared/views/view-address.ts'
import type { App } from '#renderer/stores/app.ts'
import type { Entry } from './entry.ts'
import type { Phrase } from './phrase.ts'
import { anew } from './reports.ts'

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
  of: Pick<Entry, 'id' | 'group'> & { readonly note: string },
  filter: Partial<Pick<SharedAddress, 'instance' | 'source'>>,
): Entry {
  return {
    ...of,
    words,
    also: [],
    note: moreWords(phrase) || of.note,
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
      also: [],
      note: null,
      run: () => app.navigation.go(view),
    },
  ]
}
