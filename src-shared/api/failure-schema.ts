import * as v from 'valibot'
import { deskFailureKinds, serviceFailureKinds } from './failure.ts'
import type { Failure } from './failure.ts'

/** A failure as it lies among what is kept. */
export const failure: v.GenericSchema<unknown, Failure> = v.object({
  kind: v.picklist([...serviceFailureKinds, ...deskFailureKinds]),
  message: v.string(),
  said: v.exactOptional(v.string()),
  field: v.exactOptional(v.string()),
})
