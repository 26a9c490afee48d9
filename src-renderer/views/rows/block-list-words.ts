import type { BlockList } from '#shared/archives/block-list.ts'
import type { ListOrigin } from '#shared/archives/list-origin.ts'
import { count } from '#renderer/components/formats.ts'
import { daysIn } from './moments.ts'

/** What is not in a list, and why; `more` candidates were not even looked at. */
export function leftOutWords({ leftOut }: BlockList, more: number): string {
  const { reserved, allowed, nonsense, beyond } = leftOut
  const parts = [
    reserved > 0 ? `${count(reserved)} private or reserved` : '',
    allowed > 0 ? `${count(allowed)} never to be blocked` : '',
    nonsense > 0 ? `${count(nonsense)} no addresses` : '',
    beyond + more > 0 ? `${count(beyond + more)} beyond the limit, with the fewest bad rows` : '',
  ].filter(Boolean)
  return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`
}

/** What a list was made of, in a line; `zone` is that in which days are told. */
export function originWords(
  { archives, filters, period, column, by, onlyBad }: ListOrigin,
  zone: string,
): string {
  return [
    `${by === 'network' ? 'Networks' : 'Addresses'} of ${column} in ${archives.join(', ')}`,
    ...(period ? [daysIn(period.first, period.last, zone)] : []),
    ...filters.map(({ words, value }) => `${words} ${value}`),
    ...(onlyBad ? ['only those with bad rows'] : []),
  ].join(' · ')
}
