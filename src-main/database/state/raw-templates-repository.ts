import * as v from 'valibot'
import {
  rawRequestId,
  rawScheduleEntry,
  rawScheduleId,
  rawTemplateEntry,
  rawTemplateId,
} from '#shared/bridge/schemas.ts'
import { day } from '#shared/values/schemas.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type {
  RawRequestId,
  RawSchedule,
  RawScheduleId,
  RawTemplate,
  RawTemplateId,
} from '#shared/raw/requests.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'
import { insertRequest } from './raw-requests-repository.ts'
import type { StoredRequest } from './raw-requests-repository.ts'

/** More than anybody chooses from. */
const maxOfEach = 500

type TemplateOfAccount = { readonly account: AccountId; readonly template: RawTemplate }

/** A schedule as it is kept; when its next turn is, is reckoned. */
export type StoredSchedule = Omit<RawSchedule, 'nextTurn'> & {
  readonly account: AccountId
  /** When it was made, changed or set going again: turns before then were never meant. */
  readonly since: Instant
}

/** A template that was removed, and all that knew it: enough to bring back the same one. */
export type RemovedTemplate = TemplateOfAccount & {
  readonly schedules: readonly StoredSchedule[]
  /** Requests that were made by it, those that became reports too. */
  readonly requests: readonly { readonly id: RawRequestId; readonly schedule: RawScheduleId | null }[]
}

const anAccount = v.pipe(
  v.string(),
  v.uuid(),
  v.transform((id) => id as AccountId),
)

const json = v.pipe(v.string(), v.parseJson())

const templateRow = v.pipe(
  v.object({
    id: rawTemplateId,
    account: anAccount,
    name: v.string(),
    entry: v.pipe(json, rawTemplateEntry),
  }),
  v.transform(({ account, id, name, entry }): TemplateOfAccount => ({
    account,
    template: { ...entry, id, name },
  })),
)

const scheduleRow = v.pipe(
  v.object({
    id: rawScheduleId,
    account: anAccount,
    entry: v.pipe(json, rawScheduleEntry),
    made_at: v.pipe(v.number(), v.integer()),
    last_turn: v.fallback(v.nullable(day), null),
  }),
  v.transform(({ id, account, entry, made_at, last_turn }): StoredSchedule => ({
    ...{ id, account, ...entry },
    since: made_at as Instant,
    lastTurn: last_turn,
  })),
)

/** A template from a row; undefined where the row is none. */
function templateFrom(row: Row): TemplateOfAccount | undefined {
  const read = v.safeParse(templateRow, row)
  return read.success ? read.output : undefined
}

/** A schedule from a row; undefined where the row is none. */
function scheduleFrom(row: Row): StoredSchedule | undefined {
  const read = v.safeParse(scheduleRow, row)
  return read.success ? read.output : undefined
}

const everyTemplate = 'SELECT * FROM raw_templates'
const everySchedule = 'SELECT * FROM raw_schedules'

const invalid = (message: string, field: string) => new DeskFailure({ kind: 'invalid', message, field })
const gone = () => invalid('This template has been removed.', 'template')

/** @throws DeskFailure where the account has gone, or has too many of these already */
function checkRoom(from: Reader, account: AccountId, table: 'raw_templates' | 'raw_schedules'): void {
  if (!from.row('SELECT 1 FROM accounts WHERE id = ?', account)) {
    throw invalid('This account has been removed.', 'account')
  }
  const count = from.row(`SELECT count(*) AS count FROM ${table} WHERE account = ?`, account)?.['count']
  if (Number(count) >= maxOfEach)
    throw invalid(`There can be at most ${maxOfEach}. Remove some first.`, 'name')
}

const isOf = (from: Reader, table: 'raw_templates' | 'raw_schedules', account: AccountId, id: string) =>
  from.row(`SELECT 1 FROM ${table} WHERE account = ? AND id = ?`, account, id) !== undefined

/** Adds a template, or changes the one that is there. @throws DeskFailure about `name` where another one has it */
function putTemplate(
  into: Writer,
  { account, template, isNew }: TemplateOfAccount & { readonly isNew: boolean },
): void {
  into.together(() => {
    const { id, ...entry } = template
    const taken = 'SELECT 1 FROM raw_templates WHERE account = ? AND name = ? AND id <> ?'
    if (into.row(taken, account, entry.name, id)) {
      throw invalid('There is a template of this name already. Choose another.', 'name')
    }
    if (isNew) checkRoom(into, account, 'raw_templates')
    else if (!isOf(into, 'raw_templates', account, id)) throw gone()
    into.write(
      `INSERT INTO raw_templates (id, account, name, entry) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, entry = excluded.entry`,
      ...[id, account, entry.name, JSON.stringify(entry)],
    )
  })
}

