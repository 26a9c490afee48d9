import type { ViewAddress } from './view-address.ts'
import { writeAddress } from './address.ts'

/** The link that opens a view in Traffic Desk: `traffic-desk://reports/script/browsers?period=yesterday`. */
export function linkTo(address: ViewAddress): string {
  return writeAddress(address).replace(/^#\//, 'traffic-desk://')
}
