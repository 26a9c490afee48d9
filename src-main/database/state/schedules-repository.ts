import * as v from 'valibot'
import { invalid } from '#shared/api/failure.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { branded, day, failure, instant, json } from '#shared/values/schemas.ts'
import { scheduleEntry, scheduleId } from '#shared/watch/schedule-schemas.ts'
import { maxRuns, maxSchedules, scheduleWaits } from '#shared/watch/schedules.ts'
import type { ScheduleEntry, ScheduleId, ScheduleRun, ScheduleRunState } from '#shared/watch/schedules.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { flag, has, insert, put, remove, table, update } from '../sqlite/database.ts'

/** A stored schedule. */
export type StoredReportSchedule = ScheduleEntry & {
  readonly id: ScheduleId
  readonly account: AccountId
  /** When it was created, changed or resumed, or since when the clock is behind that. Earlier occurrences do not count. */
  readonly since: Instant
}

/** A file of a run whose name was decided. */
export type BegunFile = {
  /** What it shows: the id of a view, or the kind of another subject. */
  readonly item: string
  readonly folder: string
  /** Name of the draft in the folder, and the name that it gets. */
  readonly draft: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** When its oldest figures were fetched; null if unknown. */
  readonly oldest: Instant | null
  /** Whether it has its name. If not, the app may have ended while it got it. */
  readonly isNamed: boolean
}

/** Identifies a run. */
export type RunKey = { readonly schedule: ScheduleId; readonly day: Day }

/** A stored run. */
export type StoredRun = ScheduleRun &
  RunKey & {
    readonly account: AccountId
    /** When it was found to be due. */
    readonly takenAt: Instant
    /** When its state changed. */
    readonly changedAt: Instant
    readonly files: readonly BegunFile[]
    /** When the desktop showed it; null before. */
    readonly toldAt: Instant | null
  }

/** A new state of a run. */
export type RunChange = RunKey & { readonly state: ScheduleRunState; readonly changedAt: Instant }

type OfAccount = { readonly account: AccountId; readonly id: ScheduleId }

const accountId = branded<AccountId>()

/** Folder and pause are columns, because a restored backup changes them. */
const schedules = table(
  'schedules',
  v.pipe(
    v.object({
      ...{ id: scheduleId, account: accountId, since: instant },
      entry: json(v.record(v.string(), v.unknown())),
      ...{ folder: v.nullable(v.string()), paused: flag },
    }),
    v.rawTransform(({ dataset, addIssue, NEVER }): StoredReportSchedule => {
      const { entry, folder, paused, ...stored } = dataset.value
      const read = v.safeParse(scheduleEntry, { ...entry, folder, paused })
      if (read.success) return { ...read.output, ...stored }
      addIssue({ message: 'The entry is unreadable' })
      return NEVER
    }),
  ),
)

/** A name in a folder, never a path. */
const fileName = v.pipe(v.string(), v.minLength(1), v.regex(/^(?!\.{1,2}$)[^/\\\0]*$/))

const asked = v.exactOptional(v.literal(true))

const runState: v.GenericSchema<unknown, ScheduleRunState> = v.variant('kind', [
  v.object({ kind: v.literal('waiting'), for: v.picklist(scheduleWaits), asked }),
  v.object({ kind: v.literal('making'), asked }),
  v.object({ kind: v.literal('missed') }),
  v.object({
    kind: v.literal('made'),
    at: instant,
    files: v.array(fileName),
    late: v.boolean(),
    oldest: v.nullable(instant),
  }),
  v.object({ kind: v.literal('skipped'), reason: failure }),
])

const begunFile: v.GenericSchema<unknown, BegunFile> = v.object({
  item: v.string(),
  folder: v.string(),
  draft: fileName,
  name: fileName,
  size: v.number(),
  oldest: v.nullable(instant),
  isNamed: v.boolean(),
})

/** An unreadable state is one that nobody waits for. */
const runs = table(
  'schedule_runs',
  v.object({
    account: accountId,
    schedule: scheduleId,
    day,
    dueAt: instant,
    takenAt: instant,
    state: v.fallback(json(runState), { kind: 'missed' }),
    changedAt: instant,
    files: v.fallback(json(v.array(begunFile)), []),
    toldAt: v.nullable(instant),
  }),
)

const runDays = table('schedule_runs', v.object({ day }))

/**
 * No schedule is older. An earlier clock starts in the past, as after an empty battery: what it says of dates is no reason to
 * take anything back.
 */
const firstSchedules = Date.UTC(2026, 0, 1)

/** In milliseconds. Clocks are set by less than that all the time. */
const anHour = 3_600_000

/** Number of remembered runs of a schedule, the last taken up: many more than are shown, for clocks that were wrong. */
const remembered = 400

const stateIn = (kinds: readonly ScheduleRunState['kind'][]) =>
  `json_valid(state) AND state ->> 'kind' IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`

