import type { DeskBridge } from '#shared/bridge/calls.ts'
import { createQueryClient } from '../queries/client.ts'
import { announcement } from '#shared/texts/exports.ts'
import type { App } from './app.ts'
import { Clock } from './clock.svelte.ts'
import { Commands } from './commands.svelte.ts'
import { ContextMenu } from './context-menu.svelte.ts'
import { Desk } from './desk.svelte.ts'
import { Drafts } from './drafts.ts'
import { Exports } from './exports.svelte.ts'
import { Layouts } from './layouts.svelte.ts'
import { Messages } from './messages.svelte.ts'
import { Navigation } from './navigation.svelte.ts'
import { RawRemovals } from './raw-removals.svelte.ts'
import { Settings } from './settings.svelte.ts'
import { Shown } from './shown.svelte.ts'

/** All that a window's parts reach, made once for it. */
export function createApp(bridge: DeskBridge, view: Window): App {
  const queries = createQueryClient(bridge)
  const messages = new Messages(view)
  const navigation = new Navigation(bridge, view)
  const desk = new Desk(bridge, () => navigation.forgetFilters())
  const drafts = new Drafts(
    () => view.localStorage,
    () => [desk.account?.id ?? '', view.location.hash],
  )
  bridge.on('accounts/changed', ({ accounts }) => drafts.keepOnly(accounts.map(({ id }) => id)))
  return {
    bridge,
    queries,
    desk,
    navigation,
    clock: new Clock(view),
    shown: new Shown(),
    settings: new Settings({ bridge, queries }),
    layouts: new Layouts(bridge),
    exports: new Exports({ bridge, queries }, view, (ended) => messages.note(announcement(ended))),
    drafts,
    removals: new RawRemovals(bridge, messages),
    messages,
    commands: new Commands(),
    menu: new ContextMenu(),
  }
}
