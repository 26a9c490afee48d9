import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepFocus } from '#renderer/components/frame/keep-focus.ts'

let stop = () => {}
beforeEach(() => {
  document.body.innerHTML = `
    <header><button id="outside">Outside</button></header>
    <main id="content" tabindex="-1"><h1 tabindex="-1">View</h1><p><button id="inside">Inside</button></p></main>`
  stop = keepFocus(document)
})
afterEach(() => stop())

const byId = (id: string) => document.getElementById(id)
/** The first of these timers begins with the change, the second after what the change began. */
const afterwards = () => new Promise((resolve) => setTimeout(() => setTimeout(resolve)))

/** Focuses what has this id, takes away something, and tells what has the focus then. */
async function focusedAfter(id: string, change: () => void): Promise<string> {
  byId(id)?.focus()
  expect(document.activeElement?.id).toBe(id)
  change()
  await afterwards()
  return document.activeElement?.id || (document.activeElement?.tagName ?? '')
}

describe('the focus', () => {
  it('goes to the heading of the view when what had it goes away', async () => {
    expect(await focusedAfter('inside', () => byId('inside')?.remove())).toBe('H1')
  })

  it('goes there too when it goes away with all that is around it', async () => {
    expect(await focusedAfter('inside', () => byId('inside')?.parentElement?.remove())).toBe('H1')
  })

  it('waits in the place of the views where there is no view yet', async () => {
    expect(await focusedAfter('inside', () => byId('content')?.replaceChildren())).toBe('content')
  })

  it('stays in the dialog that it was in', async () => {
    document.body.insertAdjacentHTML(
      'beforeend',
      '<div role="dialog" id="dialog" tabindex="-1"><button id="served">Served</button></div>',
    )
    expect(await focusedAfter('served', () => byId('served')?.remove())).toBe('dialog')
  })

  it('goes back to the dialog that is open, from what floated above it', async () => {
    document.body.insertAdjacentHTML(
      'beforeend',
      '<div role="dialog" id="panel" tabindex="-1"></div><div id="menu" role="menu" tabindex="-1"></div>',
    )
    expect(await focusedAfter('menu', () => byId('menu')?.remove())).toBe('panel')
  })

  it('comes back to what was only put elsewhere', async () => {
    const moved = () => byId('content')?.prepend(byId('inside')?.parentElement ?? '')
    expect(await focusedAfter('inside', moved)).toBe('inside')
  })

  it('is not given back to what was left by a click beside everything', async () => {
    const left = () => {
      byId('inside')?.blur()
      byId('content')?.click()
      byId('inside')?.remove()
    }
    expect(await focusedAfter('inside', left)).toBe('BODY')
  })

  it('is left where somebody else puts it', async () => {
    const moved = () => {
      byId('inside')?.remove()
      byId('outside')?.focus()
    }
    expect(await focusedAfter('inside', moved)).toBe('outside')
  })

  it('is left alone by what goes away elsewhere, and once this has ended', async () => {
    expect(await focusedAfter('outside', () => byId('inside')?.remove())).toBe('outside')
    stop()
    expect(await focusedAfter('outside', () => byId('outside')?.remove())).toBe('BODY')
  })
})
