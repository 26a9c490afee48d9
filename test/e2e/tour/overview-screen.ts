import type { Page } from 'playwright-core'
import { pollOptions } from '../helpers/poll-options.ts'

/** A card: its name, value, what that is of, and its changes as they are read, and its line's points. */
export type Card = {
  readonly name: string
  readonly value: string
  readonly share: string
  /** Null where nothing is compared; points also where there is no rate. */
  readonly change: string | null
  readonly points: string | null
  /** The heights of the line, one for each day in units of its box from the bottom; null where there is no line. */
  readonly line: readonly number[] | null
}

/** A family's part of the overview. */
export type FamilyScreen = {
  readonly cards: readonly Card[]
  /** The table behind the chart: its head, then a row for each day. */
  readonly days: readonly (readonly string[])[]
  /** What is the matter with the figures, or with those compared with. */
  readonly notes: readonly string[]
}

/** The rows that moved most in one way, with their head. */
export type MoversScreen = { readonly name: string; readonly rows: readonly (readonly string[])[] }

export type OverviewScreen = {
  /** The days that are shown. */
  readonly range: string
  /** By the family's name. */
  readonly families: Readonly<Record<string, FamilyScreen>>
  /** Null where nothing is compared. */
  readonly since: string | null
  /** By their heading. */
  readonly movers: Readonly<Record<string, readonly MoversScreen[]>>
  readonly address: string
  readonly status: string
}

/** The height of a line's box, in its own units (`viewBox`). */
export const LINE_HEIGHT = 28

/**
 * Waits until all of the overview shows the answers to what is asked now, opens the tables behind its charts, and reads it.
 * Fails with the text of the page when it does not come.
 */
export async function overviewOf(page: Page): Promise<OverviewScreen> {
  try {
    await page.waitForFunction(readOverview, { tables: false }, pollOptions)
    const closed = page.getByRole('button', { name: 'Show as table', exact: true, expanded: false })
    while ((await closed.count()) > 0) await closed.first().click()
    const read = await page.waitForFunction(readOverview, { tables: true }, pollOptions)
    const found = await read.jsonValue()
    if (found === null) throw new Error('Nothing was read')
    return found
  } catch (cause) {
    const text = await page.evaluate(() => document.body.innerText)
    throw new Error(`No settled overview on screen:\n${text}`, { cause })
  }
}

/** Runs in the page, so it stands for itself. @returns null while anything is still to come */
function readOverview({ tables }: { tables: boolean }): OverviewScreen | null {
  const text = (within: ParentNode, selector: string) =>
    (within.querySelector(selector)?.textContent ?? '').trim()
  const all = (within: ParentNode, selector: string) => [...within.querySelectorAll(selector)]
  const cellsOf = (table: ParentNode) =>
    all(table, 'tr').map((row) =>
      [...row.children].map((cell) => {
        // Rates stand small below the counts.
        const plain = cell.cloneNode(true)
        if (plain instanceof Element) plain.querySelectorAll('small').forEach((small) => small.remove())
        return (plain.textContent ?? '').trim()
      }),
    )
  const byName = <T>(entries: readonly (readonly [string, T])[]) => Object.fromEntries(entries)

  const main = document.querySelector('.overview')
  const busy = '[aria-busy=true], [aria-disabled=true], .skeleton, .waits, .dimmed'
  if (!main || main.querySelector(busy)) return null
  const sections = all(main, 'section').filter((each) => each.querySelector('dl'))
  const moved = all(main, '[role=group]').filter((each) => each.querySelector('h3'))
  const compares = main.querySelector('dl.compares') !== null
  if (sections.length !== 2 || (compares && moved.length === 0)) return null
  if (all(main, '.change, .points').some((change) => change.textContent === '…')) return null
  const unfinished = (section: Element) => {
    const head = section.querySelector('thead')
    const lacks = section.querySelector('.note') !== null
    return !head || (compares && !lacks && !(head.textContent ?? '').includes('before'))
  }
  if (tables && sections.some(unfinished)) return null

  const lineOf = (card: Element) => {
    const path = card.querySelector('.spark path')?.getAttribute('d') ?? ''
    const heights = [...path.matchAll(/[ML]\S+ ([\d.]+)/g)].map(([, y]) => 28 - Number(y))
    return heights.length > 0 ? heights : null
  }
  return {
    range: text(main, '.head p'),
    families: byName(
      sections.map((section) => [
        text(section, 'h2'),
        {
          cards: all(section, 'dl > div').map((card) => ({
            name: text(card, 'dt'),
            value: text(card, '.value'),
            share: text(card, '.share'),
            change: card.querySelector('.change') && text(card, '.change'),
            points: card.querySelector('.points') && text(card, '.points'),
            line: lineOf(card),
          })),
          days: all(section, 'table').flatMap(cellsOf),
          notes: all(section, '.note, .compared').map((note) =>
            (note.textContent ?? '').replace(/\s+/g, ' ').trim(),
          ),
        },
      ]),
    ),
    since: moved.length > 0 ? text(moved[0]?.closest('section') ?? main, 'header p') : null,
    movers: byName(
      moved.map((group) => [
        text(group, 'h3'),
        all(group, 'table').map((table) => ({ name: text(table, 'caption'), rows: cellsOf(table) })),
      ]),
    ),
    address: location.hash,
    status: all(document, '[role=status]')
      .map((each) => each.textContent ?? '')
      .join(' ')
      .trim(),
  }
}
