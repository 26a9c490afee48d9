import * as v from 'valibot'
import {
  rawRequestId,
  rawScheduleEntry,
  rawScheduleId,
  rawTemplateEntry,
  rawTemplateId,
} from '#shared/bridge/schemas.ts'
import { branded, day, instant, json } from '#shared/values/schemas.ts'
import { invalid } from '#shared/api/failure.ts'
import type {
  RawRequestId,
  RawSchedule,
  RawScheduleId,
  RawTemplate,
  RawTemplateId,
} from '#shared/raw/requests.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, put, remove, table, update } from '../sqlite/database.ts'
import { insertRequest } from './raw-requests-repository.ts'
import type { StoredRequest } from './raw-requests-repository.ts'

/** Maximum templates, and schedules, per account. */
const maxOfEach = 500

type TemplateOfAccount = { readonly account: AccountId; readonly template: RawTemplate }

/** A stored schedule; its next occurrence is computed. */
export type StoredSchedule = Omit<RawSchedule, 'nextOccurrence'> & {
  readonly account: AccountId
  /** When the schedule was created, changed or resumed. Earlier occurrences do not count. */
  readonly since: Instant
}

/** A removed template with its references, so that it can be restored. */
export type RemovedTemplate = TemplateOfAccount & {
  readonly schedules: readonly StoredSchedule[]
  /** Requests made from the template, including those that became reports. */
  readonly requests: readonly { readonly id: RawRequestId; readonly schedule: RawScheduleId | null }[]
}

const uuid = v.pipe(v.string(), v.uuid())

const templates = table(
  'raw_templates',
  v.pipe(
    v.object({
      id: rawTemplateId,
      account: branded<AccountId>(uuid),
      name: v.string(),
      entry: json(rawTemplateEntry),
    }),
    v.transform(({ account, id, name, entry }): TemplateOfAccount => ({
      account,
      template: { ...entry, id, name },
    })),
  ),
)

const schedules = table(
  'raw_schedules',
  v.pipe(
    v.object({
      id: rawScheduleId,
      account: branded<AccountId>(uuid),
      entry: json(rawScheduleEntry),
      madeAt: instant,
      lastOccurrence: v.fallback(v.nullable(day), null),
    }),
    v.transform(({ entry, madeAt, ...rest }): StoredSchedule => ({ ...rest, ...entry, since: madeAt })),
  ),
  { lastOccurrence: 'last_turn' },
)

const templateGone = () => invalid('This template was deleted.', 'template')

/** @throws DeskFailure if the account was removed or is full */
function checkRoom(from: Reader, account: AccountId, table: 'raw_templates' | 'raw_schedules'): void {
  if (!has(from, 'accounts', { id: account })) throw invalid('This account has been removed.', 'account')
  const count = from.row(`SELECT count(*) AS count FROM ${table} WHERE account = ?`, account)?.['count']
  if (Number(count) >= maxOfEach)
    throw invalid(`There can be at most ${maxOfEach}. Remove some first.`, 'name')
}

/** Adds or changes a template. @throws DeskFailure about `name` if another template has it */
function putTemplate(
  into: Writer,
  { account, template, isNew }: TemplateOfAccount & { readonly isNew: boolean },
): void {
  into.together(() => {
    const { id, ...entry } = template
    const taken = 'SELECT 1 FROM raw_templates WHERE account = ? AND name = ? AND id <> ?'
    if (into.row(taken, account, entry.name, id)) {
      throw invalid('A template with this name already exists. Choose another.', 'name')
    }
    if (isNew) checkRoom(into, account, 'raw_templates')
    else if (!has(into, 'raw_templates', { account, id })) throw templateGone()
    put(into, 'raw_templates', ['id'], { id, account, name: entry.name, entry }, ['account'])
  })
}