/** Adds a schedule, or changes the one that is there; its last turn stays. */
function putSchedule(
  into: Writer,
  { schedule, isNew }: { readonly schedule: StoredSchedule; readonly isNew: boolean },
): void {
  into.together(() => {
    const { id, account, template, when, paused, since, lastTurn } = schedule
    if (!isOf(into, 'raw_templates', account, template)) throw gone()
    if (isNew) checkRoom(into, account, 'raw_schedules')
    else if (!isOf(into, 'raw_schedules', account, id)) {
      throw invalid('This schedule has been removed.', 'schedule')
    }
    into.write(
      `INSERT INTO raw_schedules (id, account, template, entry, made_at, last_turn) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET template = excluded.template, entry = excluded.entry,
         made_at = excluded.made_at`,
      ...[id, account, template, JSON.stringify({ template, when, paused }), since, lastTurn],
    )
  })
}

/** The template that a report was asked for by; null where by none, or where that is gone. */
function templateOf(
  from: Reader,
  { account, report }: { readonly account: AccountId; readonly report: RawReportId },
): RawTemplate | null {
  const row = from.row(
    `SELECT raw_templates.* FROM raw_requests JOIN raw_templates ON raw_templates.id = raw_requests.template
     WHERE raw_requests.account = ? AND raw_requests.report = ?`,
    account,
    report,
  )
  return (row && templateFrom(row)?.template) ?? null
}

const madeByIt = v.object({ id: rawRequestId, schedule: v.nullable(rawScheduleId) })

/** Removes a template and its schedules. @returns what has gone; null where it was not there */
function removeTemplate(
  from: Writer,
  { account, id }: { readonly account: AccountId; readonly id: RawTemplateId },
): RemovedTemplate | null {
  return from.together(() => {
    const row = from.row(`${everyTemplate} WHERE account = ? AND id = ?`, account, id)
    const template = row && templateFrom(row)
    const schedules = from.rows(`${everySchedule} WHERE template = ? ORDER BY rowid`, id)
    const requests = from.rows('SELECT id, schedule FROM raw_requests WHERE template = ?', id)
    from.write('DELETE FROM raw_templates WHERE account = ? AND id = ?', account, id)
    if (!template) return null
    return {
      ...template,
      schedules: schedules.flatMap((schedule) => scheduleFrom(schedule) ?? []),
      requests: requests.flatMap((request) => {
        const read = v.safeParse(madeByIt, request)
        return read.success ? [read.output] : []
      }),
    }
  })
}

/**
 * Brings back a removed template: the same one, with its schedules and the turns they had, known by its requests again.
 * @throws DeskFailure about `name` where another one has it by now
 */
function restoreTemplate(into: Writer, { account, template, schedules, requests }: RemovedTemplate): void {
  into.together(() => {
    putTemplate(into, { account, template, isNew: true })
    for (const schedule of schedules) putSchedule(into, { schedule, isNew: true })
    for (const { id, schedule } of requests) {
      // One that was changed meanwhile is of the template that it was changed to.
      into.write(
        'UPDATE raw_requests SET template = ?, schedule = ? WHERE account = ? AND id = ? AND template IS NULL',
        ...[template.id, schedule, account, id],
      )
    }
  })
}

export const rawTemplateOperations = {
  'raw-templates/list': (from: Reader, account: AccountId): readonly RawTemplate[] =>
    from
      .rows(`${everyTemplate} WHERE account = ? ORDER BY name COLLATE NOCASE, rowid`, account)
      .flatMap((row) => templateFrom(row)?.template ?? []),
  'raw-templates/put': (into: Writer, put: Parameters<typeof putTemplate>[1]): null => {
    putTemplate(into, put)
    return null
  },
  'raw-templates/remove': removeTemplate,
  'raw-templates/restore': (into: Writer, removed: RemovedTemplate): null => {
    restoreTemplate(into, removed)
    return null
  },
  'raw-templates/of-report': templateOf,
  'raw-schedules/list': (from: Reader, account: AccountId): readonly StoredSchedule[] =>
    from
      .rows(`${everySchedule} WHERE account = ? ORDER BY rowid`, account)
      .flatMap((row) => scheduleFrom(row) ?? []),
  'raw-schedules/put': (into: Writer, put: Parameters<typeof putSchedule>[1]): null => {
    putSchedule(into, put)
    return null
  },
  'raw-schedules/remove': (
    from: Writer,
    { account, id }: { readonly account: AccountId; readonly id: RawScheduleId },
  ): null => {
    from.write('DELETE FROM raw_schedules WHERE account = ? AND id = ?', account, id)
    return null
  },
  /**
   * Puts the request of a turn into the queue and writes down that the turn was had: both or neither.
   * @returns false where it was asked for before, or the schedule is gone
   */
  'raw-schedules/take-turn': (
    into: Writer,
    request: StoredRequest & {
      readonly schedule: RawScheduleId
      readonly turn: NonNullable<StoredRequest['turn']>
    },
  ): boolean =>
    into.together(() => {
      if (!isOf(into, 'raw_schedules', request.account, request.schedule)) return false
      const added = insertRequest(into, request)
      into.write('UPDATE raw_schedules SET last_turn = ? WHERE id = ?', request.turn, request.schedule)
      return added
    }),
} as const
