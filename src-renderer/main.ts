import { mount } from 'svelte'
import { lockAddress } from '#shared/app/state.ts'
import { readPrintAddress } from '#shared/exports/paper.ts'
import Window from './Window.svelte'

/** Time in ms until the first view stands. */
const FIRST_VIEW = 1000

/** Loads what the first view may open, so that the first opening is as fast as later ones. */
function loadFloatingParts(): void {
  void import('./components/dates/PeriodPopover.svelte')
  void import('./components/frame/AccountMenu.svelte')
  void import('./components/menu/ContextMenuHost.svelte')
  void import('./components/palette/Palette.svelte')
}

const target = document.getElementById('desk')
const printing = readPrintAddress(window.location.hash)
if (target && printing) {
  window.printed = import('./views/print/print.ts').then(({ print }) => print(target, window.desk, printing))
} else if (target && window.location.hash === lockAddress) {
  void import('./views/lock/Lock.svelte').then(({ default: Lock }) =>
    mount(Lock, { target, props: { bridge: window.desk } }),
  )
} else if (target) {
  mount(Window, { target, props: { bridge: window.desk } })
  setTimeout(() => requestIdleCallback(loadFloatingParts), FIRST_VIEW)
}
