import { mount } from 'svelte'
import { lockAddress } from '#shared/app/state.ts'
import { readPrintAddress } from '#shared/exports/paper.ts'
import Window from './Window.svelte'

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
}
