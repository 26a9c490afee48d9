import type { Page } from 'playwright-core'

/**
 * Hears what goes wrong in a window: errors and warnings of its console, errors that nobody caught, and what its
 * content policy forbade. @returns what was heard so far
 */
export async function hearComplaints(page: Page): Promise<() => readonly string[]> {
  const heard: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) heard.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => heard.push(`not caught: ${error.message}`))
  await page.evaluate(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      console.error(`forbidden by ${violatedDirective}: ${blockedURI} ${sample}`)
    })
  })
  return () => heard
}
