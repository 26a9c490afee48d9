import { soundFindings } from './case.ts'
import type { Case, CaseRequest } from './case.ts'

/** How a raw report that a case asked for stands. `away`: it is neither in the queue nor in the list any more. */
export const rowsStates = [
  'queued',
  'stuck',
  'in-progress',
  'failed',
  'ready',
  'saved',
  'read-in',
  'away',
] as const
export type RowsState = (typeof rowsStates)[number]

/** A raw report that a case asked for, as it stands now. */
export type ShownRequest = CaseRequest & { readonly state: RowsState }

/** A case as windows show it. */
export type ShownCase = Omit<Case, 'requests'> & {
  readonly requests: readonly ShownRequest[]
  /** Whether the rows are others now than when it was made: some are gone, or more came. */
  readonly rowsChanged: boolean
}

/** A step of a case on its way to whoever pays: whether it is done, and what is to be known of it. */
export type CaseStep = { readonly words: string; readonly done: boolean; readonly note: string }

/** Whether rows of a request may still come. */
export const isComing = ({ state }: ShownRequest): boolean =>
  state === 'queued' || state === 'in-progress' || state === 'ready' || state === 'saved'

/** Those of a case's requests that came to nothing. */
export const cameToNothing = ({ state }: ShownRequest): boolean =>
  state === 'failed' || state === 'stuck' || state === 'away'

/** A case's steps, in their order: figures, rows requested, rows in, recounted, pack saved, sent. */
export function stepsOf(shown: ShownCase, moment: (time: number) => string): readonly CaseStep[] {
  const made = soundFindings(shown)
  const { requests, entry, savedAt, savedOf, sentAt, rowsChanged } = shown
  const came = requests.filter(({ state }) => state === 'read-in').length
  const lost = requests.filter(cameToNothing).length
  const hasRows = entry.files.length > 0
  const whole = made?.covers === 'whole' && !rowsChanged
  const counted = made !== null && made.archives.length > 0 && !rowsChanged
  const differing = made?.archives.filter(({ recount }) => recount?.verdict === 'differs').length ?? 0
  return [
    {
      words: 'Figures',
      done: made !== null && made.now !== null,
      note: made === null ? 'Not gathered yet' : `Updated ${moment(made.madeAt)}`,
    },
    {
      words: 'Rows requested',
      done: hasRows || requests.length > 0,
      note:
        requests.length === 0
          ? hasRows
            ? 'From archives already here'
            : ''
          : `${requests.length} ${requests.length === 1 ? 'raw report' : 'raw reports'}`,
    },
    {
      words: 'Rows in',
      done: whole,
      note: [
        ...(requests.length > 0 ? [`${came} of ${requests.length}`] : []),
        ...(lost > 0 ? [`${lost} came to nothing`] : []),
        ...(made?.covers === 'part' ? ['a part of the scope'] : []),
      ].join(', '),
    },
    {
      words: 'Recounted',
      done: counted,
      note: rowsChanged
        ? 'The rows changed: update the case'
        : !counted
          ? ''
          : differing === 0
            ? 'Compared with the tables'
            : `${differing} of ${made.archives.length} differ from the tables`,
    },
    {
      words: 'Pack saved',
      done: savedAt !== null && savedOf === made?.madeAt,
      note:
        savedAt === null
          ? ''
          : savedOf === made?.madeAt
            ? moment(savedAt)
            : `${moment(savedAt)}, before the last update`,
    },
    { words: 'Sent', done: sentAt !== null, note: sentAt === null ? '' : moment(sentAt) },
  ]
}

/** The raw reports that adding rows would ask for, and what they cannot bring, in words. */
export type RowsPlan = {
  readonly reports: readonly {
    readonly instance: CaseRequest['instance']
    readonly range: CaseRequest['range']
  }[]
  readonly left: readonly string[]
}
