/** How a colour looks to somebody, as a matrix over linear red, green and blue (Machado and others 2009, severity 1). */
const sights = {
  'full sight': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const

export type Sight = keyof typeof sights

export const sightNames = Object.keys(sights) as readonly Sight[]

type Triple = readonly [number, number, number]

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

function linearOf(hex: string): Triple {
  const part = (at: number) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  return [part(1), part(3), part(5)]
}

function times(matrix: readonly number[], [a, b, c]: Triple): Triple {
  const row = (at: number) => (matrix[at] ?? 0) * a + (matrix[at + 1] ?? 0) * b + (matrix[at + 2] ?? 0) * c
  return [row(0), row(3), row(6)]
}

/** Lightness and two axes of colour (Oklab), in which distances are about as large as they look. */
function oklab(rgb: Triple): Triple {
  const cones = times(
    [
      0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619,
      0.2817188376, 0.6299787005,
    ],
    rgb,
  )
  const [l, m, s] = cones.map((value) => Math.cbrt(Math.max(0, value)))
  return times(
    [
      0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371,
      0.7827717662, -0.808675766,
    ],
    [l ?? 0, m ?? 0, s ?? 0],
  )
}

/** How far two colours (`#rrggbb`) are apart to somebody; black and white are 1 apart, 0.02 is hardly seen. */
export function apart(one: string, other: string, sight: Sight): number {
  const [a, b] = [one, other].map((hex) => oklab(times(sights[sight], linearOf(hex)))) as [Triple, Triple]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

/** The contrast of two colours as WCAG reckons it, 1 to 21. */
export function contrast(one: string, other: string): number {
  const light = (hex: string) => {
    const [r, g, b] = linearOf(hex)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [lighter, darker] = [light(one), light(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}
