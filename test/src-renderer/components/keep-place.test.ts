import { beforeEach, describe, expect, it } from 'vitest'
import { keepPlace } from '#renderer/components/keep-place.ts'

const entry = (name: string, ...controls: readonly string[]) =>
  `<li id="${name}">${controls.map((each) => `<button data-control="${each}">${name} ${each}</button>`).join('')}</li>`

let list: HTMLElement
beforeEach(() => {
  document.body.innerHTML = `
    <ul>${['first', 'second', 'third'].map((name) => entry(name, 'open', 'cancel', 'remove')).join('')}</ul>
    <button id="outside">Outside</button>`
  list = document.querySelector('ul') ?? document.body
  keepPlace('li')(list)
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

describe('the focus in a list', () => {
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
