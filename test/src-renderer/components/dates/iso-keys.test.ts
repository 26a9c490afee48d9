import { fireEvent } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { isoKeys } from '#renderer/components/dates/iso-keys.ts'

/** A date field, what it heard, and somebody who types into it. */
async function typed(keys: string) {
  document.body.innerHTML = '<input type="date">'
  const field = document.querySelector('input')
  if (!field) throw new Error('No field')
  const heard: string[] = []
  field.addEventListener('input', () => heard.push(field.value))
  const stop = isoKeys(field)
  let own = ''
  for (const key of keys.match(/[A-Z][a-z]+|./g) ?? []) {
    if (await fireEvent.keyDown(field, { key })) own += key
  }
  stop()
  return { value: field.value, heard, own }
}

describe('a date field', () => {
  it('takes a day in its international order', async () => {
    expect(await typed('2026-11-20')).toEqual({ value: '2026-11-20', heard: ['2026-11-20'], own: '2026' })
    expect(await typed('12026-11-20')).toMatchObject({ value: '2026-11-20' })
    expect(await typed('2026-11Backspace2026-11-20')).toMatchObject({ value: '2026-11-20' })
  })

  it('leaves what is typed in its own order to itself', async () => {
    for (const keys of ['11202026', '20112026', '11-20-2026', '20-11-2026', '2011-2026', '11Tab20Tab2026']) {
      expect(await typed(keys)).toEqual({ value: '', heard: [], own: keys })
    }
  })

  it('takes no day that there is not', async () => {
    expect(await typed('2026-02-30')).toMatchObject({ value: '', heard: [] })
  })
})
