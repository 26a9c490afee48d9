import * as v from 'valibot'
import type { About, DeskState } from '#shared/app/state.ts'
import type { BackupFacts, BackupMade, BeyondLimit, DiskUse } from '#shared/app/storage.ts'
import type { Brand } from '#shared/exports/order.ts'
import { keptLimits } from '#shared/app/settings.ts'
import type { DeskSettings, StoredSize } from '#shared/app/settings.ts'
import { anAccount, call, nothing } from '../call.ts'
import { brandColour, columnLayout, longText, reportPath, settingChanges } from '../schemas.ts'
import type { Layouts } from '#shared/views/saved-views.ts'

export const deskCalls = {
  'desk/state': call(nothing)<DeskState>(),
  /** Writes down which view is open, so that the next start opens it. */
  'desk/remember-view': call(v.strictObject({ view: v.pipe(v.string(), v.maxLength(8000)) }))<null>(),
  'desk/dismiss-notice': call(v.strictObject({ id: v.string() }))<null>(),
  /** The app itself, and what a problem report would hold. */
  'desk/about': call(nothing)<About>(),
  /** What others have made of it, with their licences, as plain text. */
  'desk/notices': call(nothing)<{ readonly text: string }>(),
  /** Saves the list of those parts for programs (CycloneDX) into the folder of downloads. @returns the file's name */
  'desk/save-parts-list': call(nothing)<{ readonly file: string }>(),
  /** Saves a problem report into the folder of downloads. @returns the file's name */
  'desk/save-problem-report': call(nothing)<{ readonly file: string }>(),
  /** Saves a backup of all but tokens into the folder of downloads, with the saved figures or without; `cancelled`. */
  'desk/back-up': call(v.strictObject({ figures: v.boolean() }))<BackupMade>(),
  /** Lets the person choose a backup, and checks it; null where they thought better of it. Nothing changes yet. */
  'desk/choose-backup': call(nothing)<BackupFacts | null>(),
  /** Starts the app again with the backup that was chosen in place of what is there. */
  'desk/restore-backup': call(nothing)<null>(),
  /** Forgets the backup that was chosen. */
  'desk/drop-backup': call(nothing)<null>(),
  /** Puts text into the system's clipboard. */
  'desk/copy': call(v.strictObject({ text: longText }))<null>(),
  'settings/read': call(nothing)<DeskSettings>(),
  /** Changes what is given; what cannot be done (starting at login, a folder) is a failure in words. */
  'settings/write': call(settingChanges)<DeskSettings>(),
  /** Lets the person choose the folder for downloads; null where they thought better of it. */
  'settings/choose-folder': call(nothing)<DeskSettings | null>(),
  /** How PDFs look, for all accounts. */
  'settings/brand': call(nothing)<Brand>(),
  /** Changes the colour; a logo can only be taken off here. */
  'settings/write-brand': call(
    v.strictObject({ colour: v.exactOptional(brandColour), logo: v.exactOptional(v.null()) }),
  )<Brand>(),
  /** Lets the person choose a picture as the logo; null where they thought better of it, a failure in words where it is none. */
  'settings/choose-logo': call(nothing)<Brand | null>(),
  'settings/kept-size': call(nothing)<StoredSize>(),
  /** What lies on the disk, by account and kind. */
  'settings/disk': call(nothing)<DiskUse>(),
  /** What a limit would remove, about. */
  'settings/beyond-limit': call(v.strictObject({ keptLimit: v.picklist(keptLimits) }))<BeyondLimit>(),
  /**
   * Removes every figure that is saved for an account. Its pinned views are fetched again. What is published stays, unless that is to go
   * too.
   */
  'settings/remove-figures': call(
    v.strictObject({ ...anAccount.entries, published: v.exactOptional(v.boolean()) }),
  )<null>(),
  /** How the columns of reports are laid out, where somebody changed them. */
  'layouts/read': call(nothing)<Layouts>(),
  /** Null puts the columns back as they come. */
  'layouts/write': call(v.strictObject({ report: reportPath, layout: v.nullable(columnLayout) }))<null>(),
} as const
