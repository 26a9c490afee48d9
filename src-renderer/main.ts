import { mount } from 'svelte'
import Window from './Window.svelte'

const target = document.getElementById('desk')
if (target) mount(Window, { target, props: { bridge: window.desk } })
