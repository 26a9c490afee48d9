/**
 * `node scripts/sign-feed.mjs --page <address> [--notes <file>] [--days 90] [--folder dist]`: writes latest.json and
 * latest.json.sig of this version. TRAFFIC_DESK_UPDATE_PRIVATE_KEY is the key as PEM, or its file. Where
 * TRAFFIC_DESK_UPDATE_KEY is given, the key has to be its other half. Uses Node's own modules alone.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkout, inCheckout } from './common/checkout.mjs'
import { Failure, main } from './common/failure.mjs'
import { say } from './common/say.mjs'
import { feedOf, publicHalfOf, readKey, writeFeed } from './updates/feed.mjs'

await main(async () => {
  const { values } = parseArgs({
    options: {
      notes: { type: 'string' },
      page: { type: 'string', default: '' },
      days: { type: 'string', default: '90' },
      folder: { type: 'string', default: 'dist' },
    },
  })
  const given = process.env['TRAFFIC_DESK_UPDATE_PRIVATE_KEY']
  if (!given) throw new Failure('TRAFFIC_DESK_UPDATE_PRIVATE_KEY names no key.')
  const key = readKey(given)
  const wanted = process.env['TRAFFIC_DESK_UPDATE_KEY'] ?? ''
  if (wanted !== '' && wanted !== publicHalfOf(key))
    throw new Failure('The private key is not the other half of TRAFFIC_DESK_UPDATE_KEY.')
  const days = Number(values.days)
  if (!Number.isInteger(days) || days < 1) throw new Failure('--days has to be a whole number of days.')
  if (!/^https?:/.test(values.page))
    throw new Failure('--page has to be the address where people get the version.')
  const { version } = JSON.parse(readFileSync(inCheckout('package.json'), 'utf8'))
  const date = new Date()
  const folder = resolve(checkout, values.folder)
  const text = feedOf({
    version: String(version),
    date,
    expires: new Date(date.getTime() + days * 86_400_000),
    notes: values.notes === undefined ? '' : readFileSync(values.notes, 'utf8').trim(),
    page: values.page,
  })
  await writeFeed(folder, text, key)
  say(
    `latest.json and latest.json.sig of version ${String(version)}, for ${days} days. The key's public half:`,
  )
  say(publicHalfOf(key))
  return 0
})
