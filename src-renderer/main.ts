import { mount } from 'svelte'
import type { DeskBridge } from '../src-shared/bridge/calls.ts'
import Window from './Window.svelte'

declare global {
  interface Window {
    /** Put there by the preload script: the only way out of this window. */
    readonly desk: DeskBridge
  }
}

const target = document.getElementById('desk')
if (target) mount(Window, { target, props: { bridge: window.desk } })
