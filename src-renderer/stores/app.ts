import type { QueryClient } from '@tanstack/svelte-query'
import { createContext } from 'svelte'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { WindowClock } from './clock.svelte.ts'
import type { Commands } from './commands.svelte.ts'
import type { ContextMenu } from './context-menu.svelte.ts'
import type { Desk } from './desk.svelte.ts'
import type { Drafts } from './drafts.ts'
import type { Explaining } from './explain.svelte.ts'
import type { ShownExports } from './exports.svelte.ts'
import type { Messages } from './messages.svelte.ts'
import type { ColumnLayouts } from './layouts.svelte.ts'
import type { Navigation } from './navigation.svelte.ts'
import type { AlertPlace, NotePlace, OpenForm, SchedulePlace } from './open-form.svelte.ts'
import type { WindowSettings } from './settings.svelte.ts'
import type { ShownQueries } from './shown-queries.svelte.ts'

/** State and services that every component can access. */
export type WindowApp = {
  readonly bridge: DeskBridge
  /** Cache of the queries in `queries/`. */
  readonly queries: QueryClient
  readonly desk: Desk
  readonly navigation: Navigation
  readonly clock: WindowClock
  readonly shownQueries: ShownQueries
  readonly settings: WindowSettings
  readonly layouts: ColumnLayouts
  readonly exports: ShownExports
  readonly drafts: Drafts
  readonly messages: Messages
  readonly commands: Commands
  readonly menu: ContextMenu
  readonly explain: Explaining
  readonly noteForm: OpenForm<NotePlace>
  readonly alertForm: OpenForm<AlertPlace>
  readonly scheduleForm: OpenForm<SchedulePlace>
}

export const [useApp, provideApp] = createContext<WindowApp>()
