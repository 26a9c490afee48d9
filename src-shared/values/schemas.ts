import * as v from 'valibot'
import { deskFailureKinds, serviceFailureKinds } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { parseDay } from './day.ts'
import type { Day } from './day.ts'
import type { Instant } from './ids.ts'

/** Text of a brand, such as an id; any text, unless `schema` says what it has to be. */
export const branded = <T extends string>(schema: v.GenericSchema<string> = v.string()) =>
  v.pipe(
    schema,
    v.transform((value) => value as T),
  )

/** A day as text: `2026-11-20`. */
export const day = v.pipe(
  v.string(),
  v.check((text) => parseDay(text) !== undefined, 'A day of the calendar, as 2026-11-20'),
  v.transform((text) => text as Day),
)

/** Milliseconds since 1970. */
export const instant = v.pipe(
  v.number(),
  v.integer(),
  v.transform((time) => time as Instant),
)

/** A failure as it lies among what is kept. */
export const failure: v.GenericSchema<unknown, Failure> = v.object({
  kind: v.picklist([...serviceFailureKinds, ...deskFailureKinds]),
  message: v.string(),
  said: v.exactOptional(v.string()),
  field: v.exactOptional(v.string()),
})

/** JSON text of what a schema takes. */
export const json = <S extends v.GenericSchema>(schema: S) => v.pipe(v.string(), v.parseJson(), schema)

/** What a schema makes of JSON text; undefined where that is none, or it is refused. */
export function readJson<T>(schema: v.GenericSchema<unknown, T>, text: string): T | undefined {
  const read = v.safeParse(json(schema), text)
  return read.success ? read.output : undefined
}
