import { mount, tick } from 'svelte'
import { noBrand } from '../../../src-shared/exports/brand.ts'
import type { DeskBridge } from '../../../src-shared/bridge/calls.ts'
import type { PrintAddress, PrintOutcome } from '../../../src-shared/views/print-address.ts'
import { writeFormatsAs } from '../../state/format-tag.svelte.ts'
import { loadPrinted } from './load.ts'
import Print from './Print.svelte'

/** Frames after which a chart that follows its place's size has come to rest. */
const FRAMES = 3

/**
 * Draws an account's view for printing.
 * @returns once everything stands on the page: figures, charts, letters; or why there is nothing to draw
 */
export async function print(
  target: HTMLElement,
  bridge: DeskBridge,
  address: PrintAddress,
): Promise<PrintOutcome> {
  const settings = await bridge.call('settings/read')
  if (settings.ok) writeFormatsAs(settings.value.formats)
  const loaded = await loadPrinted(bridge, address, Date.now())
  if (!loaded.ok) return loaded
  const { printed } = loaded
  document.title = `${address.paper.title.trim() || printed.title} – ${printed.account}`
  document.documentElement.lang = 'en'
  document.documentElement.classList.add('printing')
  const brand = await bridge.call('settings/brand')
  const props = { printed, paper: address.paper, brand: brand.ok ? brand.value : noBrand }
  mount(Print, { target, props })
  // Charts draw as soon as this is there; waiting for it here is waiting for them.
  await import('../../parts/chart/draw.ts')
  await tick()
  await document.fonts.ready
  for (let frame = 0; frame < FRAMES; frame += 1) await nextFrame()
  return { ok: true }
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
