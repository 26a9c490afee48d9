import * as v from 'valibot'
import type { ArchiveTask } from './archive-calls.ts'
import { addressScopes } from './address-scope.ts'

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0))
const modified = v.nullable(v.number())

const schema: v.GenericSchema<unknown, ArchiveTask> = v.variant('kind', [
  v.object({
    kind: v.literal('fetch'),
    url: v.string(),
    allowed: v.picklist(addressScopes),
    path: v.string(),
    part: v.object({ got: bytes, validator: v.nullable(v.string()) }),
    size: v.nullable(bytes),
    modified,
    timeouts: v.exactOptional(v.object({ connect: v.number(), firstByte: v.number(), idle: v.number() })),
  }),
  v.object({ kind: v.literal('settle'), path: v.string(), modified }),
  v.object({
    kind: v.literal('unpack'),
    path: v.string(),
    folder: v.string(),
    stem: v.string(),
    mark: v.pipe(v.string(), v.minLength(1)),
  }),
])

/** What the thread was started for. @throws ValiError where that is nothing of the kind */
export const archiveTask = (given: unknown): ArchiveTask => v.parse(schema, given)
