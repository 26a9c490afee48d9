import type { BrowserWindow } from 'electron'
import * as v from 'valibot'
import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { failure } from '#shared/values/schemas.ts'
import { withSignal, withTimeout } from '#main/lib/async.ts'
import { windowAddress } from './app-scheme.ts'
import { safePreferences } from './window.ts'

/** Timeout for printing, in ms. The figures of many days may have to be fetched first. */
const milliseconds = 10 * 60_000

/** Emulated screen in CSS pixels, wider than any page, so that the print does not depend on the window. */
const SCREEN = { width: 1200, height: 1600, deviceScaleFactor: 2, mobile: false }

/** Limit of the header and the footer; the page also contains the text. */
const edge = v.pipe(v.string(), v.maxLength(20_000))

const printOutcome = v.variant('kind', [
  v.object({ kind: v.literal('printed'), header: edge, footer: edge }),
  v.object({ kind: v.literal('failed'), failure }),
])

/** Prints pages in a hidden window, which is guarded like every window and destroyed afterwards. */
export class Printer {
  readonly #Window: typeof BrowserWindow
  readonly #preload: string
  #lock: { readonly opened: () => Promise<void> } | null = null

  constructor(Window: typeof BrowserWindow, preload: string) {
    this.#Window = Window
    this.#preload = preload
  }

  /** Sets the lock. While the app is locked, printing waits. */
  use(lock: { readonly opened: () => Promise<void> }): void {
    this.#lock = lock
  }

  /**
   * Prints the page at an address (src-shared/exports/paper.ts) as a PDF with A4 pages.
   * @throws DeskFailure the failure reported by the page, `cancelled`, or `timed-out`
   */
  async print(address: string, signal: AbortSignal): Promise<Uint8Array> {
    await withSignal(signal, () => this.#lock?.opened() ?? Promise.resolve())
    const webPreferences = safePreferences({ preload: this.#preload, devTools: false })
    const window = new this.#Window({ show: false, webPreferences })
    try {
      return await withTimeout({ milliseconds, signal, late: tooSlow }, () =>
        Promise.race([draw(window, address), crashOf(window)]),
      )
    } finally {
      if (!window.isDestroyed()) window.destroy()
    }
  }
}

async function draw(window: BrowserWindow, address: string): Promise<Uint8Array> {
  const contents = window.webContents
  contents.setBackgroundThrottling(false)
  await contents.loadURL('about:blank')
  // Prints use the light theme and a higher resolution than screens.
  contents.debugger.attach('1.3')
  await contents.debugger.sendCommand('Emulation.setDeviceMetricsOverride', SCREEN)
  await contents.debugger.sendCommand('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: 'light' }],
  })
  await contents.loadURL(`${windowAddress}${address}`)
  const said: unknown = await contents.executeJavaScript('window.printed')
  const outcome = v.parse(printOutcome, said)
  if (outcome.kind === 'failed') throw new DeskFailure(outcome.failure)
  return await contents.printToPDF({
    preferCSSPageSize: true,
    printBackground: true,
    displayHeaderFooter: true,
    headerTemplate: edgeWith(outcome.header, ''),
    footerTemplate: edgeWith(outcome.footer, PAGES),
    generateTaggedPDF: true,
  })
}

const STYLE =
  'width:100%;margin:0 12mm;display:flex;justify-content:space-between;align-items:end;gap:8mm;' +
  'font:8px/1.3 system-ui,sans-serif;color:#566070'

/** Long names wrap to as many lines as fit in the margin. */
const WORDS =
  'min-width:0;overflow:hidden;overflow-wrap:anywhere;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4'

const PAGES =
  '<span style="white-space:nowrap">Page <span class="pageNumber"></span> of <span class="totalPages"></span></span>'

/** HTML of the header or footer. The page's text is escaped. */
const edgeWith = (words: string, end: string): string =>
  `<div style="${STYLE}"><span style="${WORDS}">${words.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`)}</span>${end}</div>`

/** Rejects when the renderer process crashes. */
const crashOf = (window: BrowserWindow) =>
  new Promise<never>((_, reject) => {
    window.webContents.once('render-process-gone', () => reject(printFailure()))
  })

const tooSlow = () => deskFailure('timed-out', 'Loading the figures took longer than ten minutes.')
const printFailure = () => deskFailure('internal', 'Creating the PDF failed. Try again.')
