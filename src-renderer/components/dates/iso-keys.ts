import { parseDay } from '#shared/values/day.ts'

/** The first four digits can be a year, and neither a day with a month nor a month with a day: those from 2013 on. */
const begins = /^20(1[3-9]|[2-9]\d)-/
const LENGTH = '2026-11-20'.length

/**
 * Lets a day be typed into a date field as `2026-11-20` too, whatever order the system's language gives its parts. What
 * is typed in that order goes its own way.
 */
export function isoKeys(field: HTMLInputElement): () => void {
  let typed = ''

  function press(event: KeyboardEvent): void {
    const { key } = event
    if (['Shift', 'Control', 'Alt', 'Meta'].includes(key)) return
    if (event.ctrlKey || event.metaKey || event.altKey || !/^[\d-]$/.test(key)) return forget()
    typed += key
    if (/^\d{5}$/.test(typed)) typed = typed.slice(1)
    if (!begins.test(typed)) return typed.includes('-') ? forget() : undefined
    // The field has taken the year for other parts of a day: from here on the day is put together here.
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