/** Parameter: now. False for a run of a time to come that has no file. A clock that ran ahead took it up, or this one is behind. */
const isListed = `(due_at <= ? OR coalesce(${stateIn(['made'])}, FALSE) OR json_valid(files) AND json_array_length(files) > 0)`

const scheduleGone = () => invalid('This schedule was deleted.', 'schedule')

const scheduleOf = (from: Reader, { account, id }: OfAccount): StoredReportSchedule | undefined =>
  schedules.first(from, 'WHERE account = ? AND id = ?', account, id)

/** Whether an id is that of a schedule of another account, there or removed. */
const isForeign = (from: Reader, { account, id }: OfAccount): boolean =>
  [
    'SELECT 1 FROM schedules WHERE id = ? AND account <> ?',
    'SELECT 1 FROM schedule_runs WHERE schedule = ? AND account <> ?',
  ].some((query) => from.row(query, id, account) !== undefined)

/** Adds or changes a schedule. @throws DeskFailure `invalid` if there is no room, it was removed, or is another account's */
function putSchedule(
  into: Writer,
  { schedule, isNew }: { readonly schedule: StoredReportSchedule; readonly isNew: boolean },
): void {
  into.together(() => {
    const { id, account, since, folder, paused, ...entry } = schedule
    if (isNew) {
      if (!has(into, 'accounts', { id: account })) throw invalid('This account has been removed.', 'account')
      if (isForeign(into, { account, id })) throw scheduleGone()
      const there = into.row('SELECT count(*) AS n FROM schedules WHERE account = ?', account)
      if (Number(there?.['n']) >= maxSchedules)
        throw invalid(`An account can have ${maxSchedules} schedules. Delete some first.`)
    } else if (!has(into, 'schedules', { account, id })) throw scheduleGone()
    const values = { id, account, entry, folder, paused, createdAt: since, since, enteredAt: since }
    const keepsSince = scheduleOf(into, { account, id })?.since === since
    put(into, 'schedules', ['id'], values, ['account', 'createdAt', ...(keepsSince ? ['enteredAt'] : [])])
  })
}

/** Forgets the first runs of a schedule beyond `remembered`. Their days do not count any more, unless they are still to come. */
function forgetRuns(into: Writer, id: ScheduleId, now: Instant): void {
  const forgotten = `schedule = ? AND number <= (
    SELECT number FROM schedule_runs WHERE schedule = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`
  const which = [id, id, remembered]
  const past = `SELECT max(due_at) AS due FROM schedule_runs WHERE ${forgotten} AND due_at <= ?`
  const last = into.row(past, ...which, now)?.['due']
  if (typeof last === 'number')
    into.write(
      'UPDATE schedules SET since = max(since, ?), entered_at = max(entered_at, ?) WHERE id = ?',
      ...[last, last, id],
    )
  into.write(`DELETE FROM schedule_runs WHERE ${forgotten}`, ...which)
}

/**
 * Stores runs whose days have none that is listed, and forgets the first ones beyond `remembered`.
 * @returns the number of new ones
 */
function addRuns(into: Writer, added: readonly StoredRun[]): number {
  return into.together(() => {
    const fresh = added.filter((run) => {
      if (!has(into, 'schedules', { account: run.account, id: run.schedule })) return false
      into.write(
        `DELETE FROM schedule_runs WHERE schedule = ? AND day = ? AND NOT ${isListed}`,
        ...[run.schedule, run.day, run.takenAt],
      )
      return insert(into, 'schedule_runs', run)
    })
    for (const { schedule, takenAt } of fresh.slice(0, 1)) forgetRuns(into, schedule, takenAt)
    return fresh.length
  })
}

/**
 * Corrects what was decided by another clock. Schedules count from when they were entered, or from now while that is to come.
 * Of what is due, runs that were skipped later than now wait again, as does the latest that was found missed later than now.
 * @param before when this was last done
 * @returns the number of runs that were reopened, or that the clock change hid or showed again
 */
function correctRuns(
  into: Writer,
  { now, before }: { readonly now: Instant; readonly before: Instant },
): number {
  const [first, last] = [Math.min(now, before), Math.max(now, before)]
  const counted = into.row(
    `SELECT count(*) AS n FROM schedule_runs WHERE due_at > ? AND due_at <= ? AND NOT ${isListed}`,
    ...[first, last, first],
  )
  const hiddenOrShown = Number(counted?.['n'])
  if (now < firstSchedules) return hiddenOrShown
  return into.together(() => {
    into.write('UPDATE schedules SET since = ? WHERE since > ?', now, now)
    into.write('UPDATE schedules SET since = entered_at WHERE entered_at <= ? AND since <> entered_at', now)
    const reopened = into.write(
      `UPDATE schedule_runs AS own SET state = ?, changed_at = ?, taken_at = min(taken_at, ?)
       WHERE due_at <= ? AND (changed_at > ? AND ${stateIn(['skipped'])} OR taken_at > ? AND ${stateIn(['missed'])}
         AND NOT EXISTS (SELECT 1 FROM schedule_runs AS later
           WHERE later.schedule = own.schedule AND later.due_at > own.due_at AND later.due_at <= ?))`,
      ...[JSON.stringify({ kind: 'waiting', for: 'figures' }), now, now, now, now + anHour, now, now],
    )
    return hiddenOrShown + reopened
  })
}

