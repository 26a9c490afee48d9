import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { invalid } from '#shared/api/failure.ts'
import { familyNames } from '#shared/api/dimensions.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import { branded, day, instant, json } from '#shared/values/schemas.ts'
import { alertId, findingId, muteId, muteSubject } from '#shared/watch/alert-schemas.ts'
import {
  alertConditionKinds,
  alertMeasures,
  alertTellings,
  dismissals,
  findingStates,
  isMutedBy,
  maxFindings,
} from '#shared/watch/alerts.ts'
import type {
  AlertId,
  AlertTelling,
  Dismissal,
  Finding,
  FindingId,
  FindingList,
  Mute,
  MuteId,
} from '#shared/watch/alerts.ts'
import { mixedRowOf, mixLabel } from '#shared/watch/rule-mix.ts'
import { isStanding } from '#main/watch/detector/episodes.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { flag, has, insert, remove, table, update } from '../sqlite/database.ts'
import { alertOf, stopWatching, watchStateOf, writeWatchState } from './alerts-repository.ts'
import type { AnAlert, WatchedEpisode } from './alerts-repository.ts'

/** A finding as stored. Whether a mute covers it depends on the day. */
export type StoredFinding = Omit<Finding, 'mutedUntil'>

/** A finding of an evaluation. */
export type NewFinding = Omit<StoredFinding, 'account' | 'alert' | 'seen' | 'dismissed'> & {
  /** Whether a finding that was told is half as bad again. */
  readonly isWorse: boolean
}

/** A finding that the desktop has not shown. `waitsFrom`: since when it should. */
export type UntoldFinding = StoredFinding & { readonly telling: AlertTelling; readonly waitsFrom: Instant }

/** An episode that settled figures did not confirm, and the settled figure in the unit of findings. */
export type WithdrawnEpisode = WatchedEpisode & { readonly settled: number | null }

/** Outcome of an evaluation, to be stored in place of the state that it began with. */
export type WatchRecord = AnAlert & {
  readonly dataScope: DataScopeId | null
  /** Revision of the state that the evaluation began with. */
  readonly revision: number
  readonly morning: Day
  readonly episodes: readonly WatchedEpisode[]
  readonly news: readonly NewFinding[]
  readonly withdrawn: readonly WithdrawnEpisode[]
}

export type MuteOfAccount = Mute & { readonly account: AccountId }

/** Days after its end for which a finding is kept. */
const keptFor = 400

const facts = v.object({
  view: v.string(),
  family: v.picklist(familyNames),
  measure: v.picklist(alertMeasures),
  condition: v.picklist(alertConditionKinds),
  row: v.nullable(v.object({ key: v.string(), text: v.string() })),
  rows: v.array(v.string()),
  rule: v.optional(v.nullable(v.string()), null),
  isShared: v.boolean(),
  isStopped: v.boolean(),
  day,
  usual: v.number(),
  now: v.number(),
  z: v.nullable(v.number()),
})

const stored = {
  id: findingId,
  account: branded<AccountId>(),
  alert: alertId,
  firstDay: day,
  facts: json(facts),
  state: v.picklist(findingStates),
  toDay: v.nullable(day),
  settled: v.nullable(v.number()),
  foundAt: instant,
  seen: flag,
  dismissed: v.nullable(v.picklist(dismissals)),
}

const findings = table(
  'findings',
  v.pipe(
    v.object({ ...stored, telling: v.picklist(alertTellings), waitsFrom: instant }),
    v.transform(({ facts, firstDay: from, toDay: to, ...rest }): UntoldFinding => ({
      ...{ ...facts, from, to },
      ...rest,
    })),
  ),
)

/** What says whether a finding is muted. */
export type FindingSubject = {
  readonly id: FindingId
  readonly account: AccountId
  readonly alert: AlertId
  readonly row: Finding['row']
}

const subjects = table(
  'findings',
  v.pipe(
    v.object({
      ...{ id: stored.id, account: stored.account, alert: stored.alert },
      key: v.nullable(v.string()),
    }),
    v.transform(({ key, ...rest }): FindingSubject => ({
      ...rest,
      row: key === null ? null : { key, text: key },
    })),
  ),
  { key: "facts ->> '$.row.key'" },
)

