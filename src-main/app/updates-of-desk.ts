import { join } from 'node:path'
import type { Notice } from '#shared/app/state.ts'
import { systemClock } from '#main/lib/async.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Place } from '#main/shell/announcing.ts'
import { Updates } from '#main/updates/updates.ts'
import type { UpdatesParts } from '#main/updates/updates-parts.ts'
import type { DeskParts } from './desk-parts.ts'

type UpdatesOfDesk = Pick<DeskParts, 'folder' | 'updates' | 'version' | 'desktop' | 'shell' | 'log'> &
  Pick<UpdatesParts, 'store' | 'events'> & {
    /** How the network is reached. */
    readonly ways: UpdatesParts['fetching']
    readonly open: (place: Place) => void
    readonly showNotice: (notice: Notice) => void
  }

/** Updates, with what they need of the desk around them. */
export function updatesOfDesk(parts: UpdatesOfDesk): Updates {
  const { folder, updates, version, ways, shell, events, log, store } = parts
  return new Updates({
    ...updates,
    running: version,
    folder: join(folder, 'updates'),
    store,
    clock: systemClock,
    random: Math.random,
    fetching: ways,
    events,
    announce: (newer) => void announceUpdate(newer, parts),
    openFile: shell.openFile,
    restart: shell.restart,
    log: (words, error) => {
      log('updates', words, error)
    },
  })
}

/** A notification; a click leads to About. Where the desktop shows none, a notice in the window. */
export async function announceUpdate(
  version: string,
  {
    desktop,
    open,
    showNotice,
  }: Pick<UpdatesOfDesk, 'open' | 'showNotice'> & {
    readonly desktop: Pick<Desktop, 'notifier'>
  },
): Promise<void> {
  const title = `Traffic Desk ${version} is available`
  const body = 'Help, “About” shows what is new. Nothing changes until you say so.'
  const showing = {
    handing: () => undefined,
    act: () => {
      open({ kind: 'about' })
    },
  }
  try {
    await (await desktop.notifier()).show({ title, body, actions: [], urgent: false }, showing)
  } catch {
    showNotice({ id: 'update', tone: 'information', title, text: body })
  }
}
