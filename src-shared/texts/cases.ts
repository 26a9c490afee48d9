import type { Case, CaseEntry, CaseFindings, CaseScope, CaseSide } from '../cases/case.ts'
import { instancesWords } from '../cases/scope.ts'
import { terms } from '../reports/terms.ts'
import { daysOf } from '../values/day.ts'
import { searchable } from '../values/typed-text.ts'

/** Formatters of a case's values: localised in the window, plain in the workbook. */
export type CaseFormats = {
  readonly count: (value: number | null) => string
  /** Formats a share between 0 and 1 as a percentage. */
  readonly share: (value: number | null) => string
  /** Formats a time in a zone, with the zone's name. */
  readonly moment: (time: number, zone: string) => string
  readonly days: (range: CaseScope['range']) => string
}

/** Failure of saving a pack: its files would contain different figures. */
export const changedMeanwhile = 'The case changed while its pack was being saved. Save it again.'

/** Returns a case's subject: `Source newsletter`, `Campaign spring of source newsletter`, `Instance Main site`. */
function subjectWords({ about, scope: { source, campaign }, subject }: CaseEntry): string {
  switch (about) {
    case 'source':
      return `Source ${source || '(empty)'}`
    case 'campaign':
      return `Campaign ${campaign || '(empty)'}${source === null ? '' : ` of source ${source || '(empty)'}`}`
    case 'instance':
      return `Instance ${subject}`
  }
}

/** Returns the name of the traffic that a case is compared with. */
export function othersWords({ about, scope }: Pick<CaseEntry, 'about' | 'scope'>): string {
  switch (about) {
    case 'source':
      return 'All other sources'
    case 'campaign':
      return scope.source === null ? 'All other campaigns' : 'Other campaigns of the source'
    case 'instance':
      return 'All other instances'
  }
}

/** Header of each family's worst count. */
export const worstOf: Readonly<Record<CaseScope['family'], string>> = { direct: 'Suspect', script: 'Bad' }

const figureIn = (side: CaseSide | null, header: string) =>
  side?.figures.find((figure) => figure.header === header)

/** Returns the rate of the case, of the days before and of the others. Unknown rates are left out. */
export function judgedBy(
  entry: CaseEntry,
  { now, before, others }: CaseFindings,
): readonly { readonly words: string; readonly share: number }[] {
  const header = worstOf[entry.scope.family]
  return [
    { words: `${header} rate (of requests)`, side: now },
    { words: 'The days before', side: before },
    { words: othersWords(entry), side: others },
  ].flatMap(({ words, side }) => {
    const judged = figureIn(side, header)?.share ?? null
    return judged === null ? [] : [{ words, share: judged }]
  })
}

/** Returns the summary of a case as sentences. Sentences without figures are left out. */
export function headline(entry: CaseEntry, made: CaseFindings, formats: CaseFormats): readonly string[] {
  const header = worstOf[entry.scope.family]
  const now = figureIn(made.now, header)
  const all = figureIn(made.now, 'Requests')?.value ?? null
  const before = figureIn(made.before, header)?.share ?? null
  const others = figureIn(made.others, header)?.share ?? null
  const word = header.toLowerCase()
  return [
    ...(now && now.value !== null && all !== null
      ? [
          `${whatIsJudged(entry)}: ${formats.count(now.value)} of ${formats.count(all)} requests were ${word}${now.share === null ? '' : ` (${formats.share(now.share)})`}.`,
        ]
      : []),
    ...(before === null ? [] : [`${daysInSentence(entry.scope)} before, it was ${formats.share(before)}.`]),
    ...(others === null ? [] : [`${othersWords(entry)} together: ${formats.share(others)}.`]),
    ...rowsSentences(entry, made, formats),
  ]
}

/** Subject and instances, for the start of a sentence. */
function whatIsJudged(entry: CaseEntry): string {
  const { instances } = entry.scope
  if (entry.about === 'instance') return subjectWords(entry)
  return `${subjectWords(entry)}, ${instances.kind === 'all' ? 'all instances' : instancesWords(entry.scope)}`
}

const small = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** Number of the case's days, for the start of a sentence. */
function daysInSentence({ range }: CaseScope): string {
  const { length } = daysOf(range)
  return length === 1 ? 'The day' : `In the ${small[length] ?? length} days`
}

/** Returns sentences about the rows and their coverage. */
function rowsSentences(entry: CaseEntry, { rows, covers }: CaseFindings, formats: CaseFormats): string[] {
  if (rows.rows === 0 && covers === 'none') return ['No raw rows back up these figures.']
  const word = worstOf[entry.scope.family].toLowerCase()
  const bad =
    rows.bad === null ? '' : `, ${formats.count(rows.bad)} of them ${word} (${formats.share(shareOf(rows))})`
  return [
    covers === 'whole'
      ? `Raw rows behind it: ${formats.count(rows.rows)}${bad}.`
      : `Some of the raw rows behind it: ${formats.count(rows.rows)}${bad}.`,
  ]
}

