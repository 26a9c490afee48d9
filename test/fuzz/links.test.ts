import { expect, it } from 'vitest'
import { addressIn, addressOfLink } from '#main/shell/links.ts'
import { isKnownView, queriesOf } from '#main/saved-views/view-queries.ts'
import { readWholeAddress, writeAddress } from '#shared/views/address.ts'
import { day, daysOf } from '#shared/values/day.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { mutateText } from './mutate.ts'

const today = day('2026-11-20')

const sound = [
  'overview?period=last-30&movers=browsers&moved=rate&least=50',
  'reports/script/browsers?start=2026-11-01&end=2026-11-07&compare=before&search=Chrome&sort=desc%3ABad&page=2&limit=100',
  'reports/direct/geography?country=DE&region=BE&source=a%26b&campaign=%2B&rates=1&rules=1&chart=stacked&measure=Bad',
  'raw?search=x&sort=desc:requested&report=17&form=template:4',
  'help/keys',
  'settings',
]

it('links of anybody lead to a view as the window writes it, or nowhere, and ask for days that can be counted', () => {
  const random = randomFrom(seed)
  const views = new Set<string>()
  for (let made = 0; made < runs(1000, 10_000); made += 1) {
    let text = sound[made % sound.length] ?? ''
    for (let times = Math.floor(random() * 4); times > 0; times -= 1) text = mutateText(text, random)
    const address = addressOfLink(`traffic-desk://${text}`)
    expect(addressIn(['/usr/bin/traffic-desk', `traffic-desk://${text}`])).toBe(address)
    if (address === null) continue
    const { address: view, passedOver } = readWholeAddress(address)
    views.add(view.kind)
    expect(passedOver.length > 0 ? `#/${text}` : writeAddress(view)).toBe(address)
    const queries = isKnownView(address) ? queriesOf(address, today) : []
    const days = queries.reduce((sum, { range }) => sum + daysOf(range).length, 0)
    expect(days).toBeLessThan(1_000_000)
  }
  expect(views.size).toBeGreaterThan(4)
}, 900_000)
