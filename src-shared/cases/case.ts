import * as v from 'valibot'
import { rawReportId, rawRequestId, rowsFileId, instanceId, range, shortText } from '../bridge/schemas.ts'
import { recountOutcomes, recountReasons } from '../archives/rows.ts'
import type { Recount } from '../archives/rows.ts'
import type { DataScopeId, Instant } from '../values/ids.ts'
import { failure, branded, day, instant } from '../values/schemas.ts'
import { familyNames } from '../api/dimensions.ts'
import { readTyped } from '#shared/values/typed-text.ts'

/** So many instances a scope names at most. */
export const maxInstances = 100

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/**
 * What a case covers (no data scope): all of a family's traffic of these instances, limited to a source and a campaign, over days that begin in a zone.
 * A person chooses it with the case. It never changes: figures and rows of another scope are another case.
 */
const caseScope = v.strictObject({
  family: v.picklist([...familyNames]),
  instances: v.variant('kind', [
    v.strictObject({ kind: v.literal('all') }),
    v.strictObject({
      kind: v.literal('some'),
      list: v.pipe(
        v.array(v.strictObject({ id: instanceId, name: shortText })),
        v.minLength(1),
        v.maxLength(maxInstances),
      ),
    }),
  ]),
  source: v.nullable(shortText),
  campaign: v.nullable(shortText),
  range,
  /** The IANA zone in which the days of rows begin. */
  zone: v.pipe(shortText, v.check(isZone, 'A zone, as Europe/Berlin')),
})
export type CaseScope = v.InferOutput<typeof caseScope>

/** Evidence about one source, campaign or instance over some days: kept, and made again with newer figures. A random UUID. */
export type CaseId = string & { readonly __brand: 'CaseId' }
export const caseId = branded<CaseId>(v.pipe(v.string(), v.uuid()))

/** What a case is about. */
const caseAbouts = ['source', 'campaign', 'instance'] as const
export type CaseAbout = (typeof caseAbouts)[number]

/** So much text a person may write into a case. */
export const longestNotes = 20_000

/** What a person may change in a case at any time: how it is called, and what is noted. */
export const caseNote = v.strictObject({
  name: v.pipe(
    shortText,
    v.transform((text) => readTyped(text, 'name')),
    v.minLength(1),
    v.maxLength(200),
  ),
  notes: v.pipe(v.string(), v.maxLength(longestNotes)),
})
export type CaseNote = v.InferOutput<typeof caseNote>

/** A case as a person begins it. */
export const caseEntry = v.strictObject({
  ...caseNote.entries,
  about: v.picklist(caseAbouts),
  /** What it is about as it is called: the source's name, the instance's. */
  subject: shortText,
  scope: caseScope,
  /** The archives whose rows are the evidence. */
  files: v.pipe(v.array(rowsFileId), v.maxLength(1000)),
})
export type CaseEntry = v.InferOutput<typeof caseEntry>

const count = v.nullable(v.number())

const whole = v.pipe(v.number(), v.integer(), v.minValue(0))

/** A recount as it is stored: its outcome has always been stored as `verdict`. */
export const recount: v.GenericSchema<unknown, Recount> = v.pipe(
  v.object({
    figures: v.array(
      v.object({ day: v.string(), member: v.string(), counted: whole, saved: v.nullable(whole) }),
    ),
    compared: v.object({ counted: whole, saved: whole, differing: whole }),
    verdict: v.picklist(recountOutcomes),
    reasons: v.array(v.picklist(recountReasons)),
    failure: v.nullable(failure),
  }),
  v.transform(({ verdict: outcome, ...counts }) => ({ ...counts, outcome })),
)
const figure = v.object({ header: v.string(), name: v.string(), value: count, share: count })

/** Figures of the tables over some days: when the oldest was fetched, how many days are missing, how many the service restated. */
const side = v.object({
  range,
  figures: v.array(figure),
  fetchedAt: instant,
  missing: v.number(),
  restated: v.number(),
  /** What else has to be known of them; nothing in what an older version found. */
  said: v.optional(v.array(v.object({ name: v.string(), words: v.string() })), []),
})
export type CaseSide = v.InferOutput<typeof side>

/** Rows under one value of a column. */
const part = v.object({ value: v.string(), rows: v.number(), bad: count })
export type CasePart = v.InferOutput<typeof part>

