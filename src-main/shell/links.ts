import type { App } from 'electron'
import { withTimeout } from '#main/lib/async.ts'
import type { Dialogs } from './dialogs.ts'
import type { DeskWindow, RunningApp } from './window.ts'
import { readWholeAddress, writeAddress } from '#shared/views/address.ts'

/** Scheme of links to views: `traffic-desk://reports/script/browsers?period=yesterday`. */
const linkScheme = 'traffic-desk'

const beginning = `${linkScheme}://`

/** Maximum length of a link, longer than any view's address. */
const longest = 100_000

/**
 * Converts a link into a view's address; null if the text is not a link. The result is normalised, unless parts are unknown:
 * then the window reports and ignores those parts.
 */
export function addressOfLink(text: string): string | null {
  if (!text.toLowerCase().startsWith(beginning) || text.length > longest) return null
  const written = `#/${text.slice(beginning.length)}`
  const { address, passedOver } = readWholeAddress(written)
  return passedOver.length > 0 ? written : writeAddress(address)
}

/** Returns the address of the first link in the arguments. Linux and Windows pass links this way. */
export function addressIn(args: readonly string[]): string | null {
  for (const arg of args) {
    const address = addressOfLink(arg)
    if (address !== null) return address
  }
  return null
}

/** Maximum number of requests of a link that opens without confirmation. */
const maxUnasked = 20

/** Timeout of the estimate, in ms. */
const milliseconds = 3000

/**
 * Opens the view of a link. Anyone can write a link, and its requests use the user's account, so many requests need
 * confirmation. Links never change data.
 */
export async function openLink(
  address: string,
  app: RunningApp,
  window: DeskWindow,
  dialogs: Dialogs,
): Promise<void> {
  const requests = await withTimeout({ milliseconds }, () => app.requestsOfLink(address)).catch(() => null)
  if (requests !== null && requests <= maxUnasked) return window.show(address)
  window.show()
  if (await dialogs.agreesToLink(requests).catch(() => false)) window.show(address)
}

/** Registers the app for links and handles them. On Linux, the package's desktop entry registers the scheme too. */
export function followLinks(
  app: Pick<App, 'isPackaged' | 'setAsDefaultProtocolClient' | 'on'>,
  open: (address: string) => void,
): void {
  // A checkout would register the plain Electron binary.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
  app.on('open-url', (event, url) => {
    event.preventDefault()
    const address = addressOfLink(url)
    if (address !== null) open(address)
  })
}
