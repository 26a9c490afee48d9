import { instantOf } from './ids.ts'
import * as v from 'valibot'
import { deskFailureKinds, serviceFailureKinds } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { isZone, parseDay } from './day.ts'
import type { Day } from './day.ts'

/** Schema of a branded text, such as an id. Accepts any text unless `schema` restricts it. */
export const branded = <T extends string>(schema: v.GenericSchema<string> = v.string()) =>
  v.pipe(
    schema,
    v.transform((value) => value as T),
  )

/** Schema of a day: `2026-11-20`. */
export const day = v.pipe(
  v.string(),
  v.check((text) => parseDay(text) !== undefined, 'A day of the calendar, as 2026-11-20'),
  v.transform((text) => text as Day),
)

/** Schema of an IANA zone. */
export const zone = v.pipe(v.string(), v.maxLength(1000), v.check(isZone, 'A zone, as Europe/Berlin'))

/** Schema of milliseconds since 1970. */
export const instant = v.pipe(
  v.number(),
  v.integer(),
  v.transform((time) => instantOf(time)),
)

/** Schema of a stored failure. */
export const failure: v.GenericSchema<unknown, Failure> = v.object({
  kind: v.picklist([...serviceFailureKinds, ...deskFailureKinds]),
  message: v.string(),
  said: v.exactOptional(v.string()),
  field: v.exactOptional(v.string()),
})

/** Schema of a JSON text. */
export const json = <S extends v.GenericSchema>(schema: S) => v.pipe(v.string(), v.parseJson(), schema)

/** Parses JSON text with a schema. Returns undefined if the text is no JSON or the schema rejects it. */
export function readJson<T>(schema: v.GenericSchema<unknown, T>, text: string): T | undefined {
  const read = v.safeParse(json(schema), text)
  return read.success ? read.output : undefined
}
