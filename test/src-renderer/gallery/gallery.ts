import { mount } from 'svelte'
import Window from '#renderer/Window.svelte'
import '#renderer/theme/theme.css'
import { states } from './states.ts'

/** The window in a browser, over a made-up main process: `?state=offline#/reports/script/browsers`. */
const name = new URLSearchParams(location.search).get('state') ?? 'calm'
const desk = states[name]?.()
const target = document.getElementById('desk')
if (desk && target) mount(Window, { target, props: { bridge: desk.bridge } })
