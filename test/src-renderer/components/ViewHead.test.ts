import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet } from 'svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ViewHead from '#renderer/components/ViewHead.svelte'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** A head whose actions do not fit. */
function narrowHead() {
  class Observer {
    readonly observe: () => void
    constructor(run: () => void) {
      this.observe = run
    }
    disconnect = () => undefined
  }
  vi.stubGlobal('ResizeObserver', Observer)
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockReturnValue(900)
  const actions =
    '<div><button>Recount</button><button aria-haspopup="dialog" aria-expanded="false">Save view</button></div>'
  render(ViewHead, { title: 'Rows', others: createRawSnippet(() => ({ render: () => actions })) })
}

it('closes its menu after an action, but not below a form that an action opens', async () => {
  narrowHead()
  const more = await screen.findByRole('button', { name: 'More' })
  const isOpen = () => more.getAttribute('aria-expanded')
  await fireEvent.click(more)
  await fireEvent.click(screen.getByRole('button', { name: 'Save view' }))
  expect(isOpen()).toBe('true')
  await fireEvent.click(screen.getByRole('button', { name: 'Recount' }))
  expect(isOpen()).toBe('false')
  expect(document.activeElement).toBe(more)
})
