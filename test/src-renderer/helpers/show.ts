import { configure, fireEvent, render, screen, within } from '@testing-library/svelte'
import { vi } from 'vitest'
import Window from '#renderer/Window.svelte'
import { readWholeAddress, writeAddress } from '#shared/views/address.ts'
import type { FakeDesk } from './fake-desk.ts'

// Parts load with their first use, and end-to-end tests have the processors first (scripts/testing/parts.mjs).
configure({ asyncUtilTimeout: 150_000 })

/**
 * Opens the whole window at an address, over a made-up main process.
 * @throws if the window would write the address in another way: a mistyped one would show something else than the test means
 */
export function show(desk: FakeDesk, address = '') {
  const { address: view, passedOver } = readWholeAddress(address)
  const written = address === '' ? '' : writeAddress(view)
  if (written !== address)
    throw new Error(`The window writes ${written} for ${address}. To open it all the same: showAsTyped`)
  if (passedOver.length > 0) throw new Error(`Not understood in ${address}: ${passedOver.join(', ')}`)
  return showAsTyped(desk, address)
}

/** Opens the whole window at any address, such as one from a link that somebody made. */
export function showAsTyped(desk: FakeDesk, address: string) {
  window.history.replaceState(null, '', address === '' ? window.location.pathname : address)
  return render(Window, { bridge: desk.bridge })
}

/** Types into a field as a person does: all at once, then the events that follow. */
export function type(field: HTMLElement, value: string): void {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement))
    throw new TypeError('Not a field to type into')
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
}

export function choose(select: HTMLElement, words: string): void {
  if (!(select instanceof HTMLSelectElement)) throw new TypeError('Not a list to choose from')
  const option = Array.from(select.options).find((each) => each.text.trim() === words)
  if (!option) throw new Error(`No option ${words}`)
  select.value = option.value
  select.dispatchEvent(new Event('change', { bubbles: true }))
}

/** Opens the searchable list of a field by the keys. */
export async function openList(name: string): Promise<void> {
  const field = screen.getByRole('combobox', { name })
  field.focus()
  await fireEvent.keyDown(field, { key: 'ArrowDown' })
}

/** Picks an entry of a searchable list by the pointer. The list's code is loaded with its first use, which may take a while. */
export async function pick(name: string, words: string): Promise<void> {
  await openList(name)
  const option = await screen.findByRole('option', { name: words })
  await fireEvent.pointerUp(option)
}

/** Opens the table of the chart in a region, and finds it. */
export async function openTable(name: string): Promise<HTMLElement> {
  const region = within(await screen.findByRole('region', { name }))
  await fireEvent.click(await region.findByRole('button', { name: 'Show as table' }))
  return region.findByRole('table')
}

/** The clock stands at this moment, while timers run. */
export function standAt(iso: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(iso) })
}