const withoutTelling = ({ telling: _, waitsFrom: __, ...finding }: UntoldFinding): StoredFinding => finding

const mutes = table(
  'mutes',
  v.object({ id: muteId, account: branded<AccountId>(), subject: json(muteSubject), until: day }),
)

/** Hash of what was found: with the alert and the first day, a finding is unique by it. */
function subjectOf({ measure, condition, isShared, isStopped, row, rows, rule }: NewFinding): string {
  const parts = [measure, condition, isShared, isStopped, row?.key ?? null, rows]
  // Only a rule mix has rule sets: subjects of other measures stay as they are stored.
  if (rule !== null) parts.push(rule)
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Adds a finding. One that is known is told again if it is worse, unless the user dismissed it. */
function addFinding(
  into: Writer,
  { account, alert }: AnAlert,
  news: NewFinding,
  telling: AlertTelling,
): void {
  const { id, from, to, state, settled, foundAt, isWorse, ...found } = news
  const subject = subjectOf(news)
  const isNew = insert(into, 'findings', {
    ...{
      id,
      account,
      alert,
      subject,
      firstDay: from,
      facts: found,
      state,
      toDay: to,
      settled,
    },
    ...{ foundAt, telling, waitsFrom: foundAt, seen: false },
  })
  if (isNew || !isWorse) return
  const known = findings.first(
    into,
    'WHERE alert = ? AND subject = ? AND first_day = ?',
    alert,
    subject,
    from,
  )
  if (!known || known.dismissed !== null) return
  const again = { facts: found, foundAt, telling, waitsFrom: foundAt, seen: false, toldAt: null }
  update(into, 'findings', { id: known.id }, again)
}

/** Whether a finding tells of an episode: alone, or among several rows that began at once. */
function isOf(finding: StoredFinding, { condition, kind, label, from, isSilent }: WatchedEpisode): boolean {
  const { measure, isShared, row, rows, rule } = finding
  const isShape = (kind === 'bad-rate' || kind === 'shared-bad-rate') === (measure !== 'requests')
  if (isSilent === true || finding.condition !== condition || !isShape) return false
  if (isShared !== (label === null)) return false
  if (label !== null && rows.length > 0) {
    const key = measure === 'rule-mix' ? mixedRowOf(label)?.row : label
    return key !== undefined && rows.includes(key) && from >= finding.from && from <= finding.day
  }
  const own = row && rule !== null ? mixLabel({ row: row.key, code: rule }) : (row?.key ?? '')
  return from === finding.from && (isShared || label === own)
}

type FindingOutcome = {
  readonly state: Finding['state']
  readonly to: Day | null
  readonly settled: number | null
}

/** Returns what became of a finding; undefined if the evaluation does not know. */
function outcomeOf(
  finding: StoredFinding,
  episodes: readonly WatchedEpisode[],
  withdrawn: readonly WithdrawnEpisode[],
): FindingOutcome | undefined {
  const own = episodes.filter((episode) => isOf(finding, episode))
  const standing = own.filter(isStanding)
  if (standing.length > 0) {
    const isSoFar = standing.every(({ state }) => state === 'so-far')
    return { state: isSoFar ? 'so-far' : 'standing', to: null, settled: null }
  }
  if (own.length > 0) {
    const to = own.reduce<Day | null>((last, episode) => later(last, episode.to), null)
    return { state: own.every(({ state }) => state === 'usual') ? 'usual' : 'over', to, settled: null }
  }
  const fallen = withdrawn.filter((episode) => isOf(finding, episode))
  if (fallen.length === 0) return undefined
  // Several rows are one figure, which is known if all of them were withdrawn at once: a sum, or the mean of rates.
  const isWhole = fallen.length >= finding.rows.length && fallen.every((each) => each.settled !== null)
  const sum = fallen.reduce((total, each) => total + (each.settled ?? 0), 0)
  const figure = finding.measure !== 'requests' ? sum / fallen.length : sum
  return { state: 'withdrawn', to: null, settled: isWhole ? figure : null }
}

const later = (one: Day | null, other: Day | null): Day | null =>
  one === null || (other !== null && other > one) ? other : one

const stands = "state IN ('so-far', 'standing')"

/** Deletes what ended before a day of the figures. Not by the clock: one that is years ahead must lose nothing. */
const forgetEnded = (from: Writer, account: AccountId, before: Day): void =>
  // As the index `findings_ended` has it.
  void from.write(
    `DELETE FROM findings
     WHERE account = ? AND state NOT IN ('so-far', 'standing') AND coalesce(to_day, first_day) < ?`,
    ...[account, before],
  )

const newestFirst = 'ORDER BY found_at DESC, rowid DESC'

type ListedFindings = { readonly findings: readonly StoredFinding[]; readonly more: number }

/** Lists findings that stand, are new or have one of the ids, and the newest others. `more` counts the rest. */
function listFindings(
  from: Reader,
  { others, ids }: { readonly others: number; readonly ids: readonly FindingId[] },
): ListedFindings {
  const isWanted = `(${stands} OR (seen = 0 AND dismissed IS NULL) OR id IN (SELECT value FROM json_each(?)))`
  const wanted = JSON.stringify(ids)
  const listed = findings.list(
    from,
    `WHERE ${isWanted} OR rowid IN (SELECT rowid FROM findings WHERE NOT ${isWanted} ${newestFirst} LIMIT ?)
     ${newestFirst} LIMIT ${maxFindings}`,
    ...[wanted, wanted, others],
  )
  const counted = from.row(`SELECT count(*) AS n FROM findings WHERE NOT ${isWanted}`, wanted)
  return { findings: listed.map(withoutTelling), more: Math.max(0, Number(counted?.['n'] ?? 0) - others) }
}

/** Stores an evaluation. @returns whether it was stored: not if another was stored since it began */
function record(into: Writer, { account, alert, revision, news, ...outcome }: WatchRecord): boolean {
  const { dataScope, morning, episodes, withdrawn } = outcome
  return into.together(() => {
    const entry = alertOf(into, { account, alert })
    const before = watchStateOf(into, { account, alert })
    if (!entry || before.revision !== revision) return false
    writeWatchState(into, alert, { revision, dataScope, morning, episodes })
    if (before.dataScope !== null && before.dataScope !== dataScope) stopWatching(into, alert)
    for (const found of news) addFinding(into, { account, alert }, found, entry.telling)
    // What was over stands again if its episode continues.
    for (const finding of findings.list(into, 'WHERE alert = ?', alert)) {
      const changes = outcomeOf(finding, episodes, withdrawn)
      if (!changes) continue
      const { state, to: toDay, settled } = changes
      update(into, 'findings', { id: finding.id }, { state, toDay, settled })
    }
    forgetEnded(into, account, addDays(morning, -keptFor))
    return true
  })
}

/** Ends a mute. Findings that it covered and that still stand wait to be told again. */
function endMute(into: Writer, { id, endedAt }: { readonly id: MuteId; readonly endedAt: Instant }): void {
  const mute = mutes.first(into, 'WHERE id = ?', id)
  if (!mute) return
  remove(into, 'mutes', { id })
  const standing = `WHERE account = ? AND ${stands} AND dismissed IS NULL AND alert IN (SELECT id FROM alerts)`
  for (const finding of findings.list(into, standing, mute.account)) {
    if (!isMutedBy(finding, mute.subject)) continue
    const changes = { toldAt: null, seen: false, telling: 'morning', waitsFrom: endedAt }
    update(into, 'findings', { id: finding.id }, changes)
  }
}

export const findingOperations = {
  'watch/record': record,
  /** The newest first. Skips invalid rows. */
  'findings/list': listFindings,
  /** Lists the findings of an account that stand, or that ended on or after a day, the newest first. Skips invalid rows. */
  'findings/since': (
    from: Reader,
    { account, day: since }: { readonly account: AccountId; readonly day: Day },
  ): readonly StoredFinding[] =>
    findings
      .list(
        from,
        `WHERE account = ? AND (${stands} OR json_valid(facts) AND coalesce(to_day, facts ->> '$.day') >= ?)
         ${newestFirst} LIMIT ${maxFindings}`,
        ...[account, since],
      )
      .map(withoutTelling),
  /** Counts the seen findings since a moment, and those of them that were dismissed as wrong. */
  'findings/false-alarms': (
    from: Reader,
    { since }: { readonly since: Instant },
  ): FindingList['falseAlarms'] => {
    const counts = from.row(
      `SELECT count(*) AS judged, count(*) FILTER (WHERE dismissed = 'wrong') AS wrong
       FROM findings WHERE seen = 1 AND found_at > ?`,
      since,
    )
    return { wrong: Number(counts?.['wrong'] ?? 0), judged: Number(counts?.['judged'] ?? 0) }
  },
  /** Lists the subjects of findings that are neither seen nor dismissed, of all accounts, the newest first. */
  'findings/unseen': (from: Reader): readonly FindingSubject[] =>
    subjects.list(from, `WHERE seen = 0 AND dismissed IS NULL AND json_valid(facts) ${newestFirst}`),
  /** Marks findings as seen. @returns the accounts of those that were not */
  'findings/see': (into: Writer, { ids }: { readonly ids: readonly FindingId[] }): readonly AccountId[] =>
    into.together(() => {
      const accounts = new Set<AccountId>()
      for (const id of ids) {
        const finding = findings.first(into, 'WHERE id = ? AND seen = 0', id)
        if (finding) accounts.add(finding.account)
        update(into, 'findings', { id, seen: false }, { seen: true })
      }
      return [...accounts]
    }),
  /** Dismisses a finding, or takes it back. @returns its account @throws DeskFailure `invalid` if it is gone */
  'findings/dismiss': (
    into: Writer,
    { id, reason }: { readonly id: FindingId; readonly reason: Dismissal | null },
  ): AccountId =>
    into.together(() => {
      const finding = findings.first(into, 'WHERE id = ?', id)
      if (!finding) throw invalid('This finding was deleted.', 'finding')
      update(into, 'findings', { id }, { dismissed: reason, ...(reason !== null && { seen: true }) })
      return finding.account
    }),
  /** Lists findings that the desktop has not shown, of all accounts, the oldest first. */
  'findings/untold': (from: Reader): readonly UntoldFinding[] =>
    findings.list(from, 'WHERE told_at IS NULL ORDER BY found_at, rowid'),
  /** Marks findings as shown by the desktop. */
  'findings/told': (
    into: Writer,
    { ids, toldAt }: { readonly ids: readonly FindingId[]; readonly toldAt: Instant },
  ): void =>
    into.together(() => {
      for (const id of ids)
        into.write('UPDATE findings SET told_at = ? WHERE id = ? AND told_at IS NULL', toldAt, id)
    }),
} as const

export const muteOperations = {
  /** Lists the mutes of all accounts, or of one. */
  'mutes/list': (
    from: Reader,
    { account }: { readonly account: AccountId | null },
  ): readonly MuteOfAccount[] =>
    mutes.list(from, 'WHERE ? IS NULL OR account = ? ORDER BY rowid', account, account),
  /** Adds a mute in place of the earlier one of its subject. @throws DeskFailure `invalid` if the account was removed */
  'mutes/add': (into: Writer, { account, id, subject, until }: MuteOfAccount): void =>
    into.together(() => {
      if (!has(into, 'accounts', { id: account })) throw invalid('This account has been removed.', 'account')
      remove(into, 'mutes', { account, subject })
      insert(into, 'mutes', { id, account, subject, until })
    }),
  /** Removes a mute; findings that it held are told. */
  'mutes/remove': (
    from: Writer,
    { account, id }: { readonly account: AccountId; readonly id: MuteId },
  ): void => void remove(from, 'mutes', { account, id }),
  /** Ends mutes that are over. @param ended each with the moment from which its findings are told */
  'mutes/end': (
    into: Writer,
    { ended }: { readonly ended: readonly { readonly id: MuteId; readonly endedAt: Instant }[] },
  ): void =>
    into.together(() => {
      for (const mute of ended) endMute(into, mute)
    }),
} as const
