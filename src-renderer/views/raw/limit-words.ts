import type { ProcessingLimits } from '#shared/api/answers.ts'
import { count } from '#renderer/components/formats.ts'

const reports = (number: number) => `${count(number)} ${number === 1 ? 'report' : 'reports'}`

/**
 * What the service allows and what of it is left, a sentence each; none where it does not say.
 * @param running how many reports are in progress; null where not all are known
 */
export function limitWords(limits: ProcessingLimits, running: number | null): string[] {
  const {
    minutes_total: total,
    minutes_available: left,
    api_concurrent: here,
    dashboard_concurrent: there,
  } = limits
  const words: string[] = []
  if (left !== null) {
    const of = total === null ? '' : ` of ${count(total)}`
    words.push(`${count(left)}${of} processing minutes left today`)
  } else if (total !== null) words.push(`${count(total)} processing minutes a day`)
  if (here !== null) {
    const used = running === null ? '' : `${count(running)} of `
    words.push(`${used}${reports(here)} running from this app`)
  }
  if (there !== null) words.push(`${reports(there)} from the dashboard`)
  return words
}