/** What stands out among the rows of a case. */
const cluster = v.object({
  what: v.string(),
  value: v.string(),
  rows: v.number(),
  bad: count,
  words: v.string(),
})
export type CaseCluster = v.InferOutput<typeof cluster>

const instanceOf = v.object({ id: instanceId, name: v.string() })

const archive = v.object({
  file: rowsFileId,
  name: v.string(),
  /** All rows of the archive, and those that the case is about. */
  rows: v.number(),
  ofCase: v.number(),
  unreadable: v.number(),
  readAt: instant,
  /** What its rows came to beside the tables, counted when the case was made. */
  recount: v.nullable(recount),
  /** The instance that its report was asked for; null where that is not known. */
  instance: v.optional(v.nullable(instanceOf), null),
  /** Why none of its rows count; null where they do. */
  left: v.optional(v.nullable(v.string()), null),
})
export type CaseArchive = v.InferOutput<typeof archive>

/** What a case came to, once: everything that its pages, its workbook and its view say. */
export const caseFindings = v.object({
  madeAt: instant,
  /** What was counted; null in what an older version found, which may have counted one instance alone without a word. */
  scope: v.optional(v.nullable(caseScope), null),
  /** The data scope that was asked; absent in what an older version found. */
  dataScope: v.optional(branded<DataScopeId>()),
  /** The host of the service that was asked. */
  service: v.optional(v.string(), ''),
  /** The zone in which its days begin. */
  zone: v.string(),
  /** The subject over its days, over as many days before, and everything else over the same days. */
  now: v.nullable(side),
  before: v.nullable(side),
  others: v.nullable(side),
  /**
   * When its figures were last fetched together, in milliseconds since 1970: they are of one moment still where the service is away.
   * Absent in what an older version found.
   */
  gathered: v.optional(v.object({ began: v.number(), ended: v.number() })),
  /** By day, as the tables have it; `values` in the order of `headers`. */
  headers: v.array(v.string()),
  days: v.array(v.object({ day, values: v.array(count) })),
  /** The rows: by result, by day, by rule set, by type of invalid traffic; and other sources among the same archives. */
  rows: v.object({ rows: v.number(), bad: count }),
  results: v.array(part),
  rowDays: v.array(part),
  ruleSets: v.array(part),
  trafficTypes: v.array(part),
  /** With which types of invalid traffic rows came that broke one rule set alone; none in what an older version found. */
  ruleTypes: v.optional(v.array(v.object({ code: v.string(), types: v.array(v.string()) })), []),
  sources: v.array(part),
  clusters: v.array(cluster),
  archives: v.array(archive),
  /** The instances of the scope that had traffic, by the tables, and how many archives hold rows of each. */
  instances: v.optional(
    v.array(v.object({ ...instanceOf.entries, requests: count, archives: v.number() })),
    [],
  ),
  /** How much of the scope the rows cover. `whole`: a raw report for each instance, all days, and nothing lacks. */
  covers: v.optional(v.picklist(['none', 'part', 'whole']), 'none'),
  /** What could not be had, and what limits the evidence, in words. */
  lacks: v.array(v.object({ what: v.string(), failure })),
})
export type CaseFindings = v.InferOutput<typeof caseFindings>

/** A raw report that a case asked for: the request, the report that it became, and the archive that its rows came in. */
export const caseRequest = v.object({
  request: rawRequestId,
  instance: instanceOf,
  range,
  report: v.nullable(rawReportId),
  file: v.nullable(rowsFileId),
})
export type CaseRequest = v.InferOutput<typeof caseRequest>

/** A case as it is kept: what was said, what it came to, and what it came to the time before, of the same scope. */
export type Case = {
  readonly id: CaseId
  readonly begunAt: Instant
  readonly entry: CaseEntry
  readonly made: CaseFindings | null
  readonly before: CaseFindings | null
  readonly requests: readonly CaseRequest[]
  /** When its pack was last saved, and of findings of what time. */
  readonly savedAt: Instant | null
  readonly savedOf: Instant | null
  /** When a person said that it was sent. */
  readonly sentAt: Instant | null
}

/** What a case came to, where that is of the scope that it has. */
export const soundFindings = ({ made }: Pick<Case, 'made'>): CaseFindings | null =>
  (made?.scope ?? null) === null ? null : made