/** Adds or changes a schedule; a change keeps its last occurrence. */
function putSchedule(
  into: Writer,
  { schedule, isNew }: { readonly schedule: StoredSchedule; readonly isNew: boolean },
): void {
  into.together(() => {
    const { id, account, template, when, paused, since, lastOccurrence } = schedule
    if (!has(into, 'raw_templates', { account, id: template })) throw templateGone()
    if (isNew) checkRoom(into, account, 'raw_schedules')
    else if (!has(into, 'raw_schedules', { account, id })) {
      throw invalid('This schedule was deleted.', 'schedule')
    }
    const entry = { template, when, paused }
    const values = { id, account, template, entry, madeAt: since, lastTurn: lastOccurrence }
    put(into, 'raw_schedules', ['id'], values, ['account', 'lastTurn'])
  })
}

/** Returns the template of a report; null if it has none or the template was deleted. */
function templateOf(
  from: Reader,
  { account, report }: { readonly account: AccountId; readonly report: RawReportId },
): RawTemplate | null {
  const found = templates.first(
    from,
    'WHERE id IN (SELECT template FROM raw_requests WHERE account = ? AND report = ?)',
    ...[account, report],
  )
  return found?.template ?? null
}

const madeByIt = table('raw_requests', v.object({ id: rawRequestId, schedule: v.nullable(rawScheduleId) }))

/** Removes a template and its schedules. @returns the removed data, or null if not found */
function removeTemplate(
  from: Writer,
  { account, id }: { readonly account: AccountId; readonly id: RawTemplateId },
): RemovedTemplate | null {
  return from.together(() => {
    const template = templates.first(from, 'WHERE account = ? AND id = ?', account, id)
    const itsSchedules = schedules.list(from, 'WHERE template = ? ORDER BY rowid', id)
    const requests = madeByIt.list(from, 'WHERE template = ?', id)
    remove(from, 'raw_templates', { account, id })
    return template ? { ...template, schedules: itsSchedules, requests } : null
  })
}

/**
 * Restores a removed template with its schedules, their occurrences, and its references in requests.
 * @throws DeskFailure about `name` if another template has it now
 */
function restoreTemplate(into: Writer, removed: RemovedTemplate): void {
  const { account, template, requests } = removed
  into.together(() => {
    putTemplate(into, { account, template, isNew: true })
    for (const schedule of removed.schedules) putSchedule(into, { schedule, isNew: true })
    for (const { id, schedule } of requests) {
      // A request that got another template meanwhile keeps that one.
      into.write(
        'UPDATE raw_requests SET template = ?, schedule = ? WHERE account = ? AND id = ? AND template IS NULL',
        ...[template.id, schedule, account, id],
      )
    }
  })
}

export const rawTemplateOperations = {
  'raw-templates/list': (from: Reader, account: AccountId): readonly RawTemplate[] =>
    templates
      .list(from, 'WHERE account = ? ORDER BY name COLLATE NOCASE, rowid', account)
      .map(({ template }) => template),
  'raw-templates/put': putTemplate,
  'raw-templates/remove': removeTemplate,
  'raw-templates/restore': restoreTemplate,
  'raw-templates/of-report': templateOf,
  'raw-schedules/list': (from: Reader, account: AccountId): readonly StoredSchedule[] =>
    schedules.list(from, 'WHERE account = ? ORDER BY rowid', account),
  'raw-schedules/put': putSchedule,
  'raw-schedules/remove': (
    from: Writer,
    { account, id }: { readonly account: AccountId; readonly id: RawScheduleId },
  ): void => void remove(from, 'raw_schedules', { account, id }),
  /**
   * Queues the request of an occurrence and stores the occurrence, in one transaction.
   * @returns false if the occurrence was already requested or the schedule was deleted
   */
  'raw-schedules/queue-occurrence': (
    into: Writer,
    request: StoredRequest & {
      readonly schedule: RawScheduleId
      readonly occurrence: NonNullable<StoredRequest['occurrence']>
    },
  ): boolean =>
    into.together(() => {
      if (!has(into, 'raw_schedules', { account: request.account, id: request.schedule })) return false
      const added = insertRequest(into, request)
      update(into, 'raw_schedules', { id: request.schedule }, { lastTurn: request.occurrence })
      return added
    }),
} as const
