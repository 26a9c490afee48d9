import * as v from 'valibot'
import { bodyEncodings, proxyOrigin } from '../../accounts/account.ts'
import type { Account, ProxyOrigin, ProxyState } from '../../accounts/account.ts'
import { storageLimits } from '../../app/settings.ts'
import type { DeskSettings, StoredSize } from '../../app/settings.ts'
import { lockMinutes, passphraseLength, updateSteps } from '../../app/state.ts'
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
  settingChanges,
  ofAccount,
  text,
} from '../schemas.ts'

const storage = v.picklist(['keychain', 'session'])

export const accountCalls = {
  /** Checks the token against interface/instances, then keeps account and token and makes it the active one. */
  'accounts/connect': call(
    v.strictObject({
      name: shortText,
      address: shortText,
      token,
      storage,
      bodyEncoding: v.picklist(bodyEncodings),
    }),
  )<Account>(),
  /** Starts the stand-in service inside the app and makes its account, "Sample data", the active one. */
  'accounts/explore-sample': call(nothing)<Account>(),
  'accounts/activate': call(anAccount)<Account>(),
  /** Enters a new token for an account whose old one is refused or gone. */
  'accounts/renew-token': call(ofAccount({ token, storage }))<Account>(),
  /**
   * Changes a profile. A new address is tried out before it is kept: with the account's token, or with `newToken`, which an
   * address of another service needs. The sample account's address and encoding cannot be changed.
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
  /** Asks the service whether address and token hold; the number of instances that the token may see. */
  'accounts/check': call(anAccount)<{ readonly instances: number }>(),
  /** Gives up waiting for accounts/connect, accounts/edit, accounts/check and accounts/renew-token. */
  'accounts/cancel-check': call(nothing)<null>(),
  /** Removes the token and, with `everything`, the account with its views and all that is kept for it. */
  'accounts/remove': call(ofAccount({ what: v.picklist(['everything', 'token']) }))<null>(),
} as const

const proxy = v.custom<ProxyOrigin>((given) => typeof given === 'string' && proxyOrigin(given) === given)

export const proxyCalls = {
  /** The proxies that wait for a person, and those that somebody has signed in to. */
  'proxies/list': call(nothing)<readonly ProxyState[]>(),
  /** Asks a proxy, which has asked before, with a name and password; where it takes them, they are kept. */
  'proxies/sign-in': call(
    v.strictObject({
      proxy,
      name: shortText,
      password: shortText,
      storage: v.picklist(['keychain', 'session']),
    }),
  )<{ readonly stored: 'keychain' | 'session' }>(),
  /** Asks the proxies that wait once more, with what there is. */
  'proxies/try-again': call(nothing)<null>(),
  'proxies/forget': call(v.strictObject({ proxy }))<null>(),
} as const

export const deskCalls = {
  'desk/state': call(nothing)<DeskState>(),
  /** Writes down which view is open, so that the next start opens it. */
  'desk/remember-view': call(v.strictObject({ view: text(8000) }))<null>(),
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
  'settings/beyond-limit': call(v.strictObject({ storageLimit: v.picklist(storageLimits) }))<BeyondLimit>(),
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

const after = v.picklist(lockMinutes)
const passphrase = text(passphraseLength.max)

export const lockCalls = {
  'lock/state': call(nothing)<LockState>(),
  /** Locks at once; a failure in words where the lock is off. */
  'lock/now': call(nothing)<null>(),
  'lock/unlock': call(v.strictObject({ passphrase }))<null>(),
  /** Takes the lock off with the token of an account, typed again, and all tokens with it. */
  'lock/sign-in': call(v.strictObject({ address: shortText, token }))<null>(),
  /** A failure in words where no keychain answers. */
  'lock/switch-on': call(v.strictObject({ after, passphrase }))<null>(),
  'lock/change': call(v.strictObject({ after }))<null>(),
  'lock/switch-off': call(v.strictObject({ passphrase }))<null>(),
} as const

/** What a window may ask while it is locked. */
export const callsWhileLocked: ReadonlySet<string> = new Set<keyof typeof lockCalls>([
  'lock/state',
  'lock/unlock',
  'lock/sign-in',
])

/** Publishing saved figures into a folder for a team. `publishing/changed` tells how it goes. */
export const publishingCalls = {
  'publishing/read': call(anAccount)<Publication>(),
  /** Lets the person choose the folder, and begins; null where they thought better of it. */
  'publishing/choose-folder': call(anAccount)<Publication | null>(),
  /** Begins to publish, and reads every published file again to see that it is whole. */
  'publishing/start': call(anAccount)<Publication>(),
  /** Forgets the folder. What is published stays there. */
  'publishing/stop': call(anAccount)<Publication>(),
} as const

export const updateCalls = {
  'updates/read': call(nothing)<UpdateState>(),
  /** Does a step, and answers how it stands at its end; a step that has no place now changes nothing. Why it failed is in the state. */
  'updates/do': call(v.strictObject({ step: v.picklist(updateSteps) }))<UpdateState>(),
  /** Whether it is looked once a day. */
  'updates/daily': call(v.strictObject({ on: v.boolean() }))<UpdateState>(),
} as const
