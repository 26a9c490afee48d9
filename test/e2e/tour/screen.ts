import type { Page } from 'playwright-core'
import { pollOptions } from '../helpers/poll-options.ts'

/** What is read on the screen of a report, as text. */
export type Screen = {
  readonly headers: readonly string[]
  /** Headers that take part in the sort, in their order: `Good ↓`. */
  readonly sort: readonly string[]
  /** The row for all first; without the sum of the rows found. */
  readonly rows: readonly (readonly string[])[]
  /** How many rows there are, and which page this is. */
  readonly paging: readonly string[]
  /** What is on, from the chips. */
  readonly filters: readonly string[]
}

/** What is read beside the figures: where they come from, and what is the matter with them. */
export type Surroundings = {
  readonly address: string
  readonly status: string
  readonly origin: string
}

/**
 * Waits until the grid of that name shows the answer to what is asked now, and reads it. Fails with the text of the page when
 * it does not come.
 */
export async function screenOf(page: Page, name: string): Promise<Screen & Surroundings> {
  const outcome = await page.evaluate(readWhenSettled, { name, timeout: pollOptions.timeout })
  if (typeof outcome === 'string') throw new Error(`No settled grid “${name}” on screen:\n${outcome}`)
  return outcome
}

/** Runs in the page, so it stands for itself. @returns what is read, or the page's text where it does not settle */
function readWhenSettled({ name, timeout }: { name: string; timeout: number }) {
  const texts = (within: ParentNode, selector: string) =>
    [...within.querySelectorAll(selector)].map((each) => (each.textContent ?? '').trim())
  // A header's text has its place in the order too; its title has the name alone.
  const nameOf = (header: Element) => header.getAttribute('title') ?? ''
  const rankOf = (header: Element) => Number(header.querySelector('sup')?.textContent ?? 1)

  const read = () => {
    const grid = [...document.querySelectorAll('[role=grid]')].find(
      (each) => each.getAttribute('aria-label') === name,
    )
    const frame = grid?.closest('[aria-busy]')
    if (!grid || frame?.getAttribute('aria-busy') !== 'false') return null
    const rows = [...grid.querySelectorAll<HTMLElement>('[role=row]')].filter(
      (each) => !each.hidden && !each.classList.contains('found'),
    )
    if (grid.querySelector('[aria-busy=true]')) return null
    const [head, ...body] = rows.sort((one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex))
    const headers = [...(head?.querySelectorAll('[role=columnheader]') ?? [])]
    if (headers.length === 0) return null
    const status = texts(document, '[role=status]').join(' ')
    // Kept figures stand there while newer ones are asked for, whether or not the service answers.
    if (status.includes('Refreshing…')) return null
    const paragraphs = texts(document, 'main p')
    const sorted = headers
      .filter((each) => each.querySelector('.asc, .desc'))
      .sort((one, other) => rankOf(one) - rankOf(other))
    return {
      headers: headers.map(nameOf),
      sort: sorted.map((each) => `${nameOf(each)} ${each.querySelector('.asc') ? '↑' : '↓'}`),
      rows: body.map((row) =>
        [...row.children].map((cell) =>
          cell.getAttribute('role') === 'rowheader'
            ? (cell.firstElementChild?.textContent ?? '')
            : (cell.textContent ?? ''),
        ),
      ),
      paging: paragraphs.filter((text) => /^[\d,]+ rows?$|^Page /.test(text)),
      filters: texts(document, 'ul[aria-label=Filters] .words'),
      address: location.hash,
      status,
      origin: paragraphs
        .filter((text) => /^(Updated|Saved, updated) |^Computed from|^Combined from/.test(text))
        .join(' '),
    }
  }

  return new Promise<NonNullable<ReturnType<typeof read>> | string>((resolve) => {
    const end = (outcome: NonNullable<ReturnType<typeof read>> | string) => {
      observer.disconnect()
      clearTimeout(timer)
      resolve(outcome)
    }
    const look = () => {
      if (!read()) return
      // The list is drawn as far as its frame reaches, which grows with it: what counts is what is painted.
      requestAnimationFrame(() =>
        setTimeout(() => {
          const found = read()
          if (found) end(found)
        }),
      )
    }
    const observer = new MutationObserver(look)
    const timer = setTimeout(() => end(document.body.innerText), timeout)
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    look()
  })
}
