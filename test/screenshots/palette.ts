const MAX = 256

/** The colours that are enough for a picture, and for each of its pixels the place of its colour among them. */
export type Palette = { readonly palette: readonly number[]; readonly places: Uint8Array }

/**
 * Chooses by how often a colour is there, leaving out those that are as good as one that is chosen; how near that is
 * grows until they fit.
 */
export function paletteOf(colours: Uint32Array): Palette {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour)
  let near = 0
  let palette = spread(byCount, near)
  while (palette.length > MAX) {
    near += 1
    palette = spread(byCount, near * near)
  }
  const placeOf = new Map(byCount.map((colour) => [colour, nearest(palette, colour)]))
  return { palette, places: Uint8Array.from(colours, (colour) => placeOf.get(colour) ?? 0) }
}

/** The first of the colours, and each that is farther than so from all before it; one too many where they do not fit. */
function spread(colours: readonly number[], near: number): number[] {
  const chosen: number[] = []
  for (const colour of colours) {
    if (chosen.every((each) => distance(each, colour) > near)) chosen.push(colour)
    if (chosen.length > MAX) break
  }
  return chosen
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0
  palette.forEach((each, place) => {
    if (distance(each, colour) < distance(palette[best] ?? 0, colour)) best = place
  })
  return best
}

/** How unlike two colours are: the square of what lies between them. */
function distance(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16)
  const green = ((one >> 8) & 255) - ((other >> 8) & 255)
  const blue = (one & 255) - (other & 255)
  return red * red + green * green + blue * blue
}
