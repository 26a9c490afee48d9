import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { devtools } from './devtools.ts'

/** How long one attempt may take, and all of them together, in milliseconds. */
const attempt = 5_000
const altogether = 60_000

/** The address at which a process lets itself be driven, from what it says on its standard error. */
export async function debuggingAddress(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('The app was started without a standard error to read')
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const found = /DevTools listening on ws:\/\/([^/]+)\//.exec(line)
    if (found) return `http://${found[1]}`
  }
  throw new Error(`The app ended before it could be driven:\n${said.join('\n')}`)
}

/**
 * Joins the window of a running app. Who joins while a window is being made, or is replaced, waits for ever now and
 * then for a page that has gone: so each attempt is short, and only a page that answers counts.
 */
export async function joinWindow(debugging: string): Promise<Page> {
  const until = Date.now() + altogether
  for (;;) {
    await titled(debugging, until)
    const browser = await devtools(debugging, attempt)
      .then((transport) => chromium.connectOverCDP(transport, { timeout: attempt }))
      .catch(() => undefined)
    const page = browser && (await answeringPage(browser))
    if (page) return page
    await browser?.close()
    if (Date.now() > until) throw new Error('The app has no window that answers')
  }
}

async function answeringPage(browser: Browser): Promise<Page | undefined> {
  const page = browser.contexts()[0]?.pages()[0]
  const answers = page
    ?.evaluate(() => document.readyState)
    .then(
      () => true,
      () => false,
    )
  return (await Promise.race([answers, setTimeout(attempt, false, { ref: false })])) ? page : undefined
}

/** Waits until the app says that it has a page with a title. */
async function titled(debugging: string, until: number): Promise<void> {
  while (Date.now() < until) {
    const targets = (await (await fetch(`${debugging}/json/list`)).json()) as {
      type: string
      title: string
    }[]
    if (targets.some(({ type, title }) => type === 'page' && title !== '')) return
    await setTimeout(20)
  }
  throw new Error('The app does not show a window')
}
