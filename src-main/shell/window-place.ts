import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'

const whole = v.pipe(v.number(), v.integer())

const schema = v.object({ x: whole, y: whole, width: whole, height: whole, maximised: v.boolean() })

/** Where the window was, in device-independent pixels. */
export type WindowPlace = v.InferOutput<typeof schema>

/** A rectangle such as a screen's work area. */
type Area = Pick<WindowPlace, 'x' | 'y' | 'width' | 'height'>

/** The smallest window in which every view can be used. */
export const smallest = { width: 640, height: 480 } as const

const usual = { width: 1200, height: 800 } as const

/** At least this much of the window, in both directions, has to lie on a screen for it to be found and moved. */
const visibleAtLeast = 100

/**
 * Where to open the window: where it was, if that can be seen on a screen of now, and no larger than that screen, whose
 * pixels may be denser than those of the one before; else of the usual size, and where the system likes.
 */
export function placeFor(stored: WindowPlace | null, screens: readonly Area[]): Partial<Area> {
  const screen = stored && screens.find((area) => showsOn(stored, area))
  if (!screen) return usual
  return {
    x: stored.x,
    y: stored.y,
    width: Math.max(Math.min(stored.width, screen.width), smallest.width),
    height: Math.max(Math.min(stored.height, screen.height), smallest.height),
  }
}

function showsOn(place: Area, screen: Area): boolean {
  const across = Math.min(place.x + place.width, screen.x + screen.width) - Math.max(place.x, screen.x)
  const down = Math.min(place.y + place.height, screen.y + screen.height) - Math.max(place.y, screen.y)
  // The title bar is what a window is moved by: it must not lie above the screen.
  return across >= visibleAtLeast && down >= visibleAtLeast && place.y >= screen.y - visibleAtLeast / 2
}

const fileIn = (folder: string) => join(folder, 'window-place.json')

/**
 * Kept in a small file of its own and not in the store, so that the window need not wait for the store to be opened.
 * Null where there is none, or none that can be used.
 */
export function readWindowPlace(folder: string): WindowPlace | null {
  try {
    const read = v.safeParse(schema, JSON.parse(readFileSync(fileIn(folder), 'utf8')))
    return read.success ? read.output : null
  } catch {
    return null
  }
}

/** Failing is no trouble: the window opens in its usual place next time. */
export function writeWindowPlace(folder: string, place: WindowPlace): void {
  try {
    mkdirSync(dirname(fileIn(folder)), { recursive: true })
    writeFileSync(fileIn(folder), JSON.stringify(place), { mode: 0o600 })
    // One that was there keeps its mode; earlier versions let others read it.
    chmodSync(fileIn(folder), 0o600)
  } catch {
    // A full or read-only disk is said elsewhere.
  }
}
