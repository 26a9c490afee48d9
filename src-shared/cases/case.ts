import * as v from 'valibot'
import { rawReportId, rawRequestId, rowsFileId, instanceId, range, shortText } from '../bridge/schemas.ts'
import { recountOutcomes, recountReasons } from '../archives/rows.ts'
import type { Recount } from '../archives/rows.ts'
import type { DataScopeId, Instant } from '../values/ids.ts'
import { failure, branded, day, instant, zone } from '../values/schemas.ts'
import { familyNames } from '../api/dimensions.ts'
import { readTyped } from '#shared/values/typed-text.ts'

/** Maximum number of instances in a scope. */
export const maxInstances = 100

/**
 * Scope of a case (not a data scope): a family's traffic of some instances, a source and a campaign, over days in a
 * zone. The scope is chosen with the case and never changes. Figures and rows of another scope need another case.
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
  /** IANA zone in which the days of rows begin. */
  zone,
})
export type CaseScope = v.InferOutput<typeof caseScope>

/** Id of a case, a random UUID. A case is evidence about a source, campaign or instance over some days. */
export type CaseId = string & { readonly __brand: 'CaseId' }
export const caseId = branded<CaseId>(v.pipe(v.string(), v.uuid()))

/** Kinds of subject. */
const caseAbouts = ['source', 'campaign', 'instance'] as const
export type CaseAbout = (typeof caseAbouts)[number]

/** Maximum length of the notes, in characters. */
export const longestNotes = 20_000

/** Fields of a case that can change at any time: name and notes. */
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

/** Input for a new case. */
export const caseEntry = v.strictObject({
  ...caseNote.entries,
  about: v.picklist(caseAbouts),
  /** Name of the subject: the source's or the instance's. */
  subject: shortText,
  scope: caseScope,
  /** Archives whose rows are the evidence. */
  files: v.pipe(v.array(rowsFileId), v.maxLength(1000)),
})
export type CaseEntry = v.InferOutput<typeof caseEntry>

const count = v.nullable(v.number())

const whole = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Schema of a stored recount. The stored name of `outcome` is `verdict`. */
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

/** Figures of the tables over some days. `fetchedAt` is of the oldest; `missing` and `restated` are numbers of days. */
const side = v.object({
  range,
  figures: v.array(figure),
  fetchedAt: instant,
  missing: v.number(),
  restated: v.number(),
  /** Other warnings about the figures. Empty in findings of older versions. */
  said: v.optional(v.array(v.object({ name: v.string(), words: v.string() })), []),
})
export type CaseSide = v.InferOutput<typeof side>

/** Number of rows with a value of a column. */
const part = v.object({ value: v.string(), rows: v.number(), bad: count })
export type CasePart = v.InferOutput<typeof part>

/** A cluster among the rows of a case. */
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
  /** Rows of the archive, and those within the scope. */
  rows: v.number(),
  ofCase: v.number(),
  unreadable: v.number(),
  readAt: instant,
  /** Recount of its rows against the tables, made with the findings. */
  recount: v.nullable(recount),
  /** Instance that the report was requested for; null if unknown. */
  instance: v.optional(v.nullable(instanceOf), null),
  /** Why none of its rows count; null if rows count. */
  left: v.optional(v.nullable(v.string()), null),
})
export type CaseArchive = v.InferOutput<typeof archive>

/** Findings of a case, made in one step. Pages, workbook and view show only these. */
export const caseFindings = v.object({
  madeAt: instant,
  /** Scope of the figures. Null in findings of older versions, which could silently cover a single instance. */
  scope: v.optional(v.nullable(caseScope), null),
  /** Data scope of the request. Absent in findings of older versions. */
  dataScope: v.optional(branded<DataScopeId>()),
  /** Host of the service. */
  service: v.optional(v.string(), ''),
  /** Zone in which the service's days begin. */
  zone: v.string(),
  /** The subject over its days, over the same number of days before, and all other traffic over its days. */
  now: v.nullable(side),
  before: v.nullable(side),
  others: v.nullable(side),
  /**
   * When the figures were last fetched together, in milliseconds since 1970. They still belong together if a later
   * fetch fails. Absent in findings of older versions.
   */
  gathered: v.optional(v.object({ began: v.number(), ended: v.number() })),
  /** Figures by day from the tables; `values` in the order of `headers`. */
  headers: v.array(v.string()),
  days: v.array(v.object({ day, values: v.array(count) })),
  /** Rows by result, by day, by rule set and by type of invalid traffic, and other sources in the same archives. */
  rows: v.object({ rows: v.number(), bad: count }),
  results: v.array(part),
  rowDays: v.array(part),
  ruleSets: v.array(part),
  trafficTypes: v.array(part),
  /** Types of invalid traffic by rule set, from rows that broke only that one. Empty in older findings. */
  ruleTypes: v.optional(v.array(v.object({ code: v.string(), types: v.array(v.string()) })), []),
  sources: v.array(part),
  clusters: v.array(cluster),
  archives: v.array(archive),
  /** Instances of the scope with traffic in the tables, and the number of archives with rows of each. */
  instances: v.optional(
    v.array(v.object({ ...instanceOf.entries, requests: count, archives: v.number() })),
    [],
  ),
  /** Coverage of the scope by rows. `whole`: a raw report for each instance and all days, and `lacks` is empty. */
  covers: v.optional(v.picklist(['none', 'part', 'whole']), 'none'),
  /** Unavailable parts and limits of the evidence. */
  lacks: v.array(v.object({ what: v.string(), failure })),
})
export type CaseFindings = v.InferOutput<typeof caseFindings>

