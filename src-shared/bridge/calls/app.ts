import * as v from 'valibot'
import { bodyEncodings, proxyOrigin } from '../../accounts/account.ts'
import type { Account, ProxyOrigin, ProxyState } from '../../accounts/account.ts'
import { storageLimits } from '../../app/settings.ts'
import type { DeskSettings, StoredSize } from '../../app/settings.ts'
import { lockMinutes, passphraseLength } from '../../app/state.ts'
import type { About, DeskState, LockState, UpdateState } from '../../app/state.ts'
import type { BackupFacts, BackupMade, BeyondLimit, DiskUse, Publication } from '../../app/storage.ts'
import type { Brand } from '../../exports/order.ts'
import type { Layouts } from '../../views/saved-views.ts'
import {
  anAccount,
  call,
  nothing,
  shortText,
  token,
  windows,
  brandColour,
  columnLayout,
  longText,
  reportPath,
  ofAccount,
  text,
} from '../schemas.ts'
import { settingChanges } from '../setting-schemas.ts'

const storage = v.picklist(['keychain', 'session'])

export const accountCalls = {
  /** Verifies the token with interface/instances, then saves the account with its token and activates it. */
  'accounts/connect': call(
    v.strictObject({
      name: shortText,
      address: shortText,
      token,
      storage,
      bodyEncoding: v.picklist(bodyEncodings),
    }),
  )<Account>(),
  /** Starts the sandbox and activates its account, "Sample data". */
  'accounts/explore-sample': call(nothing)<Account>(),
  'accounts/activate': call(anAccount)<Account>(),
  /** Replaces an account's refused or missing token. */
  'accounts/renew-token': call(ofAccount({ token, storage }))<Account>(),
  /**
   * Changes a profile. A new address is verified before it is saved, with the account's token or `newToken`. An address
   * of another service needs `newToken`. The sample account's address and encoding cannot change.
   */
  'accounts/edit': call(
    ofAccount({
      name: shortText,
      address: shortText,
      bodyEncoding: v.picklist(bodyEncodings),
      dayZone: shortText,
      windows,
      newToken: v.optional(v.strictObject({ token, storage })),
    }),
  )<Account>(),
  /** Verifies address and token. Returns the number of instances that the token sees. */
  'accounts/check': call(anAccount)<{ readonly instances: number }>(),
  /** Cancels accounts/connect, accounts/edit, accounts/check and accounts/renew-token. */
  'accounts/cancel-check': call(nothing)<null>(),
  /** Removes the token or, with `everything`, the account with its views and all stored data. */
  'accounts/remove': call(ofAccount({ what: v.picklist(['everything', 'token']) }))<null>(),
} as const

const proxy = v.custom<ProxyOrigin>((given) => typeof given === 'string' && proxyOrigin(given) === given)

export const proxyCalls = {
  /** Proxies that require credentials, and those that have them. */
  'proxies/list': call(nothing)<readonly ProxyState[]>(),
  /** Sends credentials to a proxy that has requested them, and stores them if accepted. */
  'proxies/sign-in': call(
    v.strictObject({
      proxy,
      name: shortText,
      password: shortText,
      storage: v.picklist(['keychain', 'session']),
    }),
  )<{ readonly stored: 'keychain' | 'session' }>(),
  /** Retries the proxies that require credentials, with those available. */
  'proxies/try-again': call(nothing)<null>(),
  'proxies/forget': call(v.strictObject({ proxy }))<null>(),
} as const