/** How a raw report that a case asked for stands. `away`: it is neither in the queue nor in the list any more. */
export type RowsState = 'queued' | 'stuck' | 'in-progress' | 'failed' | 'ready' | 'saved' | 'read-in' | 'away'

/** A raw report that a case asked for, as it stands now. */
export type ShownRequest = CaseRequest & { readonly state: RowsState }

/** A case as windows show it. */
export type ShownCase = Omit<Case, 'requests'> & {
  readonly requests: readonly ShownRequest[]
  /** Whether the rows are others now than when it was made: some are gone, or more came. */
  readonly rowsChanged: boolean
}

/** A step of a case on its way to whoever pays: whether it is done, and what is to be known of it. */
type CaseStep = { readonly words: string; readonly done: boolean; readonly note: string }

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
  const differing = made?.archives.filter(({ recount }) => recount?.outcome === 'differs').length ?? 0
  return [
    {
      words: 'Figures',
      done: made !== null && made.now !== null,
      note: made === null ? 'Not loaded yet' : `Updated ${moment(made.madeAt)}`,
    },
    {
      words: 'Rows requested',
      done: hasRows || requests.length > 0,
      note:
        requests.length === 0
          ? hasRows
            ? 'From existing archives'
            : ''
          : `${requests.length} ${requests.length === 1 ? 'raw report' : 'raw reports'}`,
    },
    {
      words: 'Rows imported',
      done: whole,
      note: [
        ...(requests.length > 0 ? [`${came} of ${requests.length}`] : []),
        ...(lost > 0 ? [`${lost} failed`] : []),
        ...(made?.covers === 'part' ? ['part of the scope'] : []),
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

/** Whether both are of the same instances, as far as is known. */
export const haveSameScopes = (before: CaseFindings, made: CaseFindings): boolean =>
  before.dataScope === undefined || made.dataScope === undefined || before.dataScope === made.dataScope

/** A figure that is another one since the case was made before; null where it was not there. */
type CaseChange = {
  readonly what: string
  readonly before: number | null
  readonly after: number | null
}

/** Whether two makings counted rows of the same archives: those of others are no change of what was there. */
export const haveSameArchives = (before: CaseFindings, made: CaseFindings): boolean => {
  const files = ({ archives }: CaseFindings) =>
    archives
      .map(({ file }) => file)
      .sort()
      .join('\n')
  return files(before) === files(made)
}

/** What is different between two makings of a case; nothing where all figures stayed. Rows are compared where both are of the same archives. */
export function changesOf(before: CaseFindings, made: CaseFindings): readonly CaseChange[] {
  const rows = haveSameArchives(before, made)
    ? [
        ...pairs('Rows', [{ value: '', ...before.rows }], [{ value: '', ...made.rows }]),
        ...pairs('Rows with result', before.results, made.results),
        ...pairs('Rows by rule set', before.ruleSets, made.ruleSets),
        ...ofArchives(before.archives, made.archives),
      ]
    : []
  return [
    ...ofSides('', before.now, made.now),
    ...ofSides(' before', before.before, made.before),
    ...ofSides(' of the others', before.others, made.others),
    ...rows,
  ].filter((change) => change.before !== change.after)
}

function ofSides(behind: string, before: CaseSide | null, after: CaseSide | null): CaseChange[] {
  const headers = new Set([...(before?.figures ?? []), ...(after?.figures ?? [])].map(({ header }) => header))
  const valueIn = (side: CaseSide | null, header: string) =>
    side?.figures.find((figure) => figure.header === header)?.value ?? null
  return [...headers].map((header) => ({
    what: `${header}${behind}`,
    before: valueIn(before, header),
    after: valueIn(after, header),
  }))
}

function pairs(what: string, before: readonly CasePart[], after: readonly CasePart[]): CaseChange[] {
  const values = new Set([...before, ...after].map(({ value }) => value))
  const rowsOf = (parts: readonly CasePart[], value: string) =>
    parts.find((part) => part.value === value)?.rows ?? null
  return [...values].map((value) => ({
    what: `${what} ${value}`.trim(),
    before: rowsOf(before, value),
    after: rowsOf(after, value),
  }))
}

const ofArchives = (before: readonly CaseArchive[], after: readonly CaseArchive[]): CaseChange[] =>
  pairs('Rows of', before.map(asPart), after.map(asPart))

const asPart = ({ name, ofCase }: CaseArchive): CasePart => ({ value: name, rows: ofCase, bad: null })
