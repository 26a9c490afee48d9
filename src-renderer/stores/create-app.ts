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
import { SavedViews } from './saved-views.svelte.ts'
import { Settings } from './settings.svelte.ts'
import { Shown } from './shown.svelte.ts'
import { Sync } from './sync.svelte.ts'

/** All that a window's parts reach, made once for it. */
export function createApp(bridge: DeskBridge, view: Window): App {
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
    queries: createQueryClient(bridge),
    desk,
    navigation,
    clock: new Clock(view),
    shown: new Shown(),
    settings: new Settings(bridge),
    layouts: new Layouts(bridge),
    savedViews: new SavedViews(bridge),
    sync: new Sync(bridge),
    exports: new Exports(bridge, view, (ended) => messages.note(announcement(ended))),
    drafts,
    removals: new RawRemovals(bridge, messages),
    messages,
    commands: new Commands(),
    menu: new ContextMenu(),
  }
}
