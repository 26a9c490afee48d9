import * as v from 'valibot'
import { callLimits, densities, formatTags, storageLimits, themes } from '../app/settings.ts'
import type { QuietHours, TimeOfDay } from '../app/settings.ts'
import { announcementKinds, savingRules } from '../raw/settings.ts'
import type { RawSettings } from '../raw/settings.ts'
import { csvFormNames } from '../values/delimited.ts'
import { branded } from '../values/schemas.ts'
import { columnNames, neverBlocked, ruleNames, whole } from './schemas.ts'

const rawEntries = {
  saving: v.picklist(savingRules),
  fileNames: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  unpack: v.boolean(),
  /** Slower than a modem or faster than any network is a typing mistake. */
  bandwidth: v.nullable(whole(10, 1_000_000)),
  additionalColumns: whole(0, 1000),
}

export const rawSettings: v.GenericSchema<unknown, RawSettings> = v.strictObject({
  ...rawEntries,
  announce: v.strictObject(v.entriesFromList(announcementKinds, v.boolean())),
})

/** Maximum number of calls for one composed table. */
export const mostCalls = whole(callLimits.min, callLimits.max)

export const morningAt = branded<TimeOfDay>(v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/)))

export const quietHours: v.GenericSchema<unknown, QuietHours | null> = v.nullable(
  v.strictObject({ from: morningAt, to: morningAt }),
)

/** Changed settings. The folder can only be reset here, because it is chosen in a dialog. */
export const settingChanges = v.strictObject({
  theme: v.exactOptional(v.picklist(themes)),
  density: v.exactOptional(v.picklist(densities)),
  formats: v.exactOptional(v.picklist(formatTags)),
  csv: v.exactOptional(v.picklist(csvFormNames)),
  downloadFolder: v.exactOptional(v.null()),
  startAtLogin: v.exactOptional(v.boolean()),
  closeToTray: v.exactOptional(v.boolean()),
  storageLimit: v.exactOptional(v.picklist(storageLimits)),
  savesLooks: v.exactOptional(v.boolean()),
  mostCalls: v.exactOptional(mostCalls),
  ruleNames: v.exactOptional(ruleNames),
  columnNames: v.exactOptional(columnNames),
  readsIn: v.exactOptional(v.boolean()),
  neverBlocked: v.exactOptional(neverBlocked),
  morningAt: v.exactOptional(morningAt),
  quietHours: v.exactOptional(quietHours),
  raw: v.exactOptional(
    v.strictObject({
      announce: v.exactOptional(
        v.strictObject(v.entriesFromList(announcementKinds, v.exactOptional(v.boolean()))),
      ),
      saving: v.exactOptional(rawEntries.saving),
      fileNames: v.exactOptional(rawEntries.fileNames),
      unpack: v.exactOptional(rawEntries.unpack),
      bandwidth: v.exactOptional(rawEntries.bandwidth),
      additionalColumns: v.exactOptional(rawEntries.additionalColumns),
    }),
  ),
})
