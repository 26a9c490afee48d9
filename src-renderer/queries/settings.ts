import type { LockMinutes } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { failureOf, taken, readingOf, eachOpening } from './answers.ts'
import type { Asking } from './answers.ts'

/** Settings of the app. `settings/changed` carries the changes (events.ts). */
export const deskSettings = (bridge: DeskBridge) => readingOf(bridge, ['settings'], 'settings/read')

/** Lets the user choose the downloads folder. Returns the failure if it cannot be used, or null. */
export const chooseFolder = ({ bridge, queries }: Asking): Promise<Failure | null> =>
  taken(queries, deskSettings(bridge), bridge.call('settings/choose-folder'))

/** Branding of PDFs for clients. */
export const brandOf = (bridge: DeskBridge) => readingOf(bridge, ['brand'], 'settings/brand')

export const writeBrand = ({ bridge, queries }: Asking, changes: CallArgument<'settings/write-brand'>) =>
  taken(queries, brandOf(bridge), bridge.call('settings/write-brand', changes))

export const chooseLogo = ({ bridge, queries }: Asking) =>
  taken(queries, brandOf(bridge), bridge.call('settings/choose-logo'))

/** Disk use of the saved figures, per account. Measured on every mount, because no event reports changes. */
export const diskUse = (bridge: DeskBridge) =>
  eachOpening(bridge, ['stored size', 'accounts'], 'settings/disk')

/** Disk use of all saved figures. */
export const storedSize = (bridge: DeskBridge) =>
  eachOpening(bridge, ['stored size', 'all'], 'settings/kept-size')

export const measureAnew = ({ queries }: Asking) => queries.invalidateQueries({ queryKey: ['stored size'] })

/** Figures that a limit would remove. */
export const beyondLimit = ({ bridge }: Asking, limit: CallArgument<'settings/beyond-limit'>) =>
  bridge.call('settings/beyond-limit', limit)

/** Removes an account's saved figures, and with `published` its published history. Returns the failure, or null. */
export async function removeFigures(
  app: Asking,
  account: AccountId,
  published: boolean,
): Promise<Failure | null> {
  const failure = await failureOf(
    app.bridge.call('settings/remove-figures', { account, ...(published && { published }) }),
  )
  await measureAnew(app)
  return failure
}

/** Whether and when the window locks. `lock/changed` carries the changes (events.ts). */
export const lockOf = (bridge: DeskBridge) => readingOf(bridge, ['lock'], 'lock/state')

/** Changes the delay of the lock. */
export const changeLock = ({ bridge }: Asking, after: LockMinutes): Promise<Failure | null> =>
  failureOf(bridge.call('lock/change', { after }))

/** Turns the lock on, or off if `after` is undefined. Returns the failure, or null. */
export const setLock = (
  { bridge }: Asking,
  after: LockMinutes | undefined,
  passphrase: string,
): Promise<Failure | null> =>
  failureOf(
    after === undefined
      ? bridge.call('lock/switch-off', { passphrase })
      : bridge.call('lock/switch-on', { after, passphrase }),
  )
