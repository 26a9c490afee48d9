import { createContext } from 'svelte'
import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { Clock } from './clock.svelte.ts'
import type { Desk } from './desk.svelte.ts'
import type { FirstColumns } from './first-columns.svelte.ts'
import type { HeadStart } from './head-start.ts'
import type { Navigation } from './navigation.svelte.ts'
import type { Shown } from './shown.svelte.ts'

/** What every part of the window may reach. */
export type App = {
  readonly bridge: DeskBridge
  readonly desk: Desk
  readonly navigation: Navigation
  readonly clock: Clock
  readonly shown: Shown
  readonly firstColumns: FirstColumns
  readonly headStart: HeadStart
}

export const [useApp, provideApp] = createContext<App>()
