import { expect, it } from 'vitest'
import { mailOfRun } from '#shared/texts/schedule-news.ts'
import { day } from '#shared/values/day.ts'

const due = day('2026-11-21')

it('names the files of a mail, which the user attaches', () => {
  expect(mailOfRun('Weekly', due, ['A.pdf', 'B.pdf'])).toEqual({
    subject: 'Weekly 2026-11-21',
    text: 'Files:\r\n- A.pdf\r\n- B.pdf\r\n',
  })
})

it('keeps a mail below what systems accept, whatever the names', () => {
  const files = Array.from({ length: 50 }, (_, nth) => `${'報告'.repeat(40)} ${nth}.pdf`)
  for (const name of ['Weekly', '報告'.repeat(100)]) {
    const { subject, text } = mailOfRun(name, due, files)
    expect(encodeURIComponent(subject + text).length).toBeLessThan(1750)
    expect(subject).toMatch(/ 2026-11-21$/)
    expect(text).toMatch(/^Files:\r\n- .*\d+ files( more)?\r\n$/s)
  }
})
