import type { CaseEntry, CaseFindings, CasePart, CaseSide } from '../../../src-shared/cases/case.ts'
import { changesOf } from '../../../src-shared/cases/changes.ts'
import { methodOf, subjectWords } from '../../../src-shared/cases/words.ts'
import { recountNote, recountReasonWords } from '../../../src-shared/rows/recount-words.ts'
import { throwIfCancelled } from '../../lib/waiting.ts'
import { columnsOf } from '../engine/relation.ts'
import { writeWorkbook } from '../workbook.ts'
import type { SheetCell, Workbook } from '../workbook.ts'
import type { Packing } from './pack.ts'

/** A case that was made, and whose it is. */
export type MadeCase = {
  /** The account's name. */
  readonly account: string
  readonly entry: CaseEntry
  readonly made: CaseFindings
  readonly before: CaseFindings | null
}

/** More rows stand in the CSV alone: a workbook of them opens slowly, and a sheet ends somewhere. */
const mostRows = 100_000
const pageOfRows = 1000

const utc = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
const days = ({ start, end }: CaseSide['range']) => (start === end ? start : `${start} to ${end}`)
/** In percent, with two places; null where it is not known. */
const percent = (share: number | null) => (share === null ? null : Math.round(share * 10_000) / 100)
const shareOf = ({ rows, bad }: { rows: number; bad: number | null }) =>
  bad === null || rows === 0 ? null : percent(bad / rows)

type OfWorkbook = Pick<Packing, 'about' | 'page' | 'files' | 'signal' | 'progress'>

/** Writes the workbook of a case: summary, figures, days, rule sets, sources, archives, what changed, and rows. */
export const writeCaseWorkbook = (path: string, packing: OfWorkbook): Promise<void> =>
  writeWorkbook(path, (book) => fill(book, packing))

async function fill(book: Workbook, packing: OfWorkbook): Promise<void> {
  const { about, files, signal } = packing
  const { made, before } = about
  await book.sheet('Summary', ['What', 'Value'])
  await book.add(summaryOf(about))
  await figuresSheet(book, made)
  await book.sheet('By day', ['Day', ...made.headers, 'Rows', 'Bad rows'])
  await book.add(daysOf(made))
  await partsSheet(book, 'By rule set', 'Rule sets', made.ruleSets)
  await partsSheet(book, 'By type', 'Type of invalid traffic', made.trafficTypes)
  await partsSheet(book, 'Sources', 'Source', made.sources)
  if (made.clusters.length > 0) {
    await book.sheet('Clusters', ['Of', 'Value', 'Rows', 'Bad rows', 'Why it stands out'])
    await book.add(made.clusters.map(({ what, value, rows, bad, words }) => [what, value, rows, bad, words]))
  }
  await book.sheet('Archives', [
    'Archive',
    'Rows',
    'Of this case',
    'Unreadable lines',
    'Read in',
    'Recount',
    'Why',
  ])
  await book.add(
    made.archives.map(({ name, rows, ofCase, unreadable, readAt, recount }) => [
      ...[name, rows, ofCase, unreadable, utc(readAt)],
      recount === null ? '' : recountNote(recount, 'en'),
      recount === null ? '' : recount.reasons.map((reason) => recountReasonWords[reason]).join(' '),
    ]),
  )
  if (before) {
    await book.sheet('What changed', ['Figure', utc(before.madeAt), utc(made.madeAt)])
    await book.add(changesOf(before, made).map((each) => [each.what, each.before, each.after]))
  }
  await book.sheet('Method', ['Word', 'Meaning'])
  await book.add(methodOf(about.entry).map(({ word, meaning }) => [word, meaning]))
  if (files.length > 0) {
    await book.sheet(
      'Rows',
      columnsOf(files).map(({ name }) => name),
    )
    const most = Math.min(mostRows, made.rows.rows)
    for (let offset = 0; offset < most; offset += pageOfRows) {
      throwIfCancelled(signal)
      const page = await packing.page(offset, Math.min(pageOfRows, most - offset))
      await book.add(page?.rows.map(({ cells }) => cells) ?? [])
      packing.progress(Math.min(offset + pageOfRows, most), most)
    }
  }
}

function summaryOf({ account, entry, made }: MadeCase): SheetCell[][] {
  const { now, before, others, rows } = made
  const fetched = (words: string, side: CaseSide | null): SheetCell[][] =>
    side === null ? [] : [[words, `${days(side.range)}, fetched ${utc(side.fetchedAt)}${notWhole(side)}`]]
  return [
    ['Case', entry.name],
    ['Account', account],
    ['About', subjectWords(entry)],
    ['Days', `${days(entry.range)} (${made.zone})`],
    ['Made', utc(made.madeAt)],
    ['Rows', rows.rows],
    ['Bad rows', rows.bad],
    ['Bad rows in %', shareOf(rows)],
    ...(rows.rows > mostRows
      ? [['Rows in this workbook', `The first ${mostRows}; all of them are in “Raw rows.csv”`]]
      : []),
    ...fetched('Figures', now),
    ...fetched('Figures before', before),
    ...fetched('Figures of the others', others),
    ...made.lacks.map(({ what, failure }): SheetCell[] => [`Not available: ${what}`, failure.message]),
    ...entry.notes.split('\n').map((line, nth): SheetCell[] => [nth === 0 ? 'Notes' : '', line]),
  ]
}

const notWhole = ({ missing, restated }: CaseSide): string =>
  [
    ...(missing > 0 ? [`, without ${missing} ${missing === 1 ? 'day' : 'days'} that could not be had`] : []),
    ...(restated > 0 ? [`, ${restated} ${restated === 1 ? 'day' : 'days'} restated by the service`] : []),
  ].join('')

async function figuresSheet(book: Workbook, { now, before, others }: CaseFindings): Promise<void> {
  const sides = [now, before, others]
  const headers = [...new Set(sides.flatMap((side) => side?.figures.map(({ header }) => header) ?? []))]
  await book.sheet('Figures', [
    ...['Figure', 'This case', 'In % of requests'],
    ...['Days before', 'In % of requests before', 'Others', 'In % of requests of others'],
  ])
  await book.add(
    headers.map((header) => [
      header,
      ...sides.flatMap((side) => {
        const figure = side?.figures.find((each) => each.header === header)
        return [figure?.value ?? null, percent(figure?.share ?? null)]
      }),
    ]),
  )
}

function daysOf({ days: figures, rowDays, headers }: CaseFindings): SheetCell[][] {
  const all = [
    ...new Set([...figures.map(({ day }): string => day), ...rowDays.map(({ value }) => value)]),
  ].sort()
  return all.map((day) => {
    const rows = rowDays.find(({ value }) => value === day)
    const values = figures.find((each) => each.day === day)?.values ?? headers.map(() => null)
    return [day, ...values, rows?.rows ?? 0, rows ? rows.bad : null]
  })
}

async function partsSheet(
  book: Workbook,
  name: string,
  column: string,
  parts: readonly CasePart[],
): Promise<void> {
  if (parts.length === 0) return
  await book.sheet(name, [column, 'Rows', 'Bad rows', 'Bad rows in %'])
  await book.add(parts.map((part) => [part.value || '(empty)', part.rows, part.bad, shareOf(part)]))
}