/** A raw report that a case requested: the request, then the report, then the imported archive. */
export const caseRequest = v.object({
  request: rawRequestId,
  instance: instanceOf,
  range,
  report: v.nullable(rawReportId),
  file: v.nullable(rowsFileId),
})
export type CaseRequest = v.InferOutput<typeof caseRequest>

/** A stored case with its findings. `before` are the previous findings of the same scope. */
export type Case = {
  readonly id: CaseId
  readonly begunAt: Instant
  readonly entry: CaseEntry
  readonly made: CaseFindings | null
  readonly before: CaseFindings | null
  readonly requests: readonly CaseRequest[]
  /** When the pack was last saved, and the time of the findings in it. */
  readonly savedAt: Instant | null
  readonly savedOf: Instant | null
  /** When the user marked the pack as sent. */
  readonly sentAt: Instant | null
}

/** Returns the findings of a case; null if their scope is unknown. */
export const soundFindings = ({ made }: Pick<Case, 'made'>): CaseFindings | null =>
  (made?.scope ?? null) === null ? null : made

/** State of a requested raw report. `away`: it is neither in the queue nor in the list. */
export type CaseRowsState =
  'queued' | 'stuck' | 'in-progress' | 'failed' | 'ready' | 'saved' | 'imported' | 'away'

/** A raw report that a case requested, with its state. */
export type ShownRequest = CaseRequest & { readonly state: CaseRowsState }

/** A case as sent to windows. */
export type ShownCase = Omit<Case, 'requests'> & {
  readonly requests: readonly ShownRequest[]
  /** Whether rows were added or removed since the findings were made. */
  readonly rowsChanged: boolean
}

/** A step of a case until the pack is sent. */
type CaseStep = { readonly words: string; readonly done: boolean; readonly note: string }

/** Whether rows of a request may still arrive. */
export const isComing = ({ state }: ShownRequest): boolean =>
  state === 'queued' || state === 'in-progress' || state === 'ready' || state === 'saved'

/** Whether a request ended without rows. */
export const cameToNothing = ({ state }: ShownRequest): boolean =>
  state === 'failed' || state === 'stuck' || state === 'away'

/** Returns the steps of a case in order: figures, rows requested, rows imported, recounted, pack saved, sent. */
export function stepsOf(shown: ShownCase, moment: (time: number) => string): readonly CaseStep[] {
  const made = soundFindings(shown)
  const { requests, entry, savedAt, savedOf, sentAt, rowsChanged } = shown
  const came = requests.filter(({ state }) => state === 'imported').length
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

/** Raw reports that adding rows would request. */
export type RowsPlan = {
  readonly reports: readonly {
    readonly instance: CaseRequest['instance']
    readonly range: CaseRequest['range']
  }[]
  /** Sentences that explain why rows are not requested. */
  readonly omissions: readonly string[]
}

/** Whether both findings are of the same data scope, as far as known. */
export const haveSameScopes = (before: CaseFindings, made: CaseFindings): boolean =>
  before.dataScope === undefined || made.dataScope === undefined || before.dataScope === made.dataScope

/** A changed figure between two findings; null if it was or is missing. */
type CaseChange = {
  readonly what: string
  readonly before: number | null
  readonly after: number | null
}

/** Whether both findings counted rows of the same archives. Rows of different archives are not comparable. */
export const haveSameArchives = (before: CaseFindings, made: CaseFindings): boolean => {
  const files = ({ archives }: CaseFindings) =>
    archives
      .map(({ file }) => file)
      .sort()
      .join('\n')
  return files(before) === files(made)
}

/** Returns the differences between two findings. Rows are compared only if both are of the same archives. */
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
