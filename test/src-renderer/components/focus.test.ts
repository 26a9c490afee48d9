import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { restoreFocus, listFocus } from '#renderer/components/focus.ts'

describe('the focus', () => {
  let stop = () => {}
  beforeEach(() => {
    document.body.innerHTML = `
    <header><button id="outside">Outside</button></header>
    <main id="content" tabindex="-1"><h1 tabindex="-1">View</h1><p><button id="inside">Inside</button></p></main>`
    stop = restoreFocus(document)
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

  it('goes to the heading of the view when what had it goes away', async () => {
    expect(await focusedAfter('inside', () => byId('inside')?.remove())).toBe('H1')
  })

  it('goes there too when it goes away with all that is around it', async () => {
    expect(await focusedAfter('inside', () => byId('inside')?.parentElement?.remove())).toBe('H1')
  })

  it('goes to the view where its heading cannot take it', async () => {
    document.querySelector('h1')?.removeAttribute('tabindex')
    expect(await focusedAfter('inside', () => byId('inside')?.remove())).toBe('content')
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

describe('the focus in a list', () => {
  const entry = (name: string, ...controls: readonly string[]) =>
    `<li id="${name}">${controls.map((each) => `<button data-control="${each}">${name} ${each}</button>`).join('')}</li>`

  let list: HTMLElement
  beforeEach(() => {
    document.body.innerHTML = `
    <ul>${['first', 'second', 'third'].map((name) => entry(name, 'open', 'cancel', 'remove')).join('')}</ul>
    <button id="outside">Outside</button>`
    list = document.querySelector('ul') ?? document.body
    listFocus('li')(list)
  })

  const control = (name: string, of: string) =>
    document.querySelector<HTMLElement>(`#${name} [data-control="${of}"]`)
  const seen = () => new Promise((resolve) => setTimeout(resolve))

  async function focusedAfter(name: string, of: string, change: () => void): Promise<string> {
    control(name, of)?.focus()
    expect(document.activeElement?.textContent).toBe(`${name} ${of}`)
    change()
    await seen()
    return document.activeElement?.textContent ?? ''
  }

  it('goes to the control before the one that has served', async () => {
    expect(await focusedAfter('second', 'cancel', () => control('second', 'cancel')?.remove())).toBe(
      'second open',
    )
  })

  it('goes to the nearest that stood before it, where others went with it, and never to one after it', async () => {
    const served = () => {
      control('second', 'open')?.remove()
      control('second', 'cancel')?.remove()
    }
    control('second', 'open')?.insertAdjacentHTML('beforebegin', '<button>second details</button>')
    expect(await focusedAfter('second', 'cancel', served)).toBe('second details')
  })

  it('goes to what is put in its place', async () => {
    const drawnAnew = () => {
      const anew = document.createElement('button')
      anew.dataset['control'] = 'cancel'
      anew.textContent = 'second cancel anew'
      control('second', 'cancel')?.replaceWith(anew)
    }
    expect(await focusedAfter('second', 'cancel', drawnAnew)).toBe('second cancel anew')
  })

  it('goes to the same control of the entry that comes after, then of the last', async () => {
    const remove = (name: string) => () => document.getElementById(name)?.remove()
    expect(await focusedAfter('second', 'remove', remove('second'))).toBe('third remove')
    expect(await focusedAfter('third', 'remove', remove('third'))).toBe('first remove')
  })

  it('goes to the first control where there is no such one', async () => {
    const removed = () => {
      control('third', 'cancel')?.remove()
      document.getElementById('second')?.remove()
    }
    expect(await focusedAfter('second', 'cancel', removed)).toBe('third open')
  })

  it('is not brought back to a list that was left, or is empty', async () => {
    control('second', 'open')?.focus()
    document.getElementById('outside')?.focus()
    document.getElementById('second')?.remove()
    document.getElementById('outside')?.blur()
    await seen()
    expect(document.activeElement).toBe(document.body)
    control('first', 'open')?.focus()
    list.replaceChildren()
    await seen()
    expect(document.activeElement).toBe(document.body)
  })
})