const shareOf = ({ rows, bad }: CaseFindings['rows']): number | null =>
  bad === null || rows === 0 ? null : bad / rows

/** Explains why the rate of requests and that of rows differ. Empty if one is unknown. */
export function ratesWords(entry: CaseEntry, made: CaseFindings, formats: CaseFormats): string[] {
  const header = worstOf[entry.scope.family]
  const figure = figureIn(made.now, header)?.share ?? null
  const rows = shareOf(made.rows)
  if (figure === null || rows === null) return []
  return [
    `Two rates: by the tables, ${formats.share(figure)} of all requests were ${header.toLowerCase()}. Of the raw rows, ${formats.share(rows)} are ${header.toLowerCase()}. ${
      entry.scope.family === 'script'
        ? 'Rows are responses. Requests without a response have no row, so the rate by rows is higher.'
        : 'Rows are requests. The two differ only if rows are missing or days were restated.'
    }`,
  ]
}

/** Returns the warnings about figures, without their age. */
export const sideNote = ({ missing, restated, said }: CaseSide): string =>
  [
    ...(missing > 0 ? [`${missing} ${missing === 1 ? 'day' : 'days'} missing`] : []),
    ...(restated > 0 ? [`${restated} ${restated === 1 ? 'day' : 'days'} restated by the service`] : []),
    ...said.map(({ name, words }) => `${name.toLowerCase()}: ${words}`),
  ].join(', ')

/** Returns the missing parts of a case, one per line; empty if complete. */
export function missingOf({ lacks, covers }: CaseFindings): readonly string[] {
  const lines = lacks.map(({ what, failure }) => `${what}: ${failure.message}`)
  return covers === 'none' ? ['Raw rows: none. All figures come from the tables.', ...lines] : lines
}

/** Returns unique names of cases. A repeated name gets the time at which the case was started. */
export function namesOfCases(
  cases: readonly Pick<Case, 'id' | 'begunAt' | 'entry'>[],
  moment: (time: number) => string,
): ReadonlyMap<Case['id'], string> {
  const times = new Map<string, number>()
  for (const { entry } of cases) times.set(entry.name, (times.get(entry.name) ?? 0) + 1)
  return new Map(
    cases.map(({ id, begunAt, entry: { name } }) => [
      id,
      (times.get(name) ?? 0) > 1 ? `${name} (${moment(begunAt)})` : name,
    ]),
  )
}

/** Returns the progress of a case: `Pack saved Nov 20, 10:12 AM`. */
export function standingWords(
  { begunAt, savedAt, sentAt }: Pick<Case, 'begunAt' | 'savedAt' | 'sentAt'>,
  moment: (time: number) => string,
): string {
  if (sentAt !== null) return `Sent ${moment(sentAt)}`
  return savedAt !== null ? `Pack saved ${moment(savedAt)}` : `Started ${moment(begunAt)}`
}

/** Returns the cases whose texts contain every word of a search. */
export function casesWith<T>(
  cases: readonly T[],
  search: string,
  textsOf: (item: T) => readonly string[],
): readonly T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return cases.filter((item) => {
    const text = searchable(textsOf(item).join('\n')).toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const usedHeaders: Readonly<Record<CaseScope['family'], readonly string[]>> = {
  direct: ['Requests', 'Non-suspect', 'Suspect', 'Mobile', 'Instance'],
  script: ['Requests', 'Responses', 'Drops', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad blocker', 'Instance'],
}

/** Explains the method and terms of a case. */
export function methodOf(
  entry: Pick<CaseEntry, 'scope' | 'about'>,
  made: Pick<CaseFindings, 'lacks' | 'covers' | 'archives'>,
): readonly { readonly word: string; readonly meaning: string }[] {
  const { family, zone } = entry.scope
  return [
    {
      word: 'Figures',
      meaning: 'Counts from the traffic-quality service for exactly this scope, with their age.',
    },
    ...(made.archives.length === 0
      ? []
      : [
          {
            word: 'Rows',
            meaning: `Single requests or responses from raw reports of the same service, unchanged. A row in several archives counts once.${
              made.covers === 'whole' && made.lacks.length === 0
                ? ' No row is left out.'
                : ' “What is missing” lists the rows left out.'
            }`,
          },
          {
            word: 'Recount',
            meaning: `All rows of an archive, counted by result and day (${zone}). It shows whether the rows match the figures of the same scope.`,
          },
          {
            word: `${worstOf[family]} rows`,
            meaning: `Rows whose result is ${worstOf[family].toLowerCase()}. The verdict is the service’s.`,
          },
        ]),
    {
      word: 'The days before',
      meaning: 'The same number of days right before. The rest of the scope is the same.',
    },
    {
      word: othersWords(entry),
      meaning: 'All of them together over the same days. All figures minus those of the case.',
    },
    ...terms
      .filter(({ word }) => usedHeaders[family].includes(word))
      .map(({ word, meaning }) => ({ word, meaning })),
  ]
}
