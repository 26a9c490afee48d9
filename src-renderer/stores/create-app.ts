import type { DeskBridge } from '#shared/bridge/calls.ts'
import { createQueryClient } from '../queries/client.ts'
import { notRemoved } from '../queries/raw.ts'
import { announcement } from '#shared/texts/jobs.ts'
import { formats } from '../components/formats.ts'
import type { WindowApp } from './app.ts'
import { WindowClock } from './clock.svelte.ts'
import { Commands } from './commands.svelte.ts'
import { ContextMenu } from './context-menu.svelte.ts'
import { Desk } from './desk.svelte.ts'
import { Drafts } from './drafts.ts'
import { Explaining } from './explain.svelte.ts'
import { ShownExports } from './exports.svelte.ts'
import { ColumnLayouts } from './layouts.svelte.ts'
import { Messages } from './messages.svelte.ts'
import { Navigation } from './navigation.svelte.ts'
import { OpenForm } from './open-form.svelte.ts'
import { WindowSettings } from './settings.svelte.ts'
import { ShownQueries } from './shown-queries.svelte.ts'

/** Creates the state and services of a window. */
export function createApp(bridge: DeskBridge, view: Window): WindowApp {
  const queries = createQueryClient(bridge)
  const messages = new Messages(view)
  const navigation = new Navigation(bridge, view)
  const desk = new Desk({ bridge, queries }, navigation)
  const drafts = new Drafts(
    () => view.localStorage,
    () => [desk.account?.id ?? '', view.location.hash],
  )
  bridge.on('accounts/changed', ({ accounts }) => drafts.removeOthers(accounts.map(({ id }) => id)))
  bridge.on('raw/removed', ({ account, done, failed }) => {
    if (failed.length === 0) return
    queries.setQueryData(notRemoved(account).queryKey, (known = []) => [...known, ...failed])
    const all = done.length + failed.length
    messages.show(
      all === 1 ? 'The report was not removed.' : `${failed.length} of ${all} reports were not removed.`,
    )
  })
  return {
    bridge,
    queries,
    desk,
    navigation,
    clock: new WindowClock(view),
    shownQueries: new ShownQueries(),
    settings: new WindowSettings({ bridge, queries }),
    layouts: new ColumnLayouts(bridge),
    exports: new ShownExports({ bridge, queries }, view, (ended) =>
      messages.note(announcement(ended, formats)),
    ),
    drafts,
    messages,
    commands: new Commands(),
    menu: new ContextMenu(),
    explain: new Explaining(),
    noteForm: new OpenForm(),
    alertForm: new OpenForm(),
    scheduleForm: new OpenForm(),
  }
}
