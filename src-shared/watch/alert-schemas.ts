import * as v from 'valibot'
import { familyNames } from '../api/dimensions.ts'
import { rowKey, viewAddress, whole } from '../bridge/schemas.ts'
import { branded, day } from '../values/schemas.ts'
import { alertMeasures, alertTellings, weekdays } from './alerts.ts'
import type { AlertCondition, AlertEntry, AlertId, FindingId, MuteId, MuteSubject } from './alerts.ts'

export const alertId = branded<AlertId>(v.pipe(v.string(), v.uuid()))
export const findingId = branded<FindingId>(v.pipe(v.string(), v.uuid()))
export const muteId = branded<MuteId>(v.pipe(v.string(), v.uuid()))

const value = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(1e12))

export const alertCondition: v.GenericSchema<unknown, AlertCondition> = v.variant('kind', [
  v.strictObject({ kind: v.picklist(['unusual', 'stopped']) }),
  v.strictObject({ kind: v.picklist(['above', 'below']), value }),
  v.strictObject({
    kind: v.picklist(['rose', 'fell']),
    percent: whole(1, 100_000),
    days: v.picklist([7, 28]),
  }),
])

export const alertEntry: v.GenericSchema<unknown, AlertEntry> = v.strictObject({
  view: viewAddress,
  family: v.picklist(familyNames),
  row: v.nullable(rowKey),
  measure: v.picklist(alertMeasures),
  condition: alertCondition,
  leastRequests: whole(0, 1e12),
  leastChange: whole(0, 100_000),
  weekdays: v.pipe(v.array(v.picklist(weekdays)), v.minLength(1), v.maxLength(7)),
  telling: v.picklist(alertTellings),
})

export const muteSubject: v.GenericSchema<unknown, MuteSubject> = v.variant('kind', [
  v.strictObject({ kind: v.literal('row'), alert: alertId, row: rowKey }),
  v.strictObject({ kind: v.literal('alert'), alert: alertId }),
  v.strictObject({ kind: v.literal('account') }),
])

export const mutedUntil = day
