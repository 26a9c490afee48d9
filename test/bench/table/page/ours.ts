import type {} from 'svelte'
/// <reference types="vite/client" />
import { flushSync, mount } from 'svelte'
import '../../../../src-renderer/theme/theme.css'
import Ours from './Ours.svelte'
import type { Contender } from './contender.ts'
import { textsOf } from './contender.ts'

/** Our table, through the blocks that the window asks for over the bridge. */
export const contender: Contender = {
  give: (place, rows) => {
    mount(Ours, { target: place, props: { rows } })
    flushSync()
  },
  shown: () => textsOf('tbody tr:not([hidden], .pending) th'),
  scroller: () => document.querySelector('.grid-frame'),
  row: 'tbody tr:not(.pending)',
}
