import * as v from 'valibot'
import { failure } from '../values/schemas.ts'
import { recountReasons, recountVerdicts } from './answers.ts'
import type { Recount } from './answers.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** A recount as it lies among what is kept. */
export const recount: v.GenericSchema<unknown, Recount> = v.object({
  figures: v.array(
    v.object({ day: v.string(), member: v.string(), counted: count, saved: v.nullable(count) }),
  ),
  compared: v.object({ counted: count, saved: count, differing: count }),
  verdict: v.picklist(recountVerdicts),
  reasons: v.array(v.picklist(recountReasons)),
  failure: v.nullable(failure),
})
