import type { App } from 'electron'
import { withTimeout } from '#main/lib/async.ts'
import type { Dialogs } from './dialogs.ts'
import type { DeskWindow, RunningApp } from './window.ts'
import { readWholeAddress, writeAddress } from '#shared/views/address.ts'

/** The scheme of links to views: `traffic-desk://reports/script/browsers?period=yesterday`. */
const linkScheme = 'traffic-desk'

const beginning = `${linkScheme}://`

/** No view's address is longer; a longer text was not copied from here. */
const longest = 100_000

/**
 * The address of the view that a link leads to; null where the text is no such link. Whoever wrote it, what comes out is an
 * address as the window itself writes it, unless parts of it are not understood: the window says which, and leaves them out.
 */
export function addressOfLink(text: string): string | null {
  if (!text.toLowerCase().startsWith(beginning) || text.length > longest) return null
  const written = `#/${text.slice(beginning.length)}`
  const { address, passedOver } = readWholeAddress(written)
  return passedOver.length > 0 ? written : writeAddress(address)
}

/** The address of the first link among a program's arguments: so Linux and Windows hand links over. */
export function addressIn(args: readonly string[]): string | null {
  for (const arg of args) {
    const address = addressOfLink(arg)
    if (address !== null) return address
  }
  return null
}

/** A link that asks the service more often than this says so first. */
const maxUnasked = 20

/** How long it may take to say what a link costs, in milliseconds. */
const milliseconds = 3000

/**
 * Opens the view that a link leads to. Anybody may write a link, and what it asks of the service is asked in this person's
 * name: what takes many requests waits until they agree. No link changes anything.
 */
export async function openLink(
  address: string,
  app: Pick<RunningApp, 'requestsOfLink'>,
  window: Pick<DeskWindow, 'show'>,
  dialogs: Pick<Dialogs, 'agreesToLink'>,
): Promise<void> {
  const requests = await withTimeout({ milliseconds }, () => app.requestsOfLink(address)).catch(() => null)
  if (requests !== null && requests <= maxUnasked) return window.show(address)
  window.show()
  if (await dialogs.agreesToLink(requests).catch(() => false)) window.show(address)
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
