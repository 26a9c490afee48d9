import * as v from 'valibot'
import { rawReportId } from '../../src-shared/bridge/raw-schemas.ts'
import type { RawRequestState } from '../../src-shared/raw/asking.ts'
import type { AccountId, Instant, RawReportId } from '../../src-shared/values/ids.ts'
import type { Row, Writer } from './database.ts'
import { freeName } from './free-name.ts'
import { everyRequest, insertRequest, mostRequests, requestFrom } from './raw-requests-repository.ts'
import type { StoredRequest } from './raw-requests-repository.ts'
import {
  everySchedule,
  everyTemplate,
  mostOfEach,
  putSchedule,
  putTemplate,
  scheduleFrom,
  templateFrom,
} from './raw-templates-repository.ts'
import type { StoredSchedule, TemplateOfAccount } from './raw-templates-repository.ts'

/** What is left in a damaged file of what is asked for: templates, schedules, and the queue in its order. */
export type CarriedAsking = {
  readonly templates: readonly TemplateOfAccount[]
  readonly schedules: readonly StoredSchedule[]
  readonly requests: readonly { readonly request: StoredRequest; readonly report: RawReportId | null }[]
}

export const noAsking: CarriedAsking = { templates: [], schedules: [], requests: [] }

/** @param rows reads as many rows as can be read */
export function askingLeft(rows: (sql: string) => readonly Row[]): CarriedAsking {
  return {
    templates: rows(everyTemplate).flatMap((row) => templateFrom(row) ?? []),
    schedules: rows(everySchedule).flatMap((row) => scheduleFrom(row) ?? []),
    requests: rows(everyRequest)
      .toSorted((a, b) => Number(a['place']) - Number(b['place']))
      .flatMap((row) => {
        const request = requestFrom(row)
        const report = v.safeParse(v.nullable(rawReportId), row['report'])
        return request && report.success ? [{ request, report: report.output }] : []
      }),
  }
}

const once = <T>(all: readonly T[], idOf: (each: T) => string): T[] => [
  ...new Map(all.map((each) => [idOf(each), each])).values(),
]

/**
 * Writes it into a new file. What the damaged one says of its requests may be old: one that waited may have been sent
 * since, so it is for the person to send it; and turns of schedules count from now on.
 */
export function carryAsking(into: Writer, account: AccountId, left: CarriedAsking, now: Instant): void {
  const ofAccount = (each: { readonly account: AccountId }) => each.account === account
  const names = new Set<string>()
  for (const { template } of once(left.templates.filter(ofAccount), (each) => each.template.id).slice(
    0,
    mostOfEach,
  )) {
    const name = freeName(template.name, names)
    names.add(name)
    putTemplate(into, { account, template: { ...template, name }, isNew: true })
  }
  const isThere = (table: 'raw_templates' | 'raw_schedules', id: string) =>
    into.row(`SELECT 1 FROM ${table} WHERE account = ? AND id = ?`, account, id) !== undefined
  for (const schedule of once(left.schedules.filter(ofAccount), ({ id }) => id).slice(0, mostOfEach)) {
    if (!isThere('raw_templates', schedule.template)) continue
    putSchedule(into, { schedule: { ...schedule, since: now }, isNew: true })
  }
  const requests = left.requests.filter(({ request }) => ofAccount(request))
  for (const { request, report } of requests.slice(-mostRequests)) {
    const { schedule, state, sentAt, madeAt } = request
    const mayBeSent: RawRequestState = state.as === 'refused' ? state : { as: 'unclear', since: now }
    const planned = schedule !== null && isThere('raw_schedules', schedule)
    const carried = { ...request, state: mayBeSent, sentAt: sentAt ?? madeAt }
    if (!insertRequest(into, planned ? carried : { ...carried, schedule: null, turn: null })) continue
    if (report !== null) into.write('UPDATE raw_requests SET report = ? WHERE id = ?', report, request.id)
  }
}
