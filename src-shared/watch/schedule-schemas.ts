import * as v from 'valibot'
import { savedViewId, someOf, text, whole } from '../bridge/schemas.ts'
import { caseId } from '../cases/case.ts'
import { branded } from '../values/schemas.ts'
import { weekdays } from './alerts.ts'
import {
  formatsOf,
  longestScheduleName,
  maxScheduledViews,
  patienceLimits,
  scheduleFormats,
} from './schedules.ts'
import type { ScheduleEntry, ScheduleId, ScheduleRule, ScheduleSubject } from './schedules.ts'

export const scheduleId = branded<ScheduleId>(v.pipe(v.string(), v.uuid()))

export const scheduleRule: v.GenericSchema<unknown, ScheduleRule> = v.strictObject({
  days: v.variant('kind', [
    v.strictObject({ kind: v.literal('week'), weekdays: someOf(v.picklist(weekdays), weekdays.length) }),
    v.strictObject({ kind: v.literal('month'), day: whole(1, 31) }),
  ]),
  hour: whole(0, 23),
  minute: whole(0, 59),
  /** Any name: a backup of another system may have a zone that this system does not know. Saving has words for it. */
  zone: text(1000),
})

const scheduleSubject: v.GenericSchema<unknown, ScheduleSubject> = v.variant('kind', [
  v.strictObject({ kind: v.literal('views'), views: someOf(savedViewId, maxScheduledViews) }),
  v.strictObject({ kind: v.literal('today') }),
  v.strictObject({ kind: v.literal('case'), id: caseId }),
])

/** Names may be longer than allowed: saving has words for it. Only views have days that become final. */
export const scheduleEntry: v.GenericSchema<unknown, ScheduleEntry> = v.pipe(
  v.strictObject({
    name: text(20_000),
    fileNames: text(longestScheduleName),
    subject: scheduleSubject,
    format: v.picklist(scheduleFormats),
    rule: scheduleRule,
    folder: v.nullable(text(10_000)),
    settled: v.boolean(),
    patience: whole(patienceLimits.min, patienceLimits.max),
    paused: v.boolean(),
  }),
  v.check(({ subject, format }) => formatsOf(subject.kind).includes(format), 'A format of the subject'),
  v.transform((entry) => ({ ...entry, settled: entry.settled && entry.subject.kind === 'views' })),
)
