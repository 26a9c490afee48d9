import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { invalid } from '#shared/api/failure.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { branded, day, instant, json } from '#shared/values/schemas.ts'
import { alertEntry, alertId } from '#shared/watch/alert-schemas.ts'
import { alertConditionKinds, maxAlerts } from '#shared/watch/alerts.ts'
import { findingKinds } from '#main/watch/detector/episodes.ts'
import type { Alert, AlertConditionKind, AlertEntry, AlertId } from '#shared/watch/alerts.ts'
import type { Episode } from '#main/watch/detector/episodes.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, insert, remove, put, table, update } from '../sqlite/database.ts'

/** An episode of an alert. Its label is the row's key, null for a shared change, and empty for a total. */
export type WatchedEpisode = Episode & { readonly condition: AlertConditionKind }

/** What an alert knows from its evaluations. */
export type WatchState = {
  /** Number of writes; 0 before the first. */
  readonly revision: number
  /** The newest morning that was judged. */
  readonly morning: Day | null
  /** Data scope of the judged figures. */
  readonly dataScope: DataScopeId | null
  readonly episodes: readonly WatchedEpisode[]
}

/** The newest morning that an alert judged, and the data scope of its figures; null before the first. */
export type JudgedAlert = {
  readonly alert: Alert
  readonly judged: Omit<WatchState, 'revision' | 'episodes'> | null
}

export type AnAlert = { readonly account: AccountId; readonly alert: AlertId }

const alerts = table(
  'alerts',
  v.pipe(
    v.object({ id: alertId, account: branded<AccountId>(), createdAt: instant, entry: json(alertEntry) }),
    v.transform(({ account, entry, ...stored }) => ({ account, alert: { ...entry, ...stored } })),
  ),
)

/** JSON has no infinity. */
const figure = v.fallback(v.number(), 0)

const watchedEpisode: v.GenericSchema<unknown, WatchedEpisode> = v.object({
  condition: v.picklist(alertConditionKinds),
  kind: v.picklist(findingKinds),
  label: v.nullable(v.string()),
  from: day,
  told: day,
  usual: figure,
  now: figure,
  z: figure,
  state: v.picklist(['so-far', 'standing', 'over', 'usual']),
  to: v.nullable(day),
  ended: v.nullable(day),
  isSilent: v.exactOptional(v.boolean()),
})

const judged = {
  dataScope: v.nullable(branded<DataScopeId>()),
  morning: v.fallback(v.nullable(day), null),
}

/** An unreadable state begins anew, with its revision. */
const watchStates = table(
  'watch_states',
  v.object({
    ...judged,
    revision: v.number(),
    episodes: v.fallback(json(v.array(watchedEpisode)), []),
  }),
)

/** The same without episodes, which a list does not show. */
const judgedMornings = table('watch_states', v.object({ ...judged, alert: alertId }))

const nothingJudged: WatchState = { revision: 0, morning: null, dataScope: null, episodes: [] }

const alertGone = () => invalid('This alert was deleted.', 'alert')
const tooMany = () =>
  invalid(`An account can have ${maxAlerts.toLocaleString('en')} alerts. Delete some first.`)

/** Returns an alert; undefined if the alert was removed or is unreadable. */
export const alertOf = (from: Reader, { account, alert }: AnAlert): Alert | undefined =>
  alerts.first(from, 'WHERE account = ? AND id = ?', account, alert)?.alert

/** Returns what an alert knows, of its revision 0 if it was never recorded. */
export const watchStateOf = (from: Reader, { account, alert }: AnAlert): WatchState =>
  watchStates.first(
    from,
    'WHERE alert = ? AND alert IN (SELECT id FROM alerts WHERE account = ?)',
    ...[alert, account],
  ) ?? nothingJudged

/** Writes what an alert knows. Its revision becomes the next. */
export function writeWatchState(into: Writer, alert: AlertId, state: WatchState): void {
  put(into, 'watch_states', ['alert'], { alert, ...state, revision: state.revision + 1 })
}

/** Lists the alerts of all accounts, the oldest of each account first. */
export const alertsOfAll = (from: Reader) => alerts.list(from, 'ORDER BY account, created_at, rowid')

/** Whether both watch the same figures by the same condition, so that episodes of one are those of the other. */
const watchesSame = (one: AlertEntry, other: AlertEntry): boolean =>
  isDeepStrictEqual({ ...one, telling: null }, { ...other, telling: null })

/** Marks what stands of an alert: no evaluation ends it any more. */
export const stopWatching = (into: Writer, alert: AlertId): void =>
  void into.write(
    "UPDATE findings SET state = 'unwatched' WHERE alert = ? AND state IN ('so-far', 'standing')",
    alert,
  )

/** Lists the alerts of an account, the oldest first. Skips invalid rows. */
const listOf = (from: Reader, account: AccountId): readonly Alert[] =>
  alerts.list(from, 'WHERE account = ? ORDER BY created_at, rowid', account).map(({ alert }) => alert)

export const alertOperations = {
  'alerts/list': listOf,
  /** @throws DeskFailure `invalid` if the account was removed or has too many alerts */
  'alerts/add': (
    into: Writer,
    { account, alert }: { readonly account: AccountId; readonly alert: Alert },
  ): void =>
    into.together(() => {
      if (!has(into, 'accounts', { id: account })) throw invalid('This account has been removed.', 'account')
      const there = into.row('SELECT count(*) AS n FROM alerts WHERE account = ?', account)
      if (Number(there?.['n']) >= maxAlerts) throw tooMany()
      const { id, createdAt, ...entry } = alert
      insert(into, 'alerts', { id, account, createdAt, entry })
    }),
  /**
   * Replaces an alert. If it watches something else, its episodes are dropped and running evaluations are void.
   * @throws DeskFailure `invalid` if the alert was removed
   */
  'alerts/change': (into: Writer, { entry, ...which }: AnAlert & { readonly entry: AlertEntry }): Alert =>
    into.together(() => {
      const before = alertOf(into, which)
      if (!before) throw alertGone()
      const { id, createdAt, ...was } = before
      update(into, 'alerts', { id }, { entry })
      const { revision } = watchStateOf(into, which)
      if (watchesSame(was, entry)) return { ...entry, id, createdAt }
      writeWatchState(into, id, { ...nothingJudged, revision })
      stopWatching(into, id)
      return { ...entry, id, createdAt }
    }),
  /** Removes an alert and its mutes. @returns the alert @throws DeskFailure `invalid` if it was removed */
  'alerts/remove': (from: Writer, which: AnAlert): Alert =>
    from.together(() => {
      const alert = alertOf(from, which)
      if (!alert) throw alertGone()
      remove(from, 'alerts', { id: alert.id })
      stopWatching(from, alert.id)
      from.write(
        "DELETE FROM mutes WHERE account = ? AND json_valid(subject) AND subject ->> '$.alert' = ?",
        ...[which.account, alert.id],
      )
      return alert
    }),
  'watch/state': watchStateOf,
  /** Lists the alerts of an account like `alerts/list`, with what each has judged. */
  'watch/judged': (from: Reader, account: AccountId): readonly JudgedAlert[] => {
    const judged = judgedMornings.list(
      from,
      'WHERE alert IN (SELECT id FROM alerts WHERE account = ?)',
      account,
    )
    const byAlert = new Map(judged.map(({ alert, ...known }) => [alert, known]))
    return listOf(from, account).map((alert) => ({ alert, judged: byAlert.get(alert.id) ?? null }))
  },
} as const
