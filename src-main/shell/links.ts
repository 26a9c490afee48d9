import type { App } from 'electron'
import { readAddress, writeAddress } from '../../src-shared/views/address.ts'

/** The scheme of links to views: `traffic-desk://reports/script/browsers?period=yesterday`. */
export const linkScheme = 'traffic-desk'

const beginning = `${linkScheme}://`

/** No view's address is longer; a longer text was not copied from here. */
const longest = 100_000

/**
 * The address of the view that a link leads to; null where the text is no such link. Whoever wrote it, what comes out is
 * an address as the window itself writes it: what is not understood in it is gone.
 */
export function addressOfLink(text: string): string | null {
  if (!text.toLowerCase().startsWith(beginning) || text.length > longest) return null
  return writeAddress(readAddress(`#/${text.slice(beginning.length)}`))
}

/** The address of the first link among a program's arguments: so Linux and Windows hand links over. */
export function addressAmong(args: readonly string[]): string | null {
  for (const each of args) {
    const address = addressOfLink(each)
    if (address !== null) return address
  }
  return null
}

/** Links open this app. On Linux the package's desktop entry says so as well. */
export function followLinks(
  app: Pick<App, 'isPackaged' | 'setAsDefaultProtocolClient' | 'on'>,
  open: (address: string) => void,
): void {
  // From a checkout the system would be told of the bare runtime.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
  app.on('open-url', (event, url) => {
    event.preventDefault()
    const address = addressOfLink(url)
    if (address !== null) open(address)
  })
}
