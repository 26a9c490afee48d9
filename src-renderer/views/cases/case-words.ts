import type { CaseEntry, CaseFindings, CaseSide } from '../../../src-shared/cases/case.ts'
import { othersWords, subjectWords } from '../../../src-shared/cases/words.ts'
import { count, share } from '../../parts/formats.ts'

/** The figure by which a family is judged. */
const worst: Readonly<Record<CaseEntry['family'], string>> = { direct: 'Suspect', script: 'Bad' }

const figureOf = (side: CaseSide | null, header: string) =>
  side?.figures.find((each) => each.header === header)

/** The share by which a case is judged, beside that before and that of the others; those that are not known are left out. */
export function judgedBy(
  entry: CaseEntry,
  { now, before, others }: CaseFindings,
): readonly { readonly words: string; readonly share: number }[] {
  const header = worst[entry.family]
  return [
    { words: `${header}, of requests`, side: now },
    { words: 'The days before', side: before },
    { words: othersWords(entry), side: others },
  ].flatMap(({ words, side }) => {
    const judged = figureOf(side, header)?.share ?? null
    return judged === null ? [] : [{ words, share: judged }]
  })
}

/** What a case comes to, in a few sentences; without those for which figures are missing. */
export function headline(entry: CaseEntry, made: CaseFindings): readonly string[] {
  const header = worst[entry.family]
  const now = figureOf(made.now, header)
  const all = figureOf(made.now, 'Requests')?.value ?? null
  const before = figureOf(made.before, header)?.share ?? null
  const others = figureOf(made.others, header)?.share ?? null
  const { rows, bad } = made.rows
  const word = header.toLowerCase()
  return [
    ...(now && now.value !== null && all !== null
      ? [
          `${subjectWords(entry)}: ${count(now.value)} of ${count(all)} requests were ${word}${now.share === null ? '' : `, ${share(now.share)}`}.`,
        ]
      : []),
    ...(before === null ? [] : [`In as many days before it was ${share(before)}.`]),
    ...(others === null ? [] : [`${othersWords(entry)} together had ${share(others)}.`]),
    ...(rows > 0
      ? [
          `The raw reports hold ${count(rows)} rows of it${bad === null ? '' : `, of which ${count(bad)} are ${word} (${share(bad / rows)})`}.`,
        ]
      : []),
  ]
}

/** A share of bad rows. */
export const badShare = ({ rows, bad }: { readonly rows: number; readonly bad: number | null }): string =>
  share(bad === null || rows === 0 ? null : bad / rows)

/** What is to be known of figures besides their age. */
export const sideNote = ({ missing, restated }: CaseSide): string =>
  [
    ...(missing > 0 ? [`${count(missing)} ${missing === 1 ? 'day' : 'days'} missing`] : []),
    ...(restated > 0 ? [`${count(restated)} ${restated === 1 ? 'day' : 'days'} restated`] : []),
  ].join(', ')
