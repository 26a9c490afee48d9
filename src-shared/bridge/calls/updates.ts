import * as v from 'valibot'
import { updateSteps } from '#shared/app/state.ts'
import type { UpdateState } from '#shared/app/state.ts'
import { call, nothing } from '../call.ts'

export const updateCalls = {
  'updates/read': call(nothing)<UpdateState>(),
  /** Does a step, and answers how it stands at its end; a step that has no place now changes nothing. Why it failed is in the state. */
  'updates/do': call(v.strictObject({ step: v.picklist(updateSteps) }))<UpdateState>(),
  /** Whether it is looked once a day. */
  'updates/daily': call(v.strictObject({ on: v.boolean() }))<UpdateState>(),
} as const