export const deskCalls = {
  'desk/state': call(nothing)<DeskState>(),
  /** Stores the address of the open view for the next start. */
  'desk/remember-view': call(v.strictObject({ view: text(8000) }))<null>(),
  'desk/dismiss-notice': call(v.strictObject({ id: v.string() }))<null>(),
  /** Information about the app, and the content of a problem report. */
  'desk/about': call(nothing)<About>(),
  /** Licences of third-party components, as plain text. */
  'desk/notices': call(nothing)<{ readonly text: string }>(),
  /** Saves the list of components (CycloneDX) to the downloads folder. @returns the file's name */
  'desk/save-parts-list': call(nothing)<{ readonly file: string }>(),
  /** Saves a problem report to the downloads folder. @returns the file's name */
  'desk/save-problem-report': call(nothing)<{ readonly file: string }>(),
  /** Saves a backup without tokens to the downloads folder, with or without saved figures. Can fail as `cancelled`. */
  'desk/back-up': call(v.strictObject({ figures: v.boolean() }))<BackupMade>(),
  /** Opens a dialog for a backup and verifies the file. Returns null if the user cancels. Nothing is restored yet. */
  'desk/choose-backup': call(nothing)<BackupFacts | null>(),
  /** Restarts the app with the chosen backup in place of the current data. */
  'desk/restore-backup': call(nothing)<null>(),
  /** Discards the chosen backup. */
  'desk/drop-backup': call(nothing)<null>(),
  /** Copies text to the clipboard. */
  'desk/copy': call(v.strictObject({ text: longText }))<null>(),
  'settings/read': call(nothing)<DeskSettings>(),
  /** Changes the given settings. Fails if a setting cannot be applied (start at login, a folder). */
  'settings/write': call(settingChanges)<DeskSettings>(),
  /** Opens a dialog for the downloads folder. Returns null if the user cancels. */
  'settings/choose-folder': call(nothing)<DeskSettings | null>(),
  /** Branding of PDFs, for all accounts. */
  'settings/brand': call(nothing)<Brand>(),
  /** Changes the colour, or removes the logo. */
  'settings/write-brand': call(
    v.strictObject({ colour: v.exactOptional(brandColour), logo: v.exactOptional(v.null()) }),
  )<Brand>(),
  /** Opens a dialog for the logo. Returns null if the user cancels. Fails if the file is no picture. */
  'settings/choose-logo': call(nothing)<Brand | null>(),
  'settings/kept-size': call(nothing)<StoredSize>(),
  /** Disk usage by account and kind. */
  'settings/disk': call(nothing)<DiskUse>(),
  /** Estimate of what a limit would remove. */
  'settings/beyond-limit': call(v.strictObject({ storageLimit: v.picklist(storageLimits) }))<BeyondLimit>(),
  /**
   * Removes all saved figures of an account. Pinned views are fetched again. Published files are removed only with
   * `published`.
   */
  'settings/remove-figures': call(
    v.strictObject({ ...anAccount.entries, published: v.exactOptional(v.boolean()) }),
  )<null>(),
  /** Column layouts that the user changed. */
  'layouts/read': call(nothing)<Layouts>(),
  /** Null restores the default layout. */
  'layouts/write': call(v.strictObject({ report: reportPath, layout: v.nullable(columnLayout) }))<null>(),
} as const

const after = v.picklist(lockMinutes)
const passphrase = text(passphraseLength.max)

export const lockCalls = {
  'lock/state': call(nothing)<LockState>(),
  /** Locks at once. Fails if the lock is off. */
  'lock/now': call(nothing)<null>(),
  'lock/unlock': call(v.strictObject({ passphrase }))<null>(),
  /** Removes the lock and the tokens of all accounts. Requires the token of one account. */
  'lock/sign-in': call(v.strictObject({ address: shortText, token }))<null>(),
  /** Fails if no keychain is available. */
  'lock/switch-on': call(v.strictObject({ after, passphrase }))<null>(),
  'lock/change': call(v.strictObject({ after }))<null>(),
  'lock/switch-off': call(v.strictObject({ passphrase }))<null>(),
} as const

/** Calls that are allowed while the window is locked. */
export const callsWhileLocked: ReadonlySet<string> = new Set<keyof typeof lockCalls>([
  'lock/state',
  'lock/unlock',
  'lock/sign-in',
])

/** Publishing of saved figures to a shared folder. `publishing/changed` has the progress. */
export const publishingCalls = {
  'publishing/read': call(anAccount)<Publication>(),
  /** Opens a dialog for the folder and starts publishing. Returns null if the user cancels. */
  'publishing/choose-folder': call(anAccount)<Publication | null>(),
  /** Starts publishing, and verifies every published file. */
  'publishing/start': call(anAccount)<Publication>(),
  /** Forgets the folder. Published files remain. */
  'publishing/stop': call(anAccount)<Publication>(),
} as const

export const updateCalls = {
  'updates/read': call(nothing)<UpdateState>(),
  /** Checks for a newer version. Returns the state afterwards, with any failure. */
  'updates/check': call(nothing)<UpdateState>(),
  /** Switches the daily check on or off. */
  'updates/daily': call(v.strictObject({ on: v.boolean() }))<UpdateState>(),
} as const
