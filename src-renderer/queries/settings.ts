import type { LockMinutes } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { failureOf, taken, readingOf, eachOpening } from './answers.ts'
import type { Asking } from './answers.ts'

/** The settings of the desk. `settings/changed` brings them anew (events.ts). */
export const deskSettings = (bridge: DeskBridge) => readingOf(bridge, ['settings'], 'settings/read')

/** Lets the person choose the folder for downloads; answers why it cannot be used. */
export const chooseFolder = ({ bridge, queries }: Asking): Promise<Failure | null> =>
  taken(queries, deskSettings(bridge), bridge.call('settings/choose-folder'))

/** How PDFs for clients look. */
export const brandOf = (bridge: DeskBridge) => readingOf(bridge, ['brand'], 'settings/brand')

export const writeBrand = ({ bridge, queries }: Asking, changes: CallArgument<'settings/write-brand'>) =>
  taken(queries, brandOf(bridge), bridge.call('settings/write-brand', changes))

export const chooseLogo = ({ bridge, queries }: Asking) =>
  taken(queries, brandOf(bridge), bridge.call('settings/choose-logo'))

/** What the saved figures of each account take. No event tells of it: it is measured with each opening. */
export const diskUse = (bridge: DeskBridge) =>
  eachOpening(bridge, ['stored size', 'accounts'], 'settings/disk')

/** What all saved figures take. */
export const storedSize = (bridge: DeskBridge) =>
  eachOpening(bridge, ['stored size', 'all'], 'settings/kept-size')

export const measureAnew = ({ queries }: Asking) => queries.invalidateQueries({ queryKey: ['stored size'] })

/** What a limit would remove. */
export const beyondLimit = ({ bridge }: Asking, limit: CallArgument<'settings/beyond-limit'>) =>
  bridge.call('settings/beyond-limit', limit)

/** Removes an account's saved figures, and what is published of them where that is said; answers why it could not. */
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

/** Whether the window locks, and when. `lock/changed` brings it anew (events.ts). */
export const lockOf = (bridge: DeskBridge) => readingOf(bridge, ['lock'], 'lock/state')

/** Changes after how long the window locks, where a passphrase is set. */
export const changeLock = ({ bridge }: Asking, after: LockMinutes): Promise<Failure | null> =>
  failureOf(bridge.call('lock/change', { after }))

/** Switches the lock on, or off where `after` is undefined; answers why it could not. */
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
