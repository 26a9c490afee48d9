import { parseDay } from '#shared/values/day.ts'

/** Years from 2013 on. Earlier ones could also be day and month, or month and day. */
const begins = /^20(1[3-9]|[2-9]\d)-/
const LENGTH = '2026-11-20'.length

/** Accepts a day typed as `2026-11-20` in a date field in every locale. Other input is left to the browser. */
export function isoKeys(field: HTMLInputElement): () => void {
  let typed = ''

  function press(event: KeyboardEvent): void {
    const { key } = event
    if (['Shift', 'Control', 'Alt', 'Meta'].includes(key)) return
    if (event.ctrlKey || event.metaKey || event.altKey || !/^[\d-]$/.test(key)) return forget()
    typed += key
    if (/^\d{5}$/.test(typed)) typed = typed.slice(1)
    if (!begins.test(typed)) return typed.includes('-') ? forget() : undefined
    // The browser has used the digits for other parts of the date. This function handles the rest of the input.
    event.preventDefault()
    if (typed.length < LENGTH) return
    if (parseDay(typed) !== undefined) take(typed)
    forget()
  }

  function take(day: string): void {
    field.value = day
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.dispatchEvent(new Event('change', { bubbles: true }))
  }

  function forget(): void {
    typed = ''
  }

  field.addEventListener('keydown', press)
  field.addEventListener('focus', forget)
  return () => {
    field.removeEventListener('keydown', press)
    field.removeEventListener('focus', forget)
  }
}