export const scheduleOperations = {
  /** Lists the schedules of an account, the oldest first. Skips unreadable ones. */
  'schedules/list': (from: Reader, account: AccountId): readonly StoredReportSchedule[] =>
    schedules.list(from, 'WHERE account = ? ORDER BY created_at, rowid', account),
  'schedules/put': putSchedule,
  /** Removes a schedule. Its runs stay until another one is removed. @throws DeskFailure `invalid` if it was removed */
  'schedules/remove': (from: Writer, which: OfAccount): StoredReportSchedule =>
    from.together(() => {
      const schedule = scheduleOf(from, which)
      if (!schedule) throw scheduleGone()
      from.write('DELETE FROM schedule_runs WHERE schedule NOT IN (SELECT id FROM schedules)')
      remove(from, 'schedules', { id: which.id })
      return schedule
    }),
  /** Lists the last runs of a schedule up to now, and those that have files, the newest first. */
  'schedule-runs/list': (
    from: Reader,
    { account, id, now }: OfAccount & { readonly now: Instant },
  ): readonly StoredRun[] =>
    runs.list(
      from,
      `WHERE account = ? AND schedule = ? AND ${isListed} ORDER BY day DESC LIMIT ?`,
      ...[account, id, now, maxRuns],
    ),
  /** Lists the days of all remembered runs of a schedule that can be listed. */
  'schedule-runs/days': (
    from: Reader,
    { account, id, now }: OfAccount & { readonly now: Instant },
  ): readonly Day[] =>
    runDays
      .list(from, `WHERE account = ? AND schedule = ? AND ${isListed}`, account, id, now)
      .map(({ day: dueDay }) => dueDay),
  /** Returns a run; null if there is none. */
  'schedule-runs/of': (from: Reader, { schedule, day: dueDay }: RunKey): StoredRun | null =>
    runs.first(from, 'WHERE schedule = ? AND day = ?', schedule, dueDay) ?? null,
  'schedule-runs/add': addRuns,
  'schedule-runs/correct': correctRuns,
  /** Lists the listed runs of an account that wait or are being made, the first due one first. */
  'schedule-runs/open': (
    from: Reader,
    { account, now }: { readonly account: AccountId; readonly now: Instant },
  ): readonly StoredRun[] =>
    runs.list(
      from,
      `WHERE account = ? AND schedule IN (SELECT id FROM schedules) AND ${stateIn(['waiting', 'making'])}
         AND ${isListed} ORDER BY due_at, number`,
      ...[account, now],
    ),
  /** Changes the state of a run, which is announced anew. @returns whether there is such a run */
  'schedule-runs/change': (into: Writer, { schedule, day: dueDay, state, changedAt }: RunChange): boolean =>
    update(into, 'schedule_runs', { schedule, day: dueDay }, { state, changedAt, toldAt: null }) > 0,
  /** Opens a missed or skipped run for the user, with those of its files that count. @returns false if it is another one */
  'schedule-runs/reopen': (
    into: Writer,
    {
      schedule,
      day: dueDay,
      changedAt,
      files,
    }: Omit<RunChange, 'state'> & { readonly files: readonly BegunFile[] },
  ): boolean => {
    const state: ScheduleRunState = { kind: 'waiting', for: 'figures', asked: true }
    return (
      into.write(
        `UPDATE schedule_runs SET state = ?, changed_at = ?, taken_at = ?, files = ?, told_at = NULL
         WHERE schedule = ? AND day = ? AND ${stateIn(['missed', 'skipped'])} AND ${isListed}`,
        ...[JSON.stringify(state), changedAt, changedAt, JSON.stringify(files), schedule, dueDay, changedAt],
      ) > 0
    )
  },
  'schedule-runs/write-files': (
    into: Writer,
    { schedule, day: dueDay, files }: RunKey & { readonly files: readonly BegunFile[] },
  ): void => void update(into, 'schedule_runs', { schedule, day: dueDay }, { files }),
  /** Lists the listed runs of all accounts that were made or skipped and not announced, the first due one first. */
  'schedule-runs/untold': (from: Reader, { now }: { readonly now: Instant }): readonly StoredRun[] =>
    runs.list(
      from,
      `WHERE told_at IS NULL AND ${stateIn(['made', 'skipped'])} AND ${isListed} ORDER BY due_at, number`,
      now,
    ),
  'schedule-runs/told': (
    into: Writer,
    { keys, toldAt }: { readonly keys: readonly RunKey[]; readonly toldAt: Instant },
  ): void =>
    into.together(() => {
      for (const { schedule, day: dueDay } of keys)
        update(into, 'schedule_runs', { schedule, day: dueDay }, { toldAt })
    }),
} as const
