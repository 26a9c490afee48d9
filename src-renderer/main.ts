import { mount } from 'svelte'
import { readPrintAddress } from '../src-shared/views/print-address.ts'
import Window from './Window.svelte'

const target = document.getElementById('desk')
const printing = readPrintAddress(window.location.hash)
if (target && printing) {
  window.printed = import('./views/print/print.ts').then(({ print }) => print(target, window.desk, printing))
} else if (target) {
  mount(Window, { target, props: { bridge: window.desk } })
}
